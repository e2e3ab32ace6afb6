package shelltest

import (
	"context"
	"os"
	"slices"
	"sync"

	"github.com/arcseat/arc/shell"
)

// A Fake is a shell.Runner that starts no process: a command is a Go function. The zero
// value's commands say nothing and exit with 0. Set its fields before it is used.
type Fake struct {
	// Do is what each command does; what it returns is its exit. A command that is
	// killed has ended whether Do has returned or not, so Do has to watch Killed, and
	// Asked if it heeds that, unless it is quick. Nil: exit 0.
	Do func(*Command) shell.Exit

	// Refuse is asked before each command; its error is what Start returns. Nil:
	// nothing is refused.
	Refuse func(shell.Spec) error

	mu    sync.Mutex
	specs []shell.Spec
}

var _ shell.Runner = (*Fake)(nil)

// Specs are the commands that were started, in that order. Their Out is nil.
func (f *Fake) Specs() []shell.Spec {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.specs)
}

// Start implements shell.Runner.
func (f *Fake) Start(ctx context.Context, s shell.Spec) (shell.Proc, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if f.Refuse != nil {
		if err := f.Refuse(s); err != nil {
			return nil, err
		}
	}
	out, err := dup(s.Out)
	if err != nil {
		return nil, err
	}
	s.Out = nil
	f.mu.Lock()
	f.specs = append(f.specs, s)
	f.mu.Unlock()
	c := &Command{Spec: s, out: out, asked: make(chan struct{}), killed: make(chan struct{}), done: make(chan struct{})}
	if f.Do == nil {
		c.end(shell.Exit{})
		return fakeProc{c}, nil
	}
	go func() { c.end(f.Do(c)) }()
	return fakeProc{c}, nil
}

// A Command is one that a Fake runs. It is a writer of what the command says.
type Command struct {
	Spec shell.Spec // its Out is nil

	mu            sync.Mutex
	out           *os.File
	exit          shell.Exit
	asked, killed chan struct{}
	done          chan struct{}
}

// Write says b. It may block while nobody reads, and its error is os.ErrClosed once the
// command has ended.
func (c *Command) Write(b []byte) (int, error) { return c.out.Write(b) }

// Asked is closed when the command is asked to end, or killed.
func (c *Command) Asked() <-chan struct{} { return c.asked }

// Killed is closed when the command is killed.
func (c *Command) Killed() <-chan struct{} { return c.killed }

// end ends the command unless it has ended.
func (c *Command) end(e shell.Exit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended() {
		return
	}
	c.exit = e
	c.out.Close()
	close(c.done)
}

func (c *Command) ended() bool { return closed(c.done) }

func closed(ch chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

// ask closes asked, and killed too if kill is true.
func (c *Command) ask(kill bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !closed(c.asked) {
		close(c.asked)
	}
	if kill && !closed(c.killed) {
		close(c.killed)
	}
}

// fakeProc is the shell's side of a Command.
type fakeProc struct{ c *Command }

func (p fakeProc) PID() int { return 0 }

func (p fakeProc) Done() <-chan struct{} { return p.c.done }

func (p fakeProc) Exit() shell.Exit {
	<-p.c.done
	return p.c.exit
}

func (p fakeProc) Living() int {
	if p.c.ended() {
		return 0
	}
	return 1
}

func (p fakeProc) Terminate() error {
	p.c.ask(false)
	return nil
}

func (p fakeProc) Kill() error {
	p.c.ask(true)
	p.c.end(shell.Exit{Signal: "SIGKILL"})
	return nil
}
