package docs

import (
	"sync"

	"github.com/arcseat/arc"
)

// maxVersions bounds what is remembered of reads, over all seats.
const maxVersions = 4096

// versions remember which version of a file each seat saw last, so that a
// continuation is not read out of another file than it began in.
type versions struct {
	mu    sync.Mutex
	last  map[sighting]string // SHA-256
	order []sighting          // a ring: next is the oldest once it is full
	next  int
}

type sighting struct {
	seat arc.SeatID
	path string
}

func newVersions() *versions { return &versions{last: map[sighting]string{}} }

// before is the version that a seat saw last at path, if that was another.
func (v *versions) before(seat arc.SeatID, path, sha256 string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if last := v.last[sighting{seat, path}]; last != sha256 {
		return last
	}
	return ""
}

// see remembers what a seat sees at path, and returns what it saw there before if
// that was another version.
func (v *versions) see(seat arc.SeatID, path, sha256 string) (previous string) {
	s := sighting{seat, path}
	v.mu.Lock()
	defer v.mu.Unlock()
	before := v.last[s]
	if before == "" {
		if len(v.order) < maxVersions {
			v.order = append(v.order, s)
		} else {
			delete(v.last, v.order[v.next])
			v.order[v.next] = s
			v.next = (v.next + 1) % maxVersions
		}
	}
	v.last[s] = sha256
	if before == sha256 {
		return ""
	}
	return before
}
