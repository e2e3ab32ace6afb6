package seat

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// A Gate is something that has to hold before a run may finish.
type Gate struct {
	Name string // as the seat is told it
	// Check looks at the run of o. An error says that the check cannot be made: that
	// is told and logged, and does not hold the run up.
	Check func(ctx context.Context, o arc.Origin, f arc.Finish) (Verdict, error)
}

// A Verdict is what a Gate found. The zero value lets the run finish.
type Verdict struct {
	Missing string // what is not as it should be
	Next    string // what to do about it, in one sentence
	Warning string // what the run may finish with, but not unsaid
}

// Missing is what keeps a run from finishing.
type Missing struct {
	Gate   string `json:"gate"`   // its name
	Detail string `json:"detail"` // what is missing
	Next   string `json:"next"`   // what to do about it
}

type unchecked struct {
	Gate   string `json:"gate"`
	Reason string `json:"reason"`
}

type finishResult struct {
	Status         string      `json:"status"` // finished, not_finished
	RunID          string      `json:"run_id,omitempty"`
	CancelledWakes []string    `json:"cancelled_wakes,omitempty"`
	Missing        []Missing   `json:"missing,omitempty"`
	Unavailable    []unchecked `json:"unavailable,omitempty"`
	Warnings       []string    `json:"warnings,omitempty"`
	Escalated      bool        `json:"escalated,omitempty"`
}

// notFinished takes a refusal of the gates out of a transaction that is undone.
type notFinished struct{ missing []Missing }

func (notFinished) Error() string { return "not finished" }

// escalateAfter is how often the same answer is given before the host hears of it.
const escalateAfter = 3

// Finish ends the run if every gate lets it: reply, jobs, plan, operator_messages,
// and the host's. All that is missing is told at once. What is still armed in the
// run is cancelled and listed. Codes: invalid_arguments, and those of a turn that is
// over.
func (h *hold) Finish(ctx context.Context, call string, f arc.Finish) (*arc.Result, error) {
	if strings.TrimSpace(f.Summary) == "" {
		return nil, invalid("summary", "the summary is blank; say what was done.")
	}
	out := finishResult{Status: "finished"}
	missing, err := h.askGates(ctx, f, &out)
	if err != nil {
		return nil, err
	}
	r, err := h.terminal(ctx, call, StatusFinished, arc.Finished, func(tx *Tx, x *turnRow) (string, any, error) {
		own, err := h.builtIn(tx, x, f)
		if err != nil {
			return "", nil, err
		}
		if own = append(own, missing...); len(own) > 0 {
			return "", nil, notFinished{own}
		}
		out.RunID = x.run
		out.CancelledWakes, err = finishRun(tx, x.run)
		return f.Summary, out, err
	})
	var not notFinished
	if errors.As(err, &not) {
		out.Status, out.Missing = "not_finished", not.missing
		out.Escalated = h.escalate(not.missing)
		return &arc.Result{Data: out}, nil
	}
	return r, err
}

// askGates asks whom it takes time to ask: the seat's jobs and the host's gates.
func (h *hold) askGates(ctx context.Context, f arc.Finish, out *finishResult) ([]Missing, error) {
	missing, err := h.runningJobs(ctx, out)
	if err != nil {
		return nil, err
	}
	for _, g := range h.t.o.Gates {
		v, err := g.ask(ctx, h.t.Origin, f)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			h.svc().log.Warn("a gate could not be asked", "gate", g.Name, "err", err)
			out.Unavailable = append(out.Unavailable, unchecked{g.Name, "the check could not be made; the host knows why"})
		case v.Missing != "":
			missing = append(missing, Missing{g.Name, v.Missing, v.Next})
		}
		if v.Warning != "" {
			out.Warnings = append(out.Warnings, g.Name+": "+v.Warning)
		}
	}
	return missing, nil
}

// ask asks one gate. One that panics could not be asked.
func (g Gate) ask(ctx context.Context, by arc.Origin, f arc.Finish) (v Verdict, err error) {
	defer caught("the gate", &err)
	return g.Check(ctx, by, f)
}

// runningJobs are the background jobs that the seat started and that still run.
func (h *hold) runningJobs(ctx context.Context, out *finishResult) ([]Missing, error) {
	live, err := h.svc().liveJobs(ctx, h.ID(), h.t.o.Jobs)
	if err != nil {
		return nil, err
	}
	var missing []Missing
	for _, j := range live {
		switch {
		case h.t.o.Keep != nil && h.t.o.Keep(j.ID):
		case j.status == "":
			out.Unavailable = append(out.Unavailable, unchecked{"jobs", "nobody can tell now whether " + j.ID + " runs"})
		default:
			missing = append(missing, Missing{"jobs", fmt.Sprintf("%s is %s", j.ID, j.status), endJob(j)})
		}
	}
	return missing, nil
}

