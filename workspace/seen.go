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
	mu   sync.Mutex
	seen recent[sighting, struct{}]
}

type sighting struct {
	seat arc.SeatID
	path relPath
	hash SHA256
}

func newSightings() *sightings {
	return &sightings{seen: newRecent[sighting, struct{}](maxSightings)}
}

func (s *sightings) add(seat arc.SeatID, path relPath, hash SHA256) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.put(sighting{seat, path, hash}, struct{}{})
}

func (s *sightings) has(seat arc.SeatID, path relPath, hash SHA256) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.seen.kept[sighting{seat, path, hash}]
	return ok
}
