package local_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/shell"
)

func TestASandboxForCommands(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("tried on Linux alone")
	}
	execute := func(t *testing.T, h *local.Host, command string) *shell.ExecResult {
		t.Helper()
		r, err := h.Shell.Exec(t.Context(), arc.Origin{}, shell.ExecArgs{Command: command})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Run("Landlock lets commands write to the project and a cache of their own", func(t *testing.T) {
		t.Parallel()
		outside := t.TempDir()
		dir := t.TempDir()
		h, err := local.Open(dir, &local.Options{State: t.TempDir(), Access: arc.FullAccess, Sandbox: local.LandlockSandbox})
		if errors.Is(err, shell.SandboxUnavailable) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Close(context.Background()) })
		if r := execute(t, h, `echo x >here && mkdir "$GOCACHE" && echo y >"$XDG_CACHE_HOME/f" && mktemp >/dev/null && echo done`); r.Output != "done\n" {
			t.Errorf("it says %q", r.Output)
		}
		r := execute(t, h, "touch "+filepath.Join(outside, "f"))
		if r.Status != shell.StatusFailed || !strings.HasPrefix(r.Hint, "commands are confined here") {
			t.Errorf("outside: %s, %q", r.Status, r.Hint)
		}
		if names, err := os.ReadDir(outside); err != nil || len(names) != 0 {
			t.Errorf("outside there is %v, %v", names, err)
		}
		if r := execute(t, h, `touch "${XDG_CACHE_HOME%/cache}/f"`); r.Status != shell.StatusFailed {
			t.Errorf("the state directory can be written to: %s", r.Status)
		}
	})
	t.Run("a program is put in front of the shell", func(t *testing.T) {
		t.Parallel()
		h, _ := open(t, local.Options{Access: arc.FullAccess, Sandbox: "env CONFINED=yes"})
		if r := execute(t, h, "echo $CONFINED"); r.Output != "yes\n" {
			t.Errorf("it says %q", r.Output)
		}
	})
	t.Run("one that cannot be used opens nothing", func(t *testing.T) {
		t.Parallel()
		for sandbox, cause := range map[string]string{"no-such-program x": "no-such-program", "false": "exit 7", "env --no-such-flag": "no-such-flag"} {
			h, err := local.Open(t.TempDir(), &local.Options{State: t.TempDir(), Sandbox: sandbox})
			if h != nil || !errors.Is(err, shell.SandboxUnavailable) || !strings.Contains(err.Error(), cause) {
				t.Errorf("%s: %v", sandbox, err)
			}
		}
	})
}
