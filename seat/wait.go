package seat

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/arcseat/arc"
)

type waitingResult struct {
	Status   string    `json:"status"` // waiting
	WaitID   string    `json:"wait_id"`
	Target   string    `json:"target"` // time, task:12, job:job_x
	Deadline time.Time `json:"deadline"`
}

type satisfiedResult struct {
	Status  string `json:"status"` // satisfied
	Target  string `json:"target"`
	Outcome string `json:"outcome"`
}

// Wait yields the turn until its target is there. A target that has ended already is
// told at once and the turn goes on. The wait is armed first and looked at after, so
// that no end is missed in between. Codes: invalid_arguments, not_found, wait_cycle,
// limit_reached, unavailable, and those of a turn that is over.
func (h *hold) Wait(ctx context.Context, call string, w arc.Wait) (*arc.Result, error) {
	x, err := newWait(w)
	if err != nil {
		return nil, err
	}
	if r, err := h.waited(ctx, call); r != nil || err != nil {
		return r, err
	}
	jobs := h.t.o.Jobs
	if w.JobID != "" {
		if jobs == nil {
			return nil, refuse(arc.Unavailable, detail{"reason": "host"}, "this host has no background jobs to wait for; wait for a time instead.")
		}
		if _, _, err := jobs.JobStatus(ctx, h.ID(), w.JobID); err != nil {
			return nil, err
		}
	}
	if w.TaskID != 0 {
		if err := h.svc().store.View(ctx, func(tx *Tx) error { return waitable(tx, h.ID(), w.TaskID) }); err != nil {
			return nil, err
		}
	}
	if x, err = h.armOnce(ctx, call, x); err != nil {
		return nil, err
	}
	outcome, over := "", false
	if w.JobID != "" {
		outcome, over = jobOutcome(ctx, jobs, h.ID(), w.JobID)
	}
	return h.yield(ctx, call, x.ID, outcome, over)
}

func (h *hold) svc() *Service { return h.t.svc }

// newWait checks what a wait asks for.
func newWait(w arc.Wait) (*wakeRow, error) {
	targets := 0
	for _, has := range []bool{w.After != 0, w.TaskID != 0, w.JobID != ""} {
		targets += int(truth(has))
	}
	if targets != 1 {
		return nil, invalid("invalid_target", "a wait has exactly one of after, task_id and job_id; leave out the others or set them null.")
	}
	if err := checkNote(w.Note); err != nil {
		return nil, err
	}
	x := &wakeRow{Wake: Wake{Kind: "wait", Note: w.Note}}
	d, err := time.Duration(0), error(nil)
	switch {
	case w.After != 0 && w.Timeout != 0:
		return nil, invalid("timeout", "timeout belongs to task_id and job_id; a wait for a time has after alone.")
	case w.After != 0:
		d, err = checkAfter("after", w.After)
	case w.Timeout != 0:
		d, err = checkAfter("timeout", w.Timeout)
	default:
		d = DefaultWaitTimeout
	}
	switch {
	case err != nil:
	case w.TaskID < 0:
		err = invalid("invalid_target", "task_id is 1 or more.")
	case w.TaskID != 0:
		x.Target = taskTarget(w.TaskID)
	case w.JobID != "":
		x.Target = jobTarget(w.JobID)
	}
	x.afterUS = d.Microseconds()
	return x, err
}

// waited is the result of this very call, if it was made before.
func (h *hold) waited(ctx context.Context, call string) (r *arc.Result, err error) {
	err = h.t.held(ctx, func(tx *Tx, x *turnRow) error {
		data, err := again(tx, x, call, StatusWaiting)
		if data != nil {
			r = &arc.Result{Data: data, End: arc.Waiting}
		}
		return err
	})
	return r, err
}

// yield ends the turn, unless the wait is over: then it says so and is armed no more.
func (h *hold) yield(ctx context.Context, call, wake, outcome string, over bool) (*arc.Result, error) {
	var r *arc.Result
	err := h.going(ctx, func(tx *Tx, turn *turnRow) error {
		x, err := wakeByID(tx, wake)
		if err != nil {
			return err
		}
		if n, ok := taskOf(x.Target); ok && x.State == "armed" {
			if outcome, over, err = taskOutcome(tx, n); err != nil {
				return err
			}
		}
		switch x.State {
		case "fired", "satisfied": // it ended while this was armed
			outcome, over = x.Outcome, true
		case "cancelled":
			return refuse(RunFinished, nil, "the wait was cancelled: the run has ended.")
		}
		if over {
			r = &arc.Result{Data: satisfiedResult{"satisfied", target(x), outcome}}
			tx.ended = append(tx.ended, x.ID)
			if _, err := tx.Exec(`UPDATE wake SET state = 'satisfied', outcome = $1 WHERE id = $2`, outcome, x.ID); err != nil {
				return err
			}
			_, err := tx.Exec(`DELETE FROM queue WHERE wake_id = $1 AND state = 'queued'`, x.ID)
			return err
		}
		var data json.RawMessage
		data, err = h.end(tx, turn, call, StatusWaiting, x.Note, waitingResult{"waiting", x.ID, target(x), x.Due.Truncate(time.Millisecond)})
		r = &arc.Result{Data: data, End: arc.Waiting}
		return err
	})
	return r, err
}

func target(x *wakeRow) string {
	if x.Target == "" {
		return "time"
	}
	return x.Target
}

// taskOf is the task that a wait is for.
func taskOf(target string) (int64, bool) {
	id, ok := strings.CutPrefix(target, "task:")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(id, 10, 64)
	return n, err == nil
}
