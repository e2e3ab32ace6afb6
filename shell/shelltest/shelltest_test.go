package shelltest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
	"github.com/arcseat/arc/shell/shelltest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func onUnix(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the suite's commands are for a POSIX shell")
	}
}

func TestTheHostsRunner(t *testing.T) {
	onUnix(t)
	shelltest.Run(t, func(testing.TB) shell.Runner { return shell.HostRunner{} }, nil)
}

func TestAnotherShell(t *testing.T) {
	onUnix(t)
	shelltest.Run(t, func(testing.TB) shell.Runner { return shell.HostRunner{Shell: "/bin/sh"} }, nil)
}

func TestLandlock(t *testing.T) {
	dir := t.TempDir()
	shelltest.Run(t, func(t testing.TB) shell.Runner {
		l, err := shell.NewLandlock(context.Background(), dir, &shell.LandlockOptions{TempDir: t.TempDir(), ABI: 1})
		if errors.Is(err, shell.SandboxUnavailable) {
			t.Skip(errors.Unwrap(err))
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l
	}, &shelltest.Options{Dir: dir})
}

func TestAWrappedShell(t *testing.T) {
	onUnix(t)
	shelltest.Run(t, func(testing.TB) shell.Runner {
		return shell.HostRunner{Wrap: func(argv []string, _ shell.Spec) []string {
			return append([]string{"/usr/bin/env", "WRAPPED=yes"}, argv...)
		}}
	}, nil)
}

func TestBubblewrap(t *testing.T) {
	const bwrap = "/usr/bin/bwrap"
	dir := t.TempDir()
	r := shell.HostRunner{Wrap: func(argv []string, s shell.Spec) []string {
		return append([]string{
			bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--bind", dir, dir,
			"--unshare-pid", "--unshare-net", "--die-with-parent", "--chdir", s.Dir, "--",
		}, argv...)
	}}
	if err := shell.Probe(t.Context(), r, dir); err != nil {
		t.Skip("bubblewrap cannot be used here: ", errors.Unwrap(err))
	}
	shelltest.Run(t, func(testing.TB) shell.Runner { return r }, &shelltest.Options{Dir: dir, Abrupt: true})
}

// As docker exec and ssh do, what is in front takes the command as an argument, and
// passes no descriptor.
func TestAClientThatTakesTheCommandAsAnArgument(t *testing.T) {
	onUnix(t)
	shelltest.Run(t, func(testing.TB) shell.Runner {
		return shell.HostRunner{Wrap: func(_ []string, s shell.Spec) []string {
			return []string{"/bin/sh", "-c", `exec 3<&-; exec /bin/sh -c "$1"`, "client", s.Command}
		}}
	}, &shelltest.Options{Short: true, ShellAlone: true})
}

func TestAFake(t *testing.T) {
	t.Parallel()
	t.Run("runs Go in the place of a command", func(t *testing.T) {
		t.Parallel()
		fake := &shelltest.Fake{Do: func(c *shelltest.Command) shell.Exit {
			fmt.Fprintf(c, "%s in %s: %s", c.Spec.Command, filepath.Base(c.Spec.Dir), c.Spec.Stdin)
			return shell.Exit{Code: 3}
		}}
		dir := filepath.Join(t.TempDir(), "project")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		sh := open(t, dir, fake)
		r, err := sh.Exec(t.Context(), arc.Origin{}, shell.ExecArgs{Command: "make", StdinText: "yes"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != shell.StatusFailed || r.ExitCode == nil || *r.ExitCode != 3 || r.Output != "make in project: yes" {
			t.Errorf("the answer is %+v", r)
		}
		if specs := fake.Specs(); len(specs) != 1 || specs[0].Command != "make" || specs[0].Out != nil {
			t.Errorf("it remembers %+v", specs)
		}
	})
	t.Run("says nothing unless it is told to", func(t *testing.T) {
		t.Parallel()
		sh := open(t, t.TempDir(), &shelltest.Fake{})
		r, err := sh.Exec(t.Context(), arc.Origin{}, shell.ExecArgs{Command: "x"})
		if err != nil || r.Status != shell.StatusCompleted || r.OutputBytes != 0 {
			t.Errorf("the answer is %+v, %v", r, err)
		}
	})
	t.Run("refuses what it is told to refuse", func(t *testing.T) {
		t.Parallel()
		refusal := &arc.Error{Code: shell.SandboxUnavailable, Message: "there is no sandbox."}
		sh := open(t, t.TempDir(), &shelltest.Fake{Refuse: func(s shell.Spec) error {
			if strings.Contains(s.Command, "rm") {
				return refusal
			}
			return nil
		}})
		if _, err := sh.Exec(t.Context(), arc.Origin{}, shell.ExecArgs{Command: "rm x"}); !errors.Is(err, refusal) {
			t.Errorf("the error is %v", err)
		}
		if _, err := sh.Exec(t.Context(), arc.Origin{}, shell.ExecArgs{Command: "ls"}); err != nil {
			t.Error(err)
		}
	})
	t.Run("can tidy up when it is asked to end", func(t *testing.T) {
		t.Parallel()
		sh := open(t, t.TempDir(), &shelltest.Fake{Do: func(c *shelltest.Command) shell.Exit {
			<-c.Asked()
			fmt.Fprint(c, "tidied")
			return shell.Exit{}
		}})
		r, err := sh.Exec(t.Context(), arc.Origin{}, shell.ExecArgs{Command: "x", TimeoutSec: new(0.05)})
		if err != nil || r.Status != shell.StatusTimedOut || r.Output != "tidied" {
			t.Errorf("the answer is %+v, %v", r, err)
		}
	})
	t.Run("that does not listen is killed", func(t *testing.T) {
		t.Parallel()
		sh := open(t, t.TempDir(), &shelltest.Fake{Do: func(c *shelltest.Command) shell.Exit {
			<-c.Killed()
			return shell.Exit{}
		}})
		r, err := sh.Exec(t.Context(), arc.Origin{}, shell.ExecArgs{Command: "x", TimeoutSec: new(0.05)})
		if err != nil || r.Status != shell.StatusTimedOut || r.Signal != "SIGKILL" || r.ExitCode != nil {
			t.Errorf("the answer is %+v, %v", r, err)
		}
	})
}

func open(t *testing.T, dir string, r shell.Runner) *shell.Shell {
	t.Helper()
	sh, err := shell.Open(dir, &shell.Options{State: t.TempDir(), Runner: r, Limits: shell.Limits{Grace: 500 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sh.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return sh
}

func ExampleFake() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	fake := &shelltest.Fake{Do: func(c *shelltest.Command) shell.Exit {
		fmt.Fprintln(c, "1 test failed")
		return shell.Exit{Code: 1}
	}}
	sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(dir, "state"), Runner: fake})
	if err != nil {
		panic(err)
	}
	defer sh.Close(context.Background())
	r, err := sh.Exec(context.Background(), arc.Origin{}, shell.ExecArgs{Command: "make test"})
	if err != nil {
		panic(err)
	}
	fmt.Print(r.Status, " ", *r.ExitCode, ": ", r.Output)
	// Output: failed 1: 1 test failed
}
