package retain

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/arcseat/arc"
)

// sweep drops what is past its age, and forgets what was dropped long ago. The
// caller holds mu.
func (s *Store) sweep() {
	now := s.options.Now()
	s.swept = now
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
	all := s.sorted()
	named := s.othersTurns(all)
	for _, e := range all {
		if s.total+n <= s.options.Bytes {
			return
		}
		if e.Ended.IsZero() || e.size() == 0 || named[e] || (s.options.Keep != nil && s.options.Keep(e)) {
			continue
		}
		s.drop(e)
	}
}

// othersTurns are the entries of the last turn of each seat, as far as other stores
// that live have made them: that turn may still name them.
func (s *Store) othersTurns(all []*Entry) map[*Entry]bool {
	last, alive := map[arc.SeatID]arc.TurnID{}, map[string]bool{s.owner: false}
	for _, e := range all {
		last[e.Origin.Seat] = e.Origin.Turn
	}
	named := map[*Entry]bool{}
	for _, e := range all {
		if e.Origin.Turn == "" || e.Origin.Turn != last[e.Origin.Seat] {
			continue
		}
		if _, known := alive[e.Owner]; !known {
			alive[e.Owner] = s.alive(e.Owner)
		}
		named[e] = alive[e.Owner]
	}
	return named
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

// lookAround learns what other stores of the directory have written, and reports
// whether there are any. The caller holds mu.
func (s *Store) lookAround() bool {
	s.unseen = 0
	names, err := os.ReadDir(s.dir)
	if err != nil || !slices.ContainsFunc(names, func(n fs.DirEntry) bool {
		owner, ok := strings.CutPrefix(n.Name(), lockPrefix)
		return ok && owner != s.owner
	}) {
		return false
	}
	s.learn(names)
	return true
}

// learn reads the records among names that are new to this store, and those of other
// stores that are still written. What such a one has is the size of its file.
func (s *Store) learn(names []fs.DirEntry) {
	for _, n := range names {
		id, ok := strings.CutSuffix(n.Name(), recordSuffix)
		if !ok {
			continue
		}
		if e := s.entries[id]; e != nil && (e.Owner == s.owner || !e.Ended.IsZero()) {
			continue
		}
		e, err := s.read(id)
		if err != nil {
			continue
		}
		if e.Ended.IsZero() {
			if info, err := os.Stat(s.Path(id)); err == nil {
				e.Bytes = info.Size()
			}
		}
		s.put(e)
	}
}
