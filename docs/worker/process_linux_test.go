package worker

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/arcseat/arc/docs"
	"golang.org/x/sys/unix"
)

// alive says whether a process runs: a zombie does not.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

func TestAWorkerThatIsKilledIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/1"
	d := open(t, newEngine(t, Options{}), "", "one", "wait in "+dir, "three")
	go func() {
		await(t, "the worker", func() bool { return len(pids(dir)) == 1 })
		if err := unix.Kill(pids(dir)[0], unix.SIGKILL); err != nil {
			t.Error(err)
		}
	}()
	if pages, err := d.Pages(t.Context(), 1, 3, docs.WantText); err != nil || said(pages) != "one awake three" {
		t.Errorf("the pages are %q, %v", said(pages), err)
	}
}

func TestCloseEndsACall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/1"
	e := newEngine(t, Options{MaxProcs: 2})
	d, rests := open(t, e, "", "wait in "+dir), open(t, e, "", "one")
	var calls sync.WaitGroup
	calls.Go(func() {
		if pages, err := d.Pages(t.Context(), 1, 1, docs.WantText); !errors.Is(err, docs.ErrUnavailable) {
			t.Errorf("Pages returns %q, %v", said(pages), err)
		}
	})
	await(t, "the worker", func() bool { return len(pids(dir)) == 1 })
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	calls.Wait()
	if pid := pids(dir)[0]; alive(pid) {
		t.Errorf("worker %d lives", pid)
	}
	if _, err := rests.Pages(t.Context(), 1, 1, docs.WantText); !errors.Is(err, docs.ErrUnavailable) {
		t.Errorf("after Close Pages returns %v", err)
	}
	if _, err := e.Open(t.Context(), source(t, "", "one"), docs.OpenOptions{}); !errors.Is(err, docs.ErrUnavailable) {
		t.Errorf("after Close Open returns %v", err)
	}
}

func TestNoWorkerOutlivesItsHost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		stop bool
	}{
		{"one that works", false},
		{"one that has stopped to watch", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir() + "/1"
			host := exec.Command(os.Args[0], "host", dir)
			host.Stderr = os.Stderr
			if err := host.Start(); err != nil {
				t.Fatal(err)
			}
			defer host.Process.Kill()
			await(t, "the worker", func() bool { return len(pids(dir)) == 1 })
			pid := pids(dir)[0]
			if c.stop {
				if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
					t.Fatal(err)
				}
			}
			if err := host.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			host.Wait()
			await(t, "the end of the worker", func() bool { return !alive(pid) })
		})
	}
}

func TestAWorkerCanDoLittle(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{MemoryBytes: 700 << 20})
	d := open(t, e, "", "directory")
	pages, err := d.Pages(t.Context(), 1, 1, docs.WantText)
	if err != nil || said(pages) != "none" && !strings.Contains(said(pages), "(deleted)") {
		t.Errorf("its directory is %q, %v", said(pages), err)
	}
	proc := "/proc/" + strconv.Itoa(restingPIDs(e)[0])
	limits, err := os.ReadFile(proc + "/limits")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"core file size": "0", "file size": "0", "open files": "64"} {
		if m := regexp.MustCompile(`(?m)^Max ` + name + ` +(\S+) +(\S+)`).FindSubmatch(limits); m == nil || string(m[1]) != want || string(m[2]) != want {
			t.Errorf("the limit of %s is %q, want %s", name, m, want)
		}
	}
	if m := regexp.MustCompile(`(?m)^Max data size +(\d+) `).FindSubmatch(limits); m == nil {
		t.Errorf("memory is not limited: %s", limits)
	} else if n, _ := strconv.Atoi(string(m[1])); n < 700<<20 {
		t.Errorf("the limit of memory is %d", n)
	}
	fds, err := os.ReadDir(proc + "/fd")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, fd := range fds {
		if to, err := os.Readlink(proc + "/fd/" + fd.Name()); err == nil && strings.HasPrefix(to, "/") && to != os.DevNull && !strings.HasPrefix(to, "/sys/") { // the run-time looks at its cgroup
			files = append(files, to)
		}
	}
	if len(files) != 1 || !strings.HasSuffix(files[0], "/file") {
		t.Errorf("its open files are %q, want the document alone", files)
	}
	if self, err := unix.Getsid(0); err != nil {
		t.Error(err)
	} else if sid, err := unix.Getsid(restingPIDs(e)[0]); err != nil || sid == self {
		t.Errorf("it is in the host's session, %v", err)
	}
}

func TestNothingIsLeftInTheTemporaryDirectory(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	e := newEngine(t, Options{})
	d := open(t, e, "", "one", "crash")
	if _, err := d.Pages(t.Context(), 1, 2, docs.WantText); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Open(t.Context(), source(t, "crash"), docs.OpenOptions{}); !errors.Is(err, docs.ErrCrashed) {
		t.Fatal(err)
	}
	e.Close()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "arc-docs-") {
			t.Errorf("%s is left", entry.Name())
		}
	}
}
