package seat_test

import (
	"context"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
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

// A model that has not heard of it yet cannot make something else of a stopped turn.
func TestNoToolEndsAStoppedTurn(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]arc.Mode{"finish": arc.Ordinary, "wait": arc.Ordinary, "answer_user": arc.Planning} {
		r := newRoom(t)
		if _, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: ref, Text: "work", Mode: mode}); err != nil {
			t.Fatal(err)
		}
		r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
			if _, err := r.svc.Stop(ctx, id); err != nil {
				t.Error(err)
			}
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
