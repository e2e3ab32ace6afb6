package seat

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// step is a call of a turn: begun, and ended unless the host died in between.
type step struct {
	turn    arc.TurnID
	call    string
	tool    string
	ended   bool
	failed  string // the code of its refusal
	touched []arc.Touch
}

// endedStep is an end on its way to the store.
type endedStep struct {
	call, failed string
	touched      []arc.Touch
}

func stepsOf(tx *Tx, where string, args ...any) ([]step, error) {
	var list []step
	err := tx.all(`SELECT turn_id, call_id, tool, ended, failed, touched FROM step WHERE `+where+` ORDER BY turn_id, n`, args, func(r *sql.Rows) error {
		var p step
		var touched string
		if err := r.Scan(&p.turn, &p.call, &p.tool, &p.ended, &p.failed, &touched); err != nil {
			return err
		}
		if touched != "" {
			if err := json.Unmarshal([]byte(touched), &p.touched); err != nil {
				return err
			}
		}
		list = append(list, p)
		return nil
	})
	return list, err
}

// Record is the session's middleware that keeps the turn's steps: give it to
// tools.Set.Session. A call whose beginning cannot be kept is not made, because
// nobody could tell after a crash that it may have been; one whose end cannot be
// kept is not made again. Results carry what the seat is told within the turn.
func (t *Turn) Record(next tools.Handler) tools.Handler {
	return func(ctx context.Context, c arc.Call) *arc.Result {
		err := t.held(ctx, func(tx *Tx, x *turnRow) error {
			_, err := tx.Exec(`INSERT INTO step (turn_id, call_id, n, tool) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
				x.id, c.ID, x.steps+1, c.Name)
			if err == nil {
				_, err = tx.Exec(`UPDATE turn SET steps = steps + 1 WHERE id = $1`, x.id)
			}
			return err
		})
		if err != nil {
			return refused(err)
		}
		r := next(ctx, c)
		t.planRest(ctx, c, r)
		end := endedStep{call: c.ID, touched: r.Touched}
		if r.Err != nil {
			end.failed = string(r.Err.Code)
		}
		t.mu.Lock()
		t.unsaved = append(t.unsaved, end)
		t.mu.Unlock()
		var told []noticeRow
		err = t.held(context.WithoutCancel(ctx), func(tx *Tx, x *turnRow) (err error) {
			told, err = t.newNotices(tx, x)
			return err
		})
		if err != nil {
			t.svc.log.Warn("the end of a call was not kept; it is kept later", "turn", t.Origin.Turn, "call", c.ID, "err", err)
		}
		if r.Err == nil || r.Err.Code != LeaseLost {
			r.Notices = append(r.Notices, t.tell(told)...)
			if n := t.untilCheckpoint(); n > 0 {
				r.Notices = append(r.Notices, fmt.Sprintf("checkpoint_in_steps %d: file text will be dropped; save_notes what you need", n))
			}
		}
		return r
	}
}

// refused is err as a result. What is not an *arc.Error is the store's trouble.
func refused(err error) *arc.Result {
	return &arc.Result{Err: asError(err)}
}

func (t *Turn) endsToSave() []endedStep {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.unsaved)
}

func (t *Turn) endsSaved(saved []endedStep) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unsaved = slices.DeleteFunc(t.unsaved, func(e endedStep) bool {
		return slices.ContainsFunc(saved, func(x endedStep) bool { return x.call == e.call })
	})
}

// saveEnds keeps the ends of calls. To keep one twice changes nothing.
func saveEnds(tx *Tx, turn arc.TurnID, ends []endedStep) error {
	for _, e := range ends {
		touched := ""
		if len(e.touched) > 0 {
			b, err := json.Marshal(e.touched)
			if err != nil {
				return err
			}
			touched = string(b)
		}
		if _, err := tx.Exec(`UPDATE step SET ended = 1, failed = $1, touched = $2, open_jobs = $3 WHERE turn_id = $4 AND call_id = $5`,
			e.failed, touched, truth(startsJob(e.touched)), turn, e.call); err != nil {
			return err
		}
	}
	return nil
}

// untilCheckpoint counts the requests until the one that begins with a checkpoint,
// which is 1 when it is the next; 0 while that is not to be told.
func (t *Turn) untilCheckpoint() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if left := t.MaxSteps - (t.requests - t.mark) + 1; left <= t.o.Notice {
		return max(left, 1)
	}
	return 0
}

// Compact asks for a checkpoint at the next Step: the model's context is nearly
// full.
func (t *Turn) Compact() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.compact = true
}

// Step is called before each request to the model. True means that a checkpoint was
// made: the conversation within the turn is dropped, and begins again with Messages,
// which now hold the notes, the hashes of what was read, what was done, and the end of
// what [Turn.Say] was told. It comes after MaxSteps requests, or after Compact. Every call of the turn has its result
// by then, because a session answers them all. Codes: lease_lost, and the store's.
func (t *Turn) Step(ctx context.Context) (checkpoint bool, err error) {
	t.mu.Lock()
	checkpoint = t.compact || t.requests-t.mark >= t.MaxSteps
	t.mu.Unlock()
	var notes, done string
	err = t.held(ctx, func(tx *Tx, x *turnRow) error {
		mark, last := x.mark, x.checkpointStep
		if checkpoint {
			mark, last = x.requests, x.steps
			steps, err := stepsOf(tx, `turn_id = $1`, x.id)
			if err != nil {
				return err
			}
			done = digest(steps, x.draft, false)
			if notes, _, err = notesOf(tx, x.seat); err != nil {
				return err
			}
		}
		_, err := tx.Exec(`UPDATE turn SET requests = requests + 1, checkpoint_request = $1, checkpoint_step = $2 WHERE id = $3`, mark, last, x.id)
		return err
	})
	if err != nil {
		return false, err
	}
	if checkpoint {
		t.lookAtJobs(ctx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if checkpoint {
		t.mark, t.compact, t.Notes, t.digest = t.requests, false, notes, done
	}
	t.requests++
	return checkpoint, nil
}

// Say keeps what the turn has said so far. It is the turn's reply if it fails.
func (t *Turn) Say(ctx context.Context, text string) error {
	return t.held(ctx, func(tx *Tx, x *turnRow) error {
		_, err := tx.Exec(`UPDATE turn SET draft = $1 WHERE id = $2`, storable(text), x.id)
		return err
	})
}

// asError is err for a model.
func asError(err error) *arc.Error {
	var e *arc.Error
	if errors.As(err, &e) {
		return e
	}
	if errors.Is(err, context.Canceled) {
		return &arc.Error{Code: arc.Canceled, Message: "the turn is being ended, so the call was not made; nothing is left to do.", Err: err}
	}
	return &arc.Error{Code: StoreUnavailable, Message: "the seat's store did not answer, so the call was not made; try once more, then tell the operator.", Err: err}
}

func chars(s string) int { return utf8.RuneCountInString(s) }
