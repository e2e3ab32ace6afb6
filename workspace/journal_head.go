package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// head is what HEAD holds: a journal that ends before it was cut.
type head struct {
	Seq uint64 `json:"seq"`
	MAC string `json:"mac"`
	// Sum binds both to the key: without one, who cuts the journal can write a HEAD
	// that fits.
	Sum string `json:"sum,omitempty"`
}

func (j *journal) newHead() head {
	h := head{Seq: j.seq, MAC: j.chain.mac}
	h.Sum = j.headSum(h)
	return h
}

// headSum is empty without a key.
func (j *journal) headSum(h head) string {
	if j.chain.key == nil {
		return ""
	}
	return j.chain.sum(h.MAC, fmt.Appendf(nil, "HEAD %d", h.Seq))
}

func (j *journal) writeHead(durable bool) error {
	b, err := json.Marshal(j.newHead())
	if err != nil {
		return err
	}
	const tmp = "HEAD.tmp"
	if err := j.dir.remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := j.dir.create(tmp, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if durable {
		err = errors.Join(err, f.Sync())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := j.dir.replace(tmp, "HEAD"); err != nil || !durable {
		return err
	}
	return j.dir.sync()
}

// readHead returns nil if HEAD is there and unreadable: a power cut may leave it
// empty.
func (j *journal) readHead() (*head, error) {
	f, err := j.dir.open("HEAD")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return nil, err
	}
	var h head
	if json.Unmarshal(b, &h) != nil || h.Seq == 0 {
		return nil, nil
	}
	return &h, nil
}
