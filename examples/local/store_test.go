package local_test

import (
	"context"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/scripttest"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
)

// Two projects, as on two machines, with one store: a seat is run where its project is.
func TestSeatsInPostgreSQL(t *testing.T) {
	t.Parallel()
	server := scripttest.Postgres(t)
	open := func() *local.Host {
		t.Helper()
		h, err := local.Open(t.TempDir(), &local.Options{State: t.TempDir(), Seats: true, Store: server.URL()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Close(context.Background()) })
		return h
	}
	one, other := open(), open()
	say := func(text string) seat.Handler {
		return func(_ context.Context, x *seat.Turn) (string, error) { return text + " to " + x.Prompt, nil }
	}
	if err := one.OneTurn(t.Context(), "work", "first", arc.Ordinary, say("one")); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Seats.Send(t.Context(), seat.Prompt{Ref: seat.Ref{RunID: "work"}, Text: "second"}); err != nil {
		t.Fatal(err)
	}
	for _, h := range []*local.Host{other, one} {
		o := h.RunOptions()
		o.Idle = true
		who := map[*local.Host]string{one: "one", other: "the other"}[h]
		if err := h.Seats.Run(t.Context(), say(who), o); err != nil {
			t.Fatal(err)
		}
	}
	c, err := other.Seats.Context(t.Context(), seat.Operator{}, seat.ContextArgs{Ref: seat.Ref{RunID: "work"}})
	if err != nil || len(c.Entries) != 2 || c.Entries[0].Reply.Text != "one to first" || c.Entries[1].Reply.Text != "one to second" {
		t.Errorf("the seat remembers %+v, %v", c.Entries, err)
	}
}
