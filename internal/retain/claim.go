package retain

import (
	"os"
	"path/filepath"
	"time"

	"github.com/arcseat/arc/internal/flock"
)

// claimFile is locked while an entry changes its owner: of several stores that find an
// orphan at once, one has it.
const claimFile = "claims"

// claimWait is how long a claim waits for another's, which takes a moment.
const claimWait = 5 * time.Second

// Claim makes an entry this store's own, and returns it as it stands then. It reports
// false if the entry's owner lives, if another store was quicker, or if the disk would
// not say so: then nothing is changed, and it may be tried again.
func (s *Store) Claim(id string) (*Entry, bool) {
	release, ok := s.claiming()
	if !ok {
		return nil, false
	}
	defer release()
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := s.read(id)
	if err != nil || old.Owner == s.owner || s.alive(old.Owner) {
		return nil, false
	}
	e := *old
	e.Owner = s.owner
	if s.write(&e) != nil {
		return nil, false
	}
	s.put(&e)
	return &e, true
}

// Disown gives a finished entry up with a last word: any store may claim it.
func (s *Store) Disown(id string, data any) error {
	return s.update(id, data, func(e *Entry) {
		s.finish(e)
		e.Owner = ""
	})
}

// claiming takes the lock of claims.
func (s *Store) claiming() (release func(), ok bool) {
	f, err := os.OpenFile(filepath.Join(s.dir, claimFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false
	}
	for end := time.Now().Add(claimWait); ; time.Sleep(time.Millisecond) {
		if ok, err = flock.Try(f); ok {
			return func() { _ = flock.Release(f); f.Close() }, true
		}
		if err != nil || time.Now().After(end) {
			f.Close()
			return nil, false
		}
	}
}
