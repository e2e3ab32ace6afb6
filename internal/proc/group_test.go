//go:build linux

package proc_test

import (
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc/internal/proc"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// guard is how long a test waits for what should come at once.
const guard = 20 * time.Second

// said collects output.
type said struct {
	mu sync.Mutex
	b  []byte
}

func (s *said) add(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b = append(s.b, b...)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.b)
}

func start(t *testing.T, script string) (*proc.Group, *proc.Pipe, *said) {
	t.Helper()
	out := &said{}
	pipe, w, err := proc.NewPipe(out.add)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pipe.Close)
	g, err := proc.Start(proc.Command{Argv: []string{"/bin/bash", "-c", script}, Dir: t.TempDir(), Env: os.Environ(), Stdout: w, Stderr: w})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { proc.End(g, 0, nil); <-g.Done() })
	return g, pipe, out
}

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(guard); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain: " + what)
		}
	}
}

func TestExit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script, signal string
		code                 int
	}{
		{"zero", "true", "", 0},
		{"a code", "exit 7", "", 7},
		{"a signal is not a code", "kill -SEGV $$", "SIGSEGV", -1},
		{"a code that looks like a signal's", "exit 137", "", 137},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g, _, _ := start(t, c.script)
			if e := g.Exit(); e.Code != c.code || e.Signal != c.signal || e.Err != nil {
				t.Errorf("exit is %+v, want %d %q", e, c.code, c.signal)
			}
			await(t, "an empty group", func() bool { return g.Living() == 0 })
		})
	}
}

func TestACommandThatIsNotThere(t *testing.T) {
	t.Parallel()
	if _, err := proc.Start(proc.Command{Argv: []string{"/no/such/program"}}); !os.IsNotExist(err) {
		t.Errorf("error is %v", err)
	}
	if _, err := proc.Start(proc.Command{}); err == nil {
		t.Error("no command at all was started")
	}
}

func TestTheGroup(t *testing.T) {
	t.Parallel()
	t.Run("outlives its leader while a child lives", func(t *testing.T) {
		t.Parallel()
		g, _, _ := start(t, "sleep 300 & exit 4")
		if e := g.Exit(); e.Code != 4 {
			t.Errorf("exit is %+v", e)
		}
		if n := g.Living(); n != 1 {
			t.Errorf("%d live, want the sleep alone", n)
		}
		if left := proc.End(g, time.Second, nil); left != 0 {
			t.Errorf("%d are left", left)
		}
	})
	t.Run("holds what moved to a process group of its own, as timeout does", func(t *testing.T) {
		t.Parallel()
		g, _, out := start(t, "timeout 300 bash -c 'echo up; sleep 300'")
		await(t, "the child", func() bool { return strings.Contains(out.String(), "up") })
		if n := g.Living(); n < 2 {
			t.Errorf("%d live, want timeout and its child at least", n)
		}
		if left := proc.End(g, time.Second, nil); left != 0 {
			t.Errorf("%d are left", left)
		}
	})
	t.Run("is not empty while one forks and exits, again and again", func(t *testing.T) {
		t.Parallel()
		g, _, _ := start(t, "f() { [ $((n += 1)) -lt 100000 ] && f & }; f; exit 3")
		g.Exit()
		for i := range 50 {
			if g.Living() == 0 {
				t.Fatalf("look %d finds nobody", i)
			}
		}
		if left := proc.End(g, time.Second, nil); left != 0 {
			t.Errorf("%d are left", left)
		}
	})
	t.Run("has no terminal", func(t *testing.T) {
		t.Parallel()
		g, pipe, out := start(t, "cat < /dev/tty")
		if e := g.Exit(); e.Code != 1 {
			t.Errorf("exit is %+v", e)
		}
		<-pipe.EOF()
		if !strings.Contains(out.String(), "/dev/tty") {
			t.Errorf("it said %q", out)
		}
	})
	t.Run("is empty of zombies", func(t *testing.T) {
		t.Parallel()
		g, _, _ := start(t, "for i in 1 2 3 4 5; do (sleep 0.01 &) ; done")
		g.Exit()
		await(t, "an empty group", func() bool { return g.Living() == 0 })
	})
}

