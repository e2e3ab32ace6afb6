package shelltest

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc/shell"
)

// Options of Run. Nil is fine.
type Options struct {
	// Dir is where commands run. Default: a directory of the test.
	Dir string
	// Short says that a command may have less than 128 KiB, as one that is an argument.
	Short bool
	// ShellAlone says that the runner knows of the shell and not of what that starts:
	// it does not count the others, and they need not end with it.
	ShellAlone bool
	// Abrupt says that what is in front of the shell may end first, when it is asked to or
	// as soon as the shell has, and take all others with it, as bubblewrap does with
	// --die-with-parent.
	Abrupt bool
	// Patience is how long a command may take to start, or to end when it is ended, on
	// a busy machine. 0: one minute.
	Patience time.Duration
}

// Run fails t for every rule of package shell that a runner breaks, each in a subtest of
// its own. The commands are for a POSIX shell. The runner that make returns is used by
// several goroutines.
func Run(t *testing.T, make func(testing.TB) shell.Runner, o *Options) {
	s := &suite{runner: make(t)}
	if o != nil {
		s.opts = *o
	}
	if s.opts.Dir == "" {
		s.opts.Dir = t.TempDir()
	}
	if s.opts.Patience <= 0 {
		s.opts.Patience = time.Minute
	}
	for _, rule := range rules {
		t.Run(rule.says, func(t *testing.T) { rule.check(s, t) })
	}
}

type suite struct {
	runner shell.Runner
	opts   Options
}

var rules = []struct {
	says  string
	check func(*suite, *testing.T)
}{
	{"an exit code is the shell's", (*suite).exits},
	{"a signal that ended it is no success", (*suite).signal},
	{"both outputs come in the order in which they were written", (*suite).order},
	{"the output ends with the command", (*suite).eof},
	{"the standard input is what was given", (*suite).stdin},
	{"an empty standard input is at its end", (*suite).noStdin},
	{"the directory is the one that was given", (*suite).dir},
	{"the environment is the one that was given", (*suite).env},
	{"a command is not changed", (*suite).verbatim},
	{"a command may be long", (*suite).long},
	{"a command outlives the context of its start", (*suite).outlives},
	{"Terminate asks, and a command may tidy up", (*suite).terminate},
	{"Kill ends what does not listen", (*suite).kill},
	{"what the shell leaves running is counted, and ended", (*suite).left},
	{"ending what has ended is no error", (*suite).again},
	{"many run at once, each with its own output", (*suite).many},
}

// A started command of the suite.
type started struct {
	s    *suite
	t    testing.TB
	proc shell.Proc
	mu   sync.Mutex
	said strings.Builder
	eof  chan struct{}
}

func (s *suite) spec(command string) shell.Spec {
	return shell.Spec{
		Command: command, Dir: s.opts.Dir, Job: "suite.1",
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "ARC_JOB=suite.1"},
	}
}

// start starts a command, which ends with the test.
func (s *suite) start(t testing.TB, ctx context.Context, spec shell.Spec) *started {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	spec.Out = w
	p, err := s.runner.Start(ctx, spec)
	w.Close()
	if err != nil || p == nil {
		r.Close()
		t.Fatalf("Start of %.80q: %v, %v", spec.Command, p, err)
	}
	c := &started{s: s, t: t, proc: p, eof: make(chan struct{})}
	go func() {
		defer close(c.eof)
		defer r.Close()
		_, _ = io.Copy(c, r) // an error ends it as well
	}()
	t.Cleanup(func() {
		_ = p.Kill() // most have ended
		r.Close()
		<-c.eof
	})
	return c
}

// Write takes what the command says.
func (c *started) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.said.Write(b)
}

func (c *started) output() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.said.String()
}

// await waits for ch.
func (c *started) await(what string, ch <-chan struct{}) {
	c.t.Helper()
	select {
	case <-ch:
	case <-time.After(c.s.opts.Patience):
		c.t.Fatalf("waited in vain for %s; it said %.200q", what, c.output())
	}
}

