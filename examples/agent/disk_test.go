package main

import (
	"strings"
	"testing"

	"github.com/arcseat/arc/examples/internal/smalldisk"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/seat"
)

// A state directory whose disk is full, or becomes full within a turn, or cannot be
// written, is told in a sentence; what was acknowledged before is kept.
func TestADiskOfTheState(t *testing.T) {
	t.Parallel()
	if !smalldisk.Possible() {
		t.Skip("only root on Linux mounts a disk")
	}
	var disk *smalldisk.Disk
	full := fakemodel.Step{Name: "the disk fills up", Do: func(*fakemodel.Request, map[string]any) (string, []fakemodel.Call, error) {
		return "I note it.", []fakemodel.Call{{Tool: "save_notes", Args: map[string]any{"notes": "Lost."}}}, disk.Fill()
	}}
	g := newStage(t,
		scene("[resumed]", says("I go on.")),
		scene("Fill it", calls("save_notes", map[string]any{"notes": "Kept."}), full, says("It did not work.")),
		scene("Hello", says("Hello.")),
		scene("Again", says("Here I am.")),
	)
	disk, err := smalldisk.Mount(g.state)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { disk.Unmount() })
	step := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	refused := func(want string, args ...string) {
		t.Helper()
		code, out := g.run(args...)
		if code != exitNotDone || !strings.Contains(out, want) {
			t.Errorf("exit code %d, want %q in\n%s", code, want, out)
		}
		for _, chain := range []string{g.state, "no space left", "read-only file system", "sqlite"} {
			if strings.Contains(out, chain) {
				t.Errorf("the screen has %q:\n%s", chain, out)
			}
		}
	}
	step(disk.Fill()) // before there is anything
	refused("agent: no_space: the disk of the state directory is full; make room on it, or name another directory with -state.\n", "Hello")
	step(disk.Free())
	g.ask("Hello")
	step(disk.Fill())
	refused("agent: no_space: ", "Hello")
	step(disk.Free())

	refused("no_space: ", "Fill it")
	step(disk.Free())
	out := g.ask("Again")
	if !strings.Contains(out, "Here I am.") {
		t.Errorf("it does not go on:\n%s", out)
	}
	c := mustOperate[seat.Context](g, "context", seat.ContextArgs{Ref: demoRef})
	if c.Notes == nil || c.Notes.Chars != len("Kept.") || c.Busy != nil || len(c.Queued) > 0 {
		t.Errorf("what is left is %+v, notes %+v", c, c.Notes)
	}

	step(disk.Forbid())
	refused("agent: permission_denied: the state directory cannot be written; change its rights, or name another one with -state.\n", "Again")
	refused("agent: permission_denied: ", "-serve")
	step(disk.Allow())
	after := mustOperate[seat.Context](g, "context", seat.ContextArgs{Ref: demoRef})
	if after.HistoryRevision != c.HistoryRevision || len(after.Entries) != len(c.Entries) {
		t.Errorf("something has changed: %+v and %+v", c, after)
	}
}
