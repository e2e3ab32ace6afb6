package mcptool

import (
	"context"
	"fmt"
	"sync"

	"github.com/arcseat/arc"
)

const (
	maxReading = 8  // calls that only read, side by side
	maxCalls   = 64 // calls of a client that run or wait
)

// A queue lets calls in as a batch of a session is run: in their order, neighbours that
// only read side by side and each other one alone.
type queue struct {
	mu    sync.Mutex
	all   []*place // in the order in which they came; those that run are first
	tally int      // that run
}

// A place is a call's in the queue.
type place struct {
	q     *queue
	reads bool
	runs  bool
	ready chan struct{} // closed when it may run
}

// join takes the next place. It does not block.
func (q *queue) join(reads bool) (*place, *arc.Error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.all) >= maxCalls {
		return nil, &arc.Error{
			Code:    arc.LimitReached,
			Message: fmt.Sprintf("%d calls are waiting, so this one was not made; wait for their results first.", maxCalls),
			Detail:  map[string]int{"limit": maxCalls},
		}
	}
	p := &place{q: q, reads: reads, ready: make(chan struct{})}
	q.all = append(q.all, p)
	q.admit()
	return p, nil
}

// admit lets run what may. The caller holds mu.
func (q *queue) admit() {
	for i, p := range q.all {
		if p.runs {
			if !p.reads {
				return
			}
			continue
		}
		if i > 0 && !p.reads || q.tally >= maxReading {
			return
		}
		p.runs = true
		q.tally++
		close(p.ready)
		if !p.reads {
			return
		}
	}
}

// wait returns when the call may run, or ctx has ended.
func (p *place) wait(ctx context.Context) error {
	select {
	case <-p.ready:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave gives the place up.
func (p *place) leave() {
	p.q.mu.Lock()
	defer p.q.mu.Unlock()
	for i, other := range p.q.all {
		if other == p {
			p.q.all = append(p.q.all[:i], p.q.all[i+1:]...)
			break
		}
	}
	if p.runs {
		p.q.tally--
	}
	p.q.admit()
}
