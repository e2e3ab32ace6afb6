package seat

import (
	"context"
	"errors"
	"time"
)

// watchTurn ends a turn when it is stopped, of which Run hears where others do it, and in a
// store that others share keeps its lease, until ctx ends. One that has been taken over is
// ended, and so is one whose lease could not be kept: from then on it may be.
func (s *Service) watchTurn(ctx context.Context, t *Turn, cancel context.CancelCauseFunc) {
	pause := s.o.Lease / 3
	for {
		var renew <-chan time.Time
		if s.shared {
			renew = s.clock.After(pause)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.stop:
			cancel(errStopped)
			return
		case <-renew:
		}
		left := t.leaseLeft()
		trying, end := context.WithTimeout(ctx, left)
		err := t.held(trying, func(*Tx, *turnRow) error { return nil })
		end()
		switch {
		case errors.Is(err, LeaseLost):
			cancel(err)
			return
		case err == nil:
			pause = s.o.Lease / 3
		case t.leaseLeft() <= 0:
			cancel(refuse(LeaseLost, nil, "the store could not be reached for as long as the turn was this host's; it goes on elsewhere, or later."))
			return
		default:
			pause = min(s.o.Lease/20, t.leaseLeft())
		}
	}
}

// kept notes that the lease was renewed by a transaction that began when Elapsed was at.
func (t *Turn) kept(at time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.renewed = max(t.renewed, at)
}

// leaseLeft is for how long the turn is surely this host's, by the host's own clock.
func (t *Turn) leaseLeft() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.renewed + t.svc.o.Lease - t.svc.clock.Elapsed()
}
