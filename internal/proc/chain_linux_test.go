package proc_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc/internal/proc"
)

// marked starts a script whose processes carry a setting, and that says a line once all
// of them are up.
func marked(t *testing.T, setting, script string) (*proc.Group, *proc.Pipe, string) {
	t.Helper()
	out := &said{}
	pipe, w, err := proc.NewPipe(out.add)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pipe.Close)
	g, err := proc.Start(proc.Command{Argv: []string{"/bin/bash", "-c", script}, Env: append(os.Environ(), setting), Stdout: w, Stderr: w})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { proc.EndMarked(g, proc.Mark{Setting: setting}, 0, nil); <-g.Done() })
	await(t, "a line", func() bool { return strings.HasSuffix(out.String(), "\n") })
	return g, pipe, strings.TrimSpace(out.String())
}

// Who forks and exits, again and again, is never where one looks; its group is.
func TestAChainThatHasLeftIsEnded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, program, script string }{
		{"of shells", "bash", `setsid bash -c 'echo $$; exec >/dev/null 2>&1; f() { [ $((n += 1)) -lt 100000 ] && f & }; f' & sleep 600`},
		{"of shells that hear no TERM", "bash", `setsid bash -c 'trap "" TERM; echo $$; exec >/dev/null 2>&1; f() { [ $((n += 1)) -lt 100000 ] && f & }; f' & sleep 600`},
		{"that only forks", "perl", `setsid perl -e '$| = 1; print "$$\n"; close STDOUT; close STDERR; for (1 .. 1e6) { exit if fork }' & sleep 600`},
		{"of which each has a session of its own", "perl", `setsid perl -MPOSIX=setsid -e '$| = 1; print "$$\n"; close STDOUT; close STDERR; for (1 .. 1e6) { exit if fork; setsid() }' & sleep 600`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skip(err)
			}
			setting := fmt.Sprintf("ARC_TEST_CHAIN=%d.%d.", os.Getpid(), len(c.name))
			g, _, said := marked(t, setting, c.script)
			session, err := strconv.Atoi(said)
			if err != nil {
				t.Fatal(err)
			}
			if n := proc.EndMarked(g, proc.Mark{Setting: setting}, 100*time.Millisecond, nil); n != 0 {
				t.Errorf("%d are left", n)
			}
			for range 5 {
				if n := carriers(t, setting, ""); n != 0 {
					t.Fatalf("%d of it live", n)
				}
			}
			await(t, "the end of its group", func() bool { return errors.Is(syscall.Kill(-session, 0), syscall.ESRCH) })
		})
	}
}

// A group of which somebody is a stranger is not signalled as a whole: a service that the
// user runs may have been given a command's environment.
func TestAStrangerInTheGroupIsSpared(t *testing.T) {
	t.Parallel()
	setting := fmt.Sprintf("ARC_TEST_STRANGER=%d.", os.Getpid())
	stranger, out := mixed(t, setting)
	if n := proc.EndMarked(nil, proc.Mark{Setting: setting}, time.Second, nil); n != 0 {
		t.Errorf("%d are left", n)
	}
	if stranger.Living() != 1 {
		t.Errorf("%d live of the group, want the stranger alone; it said %q", stranger.Living(), out)
	}
}

// mixed starts a stranger that runs one program with a setting in its own group.
func mixed(t *testing.T, setting string) (*proc.Group, *said) {
	t.Helper()
	g, _, out := start(t, setting+" sleep 600 & echo up; exec sleep 601")
	await(t, "the line", func() bool { return strings.Contains(out.String(), "up") })
	await(t, "who carries the mark", func() bool { return carriers(t, setting, "") == 1 })
	return g, out
}

// Who is stopped hears no TERM, and cost the whole grace.
func TestAStoppedTreeIsContinuedToEnd(t *testing.T) {
	t.Parallel()
	setting := fmt.Sprintf("ARC_TEST_STOPPED=%d.", os.Getpid())
	const stop = `trap "echo bye; exit 5" TERM; echo up; kill -STOP $$; sleep 600 & wait`
	g, pipe, _ := marked(t, setting, "setsid bash -c '"+stop+"' & "+stop)
	await(t, "both stopped", func() bool { return carriers(t, setting, ") T ") == 2 })
	if n := proc.EndMarked(g, proc.Mark{Setting: setting}, guard, nil); n != 0 {
		t.Errorf("%d are left", n)
	}
	if e := g.Exit(); e.Code != 5 {
		t.Errorf("exit is %+v, want the trap's", e)
	}
	<-pipe.EOF()
}

// carriers counts the processes that carry a setting and in whose state a word stands.
func carriers(t *testing.T, setting, state string) (n int) {
	t.Helper()
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		env, err := os.ReadFile("/proc/" + d.Name() + "/environ")
		stat, err2 := os.ReadFile("/proc/" + d.Name() + "/stat")
		if err == nil && err2 == nil && strings.Contains(string(env), setting) && strings.Contains(string(stat), state) {
			n++
		}
	}
	return n
}

// A program that serves many, as a container's does, may be given the output of a command.
// It was there before, and is not ended with it.
func TestWhoWasThereBeforeTheOutputIsSpared(t *testing.T) {
	t.Parallel()
	door := filepath.Join(t.TempDir(), "door")
	if err := syscall.Mkfifo(door, 0o600); err != nil {
		t.Fatal(err)
	}
	server, _, said := start(t, "read -r path <"+door+"; exec 7>$path; echo holds; sleep 600")
	time.Sleep(20 * time.Millisecond) // more than the system's clock ticks
	pipe, w, err := proc.NewPipe(func([]byte) {})
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if err := os.WriteFile(door, fmt.Appendf(nil, "/proc/%d/fd/%d\n", os.Getpid(), w.Fd()), 0); err != nil {
		t.Fatal(err)
	}
	await(t, "the server", func() bool { return strings.Contains(said.String(), "holds") })
	w.Close()
	if n := proc.EndMarked(nil, proc.Mark{Output: pipe}, 0, nil); n != 0 {
		t.Errorf("%d are left", n)
	}
	if n := server.Living(); n < 1 {
		t.Error("the server was ended")
	}
}
