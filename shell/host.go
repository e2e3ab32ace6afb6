package shell

import (
	"context"
	"errors"
	"io/fs"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/proc"
)

// HostRunner runs commands on the host, with the host's own rights: nothing is
// confined. The zero value is ready.
type HostRunner struct {
	// Shell is the program that runs a command, by its absolute path. Empty: bash,
	// else sh; on Windows PowerShell. The user's login shell is not asked.
	Shell string

	// Wrap may put a sandbox in front: it gets the shell and its arguments and
	// returns what to start instead, the first by its absolute path. On Unix the
	// command is open as descriptor 3, which the sandbox has to pass on, as bubblewrap
	// and sandbox-exec do; docker exec and ssh do not, and take s.Command as an
	// argument. What is ended with a command is what runs on this machine: of a
	// container or another machine that is the client alone. Nil: nothing.
	Wrap func(argv []string, s Spec) []string

	// Confines says in a few words what Wrap keeps commands from; a command that was
	// refused something has them in its hint. Empty: there is no such hint.
	Confines string
}

var _ Confiner = HostRunner{}

// Confined implements Confiner.
func (h HostRunner) Confined() string { return h.Confines }

// Start implements Runner. Codes: shell_not_found, and sandbox_unavailable if what Wrap
// puts in front is not there.
func (h HostRunner) Start(_ context.Context, s Spec) (Proc, error) {
	p, err := h.start(s, proc.Start)
	if err != nil && h.Wrap != nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)) {
		return nil, noSandbox(err)
	}
	return p, err
}

// start starts a command by what can start a process.
func (h HostRunner) start(s Spec, begin func(proc.Command) (*proc.Group, error)) (Proc, error) {
	shell := h.Shell
	if shell == "" {
		shell = findShell()
	}
	if shell == "" {
		return nil, &arc.Error{
			Code:    ShellNotFound,
			Message: "this machine has no shell that could run a command; ask the operator to install bash.",
		}
	}
	argv, script, err := invocation(shell, s.Command)
	if err != nil {
		return nil, err
	}
	if h.Wrap != nil {
		argv = h.Wrap(argv, s)
	}
	c := proc.Command{Argv: argv, Dir: s.Dir, Env: s.Env, Stdout: s.Out, Stderr: s.Out}
	if script != nil {
		defer script.Close()
		c.Extra = append(c.Extra, script)
	}
	if s.Stdin != "" {
		stdin, err := proc.File(s.Stdin)
		if err != nil {
			return nil, err
		}
		defer stdin.Close()
		c.Stdin = stdin
	}
	g, err := begin(c)
	if err != nil {
		return nil, err
	}
	return hostProc{g}, nil
}

// hostProc is a group of the host.
type hostProc struct{ *proc.Group }

func (p hostProc) Exit() Exit {
	e := p.Group.Exit()
	return Exit{Code: e.Code, Signal: e.Signal, Unknown: e.Err != nil}
}
