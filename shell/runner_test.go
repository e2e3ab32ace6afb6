//go:build linux

package shell_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
	"github.com/arcseat/arc/shell/shelltest"
	"github.com/google/go-cmp/cmp"
)

// says is a Runner whose commands say a word and end so.
func says(e shell.Exit) *shelltest.Fake {
	return &shelltest.Fake{Do: func(c *shelltest.Command) shell.Exit {
		fmt.Fprintln(c, "word")
		return e
	}}
}

// refuses is a Runner that starts nothing.
func refuses(err error) *shelltest.Fake {
	return &shelltest.Fake{Refuse: func(shell.Spec) error { return err }}
}

// leaver is a Runner whose shells exit at once and leave somebody who lives for a while.
type leaver struct{ lives time.Duration }

type left struct {
	done  chan struct{} // closed
	until time.Time
}

func (l *leaver) Start(context.Context, shell.Spec) (shell.Proc, error) {
	p := &left{make(chan struct{}), time.Now().Add(l.lives)}
	close(p.done)
	return p, nil
}

func (p *left) PID() int              { return 0 }
func (p *left) Done() <-chan struct{} { return p.done }
func (p *left) Exit() shell.Exit      { return shell.Exit{} }
func (p *left) Terminate() error      { return nil }
func (p *left) Kill() error           { return nil }
func (p *left) Living() int {
	if time.Now().After(p.until) {
		return 0
	}
	return 1
}

// slow is a Runner that would take for ever to start anything. It tells that it has begun.
type slow chan struct{}

