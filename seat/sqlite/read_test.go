package sqlite_test

import (
	"context"
	"testing"

	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/sqlite"
)

// Who reads beside the owner of a store takes a turn that runs there for running, and
// one that nobody runs any more for interrupted.
func TestWhoReadsKnowsWhetherATurnRuns(t *testing.T) {
	t.Parallel()
	p := path(t)
	store, err := sqlite.Open(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := seat.Open(t.Context(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Join(t.Context(), seat.Spec{Room: "demo"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Send(t.Context(), seat.Prompt{Ref: demo, Text: "Go."}); err != nil {
		t.Fatal(err)
	}
	state := func() string {
		t.Helper()
		reader := open(t, p, &sqlite.Options{ReadOnly: true})
		r, err := seat.Open(t.Context(), reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		st, err := r.Status(t.Context(), seat.Operator{}, seat.StatusArgs{Ref: demo})
		if err != nil || st.Busy == nil {
			t.Fatalf("got %+v, %v", st, err)
		}
		return st.Busy.State
	}
	ctx, stop := context.WithCancel(t.Context())
	err = s.Run(ctx, func(ctx context.Context, _ *seat.Turn) (string, error) {
		if !sqlite.Owned(p) {
			t.Error("nobody owns the store")
		}
		if got := state(); got != "running" {
			t.Errorf("the turn is %s", got)
		}
		if err := store.Close(); err != nil { // the process dies
			t.Error(err)
		}
		if sqlite.Owned(p) {
			t.Error("somebody owns the store")
		}
		if got := state(); got != "interrupted" {
			t.Errorf("the turn is %s", got)
		}
		stop()
		return "", nil
	}, &seat.RunOptions{Idle: true})
	if err == nil {
		t.Error("a turn is committed to a closed store")
	}
}
