package seat

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/arcseat/arc"
)

// patience is how long a host is waited for that is asked about a job, about all of a
// seat's, or what turns have done. What it was asked for goes on without the answer.
const patience = 2 * time.Second

// ask waits for the answer to a question, but no longer than patience and ctx last.
// asking counts what is asked until it is answered, so that somebody may wait for that. A
// host that panics is one that cannot tell.
func ask[T any](ctx context.Context, asking *sync.WaitGroup, question func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	type result struct {
		answer T
		err    error
	}
	results := make(chan result, 1)
	asking.Go(func() {
		var r result
		defer func() {
			if p := recover(); p != nil { // that ends no other seat's turn
				r = result{err: fmt.Errorf("the host panicked when it was asked: %v", p)}
			}
			results <- r
		}()
		r.answer, r.err = question(ctx)
	})
	select {
	case r := <-results:
		return r.answer, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// patient asks Jobs that may hang.
type patient struct {
	jobs   Jobs
	asking *sync.WaitGroup
}

// JobPID implements JobPIDs.
func (p patient) JobPID(seat arc.SeatID, job string) int {
	if pids, ok := p.jobs.(JobPIDs); ok {
		return pids.JobPID(seat, job)
	}
	return 0
}

// JobStatus implements Jobs.
func (p patient) JobStatus(ctx context.Context, seat arc.SeatID, job string) (string, bool, error) {
	type status struct {
		word  string
		ended bool
	}
	a, err := ask(ctx, p.asking, func(ctx context.Context) (a status, err error) {
		a.word, a.ended, err = p.jobs.JobStatus(ctx, seat, job)
		return a, err
	})
	return a.word, a.ended, err
}
