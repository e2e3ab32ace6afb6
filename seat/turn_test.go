package seat_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

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
