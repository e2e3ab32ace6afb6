//go:build linux

package shell_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestEnds(t *testing.T) {
	t.Parallel()
	sh := open(t, &shell.Options{Limits: shell.Limits{Grace: 100 * time.Millisecond, Foreground: 100}})
	for _, c := range []struct {
		name string
		args shell.ExecArgs
		want shell.ExecResult
	}{
		{"exit 0 is completed", shell.ExecArgs{Command: "echo hi"},
			shell.ExecResult{Status: "completed", ExitCode: new(0), Output: "hi\n", OutputBytes: 3}},
		{"exit 3 is failed", shell.ExecArgs{Command: "exit 3"},
			shell.ExecResult{Status: "failed", ExitCode: new(3)}},
		{"a missing command has a hint", shell.ExecArgs{Command: "no_such_command 2>/dev/null"},
			shell.ExecResult{Status: "failed", ExitCode: new(127), Hint: "127: command not found"}},
		{"what is no program has a hint", shell.ExecArgs{Command: "/etc/passwd 2>/dev/null"},
			shell.ExecResult{Status: "failed", ExitCode: new(126), Hint: "126: found, but cannot be executed"}},
		{"a child's SIGKILL has a hint", shell.ExecArgs{Command: "exec 2>/dev/null; bash -c 'kill -9 $$'"},
			shell.ExecResult{Status: "failed", ExitCode: new(137), Hint: "137: killed by SIGKILL, often for want of memory"}},
		{"a child's crash has a hint", shell.ExecArgs{Command: "exit 139"},
			shell.ExecResult{Status: "failed", ExitCode: new(139), Hint: "139: segmentation fault"}},
		{"a signal is no exit code", shell.ExecArgs{Command: "kill -SEGV $$"},
			shell.ExecResult{Status: "failed", Signal: "SIGSEGV"}},
		{"a stranger's SIGKILL is failed, not killed", shell.ExecArgs{Command: "kill -KILL $$"},
			shell.ExecResult{Status: "failed", Signal: "SIGKILL", Hint: "killed from outside, often for want of memory"}},
		{"a timeout is never completed, and keeps the output", shell.ExecArgs{Command: "echo so far; exec sleep 300", TimeoutSec: new(1.0)},
			shell.ExecResult{Status: "timed_out", Signal: "SIGTERM", Reason: "timeout", Output: "so far\n", OutputBytes: 7}},
		{"a timeout whose program exits 0 is still a timeout", shell.ExecArgs{Command: "trap 'exit 0' TERM; while :; do sleep 0.01; done 2>/dev/null", TimeoutSec: new(1.0)},
			shell.ExecResult{Status: "timed_out", ExitCode: new(0), Reason: "timeout"}},
		{"a loop that ignores TERM is killed", shell.ExecArgs{Command: "trap '' TERM; while :; do :; done", TimeoutSec: new(1.0)},
			shell.ExecResult{Status: "timed_out", Signal: "SIGKILL", Reason: "timeout"}},
		{"a timeout reaches grandchildren and timeout(1)", shell.ExecArgs{Command: "timeout 300 sleep 300 & (sleep 300 &) ; echo up; wait", TimeoutSec: new(1.0)},
			shell.ExecResult{Status: "timed_out", Signal: "SIGTERM", Reason: "timeout", Output: "up\n", OutputBytes: 3}},
		{"a timeout is enforced on a pipeline", shell.ExecArgs{Command: "sleep 300 | cat", TimeoutSec: new(1.0)},
			shell.ExecResult{Status: "timed_out", Signal: "SIGTERM", Reason: "timeout"}},
		{"a pipeline says whose exit code it is", shell.ExecArgs{Command: "false | true"},
			shell.ExecResult{Status: "completed", ExitCode: new(0), ExitCodeOf: "last pipeline stage"}},
		{"there is no pipefail: head ends yes", shell.ExecArgs{Command: "yes | head -n 1"},
			shell.ExecResult{Status: "completed", ExitCode: new(0), ExitCodeOf: "last pipeline stage", Output: "y\n", OutputBytes: 2}},
		{"stdin is given whole", shell.ExecArgs{Command: "wc -c", StdinText: strings.Repeat("é", 65536)},
			shell.ExecResult{Status: "completed", ExitCode: new(0), Output: "131072\n", OutputBytes: 7}},
		{"stdin that is omitted is at its end, so nothing waits for it", shell.ExecArgs{Command: "cat; grep x; echo $?"},
			shell.ExecResult{Status: "completed", ExitCode: new(0), Output: "1\n", OutputBytes: 2}},
		{"a prompt on the terminal fails at once", shell.ExecArgs{Command: "{ read -r x < /dev/tty; } 2>/dev/null || echo no terminal"},
			shell.ExecResult{Status: "completed", ExitCode: new(0), Output: "no terminal\n", OutputBytes: 12}},
		{"bash idioms work", shell.ExecArgs{Command: `a=({1..3}); [[ ${a[1]} == 2 ]] && cat <(echo $'x\ty')`},
			shell.ExecResult{Status: "completed", ExitCode: new(0), Output: "x\ty\n", OutputBytes: 4}},
		{"quotes, braces and $$ arrive as they are", shell.ExecArgs{Command: "cat <<'X'\n{\"a\": '$$', `b`}\nX"},
			shell.ExecResult{Status: "completed", ExitCode: new(0), Output: "{\"a\": '$$', `b`}\n", OutputBytes: 17}},
		{"pkill -f does not find its own shell", shell.ExecArgs{Command: "sleep 314.159 & pkill -f 'sleep 314[.]159'; echo alive"},
			shell.ExecResult{Status: "completed", ExitCode: new(0), Output: "alive\n", OutputBytes: 6}},
		{"a reopened standard output loses nothing", shell.ExecArgs{Command: "echo one; echo two > /dev/stdout; echo three | tee /dev/stderr"},
			shell.ExecResult{Status: "completed", ExitCode: new(0), ExitCodeOf: "last pipeline stage", Output: "one\ntwo\nthree\nthree\n", OutputBytes: 20}},
		{"process substitution that holds the pipe does not hold the answer", shell.ExecArgs{Command: "exec > >(cat); echo through"},
			shell.ExecResult{Status: "completed", ExitCode: new(0), Output: "through\n", OutputBytes: 8}},
		{"escape sequences and progress frames are cleaned", shell.ExecArgs{Command: `printf '\e[31mred\e[0m\r\n10%%\r20%%\r100%%\nx\b\by\n'`},
			shell.ExecResult{Status: "completed", ExitCode: new(0), Output: "red\n100%\ny\n", OutputBytes: 32, Cleaned: true}},
		{"binary output is one line", shell.ExecArgs{Command: `printf '\x7fELF\x00\x01'`},
			shell.ExecResult{Status: "completed", ExitCode: new(0), OutputBytes: 6, Binary: true,
				Output: "[binary output, 6 bytes, beginning 7f 45 4c 46 00 01; send it to a file and look at it with a program]"}},
		{"a timeout above the limit is lowered, and says so", shell.ExecArgs{Command: "true", TimeoutSec: new(math.Inf(1))},
			shell.ExecResult{Status: "completed", ExitCode: new(0), Hint: "timeout_sec was lowered to the limit of 900"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := run(t, sh, c.args)
			ignore := cmpopts.IgnoreFields(shell.ExecResult{}, "Cwd", "SpoolID", "DurationSec", "Touched")
			if d := cmp.Diff(&c.want, got, ignore); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
			if !strings.HasPrefix(got.SpoolID, "sp_") {
				t.Errorf("spool is %q", got.SpoolID)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args shell.ExecArgs
		code arc.Code
	}{
		{"nothing", shell.ExecArgs{}, arc.InvalidArguments},
		{"blanks", shell.ExecArgs{Command: " \n\t"}, arc.InvalidArguments},
		{"a NUL", shell.ExecArgs{Command: "echo \x00"}, arc.InvalidArguments},
		{"over 1 MiB", shell.ExecArgs{Command: strings.Repeat("#", 1<<20+1)}, arc.InvalidArguments},
		{"too much stdin", shell.ExecArgs{Command: "cat", StdinText: strings.Repeat("x", 65537)}, arc.InvalidArguments},
		{"no time at all", shell.ExecArgs{Command: "true", TimeoutSec: new(0.0)}, arc.InvalidArguments},
		{"a negative budget", shell.ExecArgs{Command: "true", BlockBudgetSec: new(-1.0)}, arc.InvalidArguments},
		{"a time that is no number", shell.ExecArgs{Command: "true", TimeoutSec: new(math.NaN())}, arc.InvalidArguments},
		{"a cwd that leads out", shell.ExecArgs{Command: "true", Cwd: "a/../.."}, arc.PathEscape},
		{"a cwd that is not there", shell.ExecArgs{Command: "true", Cwd: "nowhere"}, shell.CwdNotFound},
		{"a cwd that is a file", shell.ExecArgs{Command: "true", Cwd: file}, shell.CwdNotFound},
		{"a cwd with a tilde", shell.ExecArgs{Command: "true", Cwd: "~/x"}, shell.CwdNotFound},
		{"a cwd with a NUL", shell.ExecArgs{Command: "true", Cwd: "x\x00"}, arc.InvalidArguments},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := sh.Exec(t.Context(), me, c.args)
			e := wantCode(t, err, c.code)
			if e.Message == "" || !strings.HasSuffix(e.Message, ".") {
				t.Errorf("message is %q", e.Message)
			}
		})
	}
}

func TestTheWorkingDirectory(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	sh, err := shell.Open(dir, &shell.Options{State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer sh.Close(context.Background())
	for cwd, want := range map[string]string{"": dir, ".": dir, "sub dir": dir + "/sub dir", "sub dir/..": dir, other: other} {
		r := run(t, sh, shell.ExecArgs{Command: "pwd; echo $PWD", Cwd: cwd})
		if r.Output != want+"\n"+want+"\n" || r.Cwd != want {
			t.Errorf("cwd %q runs in %q and says %q, want %q", cwd, r.Output, r.Cwd, want)
		}
	}
	run(t, sh, shell.ExecArgs{Command: "cd /; export LEFT=over"})
	if r := run(t, sh, shell.ExecArgs{Command: "echo $PWD$LEFT"}); r.Output != dir+"\n" {
		t.Errorf("the next shell is not fresh: %q", r.Output)
	}
}

// Tools with two pipes show all of standard error after standard output.
func TestArrivalOrder(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	const n = 20_000
	r := run(t, sh, shell.ExecArgs{BlockBudgetSec: new(60.0), Command: fmt.Sprintf("for ((i=0; i<%d; i++)); do echo $i; echo $i >&2; done", n)})
	var want strings.Builder
	for i := range n {
		fmt.Fprintf(&want, "%d\n%d\n", i, i)
	}
	if got := whole(t, sh, r.SpoolID, nil); got != want.String() {
		t.Error("lines of the two descriptors are not where they were written")
	}
	t.Logf("score: shell %d ≥ 6000 lines of two descriptors in the order in which they were written", 2*n)
}

// An argument may have 128 KiB at most, which a here-document soon passes.
func TestAHugeHereDocument(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	text := strings.Repeat("0123456789abcde\n", 20<<10) // 320 KiB
	r := run(t, sh, shell.ExecArgs{Command: "cat > out.txt <<'END'\n" + text + "END\nwc -c < out.txt"})
	if r.Output != strconv.Itoa(len(text))+"\n" {
		t.Errorf("it says %q, want %d", r.Output, len(text))
	}
}

// A server started with & must neither hold the answer up nor be killed by it.
func TestAServerInTheBackground(t *testing.T) {
	t.Parallel()
	var notices told
	sh := open(t, &shell.Options{Notify: notices.add})
	r := run(t, sh, shell.ExecArgs{Command: "echo started; (while sleep 0.02; do echo tick; done) & exit 0", TimeoutSec: new(300.0)})
	if r.Status != "completed" || code(r) != 0 || !strings.HasPrefix(r.Output, "started\n") {
		t.Fatalf("the answer is %+v", r)
	}
	b := r.Background
	if b == nil || b.Processes < 1 || b.EndsWithinSec <= 0 || b.EndsWithinSec >= 300 {
		t.Fatalf("background is %+v", b)
	}
	if r.PID == 0 || len(r.Touched) != 2 || r.Touched[1].ID != b.JobID {
		t.Errorf("pid %d, touched %+v", r.PID, r.Touched)
	}
	at := r.OutputBytes
	await(t, "a line after the answer", func() bool {
		p, err := sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: r.SpoolID, Offset: at})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(p.Output, "tick")
	})
	j, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: b.JobID})
	if err != nil || j.Status != "running" || j.ExitCode == nil || *j.ExitCode != 0 || j.Processes < 1 {
		t.Errorf("the job is %+v, %v", j, err)
	}
	if err := sh.Kill(t.Context(), b.JobID); err != nil {
		t.Fatal(err)
	}
	if s := ended(t, sh, b.JobID); s != "killed" {
		t.Errorf("it ended %s", s)
	}
	await(t, "the notice", func() bool { return len(notices.all()) == 1 })
}

