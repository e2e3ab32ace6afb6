package main

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/examples/internal/scripttest"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
)

func TestMain(m *testing.M) { scripttest.Main(m, "operator", main) }

func TestScripts(t *testing.T) {
	t.Parallel()
	scripttest.Run(t, map[string]scripttest.Command{"turn": turn, "interrupt": interrupt, "plan": plan, "serve": serve})
}

// host opens the project of a script with its seats.
func host(ts *testscript.TestScript) *local.Host {
	h, err := local.Open(ts.MkAbs("project"), &local.Options{State: ts.MkAbs("state"), Seats: true, Access: arc.FullAccess})
	ts.Check(err)
	return h
}

// closed closes what host opened.
func closed(ts *testscript.TestScript, h *local.Host) { ts.Check(h.Close(context.Background())) }

// turn ROOM PROMPT REPLY [TOOL ARGS]... is a turn of a seat that calls tools.
func turn(ts *testscript.TestScript, _ bool, args []string) {
	h := host(ts)
	defer closed(ts, h)
	act(ts, h, arc.Ordinary, args)
}

// interrupt ROOM PROMPT is a turn that Ctrl-C interrupts.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	h := host(ts)
	defer closed(ts, h)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	err := h.OneTurn(ctx, args[0], args[1], arc.Ordinary, func(context.Context, *seat.Turn) (string, error) {
		stop()
		return "", ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		ts.Fatalf("it is not interrupted: %v", err)
	}
}

// plan ROOM PLAN is a planning turn that submits a plan.
func plan(ts *testscript.TestScript, _ bool, args []string) {
	h := host(ts)
	defer closed(ts, h)
	act(ts, h, arc.Planning, []string{args[0], "Plan it.", "", "workspace_list", "{}", "submit_plan", args[1]})
}

func act(ts *testscript.TestScript, h *local.Host, mode arc.Mode, args []string) {
	set, err := h.Set(nil)
	ts.Check(err)
	ts.Check(h.OneTurn(context.Background(), args[0], args[1], mode, func(ctx context.Context, t *seat.Turn) (string, error) {
		s := set.Session(t.Turn, t.Record)
		for i := 3; i+1 < len(args); i += 2 {
			if r := s.Call(ctx, arc.Call{Name: args[i], Args: json.RawMessage(args[i+1])}); r.Err != nil {
				ts.Logf("%s: %s", args[i], r)
			}
		}
		return args[2], nil
	}))
}

// serve owns the store until the script ends, and lets operators in.
func serve(ts *testscript.TestScript, _ bool, _ []string) {
	h := host(ts)
	door, err := desk.Open(h, desk.Serving{})
	ts.Check(err)
	ts.Defer(func() {
		if err := door.Close(); err != nil {
			ts.Logf("%v", err)
		}
		h.Close(context.Background())
	})
}

// What the table leaves out is paged from where its own kind ends, however old what is
// listed of the other kind is.
func TestWhatIsNotListed(t *testing.T) {
	t.Parallel()
	c := seat.Context{Entries: []seat.ContextEntry{
		{Seq: 1, State: seat.Excluded}, {Seq: 40, State: seat.Beyond}, {Seq: 41, State: seat.Beyond}, {Seq: 90, State: seat.InWindow},
	}}
	for _, tt := range []struct{ beyond, excluded, want int64 }{{2, 1, 0}, {3, 1, 40}, {2, 2, 1}, {3, 2, 40}} {
		c.BeyondTotal, c.ExcludedTotal = tt.beyond, tt.excluded
		if got := unlisted(c); got != tt.want {
			t.Errorf("of %d beyond and %d excluded the rest lies before %d, want %d", tt.beyond, tt.excluded, got, tt.want)
		}
	}
}
