package seat_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/seattest"
)

func TestMirror(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	var mu sync.Mutex
	var told []string
	broken := true
	r.o.Mirror = func(_ context.Context, op seat.RoomOp) error {
		mu.Lock()
		defer mu.Unlock()
		if broken {
			return errors.New("the chat is away")
		}
		told = append(told, fmt.Sprint(op.Post, op.Supersede, op.Reason))
		return nil
	}
	r.restart()
	one := r.exchange("p1", "r1")
	e, err := r.svc.EditReply(r.ctx(), r.op, seat.EditArgs{Ref: ref, TurnID: string(one), Content: "new"})
	if err != nil || !e.RoomPending {
		t.Errorf("got %+v, %v", e, err)
	}
	r.restart()
	mu.Lock()
	broken = false
	mu.Unlock()
	r.turns(say("nothing to run"))
	r.turns(say("nothing to run"))
	if want := []string{"[1] []", "[2] []", "[] [2]edited", "[3] []"}; !slices.Equal(told, want) {
		t.Errorf("the mirror was told %q", told)
	}
}

// A mirror that panics has not taken what it was told, and ends no host.
func TestAMirrorThatPanics(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	var told []int64
	panics := true
	r.o.Mirror = func(_ context.Context, op seat.RoomOp) error {
		if panics {
			panic("no chat")
		}
		told = append(told, op.Post...)
		return nil
	}
	r.restart()
	r.exchange("p", "r")
	panics = false
	r.turns(say("nothing to run"))
	if want := []int64{1, 2}; !slices.Equal(told, want) {
		t.Errorf("the mirror was told of %v, want %v", told, want)
	}
}

// chat is what services say to one chat: who says it, and about which message.
type chat struct {
	mu   sync.Mutex
	list []string
}

func (c *chat) by(name string, op seat.RoomOp) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, fmt.Sprint(name, op.Post))
	return nil
}

// Two hosts tell one chat of a room. While one is at it the other says nothing, and the chat
// hears of everything in order; where it takes longer than its lease, the other begins with
// what it was at.
func TestOneHostAtATimeTellsOfARoom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		after time.Duration
		want  []string
	}{
		{"and goes on while its lease lasts", 20 * time.Second, []string{"one[1]", "one[2]"}},
		{"until its lease is over", 31 * time.Second, []string{"two[1]", "two[2]", "one[1]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRoom(t)
			alive := seattest.NewClock()
			var heard chat
			asked, goOn := make(chan struct{}, 2), make(chan struct{})
			one := r.sharing(seat.Options{Clock: r.clock, Mirror: func(_ context.Context, op seat.RoomOp) error {
				asked <- struct{}{}
				<-goOn
				return heard.by("one", op)
			}})
			two := r.sharing(seat.Options{Clock: alive, Mirror: func(_ context.Context, op seat.RoomOp) error {
				return heard.by("two", op)
			}})
			for range 2 {
				if _, err := one.Post(r.ctx(), seat.Message{Room: "demo", Text: "hello"}); err != nil {
					t.Fatal(err)
				}
			}
			ended := make(chan error, 1)
			go func() { ended <- one.Run(r.ctx(), say("nothing to run"), &seat.RunOptions{Idle: true}) }()
			<-asked
			alive.Advance(c.after)
			if err := two.Run(r.ctx(), say("nothing to run"), &seat.RunOptions{Idle: true}); err != nil {
				t.Fatal(err)
			}
			close(goOn)
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(heard.list, c.want) {
				t.Errorf("the chat was told %q, want %q", heard.list, c.want)
			}
		})
	}
}

