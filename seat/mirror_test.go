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
			one, err := seat.Open(r.ctx(), shared{r.store}, &seat.Options{Clock: r.clock, Mirror: func(_ context.Context, op seat.RoomOp) error {
				asked <- struct{}{}
				<-goOn
				return heard.by("one", op)
			}})
			if err != nil {
				t.Fatal(err)
			}
			two, err := seat.Open(r.ctx(), shared{r.store}, &seat.Options{Clock: alive, Mirror: func(_ context.Context, op seat.RoomOp) error {
				return heard.by("two", op)
			}})
			if err != nil {
				t.Fatal(err)
			}
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
