package workspace

import (
	"bytes"
	"slices"
	"sync"
	"time"
)

// Limits of what List keeps for later pages.
const (
	maxSnapshots     = 32
	maxSnapshotBytes = 64 << 20 // of all but the newest
	snapshotLife     = 10 * time.Minute
)

// snapshots are the lists whose later pages may still be asked for, oldest
// first.
type snapshots struct {
	now func() time.Time // set before the first use

	mu   sync.Mutex
	kept []snapshot
}

type listKey struct {
	path      relPath
	recursive bool
}

type snapshot struct {
	id    string // names it in the call for its next page
	key   listKey
	list  *listing
	taken time.Time
	bytes int
}

func newSnapshots() *snapshots { return &snapshots{now: time.Now} }

// get returns the list of key with that id, without one the newest; nil if it was
// dropped or never taken.
func (s *snapshots) get(key listKey, id string) *listing {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
	for _, k := range slices.Backward(s.kept) {
		if k.key == key && (id == "" || k.id == id) {
			return k.list
		}
	}
	return nil
}

// put keeps l and returns its id. A list that is kept already keeps its age; one
// that is the same as another takes its place, so that callers who look at the
// same tree share one.
func (s *snapshots) put(key listKey, l *listing) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id = randomLetters(6) // not to be taken for one of another process
	for i, k := range s.kept {
		if k.list == l {
			return k.id
		}
		if k.key == key && k.list.same(l) {
			id = k.id
			s.kept = slices.Delete(s.kept, i, i+1)
			break
		}
	}
	s.kept = append(s.kept, snapshot{id, key, l, s.now(), l.bytes()})
	s.drop()
	return id
}

// drop forgets what is too old or too much.
func (s *snapshots) drop() {
	oldest := s.now().Add(-snapshotLife)
	s.kept = slices.DeleteFunc(s.kept, func(k snapshot) bool { return k.taken.Before(oldest) })
	keep, total := len(s.kept), 0
	for keep > 0 && len(s.kept)-keep < maxSnapshots {
		total += s.kept[keep-1].bytes
		if total > maxSnapshotBytes && keep < len(s.kept) {
			break
		}
		keep--
	}
	s.kept = slices.Delete(s.kept, 0, keep)
}

// same reports whether a page of l is one of m.
func (l *listing) same(m *listing) bool {
	return l.ignored == m.ignored && l.unreadable == m.unreadable && l.resolved == m.resolved && l.capped == m.capped &&
		slices.Equal(l.dirs, m.dirs) && slices.Equal(l.entries, m.entries) && slices.EqualFunc(l.names, m.names, bytes.Equal)
}

// bytes estimates what l holds in memory.
func (l *listing) bytes() int {
	n := 12 * cap(l.entries)
	for _, piece := range l.names {
		n += cap(piece)
	}
	for _, d := range l.dirs {
		n += 16 + len(d)
	}
	return n
}
