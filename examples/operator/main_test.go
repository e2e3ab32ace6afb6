package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/sqlite"
)

func TestMain(m *testing.M) {
	// A process of the test binary that is called "operator" is the program.
	testscript.Main(leakChecked{m}, map[string]func(){"operator": main})
}

// leakChecked fails the tests when a goroutine outlives them.
type leakChecked struct{ m *testing.M }

func (l leakChecked) Run() int {
	code := l.m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// TestScripts runs the program as a user does: testdata/*.txtar. The project is the
// folder project, its state the folder state.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("TZ", "UTC")
			return os.Mkdir(env.WorkDir+"/project", 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"turn": turn, "plan": plan, "own": own, "serve": serve, "field": field},
	})
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

// own owns the store until the script ends and lets nobody in.
func own(ts *testscript.TestScript, _ bool, _ []string) {
	store, err := sqlite.Open(ts.MkAbs("state/seat.db"), nil)
	ts.Check(err)
	ts.Defer(func() { store.Close() })
}

// serve owns the store until the script ends, and lets operators in.
func serve(ts *testscript.TestScript, _ bool, _ []string) {
	h := host(ts)
	door, err := desk.Open(h)
	ts.Check(err)
	ts.Defer(func() {
		if err := door.Close(); err != nil {
			ts.Logf("%v", err)
		}
		h.Close(context.Background())
	})
}

// field NAME FIELD sets the variable NAME to a field of the JSON that the last command
// printed: a path of names and indexes with dots.
func field(ts *testscript.TestScript, neg bool, args []string) {
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	for name := range strings.SplitSeq(args[1], ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[name]
		case []any:
			var i int
			fmt.Sscan(name, &i)
			if i >= len(x) {
				ts.Fatalf("there is no %s", args[1])
			}
			v = x[i]
		}
	}
	if v == nil {
		ts.Fatalf("there is no %s", args[1])
	}
	ts.Setenv(args[0], fmt.Sprint(v))
}
