//go:build linux

package shell_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/arcseat/arc/shell"
)

// A host that shares its command's group is ended by its own time-out, or by a command
// that ends "all of mine".
func TestASignalToTheWholeGroupDoesNotReachTheHost(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	for _, command := range []string{"kill -TERM 0", "kill -KILL 0", "sleep 300 & kill -TERM -- -$$; wait"} {
		if r := run(t, sh, shell.ExecArgs{Command: command}); r.Status != "failed" || r.Signal == "" || r.Reason != "" {
			t.Errorf("%s: the answer is %+v", command, r)
		}
	}
}

// Without job control, kill %1 did nothing, and what it was meant for ran on for a day.
func TestKillByJobNumber(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	r := run(t, sh, shell.ExecArgs{Command: "sleep 300 & kill %1; wait %1; echo $?"})
	if r.Status != "completed" || r.Output != "143\n" || r.Background != nil {
		t.Errorf("the answer is %+v", r)
	}
}

// A secret in a command was in every list of processes.
func TestACommandsTextIsInNoListOfProcesses(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	r := background(t, sh, "echo hunter2 >/dev/null; sleep 300")
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", r.PID))
	if err != nil || !strings.HasSuffix(string(line), "bash\x00/dev/fd/3\x00") {
		t.Errorf("the shell's arguments are %q, %v", line, err)
	}
}

// Every command failed without a word why once the environment was too large.
func TestAnEnvironmentThatIsTooLarge(t *testing.T) {
	t.Parallel()
	sh := open(t, &shell.Options{Env: []string{"HUGE=" + strings.Repeat("x", 4<<20)}})
	_, err := sh.Exec(t.Context(), me, shell.ExecArgs{Command: "true"})
	if e := wantCode(t, err, shell.SpawnFailed); !strings.Contains(e.Message, "E2BIG") {
		t.Errorf("the error is %v", e)
	}
}

// A death signal is sent when the thread that started the command ends, which a Go
// program does not choose.
func TestACommandOutlivesTheThreadThatStartedIt(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	answers := make(chan *shell.ExecResult)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		r, err := sh.Exec(t.Context(), me, shell.ExecArgs{Command: "until [ -e go ]; do sleep 0.01; done; echo through", BlockBudgetSec: new(0.02)})
		if err != nil {
			t.Error(err)
		}
		answers <- r
	}()
	r := <-answers
	if r == nil {
		t.Fatal("nothing was started")
	}
	for range 50 {
		done := make(chan struct{})
		go func() { defer close(done); runtime.LockOSThread() }()
		<-done
	}
	if err := os.WriteFile(filepath.Join(r.Cwd, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s := ended(t, sh, r.JobID); s != "completed" {
		t.Errorf("it ended %s", s)
	}
}

// Whether a command was ended at its budget or went on depended on how it was written.
func TestTheShapeOfACommandDecidesNothing(t *testing.T) {
	t.Parallel()
	sh := open(t, &shell.Options{Limits: shell.Limits{Jobs: 20}})
	for _, command := range []string{
		"sleep 300", "exec sleep 300", "(sleep 300)", "sleep 300; true", "true && sleep 300", "sleep 300 | cat", "timeout 300 sleep 300",
		"nohup sleep 300", "bash -c 'sleep 300'", "for x in 1; do sleep 300; done", "x=$(sleep 300)", "sleep 300 & wait", "{ sleep 300; } 2>&1",
	} {
		if r := run(t, sh, shell.ExecArgs{Command: command, BlockBudgetSec: new(0.3)}); r.Status != "running" || r.JobID == "" {
			t.Errorf("%s: the answer is %+v", command, r)
		}
	}
}

// In a session that all commands share, one that is stuck blocks those after it.
func TestAStuckCommandHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	stuck, answer := make(chan struct{}, 10), make(chan *shell.ExecResult)
	go func() {
		r, err := shell.ExecWithProgress(sh, t.Context(), me, shell.ExecArgs{Command: "trap '' TERM INT; echo up; until [ -e go ]; do sleep 0.01; done", BlockBudgetSec: new(60.0)}, func([]byte) { stuck <- struct{}{} })
		if err != nil {
			t.Error(err)
		}
		answer <- r
	}()
	<-stuck
	r := run(t, sh, shell.ExecArgs{Command: "echo quick; touch go"})
	if r.Output != "quick\n" {
		t.Errorf("the answer beside it is %+v", r)
	}
	if r := <-answer; r == nil || r.Status != "completed" {
		t.Errorf("its own is %+v", r)
	}
}
