package workspace

import (
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
	key   listKey
	list  *listing
	taken time.Time
	bytes int
}

func newSnapshots() *snapshots { return &snapshots{now: time.Now} }

// get returns the list of key, or nil if it was dropped or never taken.
func (s *snapshots) get(key listKey) *listing {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
	for _, k := range s.kept {
		if k.key == key {
			return k.list
		}
	}
	return nil
}

// put keeps l. A list that is kept already keeps its age.
func (s *snapshots) put(key listKey, l *listing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.kept, func(k snapshot) bool { return k.list == l }) {
		return
	}
	s.kept = slices.DeleteFunc(s.kept, func(k snapshot) bool { return k.key == key })
	s.kept = append(s.kept, snapshot{key, l, s.now(), l.bytes()})
	s.drop()
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

// bytes estimates what l holds in memory.
func (l *listing) bytes() int {
	n := 0
	for _, e := range l.entries {
		n += len(e.path) + 32
	}
	return n
}
