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

// caught makes the error of a call of a host's panic, which is to end nothing but that call.
// It is deferred.
func caught(who string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s panicked: %v", who, p)
	}
}

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
		defer func() { results <- r }()
		defer caught("the host", &r.err)
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
	pids, ok := p.jobs.(JobPIDs)
	if !ok {
		return 0
	}
	var none error // 0 says it
	defer caught("the host", &none)
	return pids.JobPID(seat, job)
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
