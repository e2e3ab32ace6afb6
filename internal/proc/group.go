// Package proc starts a command as a group of its own, reads what it says
// through one pipe, and ends all of it: a shell's job, a document engine, an MCP
// service, a display server.
//
// On Unix a group is a session (setsid): it has no terminal, so that a prompt
// for a password fails at once instead of stopping the program, and a signal
// meant for it never reaches the host. On Linux its members are all processes of
// the session, also those that moved to a process group of their own, as
// timeout(1) does; elsewhere they are those of the leader's process group. What
// starts a session of its own has left; a [Mark] finds it. A [Watch] ends all of
// them if this process is killed.
//
// os/exec's context and WaitDelay are not used: they wait for whoever holds the
// pipe, or close it under a server that still logs.
//
// On Windows the package builds and was not tried: a group is its leader alone,
// and ending it is a plain kill.
package proc

import (
	"errors"
	"os"
	"sync/atomic"
	"time"
)

// A Command is what Start runs.
type Command struct {
	Argv   []string // Argv[0] is an absolute path
	Dir    string
	Env    []string   // complete, NAME=value
	Stdin  *os.File   // nil: the null device
	Stdout *os.File   // nil: the null device
	Stderr *os.File   // nil: the null device
	Extra  []*os.File // descriptors 3 and up; not on Windows
}

// A Group is a command and everything that it started. Its methods may be used
// from many goroutines.
type Group struct {
	leader *os.Process
	began  time.Time
	done   chan struct{}
	exit   Exit
	gone   atomic.Bool // seen empty: its number may belong to a stranger now
}

// An Exit is how a leader ended.
type Exit struct {
	Code   int    // -1: a signal ended it, or nobody knows
	Signal string // SIGSEGV; empty: it exited
	Err    error  // somebody else has reaped it
}

// Start runs c as a group. The files of c stay the caller's and may be closed
// once Start has returned.
func Start(c Command) (*Group, error) {
	if len(c.Argv) == 0 {
		return nil, errors.New("proc: no command")
	}
	null, err := openNull()
	if err != nil {
		return nil, err
	}
	defer null.Close()
	files := []*os.File{c.Stdin, c.Stdout, c.Stderr}
	for i, f := range files {
		if f == nil {
			files[i] = null
		}
	}
	began := time.Now()
	p, err := os.StartProcess(c.Argv[0], c.Argv, &os.ProcAttr{
		Dir: c.Dir, Env: c.Env, Files: append(files, c.Extra...), Sys: attributes(),
	})
	if err != nil {
		return nil, err
	}
	g := &Group{leader: p, began: began, done: make(chan struct{})}
	go g.wait()
	return g, nil
}

func (g *Group) wait() {
	defer close(g.done)
	state, err := g.leader.Wait()
	if err != nil {
		g.exit = Exit{Code: -1, Err: err}
		return
	}
	g.exit = exitOf(state)
}

// PID is the leader's process id, and on Unix the number of its group.
func (g *Group) PID() int { return g.leader.Pid }

// Done is closed when the leader has ended, whoever else lives on.
func (g *Group) Done() <-chan struct{} { return g.done }

// Exit waits for the leader and says how it ended.
func (g *Group) Exit() Exit {
	<-g.done
	return g.exit
}

// Living counts the group's living processes, the leader included until Done is
// closed. Where they cannot be counted, 1 stands for any number: nobody is said to be
// gone by who could not look.
func (g *Group) Living() int {
	if g.gone.Load() {
		return 0
	}
	ended := false
	select {
	case <-g.done:
		ended = true
	default:
	}
	n := g.living(ended)
	switch {
	case n == 0 && !ended:
		return 1 // the leader, which is a zombie until its exit has been taken
	case n == 0:
		g.gone.Store(true)
	}
	return n
}

// Terminate asks every member to end (SIGTERM).
func (g *Group) Terminate() error { return g.signal(false) }

// Kill ends every member (SIGKILL).
func (g *Group) Kill() error { return g.signal(true) }

func (g *Group) signal(kill bool) error {
	if g.Living() == 0 {
		return nil
	}
	return g.send(kill)
}

// A Target is what End can end; a *Group is one.
type Target interface {
	Living() int
	Terminate() error
	Kill() error
}

// afterKill is how long End waits for the system to end what it has killed.
const afterKill = 2 * time.Second

// End ends t: it asks, waits up to grace, and kills. Closing hurry cuts the
// grace short; nil never does. It returns how many processes are left: more than
// none only where the system itself cannot end one, or for 2 s has not let this process
// look, for want of descriptors or memory.
func End(t Target, grace time.Duration, hurry <-chan struct{}) int {
	if t.Living() == 0 {
		return 0
	}
	_ = t.Terminate() // the ladder goes on whatever it says
	if awaitEmpty(t, grace, hurry, nil) {
		return 0
	}
	kill := func() { _ = t.Kill() } // again each time: a fork may have raced the first
	kill()
	awaitEmpty(t, afterKill, nil, kill)
	return t.Living()
}

// awaitEmpty looks at t, ever more seldom, until it is empty or limit has
// passed. Before each further look it calls again.
func awaitEmpty(t Target, limit time.Duration, hurry <-chan struct{}, again func()) bool {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		if t.Living() == 0 {
			return true
		}
		next := time.NewTimer(pause)
		select {
		case <-next.C:
			if again != nil {
				again()
			}
			continue
		case <-hurry:
		case <-deadline.C:
		}
		next.Stop()
		return t.Living() == 0
	}
}
