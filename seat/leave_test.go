package seat_test

import (
	"context"
	"errors"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// hooked is a store in which something happens at a moment of an update.
type hooked struct {
	seat.Store
	before, within, after func() // nil: nothing; a hook that sets itself nil happens once
}

func (h *hooked) Update(ctx context.Context, fn func(*seat.Tx) error) error {
	do := func(hook func()) {
		if hook != nil {
			hook()
		}
	}
	do(h.before)
	err := h.Store.Update(ctx, func(tx *seat.Tx) error {
		err := fn(tx)
		do(h.within)
		return err
	})
	do(h.after)
	return err
}

// hook puts hooks into the room's store.
func (r *room) hook() *hooked {
	r.t.Helper()
	h := &hooked{Store: r.store}
	svc, err := seat.Open(r.ctx(), h, &r.o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.svc = svc
	return h
}

func TestAHostThatIsStoppedAtAnUnluckyMoment(t *testing.T) {
	t.Parallel()
	t.Run("leaves a turn whose end was being written and does not stand", func(t *testing.T) {
		t.Parallel()
		for name, end := range map[string]arc.Call{
			"finish": call("finish", `{"summary":"s"}`),
			"wait":   call("wait", `{"after":"1h","note":"n"}`),
		} {
			r := newRoom(t)
			h := r.hook()
			r.send("work")
			ctx, stop := context.WithCancel(r.ctx())
			defer stop()
			err := r.svc.Run(ctx, func(ctx context.Context, x *seat.Turn) (string, error) {
				h.within = func() {
					if x.Ending() {
						stop()
					}
				}
				if got := r.calls(ctx, x, end); got[0].End != arc.Continue {
					t.Errorf("%s: the end stands: %+v", name, got[0])
				}
				h.within = nil
				return "", ctx.Err()
			}, &r.run)
			if c := r.context(); !errors.Is(err, context.Canceled) || c.Busy == nil || c.Busy.State != "interrupted" || len(c.Entries) != 0 {
				t.Errorf("%s: got %+v, %v", name, c, err)
			}
			if list := r.turns(say("done")); len(list) != 1 || list[0].Attempt != 2 {
				t.Errorf("%s: it is not resumed: %+v", name, list)
			}
		}
	})
	t.Run("leaves its turn when the handler returns why it was stopped", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.send("work")
		ctx, stop := context.WithCancelCause(r.ctx())
		err := r.svc.Run(ctx, func(ctx context.Context, _ *seat.Turn) (string, error) {
			stop(errors.New("the host is updated"))
			<-ctx.Done()
			return "", context.Cause(ctx)
		}, &r.run)
		if c := r.context(); !errors.Is(err, context.Canceled) || c.Busy == nil || len(c.Entries) != 0 {
			t.Errorf("got %+v, %v", c, err)
		}
	})
	t.Run("does not leave what the operator stops meanwhile", func(t *testing.T) {
		t.Parallel()
		for _, moment := range []string{"before", "within", "after"} {
			r := newRoom(t)
			h := r.hook()
			q := r.send("work")
			ctx, stop := context.WithCancel(r.ctx())
			defer stop()
			told := make(chan error, 1)
			stopped := func() {
				_, err := r.svc.Stop(r.ctx(), id)
				told <- err
			}
			err := r.svc.Run(ctx, func(ctx context.Context, _ *seat.Turn) (string, error) {
				stop()
				switch moment {
				case "before":
					h.before = func() { h.before = nil; stopped() }
				case "within":
					h.within = func() { h.within = nil; go stopped() } // it waits for its turn to write
				case "after":
					h.after = func() { h.after = nil; stopped() }
				}
				return "", ctx.Err()
			}, &r.run)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: Run returned %v", moment, err)
			}
			if err := <-told; err != nil {
				t.Errorf("%s: Stop returned %v", moment, err)
			}
			if status, _, err := r.svc.Await(r.ctx(), q.ID); status != seat.StatusFailed || err != nil {
				t.Errorf("%s: it is %s, %v", moment, status, err)
			}
		}
	})
}

func TestACallAfterTheHostWasStopped(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.send("work")
	r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
		ctx, stop := context.WithCancel(ctx)
		stop()
		// It is not the store's fault, and nobody has to tell the operator of it.
		code(t, r.calls(ctx, x, call("save_notes", `{"notes":"n"}`))[0].Err, arc.Canceled)
		return "ok", nil
	})
	if c := r.context(); c.Notes != nil {
		t.Errorf("it was made: %+v", c.Notes)
	}
}

// Whom the operator stops has failed, also where the disk is full just then: a later
// Run does not take it up again.
func TestATurnThatIsStoppedWhileTheDiskIsFull(t *testing.T) {
	t.Parallel()
	for _, moment := range []string{"while it runs", "while its end is being written", "when its end could not be written"} {
		t.Run(moment, func(t *testing.T) {
			t.Parallel()
			r, h, f := troubled(t)
			q := r.send("work")
			stop := func() {
				h.before = nil
				if turn, err := r.svc.Stop(r.ctx(), id); turn == "" || err != nil {
					t.Errorf("Stop returned %q, %v", turn, err)
				}
			}
			err := r.svc.Run(r.ctx(), func(ctx context.Context, x *seat.Turn) (string, error) {
				if err := x.Say(ctx, "half"); err != nil {
					t.Error(err)
				}
				f.fail(&arc.Error{Code: arc.NoSpace, Message: "the disk is full."}, nil)
				switch moment {
				case "while it runs":
					stop()
					<-ctx.Done()
				case "while its end is being written":
					h.before = stop
				default:
					return "whole", nil
				}
				return "", errors.New("it was asked to end")
			}, &r.run)
			code(t, err, arc.NoSpace)
			f.fail(nil, nil)
			if moment == "when its end could not be written" {
				stop()
			}
			if list := r.turns(say("done")); len(list) != 0 {
				t.Errorf("it was resumed: %+v", list)
			}
			if status, _, err := r.svc.Await(r.ctx(), q.ID); status != seat.StatusFailed || err != nil {
				t.Errorf("it is %s, %v", status, err)
			}
			if c := r.context(); len(c.Entries) != 1 || c.Entries[0].Reply.Text != "half" {
				t.Errorf("got %+v", c.Entries)
			}
		})
	}
}

// The end of a turn that has answered is written again and again while the store fails: who
// stops it then is not told in vain that it is stopped.
func TestATurnThatIsStoppedWhileItsAnswerIsWritten(t *testing.T) {
	t.Parallel()
	r, h, f := troubled(t)
	q := r.send("work")
	err := r.svc.Run(r.ctx(), func(context.Context, *seat.Turn) (string, error) {
		f.fail(&arc.Error{Code: arc.NoSpace, Message: "the disk is full."}, nil)
		h.before = func() {
			h.before = nil
			if turn, err := r.svc.Stop(r.ctx(), id); turn == "" || err != nil {
				t.Errorf("Stop returned %q, %v", turn, err)
			}
			f.fail(nil, nil)
		}
		return "an answer", nil
	}, &r.run)
	if err != nil {
		t.Fatal(err)
	}
	if status, _, err := r.svc.Await(r.ctx(), q.ID); status != seat.StatusFailed || err != nil {
		t.Errorf("it is %s, %v", status, err)
	}
	if c := r.context(); len(c.Entries) != 1 || c.Entries[0].Reply.Text != "an answer" {
		t.Errorf("got %+v", c.Entries)
	}
}
