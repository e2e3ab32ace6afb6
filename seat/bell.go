package seat

import (
	"context"
	"time"
)

// horizon is how long a Run sleeps at most. What others do in a store of one owner, and
// where they are not heard, is found by looking; where they are, the look is for what was
// missed.
func (s *Service) horizon() time.Duration {
	if s.hears.Load() > 0 {
		return s.o.Lease / 3
	}
	return time.Second
}

// listening lets every Run look again when others ring, until ctx ends or the returned func
// is called.
func (s *Service) listening(ctx context.Context) (stop func()) {
	if s.rooms == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		heard := false
		listens := func(hears bool) {
			if hears != heard {
				s.hears.Add(int32(2*truth(hears) - 1))
				heard = hears
			}
		}
		s.rooms.Listen(ctx, func(hears bool) {
			listens(hears)
			s.tell()
		})
		listens(false)
	}()
	return func() {
		cancel()
		<-ended
	}
}
