package seat

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/arcseat/arc"
)

// hold is a turn's hold on its seat: what the turn-control tools act on. Each effect
// is bound to the turn and the call, so that a call that is made again after a crash
// does nothing again.
type hold struct{ t *Turn }

var _ arc.Seat = (*hold)(nil)

func (h *hold) ID() arc.SeatID { return h.t.Origin.Seat }

// going runs fn in a transaction of the turn, unless the turn or its run is over.
// Codes: lease_lost, run_finished, terminal_conflict, canceled.
func (h *hold) going(ctx context.Context, fn func(*Tx, *turnRow) error) error {
	return h.t.held(ctx, func(tx *Tx, x *turnRow) error {
		if x.ended == StatusFinished {
			return refuse(RunFinished, nil, "the run has finished; nothing is left to do in this turn.")
		}
		if x.ended != "" {
			return refuse(arc.TerminalConflict, nil, "this turn has ended as %s already.", x.ended)
		}
		if err := h.goesOn(tx, x); err != nil {
			return err
		}
		return fn(tx, x)
	})
}

// goesOn refuses what belongs to a turn that the operator has stopped, or to a run that
// another seat has finished.
func (h *hold) goesOn(tx *Tx, x *turnRow) error {
	stopped, err := h.t.marked(tx)
	if err != nil {
		return err
	}
	if stopped {
		return refuse(arc.Canceled, nil, "the operator has stopped this turn; say what is left to say and end it.")
	}
	return runGoesOn(tx, x.run)
}

// runGoesOn refuses what belongs to a run that another seat has finished.
func runGoesOn(tx *Tx, run string) error {
	finished := false
	if _, err := tx.one(`SELECT finished FROM run WHERE id = $1`, []any{run}, &finished); err != nil {
		return err
	}
	if finished {
		return refuse(RunFinished, nil, "the run has finished; say what is left to say and end the turn.")
	}
	return nil
}

// ended is the stored result of the call that ended the turn.
func ended(tx *Tx, turn arc.TurnID) (call, data string, err error) {
	_, err = tx.one(`SELECT end_call, end_data FROM turn WHERE id = $1`, []any{turn}, &call, &data)
	return call, data, err
}

// again is the result of a call that has ended the turn already, or nil. A run that
// is finished twice in a turn gives the same answer.
func again(tx *Tx, x *turnRow, call, as string) (json.RawMessage, error) {
	if x.ended != as {
		return nil, nil
	}
	c, data, err := ended(tx, x.id)
	if err != nil || c != call && as != StatusFinished {
		return nil, err
	}
	return json.RawMessage(data), nil
}

// end ends the turn: data is the call's result and text stands for a reply.
func (h *hold) end(tx *Tx, x *turnRow, call, as, text string, data any) (json.RawMessage, error) {
	h.t.mu.Lock()
	h.t.ending = true // before it is known whether that stands
	h.t.mu.Unlock()
	b, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec(`UPDATE turn SET ended = $1, end_call = $2, end_text = $3, end_data = $4 WHERE id = $5`, as, call, storable(text), string(b), x.id)
	return b, err
}

func checkNote(note string) error {
	switch n := chars(note); {
	case strings.TrimSpace(note) == "":
		return invalid("note", "the note is blank; say what you will want to know then.")
	case n > MaxNote:
		return refuse(arc.InvalidArguments, detail{"reason": "note_too_long", "chars": n, "limit": MaxNote}, "the note has %d characters; shorten it to %d.", n, MaxNote)
	}
	return nil
}

// checkAfter holds a time from now to the limits that tools also have.
func checkAfter(name string, d time.Duration) (time.Duration, error) {
	if d <= 0 || d > MaxAfter {
		return 0, invalid("invalid_duration", "%s is more than nothing and at most 366 days.", name)
	}
	return max(d, time.Second), nil
}

type remindResult struct {
	ReminderID string    `json:"reminder_id"`
	DueAt      time.Time `json:"due_at"`
	InSeconds  float64   `json:"in_seconds"`
}

// Remind arms a reminder. Codes: invalid_arguments, limit_reached, and those of a
// turn that is over.
func (h *hold) Remind(ctx context.Context, call string, r arc.Reminder) (*arc.Result, error) {
	after, err := checkAfter("after", r.After)
	if err == nil {
		err = checkNote(r.Note)
	}
	if err != nil {
		return nil, err
	}
	x, err := h.armOnce(ctx, call, &wakeRow{Wake: Wake{Kind: "remind", Note: r.Note}, afterUS: after.Microseconds()})
	if err != nil {
		return nil, err
	}
	return &arc.Result{Data: remindResult{x.ID, x.Due.Truncate(time.Millisecond), time.Duration(x.afterUS * 1000).Seconds()}}, nil
}

// armOnce arms x for this call, or finds what the call armed before.
func (h *hold) armOnce(ctx context.Context, call string, x *wakeRow) (*wakeRow, error) {
	fresh := false
	err := h.going(ctx, func(tx *Tx, turn *turnRow) error {
		was, err := wakeRows(tx, `WHERE turn_id = $1 AND call_id = $2`, turn.id, call)
		if err != nil {
			return err
		}
		if len(was) > 0 {
			x = was[0]
			return nil
		}
		fresh = true
		x.seat, x.run, x.ArmedBy, x.call = turn.seat, turn.run, turn.id, call
		return h.t.svc.arm(tx, x)
	})
	if err == nil && fresh {
		h.t.svc.tell() // a Run may sleep for longer than that
	}
	return x, err
}

type answerResult struct {
	Status string `json:"status"`
}

// Answer ends a planning turn with an answer. Code: invalid_arguments.
func (h *hold) Answer(ctx context.Context, call, text string) (*arc.Result, error) {
	if strings.TrimSpace(text) == "" {
		return nil, invalid("answer", "the answer is blank; write what the user is to read.")
	}
	return h.terminal(ctx, call, StatusAnswered, arc.Answered, func(tx *Tx, x *turnRow) (string, any, error) {
		return text, answerResult{"answered"}, nil
	})
}

// terminal ends the turn with what fn says, unless this call has done so before.
func (h *hold) terminal(ctx context.Context, call, as string, how arc.End, fn func(*Tx, *turnRow) (text string, data any, err error)) (*arc.Result, error) {
	var data json.RawMessage
	err := h.t.held(ctx, func(tx *Tx, x *turnRow) (err error) {
		if data, err = again(tx, x, call, as); err != nil || data != nil {
			return err
		}
		if x.ended != "" {
			return refuse(arc.TerminalConflict, nil, "this turn has ended as %s already.", x.ended)
		}
		if err := h.goesOn(tx, x); err != nil {
			return err
		}
		text, result, err := fn(tx, x)
		if err != nil {
			return err
		}
		data, err = h.end(tx, x, call, as, text, result)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &arc.Result{Data: data, End: how}, nil
}
