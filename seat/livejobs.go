package seat

import (
	"context"
	"slices"

	"github.com/arcseat/arc"
)

// liveJob is a background job that a seat started and that is not known to have ended.
type liveJob struct {
	arc.Touch
	status string // empty: nobody can tell now
	pid    int    // 0: nobody can tell
}

// liveJobs are the seat's jobs that still run, in the order in which they began.
// What is found to have ended is not asked for again.
func (s *Service) liveJobs(ctx context.Context, seat arc.SeatID, jobs Jobs) ([]liveJob, error) {
	var steps []step
	err := s.store.View(ctx, func(tx *Tx) (err error) {
		steps, err = stepsOf(tx, `open_jobs = 1 AND EXISTS (SELECT 1 FROM turn WHERE turn.id = step.turn_id AND turn.seat_id = $1)`, seat)
		return err
	})
	if err != nil {
		return nil, err
	}
	asking, cancel := context.WithTimeout(ctx, patience) // for all of them
	defer cancel()
	var live []liveJob
	var over []step
	for _, p := range steps {
		left := 0
		for _, touch := range p.touched {
			if touch.Kind != "job" {
				continue
			}
			j, ended := liveJob{Touch: touch}, false
			if jobs != nil {
				j.status, ended = jobOutcome(asking, jobs, seat, touch.ID)
			}
			if ended {
				continue
			}
			if pids, ok := jobs.(JobPIDs); ok && j.status != "" {
				j.pid = pids.JobPID(seat, touch.ID)
			}
			left++
			live = append(live, j)
		}
		if left == 0 {
			over = append(over, p)
		}
	}
	if len(over) == 0 {
		return live, nil
	}
	_, err = s.transact(ctx, roomOf(seat), wait, func(tx *Tx) error {
		for _, p := range over {
			if _, err := tx.Exec(`UPDATE step SET open_jobs = 0 WHERE turn_id = $1 AND call_id = $2`, p.turn, p.call); err != nil {
				return err
			}
		}
		return nil
	})
	return live, err
}

// startsJob reports whether a call left a job.
func startsJob(touched []arc.Touch) bool {
	return slices.ContainsFunc(touched, func(t arc.Touch) bool { return t.Kind == "job" })
}

// lookAtJobs lets the turn know which of the seat's jobs run. That it cannot be told
// keeps no turn away.
func (t *Turn) lookAtJobs(ctx context.Context) {
	live, err := t.svc.liveJobs(ctx, t.Origin.Seat, t.o.Jobs)
	if err != nil {
		t.svc.log.Warn("which jobs of the seat run is not known", "seat", t.Origin.Seat, "err", err)
		return
	}
	var lines []string
	for _, j := range live {
		if j.status != "" {
			lines = append(lines, "- "+line(j.Touch)+": "+j.status)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.jobs = lines
}