// until waits for a condition that nobody reports.
func (c *started) until(what string, ok func() bool) {
	c.t.Helper()
	for end := time.Now().Add(c.s.opts.Patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("waited in vain for %s; it said %.200q", what, c.output())
		}
	}
}

// end waits for the shell and its output.
func (c *started) end() shell.Exit {
	c.t.Helper()
	c.await("the end", c.proc.Done())
	c.await("the end of the output", c.eof)
	return c.proc.Exit()
}

// run runs a command to its end.
func (s *suite) run(t testing.TB, spec shell.Spec) (string, shell.Exit) {
	t.Helper()
	c := s.start(t, t.Context(), spec)
	e := c.end()
	return c.output(), e
}

// wants runs a command that has to exit with 0 and to say want.
func (s *suite) wants(t testing.TB, spec shell.Spec, want string) {
	t.Helper()
	if got, e := s.run(t, spec); got != want || e != (shell.Exit{}) {
		t.Errorf("it said %.200q with %+v, want %.200q", got, e, want)
	}
}

func (s *suite) exits(t *testing.T) {
	for _, code := range []int{0, 1, 7, 126, 127, 255} {
		if _, e := s.run(t, s.spec(fmt.Sprintf("exit %d", code))); e != (shell.Exit{Code: code}) {
			t.Errorf("exit %d is %+v", code, e)
		}
	}
}

func (s *suite) signal(t *testing.T) {
	_, e := s.run(t, s.spec("kill -TERM $$; sleep 60"))
	if !e.Unknown && e.Signal == "" && e.Code != 128+15 {
		t.Errorf("the exit is %+v, want SIGTERM, or 143 of a shell in front", e)
	}
}

func (s *suite) order(t *testing.T) {
	var want strings.Builder
	for i := range 50 {
		fmt.Fprintf(&want, "o%d\ne%d\n", i, i)
	}
	s.wants(t, s.spec("i=0; while [ $i -lt 50 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done"), want.String())
}

func (s *suite) eof(t *testing.T) {
	c := s.start(t, t.Context(), s.spec("echo word"))
	c.await("the end", c.proc.Done())
	c.await("the end of the output: does the runner still hold it?", c.eof)
	c.until("the end of all processes", func() bool { return c.proc.Living() == 0 })
}

func (s *suite) stdin(t *testing.T) {
	text := strings.Repeat("a line of text, with ü and a NUL \x00\n", 3000)
	spec := s.spec("cat")
	spec.Stdin = text
	s.wants(t, spec, text)
}

func (s *suite) noStdin(t *testing.T) { s.wants(t, s.spec("cat; echo ended"), "ended\n") }

func (s *suite) dir(t *testing.T) {
	want, err := filepath.EvalSymlinks(s.opts.Dir)
	if err != nil {
		want = s.opts.Dir // it is elsewhere
	}
	s.wants(t, s.spec("pwd -P"), want+"\n")
}

func (s *suite) env(t *testing.T) {
	spec := s.spec(`printf '%s|' "$A" "$EMPTY" "${NONE-none}" "$ARC_JOB"`)
	spec.Env = append(spec.Env, "A=it's \"b\" $c `d`\n ü", "EMPTY=")
	s.wants(t, spec, "it's \"b\" $c `d`\n ü||none|suite.1|")
}

func (s *suite) verbatim(t *testing.T) {
	command := "x='it'\"'\"'s'\ncat <<'E'\n$x \\n `y` \"z\" {a,b} %s ü\nE\nprintf '%s\\n' \"$x a\\b\" # | no\n"
	s.wants(t, s.spec(command), "$x \\n `y` \"z\" {a,b} %s ü\nit's a\\b\n")
}

func (s *suite) long(t *testing.T) {
	if s.opts.Short {
		t.Skip("the runner's commands are short")
	}
	s.wants(t, s.spec(": <<'E'\n"+strings.Repeat("0123456789abcde\n", 20<<10)+"E\necho read"), "read\n")
}