func (s slow) Start(ctx context.Context, _ shell.Spec) (shell.Proc, error) {
	close(s)
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestARunnerOfTheHosts(t *testing.T) {
	t.Parallel()
	t.Run("gets the command as it is", func(t *testing.T) {
		t.Parallel()
		f := says(shell.Exit{})
		sh := open(t, &shell.Options{Runner: f, Env: []string{"A=b"}})
		r := run(t, sh, shell.ExecArgs{Command: " echo 'x'\n", StdinText: "in"})
		if r.Status != "completed" || r.Output != "word\n" {
			t.Errorf("the answer is %+v", r)
		}
		s := f.Specs()[0]
		if s.Command != " echo 'x'\n" || s.Stdin != "in" || s.Dir != r.Cwd || !strings.HasSuffix(s.Job, "."+strings.TrimPrefix(r.SpoolID, "sp_")) {
			t.Errorf("it got %+v", s)
		}
		env := strings.Join(s.Env, "\n")
		if !strings.Contains(env, "A=b\n") || !strings.Contains(env, "PWD="+r.Cwd) || !strings.Contains(env, "ARC_JOB="+s.Job) {
			t.Errorf("it got the environment %s", env)
		}
	})
	t.Run("an end that nobody knows is not completed and has no code", func(t *testing.T) {
		t.Parallel()
		sh := open(t, &shell.Options{Runner: says(shell.Exit{Unknown: true})})
		if r := run(t, sh, shell.ExecArgs{Command: "x"}); r.Status != "failed" || r.ExitCode != nil {
			t.Errorf("the answer is %+v", r)
		}
	})
	t.Run("its failure names the system's error and leaves nothing", func(t *testing.T) {
		t.Parallel()
		sh := open(t, &shell.Options{Runner: refuses(&systemError{syscall.EAGAIN}), Limits: shell.Limits{Foreground: 1}})
		for range 3 {
			_, err := sh.Exec(t.Context(), me, shell.ExecArgs{Command: "x"})
			e := wantCode(t, err, shell.SpawnFailed)
			if d := cmp.Diff(map[string]string{"errno": "EAGAIN"}, e.Detail); d != "" {
				t.Error(d)
			}
		}
		if touched, err := sh.Touched(t.Context(), me.Seat, []arc.TurnID{me.Turn}); err != nil || len(touched) != 0 {
			t.Errorf("touched is %+v, %v", touched, err)
		}
	})
	t.Run("its own refusal is passed on", func(t *testing.T) {
		t.Parallel()
		refusal := &arc.Error{Code: "sandbox_unavailable", Message: "the sandbox is not there."}
		sh := open(t, &shell.Options{Runner: refuses(refusal)})
		if _, err := sh.Exec(t.Context(), me, shell.ExecArgs{Command: "x"}); !errors.Is(err, refusal) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("whose last process ends unseen before the timeout has completed", func(t *testing.T) {
		t.Parallel()
		sh := open(t, &shell.Options{Runner: &leaver{lives: 550 * time.Millisecond}})
		r := run(t, sh, shell.ExecArgs{Command: "x", TimeoutSec: new(0.7)})
		if r.Background == nil {
			t.Fatalf("the answer is %+v", r)
		}
		if s := ended(t, sh, r.Background.JobID); s != "completed" {
			t.Errorf("it ended %s", s)
		}
	})
	t.Run("Close does not wait for what it has still to start", func(t *testing.T) {
		t.Parallel()
		begun, answer := make(chan struct{}), make(chan error, 1)
		sh := open(t, &shell.Options{Runner: slow(begun)})
		go func() {
			_, err := sh.Exec(context.Background(), me, shell.ExecArgs{Command: "x"})
			answer <- err
		}()
		<-begun
		if err := sh.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantCode(t, <-answer, arc.ShuttingDown)
	})
	t.Run("what it starts all the same when Close has begun is ended", func(t *testing.T) {
		t.Parallel()
		begun, goOn, answer := make(chan struct{}), make(chan struct{}), make(chan *shell.ExecResult, 1)
		sh := open(t, &shell.Options{Runner: &shelltest.Fake{
			Refuse: func(s shell.Spec) error {
				if s.Command != "x" {
					return errors.New("not this one")
				}
				close(begun)
				<-goOn
				return nil
			},
			Do: func(c *shelltest.Command) shell.Exit {
				<-c.Asked()
				return shell.Exit{}
			},
		}})
		go func() {
			r, err := sh.Exec(context.Background(), me, shell.ExecArgs{Command: "x"})
			if err != nil {
				t.Error(err)
			}
			answer <- r
		}()
		<-begun
		closed := make(chan error)
		go func() { closed <- sh.Close(context.Background()) }()
		await(t, "the beginning of Close", func() bool {
			_, err := sh.Exec(t.Context(), arc.Origin{Seat: "other"}, shell.ExecArgs{Command: "y"})
			return errors.Is(err, arc.ShuttingDown)
		})
		close(goOn)
		if err := <-closed; err != nil {
			t.Error(err)
		}
		if r := <-answer; r == nil || r.Status != "killed" || r.Reason != "shutdown" {
			t.Errorf("the answer is %+v", r)
		}
	})
	t.Run("Kill ends what only it can end", func(t *testing.T) {
		t.Parallel()
		sh := open(t, &shell.Options{Runner: &shelltest.Fake{Do: func(c *shelltest.Command) shell.Exit {
			<-c.Asked()
			return shell.Exit{}
		}}})
		r := background(t, sh, "x")
		if err := sh.Kill(t.Context(), r.JobID); err != nil {
			t.Fatal(err)
		}
		if s := ended(t, sh, r.JobID); s != "killed" {
			t.Errorf("it ended %s", s)
		}
	})
}

// systemError wraps an errno as os does.
type systemError struct{ errno syscall.Errno }

func (e *systemError) Error() string { return "fork/exec: " + e.errno.Error() }
func (e *systemError) Unwrap() error { return e.errno }

func TestAWrappedShell(t *testing.T) {
	t.Parallel()
	var saw []string
	sh := open(t, &shell.Options{Runner: shell.HostRunner{Wrap: func(argv []string, s shell.Spec) []string {
		saw = argv
		return append([]string{"/usr/bin/env", "WRAPPED=yes"}, argv...)
	}}})
	if r := run(t, sh, shell.ExecArgs{Command: "echo $WRAPPED"}); r.Output != "yes\n" {
		t.Errorf("it says %q", r.Output)
	}
	if d := cmp.Diff([]string{"/bin/bash", "/dev/fd/3"}, saw); d != "" {
		t.Skip("bash is elsewhere here: " + d)
	}
}

func TestAnotherShell(t *testing.T) {
	t.Parallel()
	sh := open(t, &shell.Options{Runner: shell.HostRunner{Shell: "/bin/sh"}})
	if r := run(t, sh, shell.ExecArgs{Command: "echo sh"}); r.Output != "sh\n" {
		t.Errorf("it says %q", r.Output)
	}
	sh = open(t, &shell.Options{Runner: shell.HostRunner{Shell: "/no/such/shell"}})
	_, err := sh.Exec(t.Context(), me, shell.ExecArgs{Command: "true"})
	wantCode(t, err, shell.SpawnFailed)
}

// speaks says much more than a pipe holds before its command has begun.
func speaks(s shell.Spec) {
	_, _ = s.Out.Write(bytes.Repeat([]byte("x\n"), 1<<20)) // an error: the test looks for the words
}

func TestWhatStandsInFrontOfAShellMaySpeakFirst(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]shell.Runner{
		"a Wrap": shell.HostRunner{Wrap: func(argv []string, s shell.Spec) []string { speaks(s); return argv }},
		"a Runner": &shelltest.Fake{Refuse: func(s shell.Spec) error { speaks(s); return nil }, Do: func(c *shelltest.Command) shell.Exit {
			fmt.Fprintln(c, "up")
			return shell.Exit{}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, open(t, &shell.Options{Runner: r}), shell.ExecArgs{Command: "echo up"})
			if r.OutputBytes != 2<<20+3 || !strings.HasSuffix(r.Output, "x\nup\n") {
				t.Errorf("%d bytes, at last %.20q", r.OutputBytes, r.Output[max(0, len(r.Output)-20):])
			}
		})
	}
}

// What a host's own code breaks is its call's: a panic took a place in the foreground
// for good, and Close waited for it.
func TestAHostsCodeThatPanicsLeavesNothing(t *testing.T) {
	t.Parallel()
	broken := func() { panic("broken") }
	for name, o := range map[string]*shell.Options{
		"a Runner":  {Runner: starter(func() (shell.Proc, error) { broken(); return nil, nil })},
		"a Wrap":    {Runner: shell.HostRunner{Wrap: func([]string, shell.Spec) []string { broken(); return nil }}},
		"a Secrets": {Secrets: func() []string { broken(); return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			o.State, o.Limits.Foreground = state, 1
			sh := open(t, o)
			for range 3 {
				func() {
					defer func() {
						if p := recover(); p != "broken" {
							t.Errorf("it panics with %v", p)
						}
					}()
					_, err := sh.Exec(t.Context(), me, shell.ExecArgs{Command: "true"})
					t.Errorf("the error is %v", err)
				}()
			}
			if touched, err := sh.Touched(t.Context(), me.Seat, []arc.TurnID{me.Turn}); err != nil || len(touched) != 0 {
				t.Errorf("touched is %+v, %v", touched, err)
			}
			if err := sh.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if left, err := filepath.Glob(filepath.Join(state, "spool", "*")); err != nil || len(left) != 0 {
				t.Errorf("left are %v, %v", left, err)
			}
		})
	}
}
