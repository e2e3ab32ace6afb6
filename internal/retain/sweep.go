package retain

import (
	"errors"
	"io/fs"
	"os"
)

// sweep drops what is past its age, and forgets what was dropped long ago. The
// caller holds mu.
func (s *Store) sweep() {
	now := s.options.Now()
	for id, e := range s.entries {
		if e.Ended.IsZero() {
			continue
		}
		age := now.Sub(e.Ended)
		switch {
		case !e.Dropped && age > s.options.Age:
			s.drop(e)
		case e.Dropped && age > remembered*s.options.Age:
			if removed(s.recordPath(id)) {
				delete(s.entries, id)
			}
		}
	}
	s.makeRoom(0)
}

// makeRoom drops finished entries, the oldest first, until n more bytes fit or
// none is left that may go. The caller holds mu.
func (s *Store) makeRoom(n int64) {
	if s.total+n <= s.options.Bytes {
		return
	}
	for _, e := range s.sorted() {
		if s.total+n <= s.options.Bytes {
			return
		}
		if e.Ended.IsZero() || e.size() == 0 || (s.options.Keep != nil && s.options.Keep(e)) {
			continue
		}
		s.drop(e)
	}
}

// drop removes the file of e and keeps its record. A file that cannot be removed
// still counts. The caller holds mu.
func (s *Store) drop(old *Entry) {
	if !removed(s.Path(old.ID)) {
		return
	}
	e := *old
	e.Dropped = true
	s.put(&e)
	_ = s.write(&e) // without it another process meets a missing file, which is as good
}

func removed(path string) bool {
	err := os.Remove(path)
	return err == nil || errors.Is(err, fs.ErrNotExist)
}