// Whoever has a room by the time that another would begin, or go on, tells of it alone.
func TestAHostThatComesTooLateTellsOfNothing(t *testing.T) {
	t.Parallel()
	// begin posts twice and lets a service tell of the first, until it is told to go on.
	var heard chat
	begin := func(t *testing.T, r *room) (svc *seat.Service, told, goOn chan struct{}) {
		told, goOn = make(chan struct{}, 2), make(chan struct{})
		svc = r.sharing(seat.Options{Clock: r.clock, Mirror: func(_ context.Context, op seat.RoomOp) error {
			told <- struct{}{}
			<-goOn
			return heard.by("one", op)
		}})
		heard.list = nil
		for range 2 {
			if _, err := svc.Post(r.ctx(), seat.Message{Room: "demo", Text: "hello"}); err != nil {
				t.Fatal(err)
			}
		}
		return svc, told, goOn
	}
	run := func(r *room, svc *seat.Service) chan error {
		ended := make(chan error, 1)
		go func() { ended <- svc.Run(r.ctx(), say("nothing to run"), &seat.RunOptions{Idle: true}) }()
		return ended
	}
	is := func(t *testing.T, want ...string) {
		t.Helper()
		heard.mu.Lock()
		defer heard.mu.Unlock()
		if !slices.Equal(heard.list, want) {
			t.Errorf("the chat was told %q, want %q", heard.list, want)
		}
	}
	t.Run("because another has begun since it looked", func(t *testing.T) {
		r := newRoom(t)
		one, told, goOn := begin(t, r)
		store := &losing{Store: r.store, taken: true} // so that Run tells at its end, for which it waits
		two, err := seat.Open(r.ctx(), store, &seat.Options{Clock: r.clock, Mirror: func(_ context.Context, op seat.RoomOp) error { return heard.by("two", op) }})
		if err != nil {
			t.Fatal(err)
		}
		var first chan error
		store.update = func(room string) {
			if room == "demo" && first == nil {
				first = run(r, one)
				<-told
			}
		}
		if err := <-run(r, two); err != nil {
			t.Fatal(err)
		}
		is(t)
		close(goOn)
		if err := <-first; err != nil {
			t.Fatal(err)
		}
		is(t, "one[1]", "one[2]")
	})
	t.Run("because it took so long that another has begun", func(t *testing.T) {
		r := newRoom(t)
		one, told, goOn := begin(t, r)
		first := run(r, one)
		<-told
		alive := seattest.NewClock()
		alive.Advance(31 * time.Second)
		begun, goOnToo := make(chan struct{}, 2), make(chan struct{})
		two := r.sharing(seat.Options{Clock: alive, Mirror: func(_ context.Context, op seat.RoomOp) error {
			begun <- struct{}{}
			<-goOnToo
			return heard.by("two", op)
		}})
		second := run(r, two)
		<-begun
		close(goOn)
		if err := <-first; err != nil {
			t.Fatal(err)
		}
		is(t, "one[1]")
		close(goOnToo)
		if err := <-second; err != nil {
			t.Fatal(err)
		}
		is(t, "one[1]", "two[1]", "two[2]")
	})
}

// A room in which more happens than the host can be told holds up no other, and a change
// that cannot be read holds up its own room alone, whose changes before it are told once.
func TestARoomHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	var heard []string
	var svc *seat.Service
	busy := true
	svc, err := seat.Open(r.ctx(), r.store, &seat.Options{Clock: r.clock, Mirror: func(ctx context.Context, op seat.RoomOp) error {
		heard = append(heard, op.Room)
		if op.Room == "other" {
			busy = false
		}
		if op.Room == "demo" && busy && len(heard) < 1000 {
			_, err := svc.Post(ctx, seat.Message{Room: "demo", Text: "and another"})
			return err
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Join(r.ctx(), seat.Spec{Room: "other"}); err != nil {
		t.Fatal(err)
	}
	for _, room := range []string{"demo", "demo", "other"} {
		if _, err := svc.Post(r.ctx(), seat.Message{Room: room, Text: "hello"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := svc.Run(r.ctx(), say("nothing to run"), &seat.RunOptions{Idle: true}); err != nil {
		t.Fatal(err)
	}
	if i := slices.Index(heard, "other"); i < 2 || i > 100 {
		t.Errorf("the other room was told of after %d changes", i)
	}
	if n := seattest.Number(t, r.store, `SELECT COUNT(*) FROM outbox`); n != 0 {
		t.Errorf("%d changes were not told", n)
	}

	heard, busy = nil, false
	for _, room := range []string{"demo", "demo", "other"} {
		if _, err := svc.Post(r.ctx(), seat.Message{Room: room, Text: "hello"}); err != nil {
			t.Fatal(err)
		}
	}
	err = r.store.Update(r.ctx(), func(tx *seat.Tx) error {
		_, err := tx.Exec(`UPDATE outbox SET body = '{' WHERE n = (SELECT MAX(n) FROM outbox WHERE room_id = 'demo')`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := svc.Run(r.ctx(), say("nothing to run"), &seat.RunOptions{Idle: true}); err == nil {
			t.Error("nobody is told of the broken change")
		}
	}
	if want := []string{"demo", "other"}; !slices.Equal(heard, want) {
		t.Errorf("the mirror was told of %q, want %q", heard, want)
	}
}
