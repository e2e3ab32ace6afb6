package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/arcseat/arc/seat/sqlite"
)

func TestMain(m *testing.M) {
	// A process of the test binary that is called "call" is the program.
	testscript.Main(leakChecked{m}, map[string]func(){"call": main})
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

// TestScripts runs the program as a user does: testdata/*.txtar.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_STATE_HOME", env.WorkDir+"/state")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"header": header, "own": own},
	})
}

// header NAME FIELD sets the variable NAME to a field of the header line that
// the last command printed.
func header(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: header NAME FIELD")
	}
	line, _, _ := strings.Cut(ts.ReadFile("stdout"), "\n")
	var h map[string]any
	ts.Check(json.Unmarshal([]byte(line), &h))
	v, ok := h[args[1]].(string)
	if !ok {
		ts.Fatalf("the header has no %s: %s", args[1], line)
	}
	ts.Setenv(args[0], v)
}

// own STATE owns the store of seats in a state directory until the script ends.
func own(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: own STATE")
	}
	store, err := sqlite.Open(filepath.Join(ts.MkAbs(args[0]), "seat.db"), nil)
	ts.Check(err)
	ts.Defer(func() { store.Close() })
}
