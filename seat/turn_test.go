package seat_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

func TestTurns(t *testing.T) {
	t.Parallel()
	t.Run("a prompt becomes an exchange, and the next turn is shown it", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.exchange("What is 2+2?", "4.")
		r.send("And 3+3?")
		list := r.turns(say("6."))
		want := []seat.Said{{Role: "user", Text: "What is 2+2?"}, {Role: "assistant", Text: "4."}, {Role: "user", Text: "And 3+3?"}}
		if got := list[0].Messages(); !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
		var rows []string
		for _, m := range r.messages() {
			rows = append(rows, m.Author+": "+m.Text)
		}
		if want := []string{"operator: What is 2+2?", "agent: 4.", "operator: And 3+3?", "agent: 6."}; !slices.Equal(rows, want) {
			t.Errorf("the room has %q", rows)
		}
		if c := r.context(); c.HistoryRevision != 3 || c.LastTurnID != list[0].Origin.Turn || c.Busy != nil {
			t.Errorf("got %+v", c)
		}
	})
	t.Run("a handler that fails commits what was said, and the seat is free", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.send("Go.")
		r.turns(func(ctx context.Context, t *seat.Turn) (string, error) {
			if err := t.Say(ctx, "I have begun"); err != nil {
				return "", err
			}
			return "", errors.New("the model is gone")
		})
		c := r.context()
		if c.Busy != nil || len(c.Entries) != 1 || c.Entries[0].Status != seat.StatusFailed || c.Entries[0].Reply.Text != "I have begun" {
			t.Errorf("got %+v", c)
		}
	})
	t.Run("a handler that panics fails its turn alone", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.send("Go.")
		r.turns(func(context.Context, *seat.Turn) (string, error) { panic("oops") })
		if c := r.context(); len(c.Entries) != 1 || c.Entries[0].Status != seat.StatusFailed {
			t.Errorf("got %+v", c.Entries)
		}
	})
	t.Run("a handler that ends its goroutine leaves an interrupted turn", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.send("Go.")
		list := r.turns(func(context.Context, *seat.Turn) (string, error) { runtime.Goexit(); return "", nil })
		if c := r.context(); len(list) != 2 || c.Busy != nil || len(c.Entries) != 1 || c.Entries[0].Status != seat.StatusFailed {
			t.Errorf("%d attempts, %+v", len(list), c)
		}
	})
	t.Run("notes stand in the next turn", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.send("Remember 7.")
		var results []*arc.Result
		r.turns(r.calling(&results, "Noted.", call("save_notes", `{"notes":"the number is 7"}`)))
		r.send("Which number?")
		last := r.turns(say("7"))[0].Messages()
		if got := last[len(last)-1].Text; !strings.Contains(got, "the number is 7") || !strings.HasSuffix(got, "Which number?") {
			t.Errorf("got %q", got)
		}
	})
}

// slowStore is a store whose writers hear late that they have committed.
type slowStore struct{ seat.Store }

func (s slowStore) Update(ctx context.Context, fn func(*seat.Tx) error) error {
	defer time.Sleep(2 * time.Millisecond)
	return s.Store.Update(ctx, fn)
}

// momentary is a store whose next writes fail.
type momentary struct {
	seat.Store
	failures *atomic.Int64
}

func (s momentary) Update(ctx context.Context, fn func(*seat.Tx) error) error {
	if s.failures.Add(-1) >= 0 {
		return errors.New("the disk is away")
	}
	return s.Store.Update(ctx, fn)
}

func TestAnAnswerOutlivesAStoreThatIsAwayForAMoment(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	store := momentary{r.store, new(atomic.Int64)}
	svc, err := seat.Open(r.ctx(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.send("Go.")
	turns := 0
	if err := svc.Run(r.ctx(), func(context.Context, *seat.Turn) (string, error) {
		turns++
		store.failures.Store(2)
		return "Done.", nil
	}, &r.run); err != nil {
		t.Fatal(err)
	}
	c := r.context()
	if turns != 1 || len(c.Entries) != 1 || c.Entries[0].Reply.Text != "Done." {
		t.Errorf("%d turns; the context is %+v", turns, c.Entries)
	}
}

func TestRunsSideBySideBeginEachTurnOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	svc, err := seat.Open(r.ctx(), slowStore{r.store}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const prompts = 60
	for i := range prompts { // other seats' turns let a Run look at one that just ends
		member := fmt.Sprint("m", i%3)
		if _, err := r.svc.Join(r.ctx(), seat.Spec{Room: "demo", Membership: member}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: seat.Ref{RunID: "demo", MembershipID: member}, Text: "Go."}); err != nil {
			t.Fatal(err)
		}
	}
	var turns, resumed atomic.Int64
	var runs sync.WaitGroup
	for range 3 {
		runs.Go(func() {
			if err := svc.Run(r.ctx(), func(_ context.Context, turn *seat.Turn) (string, error) {
				turns.Add(1)
				resumed.Add(int64(turn.Attempt - 1))
				time.Sleep(5 * time.Millisecond)
				return "Done.", nil
			}, &r.run); err != nil {
				t.Error(err)
			}
		})
	}
	runs.Wait()
	if turns.Load() != prompts || resumed.Load() > 0 {
		t.Errorf("%d turns, %d of them resumed; want %d and 0", turns.Load(), resumed.Load(), prompts)
	}
}
