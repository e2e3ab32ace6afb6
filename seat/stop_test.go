package seat_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/seattest"
)

// Who was told that a turn is stopped can rely on it, whatever becomes of the turn's host.
func TestAStopOutlivesItsHost(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	q := r.send("work")
	r.dies(func(ctx context.Context, x *seat.Turn) {
		if err := x.Say(ctx, "half"); err != nil {
			t.Error(err)
		}
		if turn, err := r.svc.Stop(ctx, id); turn != x.Origin.Turn || err != nil {
			t.Errorf("stopped %q, %v, want %s", turn, err, x.Origin.Turn)
		}
	})
	if list := r.turns(say("resumed")); len(list) != 0 {
		t.Errorf("it was resumed: %+v", list)
	}
	if status, _, err := r.svc.Await(r.ctx(), q.ID); status != seat.StatusFailed || err != nil {
		t.Errorf("it is %s, %v", status, err)
	}
	if c := r.context(); len(c.Entries) != 1 || c.Entries[0].Reply.Text != "half" {
		t.Errorf("got %+v", c.Entries)
	}
}

// A model that has not heard of it yet cannot make something else of a stopped turn, also
// where the disk was full for a moment, so that the store has not heard of it either.
func TestNoToolEndsAStoppedTurn(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]arc.Mode{"finish": arc.Ordinary, "wait": arc.Ordinary, "answer_user": arc.Planning} {
		for _, full := range []bool{false, true} {
			r := newRoom(t)
			disk := &faulty{Store: r.store}
			svc, err := seat.Open(r.ctx(), disk, &r.o)
			if err != nil {
				t.Fatal(err)
			}
			r.svc = svc
			if _, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: ref, Text: "work", Mode: mode}); err != nil {
				t.Fatal(err)
			}
			r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
				if full {
					disk.fail(&arc.Error{Code: arc.NoSpace, Message: "the disk is full."}, nil)
				}
				if _, err := r.svc.Stop(r.ctx(), id); err != nil {
					t.Error(err)
				}
				disk.fail(nil, nil)
				ctx = context.WithoutCancel(ctx) // it has not heard of it
				var err error
				switch name {
				case "finish":
					_, err = x.Seat.Finish(ctx, "c", arc.Finish{Summary: "s"})
				case "wait":
					_, err = x.Seat.Wait(ctx, "c", arc.Wait{After: 3600e9, Note: "n"})
				default:
					_, err = x.Seat.Answer(ctx, "c", "an answer")
				}
				code(t, err, arc.Canceled)
				return "", err
			})
			c := r.context()
			if len(c.Entries) != 1 || c.Entries[0].Status != seat.StatusFailed || len(c.PendingWakes) != 0 {
				t.Errorf("%s: got %+v, %+v", name, c.Entries, c.PendingWakes)
			}
			if st, err := r.svc.Status(r.ctx(), r.op, seat.StatusArgs{Ref: ref}); err != nil || st.RunFinished {
				t.Errorf("%s: the run has finished: %v", name, err)
			}
		}
	}
}

// An operator stops a turn again, or just as it ends, before the service knows that.
func TestATurnIsStoppedAsItEnds(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]bool{"and was stopped before": true, "by itself": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRoom(t)
			r.send("work")
			list, err := r.svc.Seats(r.ctx(), "demo")
			if err != nil {
				t.Fatal(err)
			}
			x, err := r.svc.Claim(r.ctx(), list[0])
			if err != nil {
				t.Fatal(err)
			}
			var want arc.TurnID
			stop := func() {
				t.Helper()
				if turn, err := r.svc.Stop(r.ctx(), id); turn != want || err != nil {
					t.Errorf("stopped %q, %v, want %q", turn, err, want)
				}
			}
			if before {
				want = x.Origin.Turn
				stop()
				stop()
			}
			if err := x.End(r.ctx(), before); err != nil {
				t.Fatal(err)
			}
			stop()
		})
	}
}

// Where a turn has gone to another host, that host is told, also by the one that has lost it
// and has not noticed.
func TestAStopIsHeardWhereTheTurnIs(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.store.Dialect.Ring = `INSERT INTO counter VALUES ('rung', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1`
	rung := func() int64 {
		return seattest.Number(t, r.store, `SELECT COALESCE(SUM(value), 0) FROM counter WHERE name = 'rung'`)
	}
	alive := seattest.NewClock()
	one, two := r.sharing(seat.Options{Clock: r.clock}), r.sharing(seat.Options{Clock: alive})
	q := r.send("work")
	begun, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- one.Run(r.ctx(), func(context.Context, *seat.Turn) (string, error) {
			close(begun)
			<-goOn
			return "", nil
		}, &seat.RunOptions{Idle: true})
	}()
	<-begun
	alive.Advance(31 * time.Second)
	err := two.Run(r.ctx(), func(_ context.Context, x *seat.Turn) (string, error) {
		before := rung()
		if turn, err := one.Stop(r.ctx(), id); turn != x.Origin.Turn || err != nil {
			t.Errorf("stopped %q, %v", turn, err)
		}
		if n := rung() - before; n != 1 {
			t.Errorf("it rang %d times", n)
		}
		return "done", nil
	}, &seat.RunOptions{Idle: true})
	close(goOn)
	if err := errors.Join(err, <-ended); err != nil {
		t.Fatal(err)
	}
	if status, _, err := one.Await(r.ctx(), q.ID); status != seat.StatusFailed || err != nil {
		t.Errorf("it is %s, %v", status, err)
	}
}
