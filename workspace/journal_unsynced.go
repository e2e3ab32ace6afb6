package workspace

import (
	"errors"
	"io/fs"
)

// unsyncedMark is the name of a file that stands in the journal's folder from when a
// sync of a segment fails until that has been written anew. What the sync could not
// write is gone from the disk, while it reads back until the power is cut, and no
// later sync of that file would say so: a process that rested on it would leave a hole.
// The mark need not be durable, since who reads the disk after a power cut reads what
// is there.
const unsyncedMark = "UNSYNCED"

// markUnsynced tells the processes that come after this one.
func (j *journal) markUnsynced() {
	if f, err := j.dir.openAppend(unsyncedMark); err == nil {
		f.Close()
	}
}

// makeSure rewrites the newest segment if what was read ends where a process syncs: who
// wrote that may have died when its sync had failed, before it could set the mark. That
// it cannot be rewritten is no reason to go no further, since nothing says that a sync has
// failed, unless another file stands in its place by then: what is open has no name, and
// an intent in it would be lost.
func (j *journal) makeSure(found journalNames) error {
	if found.rewritten || len(j.damage) > 0 || !j.endsAtSync() {
		return nil
	}
	if err := j.rewrite(found); err != nil {
		if j.inPlace() {
			return nil
		}
		j.segs = nil
		return err
	}
	f, err := j.dir.openAppend(segmentName(j.segs[len(j.segs)-1].n))
	if err != nil {
		j.segs = nil // what is open is not the journal any more
		return err
	}
	j.file.Close()
	j.file = f
	return nil
}

func (j *journal) endsAtSync() bool {
	switch j.lastType {
	case "":
		return false
	case typeCommit, typeAbort:
		return j.full()
	case typeHeader:
		return len(j.segs) > 1
	}
	return true
}

// rewrite writes the newest segment anew, and takes the mark away.
func (j *journal) rewrite(found journalNames) error {
	if n := len(found.segments); n > 0 {
		name := segmentName(found.segments[n-1])
		f, err := j.dir.open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := replaceFile(j.dir, name, f); err != nil {
			return err
		}
	}
	if err := j.dir.remove(unsyncedMark); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
