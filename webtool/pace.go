package webtool

import (
	"context"
	"sync"
	"time"

	"github.com/arcseat/arc"
)

// paceWindow is what PerMinute is counted over.
const paceWindow = time.Minute

// A pace keeps a Web polite: so many requests to a host at once, and in a minute.
type pace struct {
	atOnce, perMinute int

	mu    sync.Mutex
	hosts map[string]*hostPace
}

type hostPace struct {
	active  int
	waiting int
	began   []time.Time   // of the requests of the last minute, oldest first
	ended   chan struct{} // closed, and replaced, when one ends
}

// begin waits for a turn to ask host, within ctx, and returns what ends it. Where ctx
// would not live to see the turn it says so at once: rate_limited.
func (p *pace) begin(ctx context.Context, host string) (end func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.hosts[host]
	if h == nil {
		if p.hosts == nil {
			p.hosts = map[string]*hostPace{}
		}
		p.sweep()
		h = &hostPace{ended: make(chan struct{})}
		p.hosts[host] = h
	}
	h.waiting++
	defer func() { h.waiting-- }()
	for {
		now := time.Now()
		h.forget(now)
		if h.active < p.atOnce && len(h.began) < p.perMinute {
			h.active++
			h.began = append(h.began, now)
			return func() { p.end(h) }, nil
		}
		wait := paceWindow // for one that is active: nobody knows
		if len(h.began) >= p.perMinute {
			wait = h.began[0].Add(paceWindow).Sub(now)
			if deadline, ok := ctx.Deadline(); ok && now.Add(wait).After(deadline) {
				return nil, tooOften(wait)
			}
		}
		if err := p.wait(ctx, h.ended, wait); err != nil {
			return nil, err
		}
	}
}

// wait lets go of the lock until something may have changed.
func (p *pace) wait(ctx context.Context, ended <-chan struct{}, most time.Duration) error {
	p.mu.Unlock()
	defer p.mu.Lock()
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-ended:
	case <-t.C:
	case <-ctx.Done():
		if context.Cause(ctx) == context.DeadlineExceeded {
			return tooOften(0)
		}
		return context.Cause(ctx)
	}
	return nil
}

func tooOften(wait time.Duration) error {
	return &arc.Error{
		Code:    RateLimited,
		Message: "this host asks one site only so often; read something else first, then come back.",
		Detail:  &FetchFailure{Reason: "pacing", RetryAfterSec: seconds(wait), Retryable: true},
	}
}

func (p *pace) end(h *hostPace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h.active--
	close(h.ended)
	h.ended = make(chan struct{})
}

// sweep forgets hosts that nothing is remembered of.
func (p *pace) sweep() {
	now := time.Now()
	for name, h := range p.hosts {
		if h.forget(now); h.active == 0 && h.waiting == 0 && len(h.began) == 0 {
			delete(p.hosts, name)
		}
	}
}

func (h *hostPace) forget(now time.Time) {
	n := 0
	for n < len(h.began) && now.Sub(h.began[n]) >= paceWindow {
		n++
	}
	h.began = h.began[n:]
}
