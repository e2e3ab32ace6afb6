//go:build linux

package proc_test

import (
	"os"
	"testing"

	"github.com/arcseat/arc/internal/proc"
)

// A group is found by its number and by what only it was given, not by one of them.
func TestFind(t *testing.T) {
	t.Parallel()
	const setting = "ARC_TEST_GROUP=7f3a"
	g, err := proc.Start(proc.Command{Argv: []string{"/bin/bash", "-c", "sleep 600 & exec sleep 600"}, Dir: t.TempDir(), Env: append(os.Environ(), setting)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { proc.End(g, 0, nil); <-g.Done() }()
	await(t, "the group", func() bool { return g.Living() == 2 })
	for name, c := range map[string]struct {
		pid     int
		setting string
	}{
		"another setting":        {g.PID(), "ARC_TEST_GROUP=7f3"},
		"another number":         {os.Getpid(), setting},
		"no number":              {0, setting},
		"a number beyond number": {1 << 30, setting},
	} {
		if found, maybe := proc.Find(c.pid, c.setting); found != nil || maybe {
			t.Errorf("%s: found %v, %v", name, found, maybe)
		}
	}
	found, maybe := proc.Find(g.PID(), setting)
	if found == nil || maybe || found.PID() != g.PID() || found.Living() != 2 {
		t.Fatalf("found %+v, %v", found, maybe)
	}
	if n := proc.End(found, 0, nil); n != 0 {
		t.Errorf("%d are left", n)
	}
	await(t, "the end", func() bool { return g.Living() == 0 })
	if again, maybe := proc.Find(g.PID(), setting); again != nil || maybe {
		t.Errorf("what has ended is found: %+v, %v", again, maybe)
	}
}
