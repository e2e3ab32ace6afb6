package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/internal/proc"
)

// A process is one living worker. It is used by one goroutine at a time; kill
// may come from another.
type process struct {
	group   group
	in      *os.File
	out     *os.File
	replies *bufio.Reader
	said    *stderr
	pipe    *proc.Pipe
	dir     string
	engine  string
	dead    atomic.Bool
	die     func()
}

// A group is a *[proc.Group], as far as it is needed here.
type group interface {
	proc.Target
	PID() int
}

// start starts a worker for file and awaits its hello. file is nil where only
// the hello is wanted.
func (e *Engine) start(ctx context.Context, file *os.File) (*process, error) {
	p, err := e.spawn(file)
	if err != nil {
		return nil, docs.Unavailable("a worker process cannot be started: " + err.Error())
	}
	r, _, err := p.read(ctx, e.o.OpenTimeout)
	if err == nil {
		err = checkHello(r.Hello)
	}
	_ = os.Remove(p.dir) // a directory without a name: nothing can be made in it, and nothing is left when the host is killed
	if err == nil && e.name != "" && r.Hello.Engine != e.name {
		err = docs.Unavailable("the worker's program was replaced while this one ran: start this one anew")
	}
	if err != nil {
		return nil, unborn(p.end(err))
	}
	p.engine = r.Hello.Engine
	return p, nil
}

// errUnborn says that a worker was lost before it said hello. No file has done
// that, so none is to be blamed for it.
var errUnborn = docs.Unavailable("a worker process did not come up")

// unborn is the error of a worker that did not say hello.
func unborn(err error) error {
	if costly(err) {
		return fmt.Errorf("%w: it %v", errUnborn, err)
	}
	return err
}

func (e *Engine) spawn(file *os.File) (_ *process, err error) {
	p := &process{said: &stderr{explain: e.o.Explain}}
	var closing []*os.File // the child's ends
	defer func() {
		for _, f := range closing {
			f.Close()
		}
		if err != nil {
			p.release()
		}
	}()
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.in, closing = in, append(closing, theirIn)
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.out, closing = out, append(closing, theirOut)
	pipe, theirErr, err := proc.NewPipe(p.said.write)
	if err != nil {
		return nil, err
	}
	p.pipe, closing = pipe, append(closing, theirErr)
	if p.dir, err = os.MkdirTemp("", "arc-docs-"); err != nil {
		return nil, err
	}
	c := proc.Command{Argv: e.argv, Dir: p.dir, Stderr: theirErr}
	tie, err := connect(&c, theirIn, theirOut, file)
	if err != nil {
		return nil, err
	}
	c.Env = append(c.Env, environment(e.o.MemoryBytes, tie)...)
	g, err := proc.Start(c)
	if err != nil {
		return nil, err
	}
	p.group = g
	p.replies = bufio.NewReaderSize(out, 64<<10)
	p.die = sync.OnceFunc(p.stop)
	return p, nil
}

// kill ends the worker and all that it started, and returns when they are gone,
// or after seconds if the system itself cannot end one: a process that waits for
// a disk that does not answer is left to it.
func (p *process) kill() { p.die() }

func (p *process) stop() {
	p.dead.Store(true)
	_ = p.group.Kill()
	proc.End(p.group, 0, nil) // what a fork has saved from the first
	p.release()
}

func (p *process) release() {
	for _, f := range []*os.File{p.in, p.out} {
		if f != nil {
			f.Close()
		}
	}
	if p.pipe != nil {
		p.pipe.Close()
	}
	if p.dir != "" {
		_ = os.Remove(p.dir)
	}
}

// ask sends a request.
func (p *process) ask(ctx context.Context, limit time.Duration, q request) error {
	return p.watch(ctx, limit, func() error { return writeFrame(p.in, q, "") })
}

// read reads one reply. A worker that takes longer than limit, or longer than
// ctx, is killed: what it is in the midst of cannot be interrupted otherwise.
func (p *process) read(ctx context.Context, limit time.Duration) (r reply, body string, err error) {
	err = p.watch(ctx, limit, func() (err error) {
		body, err = readFrame(p.replies, &r)
		return err
	})
	return r, body, err
}

// watch calls f and kills the worker if f takes too long. Its error is a
// context's, ErrTimeout, or f's.
func (p *process) watch(ctx context.Context, limit time.Duration, f func() error) error {
	timed, cancel := context.WithTimeoutCause(ctx, limit, docs.ErrTimeout)
	defer cancel()
	killed := make(chan struct{})
	stop := context.AfterFunc(timed, func() {
		defer close(killed)
		p.kill()
	})
	err := f()
	if stop() {
		return err
	}
	<-killed
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return docs.ErrTimeout
}

// end kills a worker that has failed with err, and says what that was: err
// itself where it is a context's or one of package docs, and otherwise that it
// crashed or ran out of memory.
func (p *process) end(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		p.pipe.Drain() // its last words
	}
	p.kill()
	if wordOf(err, "") != "" || isContext(err) {
		return err
	}
	if _, memory := p.said.end(); memory {
		return docs.ErrMemory
	}
	return docs.ErrCrashed
}

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