// endJob says what to do about a job that keeps the run from finishing.
func endJob(j liveJob) string {
	if j.pid == 0 {
		return fmt.Sprintf("wait for %s, or end its processes", j.ID)
	}
	return fmt.Sprintf("wait for %s, or end it: its pid is %d, and kill -- -%[2]d ends all of its processes", j.ID, j.pid)
}

// builtIn are the gates that the store answers.
func (h *hold) builtIn(tx *Tx, x *turnRow, f arc.Finish) ([]Missing, error) {
	var missing []Missing
	if f.ReplyMessageID != 0 || h.t.o.RequireReply {
		why, err := replyFault(tx, x, f.ReplyMessageID)
		if err != nil {
			return nil, err
		}
		if why != "" {
			missing = append(missing, Missing{"reply", why, "give the id of a reply that this seat posted in this run, or leave reply_message_id out if none is asked for"})
		}
	}
	open, err := tx.texts(`SELECT CAST(m.id AS TEXT) FROM message m JOIN plan p ON m.parent = p.task_id AND m.parent <> 0 JOIN message w ON w.id = p.task_id AND w.state = 'open' WHERE p.seat_id = $1 AND p.state = 'approved' AND p.task_id <> 0 AND m.state = 'open' ORDER BY m.id`, x.seat)
	if err != nil {
		return nil, err
	}
	if len(open) > 0 {
		missing = append(missing, Missing{"plan", fmt.Sprintf("%d subtasks of the approved plan are open: tasks %s", len(open), strings.Join(open, ", ")),
			"do them, and let the operator mark them done"})
	}
	prompts, err := queueRows(tx, `WHERE q.seat_id = $1 AND q.state = 'queued' AND q.kind = 'prompt' ORDER BY q.n LIMIT 5`, x.seat)
	if err != nil {
		return nil, err
	}
	if len(prompts) > 0 {
		missing = append(missing, Missing{"operator_messages", fmt.Sprintf("a prompt is waiting: %s", page.First(prompts[0].prompt, 200)),
			"end this turn with an answer in words; the prompt comes next"})
	}
	return missing, nil
}

// replyFault says why a message is not this seat's reply in this run.
func replyFault(tx *Tx, x *turnRow, id int64) (string, error) {
	if id == 0 {
		return "this run wants a reply", nil
	}
	m, err := messageByID(tx, id)
	switch {
	case err != nil:
		return "", err
	case m == nil:
		return fmt.Sprintf("there is no message %d", id), nil
	case m.Seat != x.seat:
		return fmt.Sprintf("the message %d is not this seat's", id), nil
	case m.Run != x.run:
		return fmt.Sprintf("the message %d is from another run", id), nil
	case m.Stub != nil:
		return fmt.Sprintf("the message %d was superseded", id), nil
	}
	return "", nil
}

// finishRun closes a run and takes back what is still to come in it.
func finishRun(tx *Tx, run string) ([]string, error) {
	ids, err := tx.texts(`SELECT id FROM (SELECT id, due_us FROM wake WHERE run_id = $1 AND state = 'armed'
		UNION ALL SELECT w.id, w.due_us FROM queue q JOIN wake w ON w.id = q.wake_id WHERE q.state = 'queued' AND q.wake_id <> '' AND w.run_id = $1) x ORDER BY due_us, id`, run)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if err := cancelWake(tx, id, "run_finished"); err != nil {
			return nil, err
		}
	}
	_, err = tx.Exec(`UPDATE run SET finished = 1 WHERE id = $1`, run)
	return ids, err
}

// cancelWake takes a wake back, queued or not.
func cancelWake(tx *Tx, id, why string) error {
	tx.ended = append(tx.ended, id)
	if _, err := tx.Exec(`UPDATE wake SET state = 'cancelled', outcome = $1 WHERE id = $2`, why, id); err != nil {
		return err
	}
	_, err := tx.Exec(`UPDATE queue SET state = 'dropped' WHERE wake_id = $1 AND state = 'queued'`, id)
	return err
}

// escalate counts how often the turn was told that the same things are missing, and
// tells the host when that leads nowhere.
func (h *hold) escalate(missing []Missing) bool {
	var key strings.Builder
	for _, m := range missing {
		fmt.Fprintln(&key, m.Gate, m.Detail)
	}
	h.t.mu.Lock()
	h.t.missed[key.String()]++
	n := h.t.missed[key.String()]
	h.t.mu.Unlock()
	if n == escalateAfter && h.t.o.Escalate != nil {
		h.t.o.Escalate(h.t.Origin, missing)
	}
	return n >= escalateAfter
}
