package retain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// A record is a file of lines, each of them all that is known of the entry: the last
// that can be read counts. A change is one line more, in one write: that costs a tenth
// of a file that takes the other's place, and a host that is killed, or a disk that is
// full, leaves the lines before it.

// write adds a line to the record of e. It begins with a line's end, which closes what
// may have been left half-written.
func (s *Store) write(e *Entry) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return appendTo(s.recordPath(e.ID), append(append([]byte{'\n'}, b...), '\n'))
}

// maxRecord bounds what is read of the end of a record, which somebody may have made, or
// many hosts have added to: some hundred lines of the longest.
const maxRecord = 1 << 20

func (s *Store) read(id string) (*Entry, error) {
	f, err := OpenFile(s.recordPath(id))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.NewSectionReader(f, max(0, size-maxRecord), maxRecord))
	if err != nil {
		return nil, err
	}
	for len(b) > 0 {
		i := bytes.LastIndexByte(b, '\n')
		e := &Entry{}
		if json.Unmarshal(b[i+1:], e) == nil {
			if e.ID != id {
				return nil, fmt.Errorf("retain: the record of %s names %s", id, e.ID)
			}
			return e, nil
		}
		b = b[:max(i, 0)]
	}
	return nil, fmt.Errorf("retain: the record of %s cannot be read", id)
}
