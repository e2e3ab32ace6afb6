//go:build linux

package proc_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/arcseat/arc/internal/proc"
)

func TestAMarkFindsWhoHasLeft(t *testing.T) {
	t.Parallel()
	host := fmt.Sprintf("ARC_TEST_MARK=%d.", os.Getpid()) // of these tests, and no others beside them
	job := host + "a"
	begin := func(setting string) (*proc.Group, int) {
		t.Helper()
		out := &said{}
		pipe, w, err := proc.NewPipe(out.add)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pipe.Close)
		g, err := proc.Start(proc.Command{
			Argv: []string{"/bin/bash", "-c", "setsid bash -c \"trap '' TERM; echo \\$\\$; exec >/dev/null 2>&1; while :; do sleep 0.05; done\" & sleep 600"},
			Env:  append(os.Environ(), setting), Stdout: w, Stderr: w,
		})
		w.Close()
		if err != nil {
			t.Fatal(err)
		}
		await(t, "who leaves", func() bool { return strings.HasSuffix(out.String(), "\n") })
		pid, err := strconv.Atoi(strings.TrimSpace(out.String()))
		if err != nil {
			t.Fatal(err)
		}
		return g, pid
	}
	lives := func(pid int) bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err == nil && !strings.Contains(string(stat), ") Z ")
	}
	g, left := begin(job)
	other, others := begin(job + "b")
	if n := proc.EndMarked(g, proc.Mark{Setting: job}, 0, nil); n != 0 || lives(left) {
		t.Errorf("%d are left, who has left lives: %v", n, lives(left))
	}
	if !lives(others) || other.Living() == 0 {
		t.Error("another job was ended")
	}
	if n := proc.EndMarked(nil, proc.Mark{Setting: host, Prefix: true}, 0, nil); n != 0 || lives(others) {
		t.Errorf("%d are left of all, who has left lives: %v", n, lives(others))
	}
	await(t, "the end of its group", func() bool { return other.Living() == 0 }) // its exit is taken by another goroutine
}

// A watch that is closed has nothing to end any more, whatever is on its list.
func TestAWatchThatIsClosedEndsNothing(t *testing.T) {
	t.Parallel()
	w := proc.NewWatch(proc.Mark{}, 0)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	g, _, _ := start(t, "sleep 600")
	if err := w.Add(g.PID(), ""); err != nil {
		t.Fatal(err)
	}
	w.Close()
	w.Close()
	if g.Living() == 0 {
		t.Error("it was ended")
	}
	if err := w.Remove(g.PID()); err != nil {
		t.Error(err)
	}
}
