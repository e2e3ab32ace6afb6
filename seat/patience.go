package seat

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/arcseat/arc"
)

// patience is how long a host is waited for that is asked about a job, or about all of
// a seat's. A turn goes on without the answer.
const patience = 2 * time.Second

// patient asks Jobs that may hang. Whoever gave it out waits for asking in the end, so
// that no question outlives its Run.
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
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	type answer struct {
		status string
		ended  bool
		err    error
	}
	answers := make(chan answer, 1)
	p.asking.Go(func() {
		var a answer
		defer func() {
			if p := recover(); p != nil { // nobody can tell, and that ends no other seat's turn
				a = answer{err: fmt.Errorf("asked about a job, the host panicked: %v", p)}
			}
			answers <- a
		}()
		a.status, a.ended, a.err = p.jobs.JobStatus(ctx, seat, job)
	})
	select {
	case a := <-answers:
		return a.status, a.ended, a.err
	case <-ctx.Done():
		return "", false, ctx.Err()
	}
}
