//go:build linux

package shell_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
	"github.com/arcseat/arc/shell/shelltest"
)

// wrap puts a program in front of the shell.
func wrap(front ...string) shell.HostRunner {
	return shell.HostRunner{Wrap: func(argv []string, _ shell.Spec) []string { return append(front, argv...) }}
}

// starter is a Runner that does not look at the command.
type starter func() (shell.Proc, error)

func (f starter) Start(context.Context, shell.Spec) (shell.Proc, error) { return f() }

func TestProbe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		r     shell.Runner
		code  arc.Code // empty: it works
		cause string
	}{
		{"the host's own runner works", shell.HostRunner{}, "", ""},
		{"a program in front works", wrap("/usr/bin/env"), "", ""},
		{"a sandbox that is not there", wrap("/no/such/sandbox"), shell.SandboxUnavailable, "no such file"},
		{"a sandbox that is there and may not do its work", wrap("/bin/sh", "-c", "echo may not make a namespace >&2; exit 1"), shell.SandboxUnavailable, "may not make a namespace"},
		{"a sandbox that runs nothing and is content", wrap("/bin/true"), shell.SandboxUnavailable, "want exit 7"},
		{"a runner that starts nothing", starter(func() (shell.Proc, error) { return nil, nil }), shell.SandboxUnavailable, "started nothing"},
		{"a runner that refuses", &shelltest.Fake{Refuse: func(shell.Spec) error { return arc.Forbidden }}, shell.SandboxUnavailable, "forbidden"},
		{"a shell that is not there", shell.HostRunner{Shell: "/no/such/shell"}, shell.SandboxUnavailable, "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := shell.Probe(t.Context(), c.r, t.TempDir())
			if c.code == "" {
				if err != nil {
					t.Error(err, errors.Unwrap(err))
				}
				return
			}
			e := wantCode(t, err, c.code)
			if e.Err == nil || !strings.Contains(e.Err.Error(), c.cause) {
				t.Errorf("the cause is %v, want %q", e.Err, c.cause)
			}
			if strings.Contains(e.Message, "/") {
				t.Errorf("the message for a model is %q", e.Message)
			}
		})
	}
	t.Run("it waits no longer than its caller", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		fake := &shelltest.Fake{Do: func(c *shelltest.Command) shell.Exit {
			cancel()
			<-c.Killed()
			return shell.Exit{}
		}}
		if err := shell.Probe(ctx, fake, t.TempDir()); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestASandboxThatIsGoneIsNotPassedBy(t *testing.T) {
	t.Parallel()
	closed := filepath.Join(t.TempDir(), "sandbox")
	if err := os.WriteFile(closed, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, front := range []string{"/no/such/sandbox", closed} {
		sh := open(t, &shell.Options{Runner: wrap(front)})
		_, err := sh.Exec(t.Context(), me, shell.ExecArgs{Command: "touch ran"})
		wantCode(t, err, shell.SandboxUnavailable)
	}
}

func TestAWrappedShellThatRefusesSaysHowItConfines(t *testing.T) {
	t.Parallel()
	r := wrap("/usr/bin/env")
	r.Confines = "commands run in a container"
	sh := open(t, &shell.Options{Runner: r})
	for command, want := range map[string]string{
		"echo x: Permission denied; exit 1": "commands run in a container",
		"echo x: Permission denied; exit 0": "",
		"echo x: no such file; exit 1":      "",
		"echo EROFS: read-only; exit 126":   "126: found, but cannot be executed; commands run in a container",
	} {
		if got := run(t, sh, shell.ExecArgs{Command: command}).Hint; got != want {
			t.Errorf("%s: the hint is %q, want %q", command, got, want)
		}
	}
}
