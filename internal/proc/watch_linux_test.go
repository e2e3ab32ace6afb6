package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Where nothing can be looked up, a watch ends process groups as a whole, and whatever
// forks and exits again and again is ended so wherever it is.
func TestAWatchEndsGroupsAsAWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, path, command string }{
		{"without grep", "/nowhere", "trap '' TERM; while :; do sleep 0.05; done"},
		{"which fork and exit", os.Getenv("PATH"), "f() { [ $((n += 1)) -lt 100000 ] && f & }; f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g, err := Start(Command{Argv: []string{"/bin/bash", "-c", c.command}, Env: os.Environ()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { End(g, 0, nil); <-g.Done() })
			list, err := File(fmt.Sprintf(slotFormat, g.PID(), "-"))
			if err != nil {
				t.Fatal(err)
			}
			defer list.Close()
			// Its lifeline, the null device, has ended already.
			watch, err := Start(Command{
				Argv: []string{"/bin/sh", "-c", watchScript, "arc-watch", "0", ""}, Env: []string{"PATH=" + c.path}, Extra: []*os.File{list},
			})
			if err != nil {
				t.Fatal(err)
			}
			if e := watch.Exit(); e.Signal != "" {
				t.Errorf("the watch ended by %+v", e)
			}
			for end := time.Now().Add(30 * time.Second); g.Living() > 0; time.Sleep(5 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the group lives")
				}
			}
		})
	}
}

// Who is stopped hears no TERM, and could not tidy up.
func TestAWatchContinuesWhoIsStopped(t *testing.T) {
	t.Parallel()
	tidied := filepath.Join(t.TempDir(), "tidied")
	g, err := Start(Command{Argv: []string{"/bin/bash", "-c", "trap 'echo >" + tidied + "; exit' TERM; kill -STOP $$; sleep 600 & wait"}, Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { End(g, 0, nil); <-g.Done() })
	until(t, "a stopped group", func() bool {
		s, ok, err := statOf(g.PID())
		return ok && err == nil && s.state == 'T'
	})
	list, err := File(fmt.Sprintf(slotFormat, g.PID(), "-"))
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	watch, err := Start(Command{
		Argv: []string{"/bin/sh", "-c", watchScript, "arc-watch", "30", ""}, Env: []string{"PATH=" + os.Getenv("PATH")}, Extra: []*os.File{list},
	})
	if err != nil {
		t.Fatal(err)
	}
	watch.Exit()
	g.Exit()
	if _, err := os.Stat(tidied); err != nil {
		t.Error(err)
	}
}

// Whoever ends "all shells of mine" politely ends no watch.
func TestAWatchHearsNoSignalThatCanBeIgnored(t *testing.T) {
	t.Parallel()
	w := NewWatch(Mark{}, 0)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var want uint64
	for _, sig := range []unix.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGPIPE, unix.SIGTSTP} {
		want |= 1 << (sig - 1)
	}
	until(t, "a watch that ignores them", func() bool {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.shell.PID()))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(b), "\nSigIgn:\t")
		line, _, _ := strings.Cut(rest, "\n")
		ignored, err := strconv.ParseUint(line, 16, 64)
		return err == nil && ignored&want == want
	})
}
