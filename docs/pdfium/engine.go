package pdfium

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/docs"
)

// name is the engine's and its version's, under which a host keeps text.
const name = "pdfium-wasm/go-pdfium-1.21.4"

// Bounds of the options.
const (
	defaultMemory = 256 << 20
	leastMemory   = 64 << 20
	mostMemory    = 2 << 30
	defaultLimit  = 10 * time.Second
)

// Options of an engine.
type Options struct {
	// CacheDir is where the compiled module is kept from one run to the next,
	// about 25 MB. It is made if need be and closed to other users (0700): what
	// lies there is run as machine code. Default: arc/pdfium in the user's cache
	// directory; where there is none, each run compiles anew.
	CacheDir string
	// MemoryBytes is what one sandbox may hold, from 64 MiB to 2 GiB, in whole
	// MiB. Default: 256 MiB, which is 4,096 WebAssembly pages.
	MemoryBytes int64
	// Sandboxes is how many files may be worked on at one moment; each costs its
	// own memory. Default: 1.
	Sandboxes int
	// StartTimeout is how long a file waits for the compiler, if nobody has called
	// [Engine.Warm] before. Then the file is answered with an arc.Error of the code
	// unavailable that says to try again, and the compiler goes on. Default: 10 s,
	// which is less than a call of package docs may take.
	StartTimeout time.Duration
	// OpenTimeout limits the opening of a file, and what it says of itself.
	// Default: 10 s.
	OpenTimeout time.Duration
	// PageTimeout limits one page; half of it limits the rendering that its ink is
	// measured on. Default: 10 s.
	PageTimeout time.Duration
	// Logger is told of crashes, limits and a cache that is of no use.
	// Default: discard.
	Logger *slog.Logger
}

// Engine is a [docs.Engine]. It is safe for concurrent use, and Close ends it.
type Engine struct {
	o    Options
	log  *slog.Logger
	life context.Context // ends with Close
	end  context.CancelFunc

	compiler compiler
	tokens   chan struct{} // one for each sandbox at work
	mu       sync.Mutex
	idle     []*sandbox // the longest unused first; as many as there are tokens left, or more
	closing  sync.Once
}

var _ docs.Engine = (*Engine)(nil)

// New makes an engine. It compiles nothing yet: [Engine.Warm] does, or the first
// Open. The error says which option is out of bounds, or why the cache directory
// that the host named cannot be had.
func New(o *Options) (*Engine, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	opts.MemoryBytes = orElse(opts.MemoryBytes, defaultMemory)
	opts.Sandboxes = orElse(opts.Sandboxes, 1)
	opts.StartTimeout = orElse(opts.StartTimeout, defaultLimit)
	opts.OpenTimeout = orElse(opts.OpenTimeout, defaultLimit)
	opts.PageTimeout = orElse(opts.PageTimeout, defaultLimit)
	switch {
	case opts.MemoryBytes < leastMemory || opts.MemoryBytes > mostMemory || opts.MemoryBytes%(1<<20) != 0:
		return nil, fmt.Errorf("pdfium: MemoryBytes is %d; give whole MiB from 64 MiB to 2 GiB", opts.MemoryBytes)
	case opts.Sandboxes < 1:
		return nil, fmt.Errorf("pdfium: Sandboxes is %d; give 1 or more", opts.Sandboxes)
	case opts.StartTimeout < 0 || opts.OpenTimeout < 0 || opts.PageTimeout < 0:
		return nil, errors.New("pdfium: a time limit is negative")
	}
	e := &Engine{o: opts, log: opts.Logger, tokens: make(chan struct{}, opts.Sandboxes)}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if err := e.compiler.prepare(opts.CacheDir, e.log); err != nil {
		return nil, fmt.Errorf("pdfium: the directory of the compiled module: %w", err)
	}
	e.life, e.end = context.WithCancel(context.Background())
	for range opts.Sandboxes {
		e.idle = append(e.idle, newSandbox(e))
	}
	return e, nil
}

