// Package scripttest runs the programs as their users do: scripts of commands in
// testdata/*.txtar, each in a folder of its own, against the program in a process of
// its own.
//
// Beside testscript's own, a script has these commands:
//
//	field NAME PATH   sets the variable NAME to a field of the JSON in the first line
//	                  that the last command printed: names and indexes with dots
//	own STATE         owns the store of seats in STATE until the script ends, and lets
//	                  nobody in
//	disk DIR          mounts a small disk on DIR until the script ends; the condition
//	                  [disk] says whether that is possible
//	disk full, disk free, disk ro, disk rw
//	                  fills the disk, makes room, forbids writing, allows it
//
// and this condition:
//
//	[pdf]             the programs read PDF files on this machine
package scripttest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/arcseat/arc/docs/fitz"
	"github.com/arcseat/arc/examples/internal/smalldisk"
	"github.com/arcseat/arc/seat/sqlite"
)

// Main is a TestMain: a process of the test binary that is called by the program's
// name is the program. The tests fail when a goroutine outlives them.
func Main(m *testing.M, name string, program func()) {
	testscript.Main(leakChecked{m}, map[string]func(){name: program})
}

type leakChecked struct{ m *testing.M }

// Run implements testscript.TestingM.
func (l leakChecked) Run() int {
	code := l.m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// A Command is a command of a script. It fails the script through the first argument.
type Command = func(ts *testscript.TestScript, neg bool, args []string)

// Run runs the scripts in testdata. The project of each is the folder project, and the
// user's state directory the folder state; more are commands of the program's own.
func Run(t *testing.T, more map[string]Command) {
	cmds := map[string]Command{"field": field, "own": own, "disk": disk}
	for name, c := range more {
		cmds[name] = c
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Values[theDisk{}] = new(smalldisk.Disk)
			env.Setenv("TZ", "UTC")
			env.Setenv("XDG_STATE_HOME", env.WorkDir+"/state")
			return os.MkdirAll(env.WorkDir+"/project", 0o755)
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "disk":
				return smalldisk.Possible(), nil
			case "pdf":
				return readsPDF()
			}
			return false, fmt.Errorf("there is no condition %s", cond)
		},
		Cmds: cmds,
	})
}

// readsPDF reports whether there can be an engine for PDF files.
func readsPDF() (bool, error) {
	e, err := fitz.New(context.Background(), nil)
	if err != nil {
		return false, nil
	}
	return true, e.Close()
}

func field(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: field NAME PATH")
	}
	line, _, _ := strings.Cut(ts.ReadFile("stdout"), "\n")
	var v any
	ts.Check(json.Unmarshal([]byte(line), &v))
	for name := range strings.SplitSeq(args[1], ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(x) {
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

func own(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: own STATE")
	}
	store, err := sqlite.Open(filepath.Join(ts.MkAbs(args[0]), "seat.db"), nil)
	ts.Check(err)
	ts.Defer(func() { store.Close() })
}

// theDisk is where a script keeps its disk.
type theDisk struct{}

func disk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: disk DIR, or full, free, ro, rw")
	}
	d := ts.Value(theDisk{}).(*smalldisk.Disk)
	do := map[string]func() error{"full": d.Fill, "free": d.Free, "ro": d.Forbid, "rw": d.Allow}[args[0]]
	if do != nil {
		ts.Check(do())
		return
	}
	mounted, err := smalldisk.Mount(ts.MkAbs(args[0]))
	ts.Check(err)
	*d = *mounted
	ts.Defer(func() { ts.Check(d.Unmount()) })
}
