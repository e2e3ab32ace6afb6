package workspace

import (
	"sync"

	"github.com/arcseat/arc"
)

// maxSightings bounds what is remembered of reads, over all seats.
const maxSightings = 4096

// sightings remember which version of a file each seat has read, so that an
// error tells a hash only to who knows what it stands for.
type sightings struct {
	mu    sync.Mutex
	seen  map[sighting]struct{}
	order []sighting // a ring: next is the oldest once it is full
	next  int
}

type sighting struct {
	seat arc.SeatID
	path relPath
	hash SHA256
}

func newSightings() *sightings { return &sightings{seen: map[sighting]struct{}{}} }

func (s *sightings) add(seat arc.SeatID, path relPath, hash SHA256) {
	v := sighting{seat, path, hash}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.seen[v]; ok {
		return
	}
	if len(s.order) < maxSightings {
		s.order = append(s.order, v)
	} else {
		delete(s.seen, s.order[s.next])
		s.order[s.next] = v
		s.next = (s.next + 1) % maxSightings
	}
	s.seen[v] = struct{}{}
}

func (s *sightings) has(seat arc.SeatID, path relPath, hash SHA256) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.seen[sighting{seat, path, hash}]
	return ok
}
