package workspace

import (
	"errors"
	"io/fs"
	"slices"
)

// roll starts a new segment when the newest is full, and drops the oldest ones
// when the journal has outgrown its bounds.
func (j *journal) roll() error {
	if !j.full() {
		return nil
	}
	if err := j.startSegment(j.segs[len(j.segs)-1].n + 1); err != nil {
		return err
	}
	return j.prune()
}

// full reports whether the next change begins a new segment. Where changes are few, a
// segment ends with its time: what is in it goes as one.
func (j *journal) full() bool {
	s := j.segs[len(j.segs)-1]
	return s.changes > 0 && (s.bytes >= min(segmentBytes, j.keep.bytes/8) || s.changes >= min(segmentChanges, j.keep.changes/4+1) ||
		j.now().Sub(s.began) >= j.keep.age/8)
}

// prune drops what is beyond the bounds, by whole segments. What is open or
// ambiguous stays.
func (j *journal) prune() error {
	changes, bytes := 0, int64(0)
	for _, s := range j.segs {
		changes += s.changes
		bytes += s.bytes
	}
	pinned := j.segs[len(j.segs)-1].n
	for _, c := range j.changes {
		if c.end == "" {
			pinned = min(pinned, c.seg)
		}
	}
	var gone *segment
	for i := range j.segs {
		s := &j.segs[i]
		old := j.now().Sub(s.newest) > j.keep.age
		if s.n >= pinned || !old && bytes <= j.keep.bytes && changes-s.changes < j.keep.changes {
			break
		}
		gone = s
		changes -= s.changes
		bytes -= s.bytes
	}
	if gone == nil {
		return nil
	}
	if err := j.append(&record{Type: typePrune, Drop: gone.n, Last: gone.last, LastMAC: gone.lastMAC}); err != nil {
		return err
	}
	if err := j.sync(); err != nil {
		return err
	}
	if err := j.writeHead(false); err != nil {
		return err
	}
	return j.removePruned()
}

// removePruned removes the segments that the newest prune names, the blobs that no
// change needs any more, and what was begun of others when a process died.
func (j *journal) removePruned() error {
	drop := j.pruned.Drop
	for _, s := range j.segs {
		if s.n <= drop {
			if err := j.dir.remove(segmentName(s.n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			// The oldest goes first, also where the power is cut: a gap would be damage.
			if err := j.dir.sync(); err != nil {
				return err
			}
		}
	}
	j.segs = slices.DeleteFunc(j.segs, func(s segment) bool { return s.n <= drop })
	j.anchor = record{Seq: j.pruned.Last + 1, Prev: j.pruned.LastMAC}
	var gone []string
	j.changes = slices.DeleteFunc(j.changes, func(c *change) bool {
		if c.seg > drop {
			return false
		}
		delete(j.byID, c.id)
		if c.kept != "" {
			gone = append(gone, c.kept)
		}
		return true
	})
	if err := j.removeKept(gone); err != nil {
		return err
	}
	needed := map[SHA256]bool{}
	for _, c := range j.changes {
		if c.Before != nil && c.Before.Image == imageBlob {
			needed[c.Before.Hash] = true
		}
	}
	return j.eachBlob(func(d folder, name string, h SHA256) error {
		if needed[h] && name == blobName(h) {
			return nil
		}
		return d.remove(name)
	})
}
