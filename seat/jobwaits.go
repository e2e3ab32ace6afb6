package seat

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/arcseat/arc"
)

// jobsPoll is how often jobs are asked for whose end was not told.
const jobsPoll = 15 * time.Second

// askedAtOnce is how many jobs are asked for at a time.
const askedAtOnce = 16

// pollJobs asks for the jobs that seats wait for: a notice may have been missed, and
// a job that nobody knows any more is lost. One whose status cannot be had holds up
// no other. A job of another host is that host's to ask for, as long as it is there.
func (s *Service) pollJobs(ctx context.Context, jobs Jobs) error {
	var rows []*wakeRow
	err := s.store.View(ctx, func(tx *Tx) (err error) {
		rows, err = wakeRows(tx, `WHERE state = 'armed' AND target LIKE 'job:%'
			AND (host = $1 OR NOT EXISTS (SELECT 1 FROM host WHERE label = wake.host AND until_us > $2)) ORDER BY due_us LIMIT 1000`, s.host, s.now(tx))
		return err
	})
	if err != nil {
		return err
	}
	errs := make([]error, len(rows))
	var asking sync.WaitGroup
	free := make(chan struct{}, askedAtOnce)
	for i, x := range rows {
		free <- struct{}{}
		asking.Go(func() {
			defer func() { <-free }()
			outcome, ended := "lost", x.host != s.host
			if !ended && jobs != nil {
				outcome, ended = jobOutcome(ctx, jobs, x.seat, strings.TrimPrefix(x.Target, "job:"))
			}
			if !ended {
				return
			}
			errs[i] = s.update(ctx, roomOf(x.seat), func(tx *Tx) error {
				_, err := s.fire(tx, x, outcome, 0)
				return err
			})
		})
	}
	asking.Wait()
	return errors.Join(errs...)
}

// jobOutcome is how a job ended, if it has. One that is not known any more is lost;
// when nobody can tell, it has not ended.
func jobOutcome(ctx context.Context, jobs Jobs, seat arc.SeatID, job string) (outcome string, ended bool) {
	status, ended, err := jobs.JobStatus(ctx, seat, job)
	switch {
	case err == nil:
		return status, ended
	case errors.Is(err, arc.NotFound), errors.Is(err, arc.Expired):
		return "lost", true
	}
	return "", false
}