func TestSleepInTheBackgroundAnswersAtOnce(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	r := run(t, sh, shell.ExecArgs{Command: "sleep 100 & echo done"})
	if r.Status != "completed" || r.Output != "done\n" || r.Background == nil || r.DurationSec > 50 {
		t.Errorf("the answer is %+v", r)
	}
}

func TestSurvivorsEndWithTheTimeout(t *testing.T) {
	t.Parallel()
	var notices told
	sh := open(t, &shell.Options{Notify: notices.add})
	r := run(t, sh, shell.ExecArgs{Command: "sleep 300 & exit 5", TimeoutSec: new(2.0)})
	if r.Status != "failed" || code(r) != 5 || r.Background == nil {
		t.Fatalf("the answer is %+v", r)
	}
	if s := ended(t, sh, r.Background.JobID); s != "timed_out" {
		t.Errorf("it ended %s", s)
	}
	j, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: r.Background.JobID})
	if err != nil || j.ExitCode == nil || *j.ExitCode != 5 || j.Reason != "timeout" || j.Processes != 0 {
		t.Errorf("the job is %+v, %v", j, err)
	}
}

// What starts a session of its own has left: it is neither waited for nor ended with
// a command that ends by itself, and its lines still have a reader.
func TestADaemonIsLetBe(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	r := run(t, sh, shell.ExecArgs{Command: "setsid bash -c 'touch left; for i in 1 2 3 4 5 6 7 8; do sleep 0.1; echo line $i; done; touch finished' & until [ -e left ]; do sleep 0.01; done; echo up"})
	if r.Status != "completed" || r.Background != nil {
		t.Fatalf("the answer is %+v", r)
	}
	await(t, "the daemon's own end", func() bool {
		_, err := os.Stat(filepath.Join(r.Cwd, "finished"))
		return err == nil
	})
	if got := whole(t, sh, r.SpoolID, nil); !strings.HasSuffix(got, "line 8\n") {
		t.Errorf("the spool has %q", got)
	}
}

