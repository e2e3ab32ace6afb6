package workspace

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/arcseat/arc"
)

// AcceptJournal goes on with a damaged journal: what is sound up to the damage
// stays and can be undone, the rest is set aside in the journal's folder "kept".
// It is the host's: no tool reaches it. The reason is journaled, its first 1,000
// bytes. Without damage it does nothing.
//
// Codes: locked, no_space, permission_denied, io_error, internal (the damage
// cannot be set aside).
func (ws *Workspace) AcceptJournal(ctx context.Context, reason string) error {
	leave, err := ws.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	j := ws.journal
	if len(j.damage) == 0 {
		return nil
	}
	ws.log.Warn("workspace: a damaged journal is accepted", "reason", reason, "damage", fmt.Sprint(j.damage))
	if err := j.moveOdd(); err != nil {
		return ws.journalFault(err)
	}
	if err := j.accept(reason); err != nil {
		return ws.journalFault(err)
	}
	// Read it as any process will, and settle what it leaves open.
	j.segs = nil
	if err := j.refresh(); err != nil {
		return ws.journalFault(err)
	}
	if len(j.damage) > 0 {
		return &arc.Error{Code: arc.Internal, Message: "the journal is damaged beyond what can be set aside; move its folder away by hand."}
	}
	clear(ws.ambiguous)
	return ws.recover(ctx)
}

// moveOdd moves away what stands in the place of the journal's own files, and
// reads what is left.
func (j *journal) moveOdd() error {
	found, err := j.names()
	if err != nil || len(found.odd) == 0 {
		return err
	}
	for _, name := range found.odd {
		if err := j.dir.replace(name, refused(j.now())+name); err != nil {
			return err
		}
	}
	j.forget()
	return j.refresh()
}

const refusedPrefix = "refused-"

// refused is how the name of what was set aside begins.
func refused(now time.Time) string {
	return refusedPrefix + now.UTC().Format("20060102T150405.000") + "-"
}

func (j *journal) accept(reason string) error {
	found, err := j.names()
	if err != nil {
		return err
	}
	lost, err := j.lostBlobs(math.MaxInt64)
	if err != nil {
		return err
	}
	next := 1
	if len(j.changes) == 0 && j.seq == 0 {
		j.segs = nil // not even the first line is sound
	}
	if n := len(j.segs); n > 0 {
		next = j.segs[n-1].n + 1
	}
	for _, n := range found.segments {
		bad := n >= next || n == next-1 && j.hasTail()
		if !bad {
			continue
		}
		if err := j.setAside(n, refused(j.now())+segmentName(n)); err != nil {
			return err
		}
		if n >= next {
			err = j.dir.remove(segmentName(n))
		} else {
			err = j.file.Truncate(j.end)
		}
		if err != nil {
			return err
		}
	}
	r := record{Type: typeAccept, Reason: clip(reason, 1000)}
	if len(j.segs) == 0 {
		j.chain.mac, j.seq = "", 0
	} else {
		r.Drop, r.Last, r.LastMAC = j.segs[0].n-1, j.anchor.Seq-1, j.anchor.Prev
	}
	j.failed = nil
	if err := j.startSegment(next); err != nil {
		return err
	}
	for more := true; more; more = len(lost) > 0 { // one record may not hold them all
		n := min(len(lost), maxLost)
		r.Lost, lost = lost[:n], lost[n:]
		if err := j.append(&r); err != nil {
			return err
		}
	}
	if err := j.sync(); err != nil {
		return err
	}
	return j.writeHead(true)
}

// maxLost is how many changes one record names: an id has less than maxID bytes.
const maxLost = maxLine / 2 / maxID

// hasTail reports whether the newest segment goes on behind what was read.
func (j *journal) hasTail() bool {
	info, err := j.file.Stat()
	return err != nil || info.Size() > j.end
}

func (j *journal) setAside(n int, name string) error {
	f, err := j.dir.open(segmentName(n))
	if err != nil {
		return err
	}
	defer f.Close()
	return j.keepFile(name, f)
}