func TestEnd(t *testing.T) {
	t.Parallel()
	t.Run("asks first", func(t *testing.T) {
		t.Parallel()
		g, pipe, out := start(t, "trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.01; done")
		await(t, "the trap", func() bool { return strings.Contains(out.String(), "up") })
		if left := proc.End(g, guard, nil); left != 0 {
			t.Errorf("%d are left", left)
		}
		if e := g.Exit(); e.Code != 5 {
			t.Errorf("exit is %+v, want the trap's", e)
		}
		<-pipe.EOF()
		if !strings.HasPrefix(out.String(), "up\n") || !strings.HasSuffix(out.String(), "bye\n") {
			t.Errorf("it said %q", out)
		}
	})
	t.Run("kills who does not listen", func(t *testing.T) {
		t.Parallel()
		g, _, out := start(t, "trap '' TERM; echo up; while :; do sleep 0.01; done")
		await(t, "the trap", func() bool { return strings.Contains(out.String(), "up") })
		if left := proc.End(g, 50*time.Millisecond, nil); left != 0 {
			t.Errorf("%d are left", left)
		}
		if e := g.Exit(); e.Signal != "SIGKILL" {
			t.Errorf("exit is %+v", e)
		}
	})
	t.Run("a closed hurry cuts the grace", func(t *testing.T) {
		t.Parallel()
		g, _, out := start(t, "trap '' TERM; echo up; while :; do sleep 0.01; done")
		await(t, "the trap", func() bool { return strings.Contains(out.String(), "up") })
		hurry := make(chan struct{})
		close(hurry)
		if left := proc.End(g, 24*time.Hour, hurry); left != 0 {
			t.Errorf("%d are left", left)
		}
	})
	t.Run("an empty group is never signalled again", func(t *testing.T) {
		t.Parallel()
		g, _, _ := start(t, "true")
		g.Exit()
		await(t, "an empty group", func() bool { return g.Living() == 0 })
		if err := g.Kill(); err != nil {
			t.Errorf("the kill of nobody says %v", err)
		}
	})
}

func TestThePipe(t *testing.T) {
	t.Parallel()
	t.Run("gives children blocking descriptors", func(t *testing.T) {
		t.Parallel()
		g, pipe, out := start(t, "grep flags /proc/self/fdinfo/1")
		g.Exit()
		<-pipe.EOF()
		f := strings.Fields(out.String())
		if len(f) != 2 {
			t.Fatalf("it said %q", out)
		}
		flags, err := strconv.ParseInt(f[1], 8, 64)
		if err != nil || flags&syscall.O_NONBLOCK != 0 {
			t.Errorf("the flags of descriptor 1 are %s, %v", f[1], err)
		}
	})
	t.Run("drained, has all that was written before", func(t *testing.T) {
		t.Parallel()
		for range 50 {
			g, pipe, out := start(t, "sleep 300 & printf %0100000d 0")
			g.Exit()
			pipe.Drain()
			if n := len(out.String()); n != 100000 {
				t.Fatalf("%d bytes at the exit, want 100000", n)
			}
			proc.End(g, 0, nil)
		}
	})
	t.Run("drained, does not wait for an endless writer", func(t *testing.T) {
		t.Parallel()
		g, pipe, _ := start(t, "yes & sleep 0.05")
		g.Exit()
		pipe.Drain()
		proc.End(g, time.Second, nil)
	})
	t.Run("closed, it leaves the sink alone and may be closed again", func(t *testing.T) {
		t.Parallel()
		_, pipe, out := start(t, "yes")
		await(t, "output", func() bool { return out.String() != "" })
		pipe.Close()
		n := len(out.String())
		pipe.Drain()
		pipe.Close()
		if got := len(out.String()); got != n {
			t.Errorf("%d bytes after Close, %d at it", got, n)
		}
	})
}

func TestFile(t *testing.T) {
	t.Parallel()
	want := strings.Repeat("a line\n", 100_000)
	f, err := proc.File(want)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || string(got) != want {
		t.Errorf("%d bytes and %v, want %d", len(got), err, len(want))
	}
	if _, err := os.Stat(f.Name()); !os.IsNotExist(err) {
		t.Errorf("it has a name, %s", f.Name())
	}
}

// A leader that is dead and not yet reaped has an exit that nobody can tell yet.
func TestAnEmptyGroupHasAnExit(t *testing.T) {
	t.Parallel()
	for range 100 {
		g, _, _ := start(t, "exec sleep 300")
		if left := proc.End(g, guard, nil); left != 0 {
			t.Fatalf("%d are left", left)
		}
		select {
		case <-g.Done():
		default:
			t.Fatal("the group is empty and its leader has not ended")
		}
	}
}
