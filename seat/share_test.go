package seat_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/seattest"
)

// shared is a store that several processes have open, as on a server.
type shared struct{ seat.Store }

func (shared) Opening() string { return "" }

// sharing is a service of one of the machines that share the room's store.
func (r *room) sharing(o seat.Options) *seat.Service {
	r.t.Helper()
	svc, err := seat.Open(r.ctx(), shared{r.store}, &o)
	if err != nil {
		r.t.Fatal(err)
	}
	return svc
}

func TestALeaseThatRunsOutIsTakenOver(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	stuck, alive := seattest.NewClock(), seattest.NewClock() // of two machines
	one := r.sharing(seat.Options{Clock: stuck})
	two := r.sharing(seat.Options{Clock: alive})
	r.send("work")
	claimed, goOn := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- one.Run(r.ctx(), func(ctx context.Context, x *seat.Turn) (string, error) {
			close(claimed)
			<-goOn
			_, err := x.Seat.SaveNotes(ctx, "c", "zombie")
			code(t, err, seat.LeaseLost)
			return "zombie", nil
		}, &seat.RunOptions{Idle: true})
	}()
	<-claimed
	ctx, cancel := context.WithCancel(r.ctx())
	held := two.Run(ctx, func(context.Context, *seat.Turn) (string, error) {
		t.Error("it took a turn that is held")
		return "", nil
	}, &seat.RunOptions{Seats: []arc.SeatID{"demo/none"}, Idle: true})
	cancel()
	if held != nil {
		t.Fatal(held)
	}
	alive.Advance(31 * time.Second)
	if err := two.Run(r.ctx(), say("resumed"), &seat.RunOptions{Idle: true}); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	c := r.context()
	if len(c.Entries) != 1 || c.Entries[0].Reply.Text != "resumed" || c.Notes != nil || len(r.messages()) != 2 {
		t.Errorf("got %+v", c.Entries)
	}
}

// The operator stops a turn whose host is gone, of which nobody knows yet.
func TestATurnThatWasStoppedIsNotResumed(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	stuck, alive := seattest.NewClock(), seattest.NewClock() // of two machines
	one := r.sharing(seat.Options{Clock: stuck})
	two := r.sharing(seat.Options{Clock: alive})
	r.send("work")
	frozen, goOn := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- one.Run(r.ctx(), func(ctx context.Context, x *seat.Turn) (string, error) {
			if err := x.Say(ctx, "so far"); err != nil {
				t.Error(err)
			}
			close(frozen)
			<-goOn
			return "zombie", nil
		}, &seat.RunOptions{Idle: true})
	}()
	<-frozen
	if turn, err := two.Stop(r.ctx(), id); turn == "" || err != nil {
		t.Errorf("stopped %q, %v", turn, err)
	}
	alive.Advance(31 * time.Second)
	if n := r.ran(two, seat.RunOptions{}); n != 0 {
		t.Errorf("it was resumed %d times", n)
	}
	close(goOn)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	c := r.context()
	if len(c.Entries) != 1 || c.Entries[0].Reply.Text != "so far" || c.Busy != nil {
		t.Errorf("got %+v", c.Entries)
	}
}

func TestARequestIDIsForgottenAfterAMonth(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	ids := r.many(2)
	edit := func(content, request string) (*seat.Edited, error) {
		return r.svc.EditReply(r.ctx(), r.op, seat.EditArgs{Ref: ref, TurnID: string(ids[0]), Content: content, RequestID: request})
	}
	if _, err := edit("a", "one"); err != nil {
		t.Fatal(err)
	}
	r.clock.Advance(29 * 24 * time.Hour)
	if e, err := edit("a", "one"); err != nil || !e.Replayed {
		t.Errorf("got %+v, %v", e, err)
	}
	r.clock.Advance(2 * 24 * time.Hour)
	if _, err := edit("b", "two"); err != nil {
		t.Fatal(err)
	}
	if e, err := edit("a", "one"); err != nil || e.Replayed || !e.Changed {
		t.Errorf("got %+v, %v", e, err)
	}
}

func TestTextsThatNoStoreCanKeepAreMended(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.exchange("a\x00b\xff", "c\x00")
	if e := r.context().Entries[0]; e.Prompt.Text != "a\uFFFDb\uFFFD" || e.Reply.Text != "c\uFFFD" {
		t.Errorf("got %q and %q", e.Prompt.Text, e.Reply.Text)
	}
}

func TestASeatThatAStoreErrorLeftIsFreed(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.send("work")
	n := 0
	list := r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
		fault := "CREATE TRIGGER full BEFORE INSERT ON message BEGIN SELECT RAISE(ABORT, 'no'); END" // the turn's reply cannot be written
		if n++; n == 2 {
			fault = "DROP TRIGGER full"
		}
		if err := r.store.Update(ctx, func(tx *seat.Tx) error { return tx.Script(fault) }); err != nil {
			return "", err
		}
		return "ok", nil
	})
	if c := r.context(); c.Busy != nil || len(c.Entries) != 1 || !strings.HasPrefix(c.Entries[0].Prompt.Text, "work") || len(list) != 2 {
		t.Errorf("got %+v after %d attempts", c, len(list))
	}
}
