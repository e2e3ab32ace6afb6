//go:build linux

package shell_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc/shell"
)

// The ways in which a command's children leave it. Each writes its number to NAME.pid
// and says no more.
var escapes = []struct{ name, command string }{
	{"and", "./stay and &"},
	{"nested", "(./stay nested &)"},
	{"setsid", "setsid ./stay setsid &"},
	{"setsid-f", "setsid -f ./stay setsid-f"},
	{"nohup", "nohup ./stay nohup >/dev/null 2>&1 &"},
	{"double-fork", "setsid bash -c './stay double-fork & exit'"},
	{"env-i", `env -i PATH="$PATH" setsid -f ./stay env-i`},
}

// unmarked is the one that nothing finds: it has left the group, the environment and the
// output.
const unmarked = "env-i"

const stay = "#!/bin/bash\necho $$ > $1.new; mv $1.new $1.pid\nexec sleep 600 >/dev/null 2>&1\n"

// escapers starts all of them in dir, waits until all are up, and then does as it is told.
func escapers(t *testing.T, dir, then string) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "stay"), []byte(stay), 0o700); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range escapes {
		fmt.Fprintln(&b, e.command)
	}
	fmt.Fprintf(&b, "until [ $(ls *.pid 2>/dev/null | wc -l) = %d ]; do sleep 0.02; done; touch up\n%s", len(escapes), then)
	return b.String()
}

// allGone waits for the end of all escapers but those named, which have to live, and ends
// these.
func allGone(t *testing.T, dir string, live ...string) {
	t.Helper()
	left := map[string]bool{}
	for _, name := range live {
		left[name] = true
	}
	for _, e := range escapes {
		pid := pidIn(t, filepath.Join(dir, e.name+".pid"))
		if left[e.name] {
			if gone(pid) {
				t.Errorf("%s was ended", e.name)
			}
		} else {
			await(t, "the end of "+e.name, func() bool { return gone(pid) })
		}
	}
	endAll(t, dir)
}

// endAll ends what a test has left on purpose.
func endAll(t *testing.T, dir string) {
	for _, e := range escapes {
		b, err := os.ReadFile(filepath.Join(dir, e.name+".pid"))
		pid, no := strconv.Atoi(strings.TrimSpace(string(b)))
		if err == nil && no == nil && !gone(strconv.Itoa(pid)) {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		}
	}
}

// Escapees of each kind outlive none of the ways in which a command can be ended, but for
// the one that has left everything by which it could be found.
func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	var sought, survivors atomic.Int32
	t.Cleanup(func() { // once the parts have ended
		t.Logf("score: shell %d = 0 survivors of %d that left the group of a command that was ended", survivors.Load(), sought.Load())
	})
	for _, c := range []struct {
		name string
		args shell.ExecArgs
		end  func(*testing.T, *shell.Shell, *shell.ExecResult)
	}{
		{"by its timeout", shell.ExecArgs{TimeoutSec: new(6.0), BlockBudgetSec: new(60.0)}, func(t *testing.T, _ *shell.Shell, r *shell.ExecResult) {
			if r.Status != "timed_out" || r.Reason != "timeout" {
				t.Errorf("the answer is %+v", r)
			}
		}},
		{"by the host's Kill", shell.ExecArgs{BlockBudgetSec: new(0.02)}, func(t *testing.T, sh *shell.Shell, r *shell.ExecResult) {
			if err := sh.Kill(t.Context(), r.JobID); err != nil {
				t.Error(err)
			}
		}},
		{"by Close", shell.ExecArgs{BlockBudgetSec: new(0.02)}, func(t *testing.T, sh *shell.Shell, r *shell.ExecResult) {
			if err := sh.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if s, done, err := sh.JobStatus(t.Context(), me.Seat, r.JobID); s != "killed" || !done || err != nil {
				t.Errorf("the job is %s, %v, %v", s, done, err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			sh := openIn(t, dir, nil)
			c.args.Command = escapers(t, dir, "sleep 600")
			r := run(t, sh, c.args)
			if r.JobID != "" {
				await(t, "the escapees", func() bool { return exists(filepath.Join(dir, "up")) })
			}
			c.end(t, sh, r)
			for _, e := range escapes { // at once: the answer comes when they are gone
				lives := !gone(pidIn(t, filepath.Join(dir, e.name+".pid")))
				if lives != (e.name == unmarked) {
					t.Errorf("%s lives: %v", e.name, lives)
				}
				if e.name != unmarked {
					sought.Add(1)
					if lives {
						survivors.Add(1)
					}
				}
			}
			endAll(t, dir)
		})
	}
	t.Run("by the end of its turn", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		sh := openIn(t, dir, nil)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			await(t, "the escapees", func() bool { return exists(filepath.Join(dir, "up")) })
			cancel()
		}()
		r, err := sh.Exec(ctx, me, shell.ExecArgs{Command: escapers(t, dir, "sleep 600"), BlockBudgetSec: new(60.0)})
		if err != nil || r.Reason != "turn_cancelled" {
			t.Errorf("the answer is %+v, %v", r, err)
		}
		allGone(t, dir, unmarked)
	})
}

