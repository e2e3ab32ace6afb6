package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/internal/defaults"
)

// MemoryLimit is what [Options.Explain] returns for a line that says that an
// allocation has failed.
const MemoryLimit = "memory_limit"

// Options are the settings of an Engine. One of Command and Reexec is needed.
type Options struct {
	// Command is a program, and its arguments, that calls Main before anything
	// else. It is looked up in PATH where it has no slash. Empty: see Reexec.
	Command []string
	// Reexec says that this very program calls Main before anything else, so
	// that it can be started again as a worker. A program that does not would
	// run its own main instead, so nothing but the program's author can know.
	Reexec bool
	// MemoryBytes is what a worker may allocate, in bytes; 0: 512 MiB. On Linux it is
	// RLIMIT_DATA, and at least 256 MiB more than the program has allocated when
	// it begins. On other Unix systems a worker looks at its own size now and
	// then. On Windows it is not limited.
	MemoryBytes int64
	// OpenTimeout is how long the start of a worker may take, how long the
	// opening of a file, and how long Info; 0: 10 s. The engine in the worker is
	// asked to stop after four fifths of it.
	OpenTimeout time.Duration
	// PageTimeout is how long one page may take; 0: 10 s. The engine in the
	// worker is asked to stop after four fifths of it.
	PageTimeout time.Duration
	// IdleTimeout is how long an open document keeps a worker that has nothing
	// to do; 0: 60 s. The document stays usable and gets another.
	IdleTimeout time.Duration
	// MaxProcs is how many workers live at a time; 0: 1.
	MaxProcs int
	// Explain turns a line that a worker said on standard error into a warning,
	// which is a word of lower-case letters, digits and low lines, or "" for
	// none. It is called from many goroutines; nil: no line means anything.
	Explain func(line string) string
	// Logger hears of workers that crashed; nil: nobody does. What a worker said
	// last may hold text of the file, and is told at level Debug alone.
	Logger *slog.Logger
}

// Defaults of Options.
const (
	defaultMemory  = 512 << 20
	defaultTimeout = 10 * time.Second
	defaultIdle    = time.Minute
)

// Engine is a [docs.Engine] whose work is done by processes of their own.
type Engine struct {
	o        Options
	argv     []string
	name     string
	pool     *pool
	poisoned poisoned
	closed   context.Context // ends with Close
	close    context.CancelCauseFunc
	once     sync.Once
}

var _ docs.Engine = (*Engine)(nil)

// New starts a worker to learn that there can be one, and which engine it has,
// and ends it. The error is a context's or a [docs.ErrUnavailable]: no worker can be started,
// it has no engine, or this process is a worker itself.
func New(ctx context.Context, o *Options) (*Engine, error) {
	e := &Engine{}
	if o != nil {
		e.o = *o
	}
	defaults.Positive(&e.o.MemoryBytes, defaultMemory)
	defaults.Positive(&e.o.OpenTimeout, defaultTimeout)
	defaults.Positive(&e.o.PageTimeout, defaultTimeout)
	defaults.Positive(&e.o.IdleTimeout, defaultIdle)
	defaults.Positive(&e.o.MaxProcs, 1)
	if e.o.Logger == nil {
		e.o.Logger = slog.New(slog.DiscardHandler)
	}
	if isWorker() {
		return nil, docs.Unavailable("this process is a worker itself, or was given the variable " + variable + " of one; call worker.Main as the first line of main")
	}
	var err error
	if e.argv, err = argv(&e.o); err != nil {
		return nil, err
	}
	e.pool = newPool(e.o.MaxProcs, e.o.IdleTimeout)
	e.closed, e.close = context.WithCancelCause(context.Background())
	p, err := e.start(ctx, nil)
	if err != nil {
		e.Close()
		if ctx.Err() == nil && errors.Is(err, errUnborn) {
			err = docs.Unavailable("the worker's program does not serve: its main has to begin with worker.Main")
		}
		return nil, err
	}
	p.kill()
	e.name = p.engine
	return e, nil
}

// argv is the command of a worker.
func argv(o *Options) ([]string, error) {
	if len(o.Command) > 0 {
		path, err := exec.LookPath(o.Command[0])
		if err == nil {
			path, err = filepath.Abs(path)
		}
		if err != nil {
			return nil, docs.Unavailable(fmt.Sprintf("the worker's command %q is not there", o.Command[0]))
		}
		return append([]string{path}, o.Command[1:]...), nil
	}
	if !o.Reexec {
		return nil, docs.Unavailable("no process to read files in: give the worker a Command, or call worker.Main as the first line of main and set Reexec")
	}
	self, err := executable()
	if err != nil {
		return nil, docs.Unavailable("this program's own file cannot be found: " + err.Error())
	}
	return []string{self}, nil
}

// Name is the name of the engine in the workers.
func (e *Engine) Name() string { return e.name }

// Close ends all workers and waits until they are gone, also those that are in
// the midst of a call: that call's error is a [docs.ErrUnavailable], as is every
// later one's. It may be called more than once.
func (e *Engine) Close() error {
	e.once.Do(func() {
		e.close(docs.Unavailable("the engine has been closed"))
		e.pool.close()
	})
	return nil
}

// bind makes a context that also ends with Close.
func (e *Engine) bind(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e.closed, func() { cancel(context.Cause(e.closed)) })
	return ctx, func() { stop(); cancel(nil) }
}

// Open opens a file in a worker. A crash is tried once more in another worker;
// a file that costs a worker its memory or twice its life is not opened again by
// this Engine, and one that costs its time not for [docs.RetryAfter].
func (e *Engine) Open(ctx context.Context, src docs.Source, o docs.OpenOptions) (docs.Document, error) {
	ctx, done := e.bind(ctx)
	defer done()
	d := &document{engine: e, src: src, o: o, turn: make(chan struct{}, 1)}
	err := d.use(ctx, func(*process) error { return nil })
	if err != nil {
		return nil, err
	}
	return d, nil
}
