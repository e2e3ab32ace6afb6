package seat_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// troubled is a room beside another, in a store whose disk can fail.
func troubled(t *testing.T) (*room, *hooked, *faulty) {
	t.Helper()
	r := newRoom(t)
	if _, err := r.svc.Join(r.ctx(), seat.Spec{Room: "other"}); err != nil {
		t.Fatal(err)
	}
	f := &faulty{Store: r.store}
	h := &hooked{Store: f}
	svc, err := seat.Open(r.ctx(), h, &r.o)
	if err != nil {
		t.Fatal(err)
	}
	r.svc = svc
	return r, h, f
}

// delegates is a handler that asks the other seat and waits for what becomes of it. Once
// that is queued the disk fails.
func (r *room) delegates(t *testing.T, h *hooked, f *faulty, c arc.Code) seat.Handler {
	return func(ctx context.Context, x *seat.Turn) (string, error) {
		if x.Info.Room == "other" {
			return "helped", nil
		}
		h.after = func() {
			h.after = nil
			f.fail(&arc.Error{Code: c, Message: "the disk cannot do that."}, nil)
		}
		q, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: otherRef, Text: "help"})
		if err != nil {
			t.Error(err)
		}
		status, _, err := r.svc.Await(ctx, q.ID)
		return "it is " + status, err
	}
}

func TestAStoreThatCannotBeWrittenForAMoment(t *testing.T) {
	t.Parallel()
	for _, c := range []arc.Code{arc.NoSpace, arc.Locked} {
		for name, idle := range map[string]bool{"ends no Run": false, "ends no Run that waits for its turns": true} {
			t.Run(string(c)+" "+name, func(t *testing.T) {
				t.Parallel()
				r, h, f := troubled(t)
				r.run.Idle = idle
				q := r.send("delegate")
				ctx, stop := context.WithCancel(r.ctx())
				ended := make(chan error, 1)
				go func() { ended <- r.svc.Run(ctx, r.delegates(t, h, f, c), &r.run) }()
				passed := func() bool { // once it has been seen
					f.mu.Lock()
					defer f.mu.Unlock()
					if f.refused > 0 {
						f.write = nil
					}
					return f.refused > 0
				}
				for !passed() {
					time.Sleep(time.Millisecond)
				}
				status := seat.StatusRunning
				for status != seat.StatusCompleted && ctx.Err() == nil {
					r.clock.Advance(time.Second)
					turns, err := r.svc.Status(r.ctx(), r.op, seat.StatusArgs{Ref: ref})
					if err != nil {
						t.Fatal(err)
					}
					if len(turns.Turns) == 1 {
						status = turns.Turns[0].State
					}
					time.Sleep(time.Millisecond)
				}
				if !idle {
					stop()
				}
				if err := <-ended; idle && err != nil || !idle && !errors.Is(err, context.Canceled) {
					t.Errorf("Run returned %v", err)
				}
				stop()
				if status, _, err := r.svc.Await(r.ctx(), q.ID); status != seat.StatusCompleted || err != nil {
					t.Errorf("it is %s, %v", status, err)
				}
				if c := r.context(); len(c.Entries) != 1 || c.Entries[0].Reply.Text != "it is completed" {
					t.Errorf("got %+v", c.Entries)
				}
			})
		}
	}
	t.Run("no_space ends a Run that waits for nobody", func(t *testing.T) {
		t.Parallel()
		r, _, f := troubled(t)
		r.send("work")
		f.fail(&arc.Error{Code: arc.NoSpace, Message: "the disk is full."}, nil)
		code(t, r.svc.Run(r.ctx(), say("done"), &r.run), arc.NoSpace)
	})
}

// A turn that waits for one that can never begin would keep Run for ever.
func TestAStoreThatHasFailedForGood(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]bool{"ends what runs, which is resumed": false, "and is back at once": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, h, f := troubled(t)
			r.send("delegate")
			delegates := r.delegates(t, h, f, arc.IOError)
			err := r.svc.Run(r.ctx(), func(ctx context.Context, x *seat.Turn) (string, error) {
				reply, err := delegates(ctx, x)
				if back {
					f.fail(nil, nil)
				}
				return reply, err
			}, &seat.RunOptions{})
			code(t, err, arc.IOError)
			f.fail(nil, nil)
			if b := r.context().Busy; b == nil || b.State != "interrupted" {
				t.Errorf("it is %+v", b)
			}
			list := r.turns(say("done"))
			if len(list) != 2 || list[0].Attempt+list[1].Attempt != 3 {
				t.Errorf("resumed and begun are %+v", list)
			}
			if c := r.context(); len(c.Entries) != 1 || c.Entries[0].Reply.Text != "done" || c.Entries[0].Status != seat.StatusCompleted {
				t.Errorf("got %+v", c.Entries)
			}
		})
	}
}