func (s *suite) outlives(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := s.start(t, ctx, s.spec("echo ready; sleep 0.3; echo went on"))
	cancel()
	if e := c.end(); c.output() != "ready\nwent on\n" || e != (shell.Exit{}) {
		t.Errorf("it said %q with %+v", c.output(), e)
	}
}

func (s *suite) terminate(t *testing.T) {
	if s.opts.ShellAlone {
		t.Skip("who ends may be a client alone")
	}
	c := s.start(t, t.Context(), s.spec("trap 'echo tidied; exit 3' TERM; echo ready; while :; do sleep 0.05; done"))
	c.until("ready", func() bool { return strings.HasPrefix(c.output(), "ready") })
	if err := c.proc.Terminate(); err != nil {
		t.Error(err)
	}
	c.await("the end", c.proc.Done())
	c.await("the end of the output", c.eof)
	if !s.opts.Abrupt && !strings.HasSuffix(c.output(), "tidied\n") {
		t.Errorf("it said %q", c.output())
	}
	if e := c.proc.Exit(); e == (shell.Exit{}) {
		t.Error("its exit is a success")
	}
}

func (s *suite) kill(t *testing.T) {
	c := s.start(t, t.Context(), s.spec("trap '' TERM; echo ready; while :; do sleep 0.05; done"))
	c.until("ready", func() bool { return c.output() == "ready\n" })
	if n := c.proc.Living(); n < 1 {
		t.Errorf("%d processes live", n)
	}
	if err := c.proc.Kill(); err != nil {
		t.Error(err)
	}
	c.await("the end", c.proc.Done())
	if e := c.proc.Exit(); e == (shell.Exit{}) {
		t.Error("its exit is a success")
	}
	c.until("the end of all processes", func() bool { return c.proc.Living() == 0 })
}

func (s *suite) left(t *testing.T) {
	if s.opts.ShellAlone {
		t.Skip("the runner knows of the shell alone")
	}
	const code = 5
	c := s.start(t, t.Context(), s.spec(fmt.Sprintf("sleep 300 & echo left; exit %d", code)))
	// A sandbox may stay in front until all have ended.
	select {
	case <-c.proc.Done():
		if e := c.proc.Exit(); e != (shell.Exit{Code: code}) {
			t.Errorf("the exit is %+v", e)
		}
	case <-time.After(time.Second):
	}
	c.until("a word", func() bool { return c.output() == "left\n" })
	if n := c.proc.Living(); n < 1 && !s.opts.Abrupt {
		t.Errorf("%d processes live", n)
	}
	if err := c.proc.Kill(); err != nil {
		t.Error(err)
	}
	c.until("the end of all processes", func() bool { return c.proc.Living() == 0 })
	c.await("the end of the output", c.eof)
}

func (s *suite) again(t *testing.T) {
	const code = 2
	c := s.start(t, t.Context(), s.spec(fmt.Sprintf("exit %d", code)))
	c.end()
	c.until("the end of all processes", func() bool { return c.proc.Living() == 0 })
	if err := c.proc.Terminate(); err != nil {
		t.Errorf("Terminate: %v", err)
	}
	if err := c.proc.Kill(); err != nil {
		t.Errorf("Kill: %v", err)
	}
	if e := c.proc.Exit(); e != (shell.Exit{Code: code}) {
		t.Errorf("the exit has become %+v", e)
	}
}

func (s *suite) many(t *testing.T) {
	var all sync.WaitGroup
	for i := range 8 {
		c := s.start(t, t.Context(), s.spec(fmt.Sprintf("echo %d; sleep 0.05; exit %d", i, i)))
		all.Go(func() {
			select {
			case <-c.proc.Done():
			case <-time.After(s.opts.Patience):
				t.Errorf("command %d does not end", i)
				return
			}
			<-c.eof
			if e := c.proc.Exit(); e != (shell.Exit{Code: i}) || c.output() != fmt.Sprintf("%d\n", i) {
				t.Errorf("command %d said %q with %+v", i, c.output(), e)
			}
		})
	}
	all.Wait()
}
