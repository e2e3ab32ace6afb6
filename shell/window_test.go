//go:build linux

package shell_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/arcseat/arc/shell"
)

// dying is a runner whose host is killed in the moment in which a command has begun.
type dying struct {
	shell.HostRunner
	t    *testing.T
	file string
}

func (d dying) Start(ctx context.Context, s shell.Spec) (shell.Proc, error) {
	if _, err := d.HostRunner.Start(ctx, s); err != nil {
		return nil, err
	}
	pidIn(d.t, d.file)
	dieWatched(d.t)
	return nil, nil
}

// A command that began in the moment in which its host was killed was on no list yet, and
// lived on wherever the mark of all commands was not looked for.
func TestACommandThatHasJustBegunEndsWithItsHost(t *testing.T) {
	if dir := os.Getenv(crashDir); dir != "" {
		runner := dying{t: t, file: filepath.Join(dir, "job")}
		sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(dir, "state"), Sweep: shell.SweepNever, Runner: runner})
		if err != nil {
			t.Fatal(err)
		}
		run(t, sh, shell.ExecArgs{Command: "echo $$ >job; exec sleep 600 >/dev/null 2>&1"})
	}
	t.Parallel()
	dir := t.TempDir()
	crash(t, dir)
	pid := pidIn(t, filepath.Join(dir, "job"))
	await(t, "the end of the job", func() bool { return gone(pid) })
}