// It is not parallel: it counts the pipes of the process.
func TestADaemonThatHasEndedHoldsNoPipe(t *testing.T) {
	pipes := func() (n int) {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		for _, fd := range fds {
			if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasPrefix(to, "pipe:") {
				n++
			}
		}
		return n
	}
	sh := open(t, nil)
	run(t, sh, shell.ExecArgs{Command: "true"}) // the host keeps a pipe from its first command on
	before := pipes()
	r := run(t, sh, shell.ExecArgs{Command: "setsid bash -c 'touch left; until [ -e go ]; do sleep 0.01; done; echo last' & until [ -e left ]; do sleep 0.01; done"})
	if r.Status != "completed" || pipes() != before+1 {
		t.Fatalf("the answer is %+v, with %d pipes after %d", r, pipes(), before)
	}
	if err := os.WriteFile(filepath.Join(r.Cwd, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := whole(t, sh, r.SpoolID, nil); got != "last\n" {
		t.Errorf("the spool has %q", got)
	}
	await(t, "the pipe's end", func() bool { return pipes() == before })
}

func TestACancelledTurn(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	job := background(t, sh, "sleep 300")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	progress := make(chan struct{}, 1)
	go func() {
		<-progress
		cancel()
	}()
	r, err := shell.ExecWithProgress(sh, ctx, me, shell.ExecArgs{Command: "echo so far; exec sleep 300"}, func([]byte) {
		select {
		case progress <- struct{}{}:
		default:
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != "killed" || r.Reason != "turn_cancelled" || r.Output != "so far\n" || r.ExitCode != nil {
		t.Errorf("the answer is %+v", r)
	}
	if s, done, err := sh.JobStatus(t.Context(), me.Seat, job.JobID); s != "running" || done || err != nil {
		t.Errorf("the job beside it is %s, %v", s, err)
	}
	if _, err := sh.Exec(ctx, me, shell.ExecArgs{Command: "true"}); err == nil {
		t.Error("a call of an ended turn was run")
	}
}

func TestTooManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	sh := open(t, &shell.Options{Limits: shell.Limits{Foreground: 1}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	up, done := make(chan struct{}, 100), make(chan struct{})
	go func() {
		defer close(done)
		_, err := shell.ExecWithProgress(sh, ctx, me, shell.ExecArgs{Command: "echo up; sleep 300"}, func([]byte) { up <- struct{}{} })
		if err != nil {
			t.Error(err)
		}
	}()
	<-up
	_, err := sh.Exec(t.Context(), me, shell.ExecArgs{Command: "true"})
	wantCode(t, err, arc.LimitReached)
	other := me
	other.Seat = "other"
	if _, err := sh.Exec(t.Context(), other, shell.ExecArgs{Command: "true"}); err != nil {
		t.Errorf("another seat is held up: %v", err)
	}
	cancel()
	<-done
	run(t, sh, shell.ExecArgs{Command: "true"})
}

func TestTheEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"ANTHROPIC_API_KEY": "sk-1", "OPENAI_API_KEY": "sk-2", "AWS_SECRET_ACCESS_KEY": "x", "SSH_AUTH_SOCK": "/x", "npm_config__authToken": "x",
		"GOFLAGS": "-count=1", "GO_SECRET": "x", "JAVA_HOME": "/java", "CGO_CFLAGS": "-O1", "MINE": "host's", "LANG": "", "LC_ALL": "", "LC_CTYPE": "", "TERM": "xterm",
	} {
		t.Setenv(name, value)
	}
	env := func(t *testing.T, o *shell.Options) map[string]string {
		t.Helper()
		sh := open(t, o)
		got := map[string]string{}
		r := run(t, sh, shell.ExecArgs{Command: "env -0 > env"})
		b, err := os.ReadFile(filepath.Join(r.Cwd, "env"))
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range strings.Split(strings.TrimRight(string(b), "\x00"), "\x00") {
			k, v, _ := strings.Cut(pair, "=")
			got[k] = v
		}
		return got
	}
	t.Run("holds the toolchain's names and no secret", func(t *testing.T) {
		got := env(t, nil)
		for name, want := range map[string]string{
			"PATH": os.Getenv("PATH"), "GOFLAGS": "-count=1", "JAVA_HOME": "/java", "CGO_CFLAGS": "-O1",
			"LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat", "GH_PAGER": "cat",
			"GIT_TERMINAL_PROMPT": "0", "GCM_INTERACTIVE": "never", "GIT_EDITOR": "true", "GIT_SEQUENCE_EDITOR": "true",
			"SSH_ASKPASS_REQUIRE": "never", "DEBIAN_FRONTEND": "noninteractive", "PYTHONUNBUFFERED": "1", "npm_config_yes": "true",
		} {
			if got[name] != want {
				t.Errorf("%s is %q, want %q", name, got[name], want)
			}
		}
		for _, name := range []string{
			"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "npm_config__authToken", "GO_SECRET", "MINE", "CI",
		} {
			if v, ok := got[name]; ok {
				t.Errorf("%s is there, %q", name, v)
			}
		}
		if m := got["ARC_JOB"]; strings.Count(m, ".") != 1 {
			t.Errorf("the marker is %q", m)
		}
	})
	t.Run("takes what the host adds, by value or by name", func(t *testing.T) {
		got := env(t, &shell.Options{Env: []string{"MINE", "PAGER=less", "NEW=a=b", "NOT_SET"}})
		if got["MINE"] != "host's" || got["PAGER"] != "less" || got["NEW"] != "a=b" {
			t.Errorf("MINE %q, PAGER %q, NEW %q", got["MINE"], got["PAGER"], got["NEW"])
		}
		if _, ok := got["NOT_SET"]; ok {
			t.Error("a name without a value was set")
		}
	})
	t.Run("is the host's whole on request", func(t *testing.T) {
		got := env(t, &shell.Options{InheritAll: true})
		if got["OPENAI_API_KEY"] != "sk-2" || got["TERM"] != "dumb" {
			t.Errorf("OPENAI_API_KEY %q, TERM %q", got["OPENAI_API_KEY"], got["TERM"])
		}
	})
}

// A login shell reads a profile for seconds, and what it says is not the command's.
func TestNoProfileIsRead(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{".profile", ".bash_profile", ".bash_login", ".bashrc", "env"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte("echo profile\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("SHELL", "/bin/false")
	t.Setenv("BASH_ENV", filepath.Join(home, "env"))
	t.Setenv("ENV", filepath.Join(home, "env"))
	sh := open(t, nil)
	if r := run(t, sh, shell.ExecArgs{Command: "shopt -q login_shell || echo no login; [[ $- == *i* ]] || echo not interactive"}); r.Output != "no login\nnot interactive\n" {
		t.Errorf("it says %q", r.Output)
	}
}

// Node writes to a pipe without waiting and exits: with a pipe of 64 KiB the
// rest is lost.
func TestAProgramThatExitsBeforeItsOutputIsRead(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	if run(t, sh, shell.ExecArgs{Command: "command -v node"}).Status != "completed" {
		t.Skip("no node here")
	}
	r := run(t, sh, shell.ExecArgs{Command: `node -e "process.stdout.write('x'.repeat(204800)); process.exit(0)"`})
	if r.OutputBytes != 204800 {
		t.Errorf("%d bytes arrived, want 204800", r.OutputBytes)
	}
}
