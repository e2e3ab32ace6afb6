package seat

import "context"

// Claim begins a seat's next turn outside of a Run.
func (s *Service) Claim(ctx context.Context, info Info) (*Turn, error) {
	t, _, err := s.claim(ctx, info.ID, &RunOptions{})
	return t, err
}

// Commit ends a turn that was claimed.
func (t *Turn) Commit(ctx context.Context, reply string) error {
	defer t.svc.setIdle(t)
	return t.end(ctx, reply, false)
}

// End ends a turn that was claimed, for the store alone: the service has not heard of it.
func (t *Turn) End(ctx context.Context, failed bool) error { return t.end(ctx, "ended", failed) }

// Timers is how many wakes the service means to fire itself.
func (s *Service) Timers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.timers.next)
}

// Ending reports whether a tool has ended the turn, or is about to.
func (t *Turn) Ending() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ending
}