func orElse[N int | int64 | time.Duration](n, otherwise N) N {
	if n == 0 {
		return otherwise
	}
	return n
}

// Name tells the engine and its version.
func (e *Engine) Name() string { return name }

// Warm compiles the module, or loads it from the cache directory, so that the
// first Open need not. A context that ends stops the waiting and not the
// compiler, whose work is there for the next who asks.
func (e *Engine) Warm(ctx context.Context) error {
	ctx, done := e.bounded(ctx, e.life)
	defer done()
	return e.compiler.wait(ctx, e)
}

// starting is what a file is answered with as long as the module is not compiled. It
// is an arc.Error, for a model is to try again and need not tell the operator.
func starting() error {
	return &arc.Error{
		Code:    arc.Unavailable,
		Message: "the program that reads PDF files is still starting; try again in half a minute.",
		Detail:  map[string]string{"reason": "engine"},
		Err:     docs.Unavailable("PDFium is still being compiled"),
	}
}

// started waits until the module is compiled, for at most StartTimeout.
func (e *Engine) started(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, e.o.StartTimeout)
	defer cancel()
	err := e.compiler.wait(limited, e)
	if limited.Err() == nil || ctx.Err() != nil {
		return err
	}
	select {
	case <-e.compiler.done: // just in time
		return e.compiler.err
	default:
		return starting()
	}
}

// Open opens a file. It compiles first if nobody has, for which it waits no longer
// than StartTimeout and which OpenTimeout does not count, waits for a sandbox, and
// answers as [docs.Engine] says.
func (e *Engine) Open(ctx context.Context, src docs.Source, o docs.OpenOptions) (docs.Document, error) {
	if !looksLikePDF(src) {
		return nil, docs.ErrNotPDF
	}
	d := &document{engine: e, src: src, password: o.Password, bad: map[int]error{}}
	d.life, d.end = context.WithCancel(e.life)
	if err := d.with(ctx, func(context.Context, *sandbox) error { return nil }); err != nil {
		d.end()
		return nil, err
	}
	return d, nil
}

// Close ends what is being done, waits for it, and gives everything back. It
// waits for the compiler too, for a moment.
func (e *Engine) Close() error {
	e.closing.Do(func() {
		e.end()
		for range cap(e.tokens) { // and keeps them: nothing starts any more
			e.tokens <- struct{}{}
		}
		for _, s := range e.idle {
			s.destroy()
		}
		e.compiler.close()
	})
	return nil
}

// bounded is ctx, ended also with life. When life ended it the cause is
// os.ErrClosed.
func (e *Engine) bounded(ctx, life context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if life.Err() != nil { // AfterFunc would say so a moment later
		cancel(os.ErrClosed)
	}
	stop := context.AfterFunc(life, func() { cancel(os.ErrClosed) })
	return ctx, func() { stop(); cancel(nil) }
}

// take waits for a sandbox: the one that has d open, if it is idle, else one that
// has nothing, else the longest unused.
func (e *Engine) take(ctx context.Context, d *document) (*sandbox, error) {
	if ctx.Err() != nil { // a free sandbox must not win over a context that has ended
		return nil, ended(ctx)
	}
	select {
	case <-ctx.Done():
		return nil, ended(ctx)
	case e.tokens <- struct{}{}:
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	at := slices.IndexFunc(e.idle, func(s *sandbox) bool { return s.holds == d })
	if at < 0 {
		at = max(0, slices.IndexFunc(e.idle, func(s *sandbox) bool { return s.holds == nil }))
	}
	s := e.idle[at]
	e.idle = slices.Delete(e.idle, at, at+1)
	return s, nil
}

// give puts a sandbox back.
func (e *Engine) give(s *sandbox) {
	e.mu.Lock()
	e.idle = append(e.idle, s)
	e.mu.Unlock()
	<-e.tokens
}