// A host that is killed leaves nothing: not what runs, and not what finished commands
// have left.
func TestAKilledHostLeavesNothing(t *testing.T) {
	if dir := os.Getenv(crashDir); dir != "" {
		sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(dir, "state")})
		if err != nil {
			t.Fatal(err)
		}
		// One that hears no TERM, holds no pipe and carries no mark, and is in its command's
		// session yet not in its process group.
		background(t, sh, "trap '' TERM; env -i PATH=$PATH timeout 600 bash -c \"trap '' TERM; echo \\$\\$ >deaf; exec >/dev/null 2>&1; while :; do sleep 0.1; done\"")
		background(t, sh, escapers(t, dir, "sleep 600"))
		run(t, sh, shell.ExecArgs{Command: "setsid -f bash -c 'echo $$ >daemon; exec sleep 600 >/dev/null 2>&1'"})
		pidIn(t, filepath.Join(dir, "deaf"))
		pidIn(t, filepath.Join(dir, "daemon"))
		await(t, "the escapees", func() bool { return exists(filepath.Join(dir, "up")) })
		dieWatched(t)
	}
	t.Parallel()
	dir := t.TempDir()
	crash(t, dir)
	for _, name := range []string{"deaf", "daemon"} {
		pid := pidIn(t, filepath.Join(dir, name))
		await(t, "the end of "+name, func() bool { return gone(pid) })
	}
	allGone(t, dir, unmarked)
}

// A host that ends without closing its shell leaves nothing either.
func TestAHostThatForgetsToClose(t *testing.T) {
	if dir := os.Getenv(crashDir); dir != "" {
		sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(dir, "state")})
		if err != nil {
			t.Fatal(err)
		}
		background(t, sh, "echo $$ >job; exec sleep 600 >/dev/null 2>&1")
		pidIn(t, filepath.Join(dir, "job"))
		os.Exit(0)
	}
	t.Parallel()
	dir := t.TempDir()
	host := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	host.Env = append(os.Environ(), crashDir+"="+dir)
	if out, err := host.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	pid := pidIn(t, filepath.Join(dir, "job"))
	await(t, "the end of the job", func() bool { return gone(pid) })
}

// Whoever kills the watch has it begin again with the next command, for all that run.
func TestAWatchThatIsKilledBeginsAgain(t *testing.T) {
	if dir := os.Getenv(crashDir); dir != "" {
		sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(dir, "state"), Sweep: shell.SweepNever})
		if err != nil {
			t.Fatal(err)
		}
		background(t, sh, "echo $$ >job; exec sleep 600 >/dev/null 2>&1")
		pidIn(t, filepath.Join(dir, "job"))
		killed := watches(t, os.Getpid())
		for _, pid := range killed {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
		await(t, "another watch", func() bool { // not the first, which takes a moment to end
			run(t, sh, shell.ExecArgs{Command: "true"})
			now := watches(t, os.Getpid())
			return len(now) == 1 && !slices.Contains(killed, now[0])
		})
		dieWatched(t)
	}
	t.Parallel()
	dir := t.TempDir()
	crash(t, dir)
	pid := pidIn(t, filepath.Join(dir, "job"))
	await(t, "the end of the job", func() bool { return gone(pid) })
}

// A daemon that a finished command has left is the seat's to keep, as after a terminal,
// until the host ends; how long is the host's choice.
func TestWhatFinishedCommandsHaveLeft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		sweep         shell.Sweep
		kill, closing bool // who is ended: the job's escapee by Kill, the daemon by Close
	}{
		{"is ended at Close by default", shell.SweepOnShutdown, true, true},
		{"is let be by SweepOnKill", shell.SweepOnKill, true, false},
		{"is let be by SweepNever, also after a Kill", shell.SweepNever, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			sh := openIn(t, dir, &shell.Options{Sweep: c.sweep})
			if err := os.WriteFile(filepath.Join(dir, "stay"), []byte(stay), 0o700); err != nil {
				t.Fatal(err)
			}
			r := run(t, sh, shell.ExecArgs{Command: "setsid -f ./stay setsid"})
			if r.Status != "completed" || r.Background != nil {
				t.Errorf("the answer is %+v", r)
			}
			daemon := pidIn(t, filepath.Join(dir, "setsid.pid"))
			job := background(t, sh, "setsid -f ./stay setsid-f; sleep 600")
			escapee := pidIn(t, filepath.Join(dir, "setsid-f.pid"))
			if err := sh.Kill(t.Context(), job.JobID); err != nil {
				t.Fatal(err)
			}
			if gone(daemon) || gone(escapee) != c.kill {
				t.Errorf("after the Kill the daemon is gone: %v, the escapee: %v", gone(daemon), gone(escapee))
			}
			if err := sh.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if gone(daemon) != c.closing {
				t.Errorf("after Close the daemon is gone: %v", gone(daemon))
			}
			endAll(t, dir)
		})
	}
}

// Who is let be may hold the output for ever; a command that was ended has said its last.
func TestTheOutputOfAnEndedCommandEndsThoughSomebodyHoldsIt(t *testing.T) {
	t.Parallel()
	sh := open(t, &shell.Options{Sweep: shell.SweepNever})
	r := background(t, sh, "echo up; setsid -f bash -c 'echo $$ >daemon; exec sleep 600'; sleep 600")
	daemon, err := strconv.Atoi(pidIn(t, filepath.Join(r.Cwd, "daemon")))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(daemon, syscall.SIGKILL)
	if err := sh.Kill(t.Context(), r.JobID); err != nil {
		t.Fatal(err)
	}
	if gone(strconv.Itoa(daemon)) {
		t.Error("the daemon was ended")
	}
	if p, err := sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: r.SpoolID}); err != nil || !p.EOF || p.Running || p.Output != "up\n" {
		t.Errorf("its output is %+v, %v", p, err)
	}
}

// Who has left the group and wiped its environment is known by the output that it holds.
func TestWhoHoldsTheOutputIsEnded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sh := openIn(t, dir, nil)
	r := background(t, sh, `env -i PATH="$PATH" setsid -f bash -c 'trap "" TERM; echo $$ >pid; while :; do sleep 0.05; done'
env -i PATH="$PATH" setsid -f bash -c 'exec {out}>&1 >/dev/null 2>&1; echo $$ >other; exec sleep 600'
sleep 600`)
	pid, other := pidIn(t, filepath.Join(dir, "pid")), pidIn(t, filepath.Join(dir, "other"))
	if err := sh.Kill(t.Context(), r.JobID); err != nil {
		t.Fatal(err)
	}
	if !gone(pid) {
		t.Error("it lives")
	}
	if !gone(other) {
		t.Error("one that holds it as another descriptor lives")
	}
}

// Other programs that reap whatever they can take the exits of their host's own
// children; one that reaps nothing fills the system with zombies where it is process 1.
func TestAHostThatIsProcessOneReapsItsOwnOrphansAlone(t *testing.T) {
	if dir := os.Getenv(crashDir); dir != "" {
		if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, 36 /* PR_SET_CHILD_SUBREAPER */, 1, 0); errno != 0 {
			t.Skip(errno)
		}
		sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(dir, "state"), Limits: shell.Limits{Grace: 50 * time.Millisecond}})
		if err != nil {
			t.Fatal(err)
		}
		// Not waited for until the end: a zombie all the while, and its code is its host's.
		own := exec.Command("/bin/sh", "-c", "exit 7")
		if err := own.Start(); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			run(t, sh, shell.ExecArgs{Command: "(sleep 0.01 &); timeout 5 sleep 0.01 & (bash -c 'sleep 0.02 & exit' &); exit 0"})
			job := background(t, sh, "setsid -f sleep 600 >/dev/null 2>&1; sleep 600")
			if err := sh.Kill(t.Context(), job.JobID); err != nil {
				t.Fatal(err)
			}
		}
		if err := own.Wait(); own.ProcessState.ExitCode() != 7 {
			t.Errorf("the host's own child ended with %v", err)
		}
		if err := sh.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		await(t, "the reaping of all", func() bool { return zombies(t) == 0 })
		if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != syscall.ECHILD {
			t.Errorf("child %d is there, %v", pid, err)
		}
		return
	}
	t.Parallel()
	host := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	host.Env = append(os.Environ(), crashDir+"="+t.TempDir())
	if out, err := host.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// What a shell reads its command from stays its own, and the lines keep their numbers.
func TestACommandsOwnTextIsNotInherited(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/bin/bash", "/bin/sh"} {
		sh := open(t, &shell.Options{Runner: shell.HostRunner{Shell: path}})
		r := run(t, sh, shell.ExecArgs{Command: "ls -l /proc/self/fd /proc/$$/fd >fds\ngrep -cE ' 3 ->.*(memfd|deleted)' fds\nnope"})
		if !strings.HasPrefix(r.Output, "0\n") || !strings.Contains(r.Output, "3: nope: ") && !strings.Contains(r.Output, "line 3: nope: ") {
			t.Errorf("%s says %q", path, r.Output)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
