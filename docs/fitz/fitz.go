package fitz

import (
	"context"
	"errors"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/worker"
)

// Options are the settings of New. The zero value, and nil, are the defaults.
type Options struct {
	// Worker are the settings of the worker processes. nil: the defaults, and
	// this program as the worker. Its Reexec and Explain are set by New.
	Worker *worker.Options
	// Main says that this program's main begins with Main, which a build with
	// the tag arc_noreexec needs to be its own worker. Other builds need no word.
	Main bool
	// AllowInProcess lets the engine read files in this very process if there
	// can be no worker. A hostile file then ends the host, or takes all of its
	// memory and time; contexts are heeded between pages alone.
	AllowInProcess bool
}

// Engine reads files with MuPDF.
type Engine struct {
	in    docs.Engine
	close func() error
}

var _ docs.Engine = (*Engine)(nil)

// Name is that of MuPDF, go-fitz and the way in which they are used.
func (e *Engine) Name() string { return e.in.Name() }

// Open opens a file.
func (e *Engine) Open(ctx context.Context, src docs.Source, o docs.OpenOptions) (docs.Document, error) {
	return e.in.Open(ctx, src, o)
}

// New makes the engine. It starts a worker once, to learn that it can; ctx
// bounds that. The error is a [docs.ErrUnavailable] that says what is missing.
func New(ctx context.Context, o *Options) (*Engine, error) {
	if o == nil {
		o = &Options{}
	}
	if !built {
		return nil, docs.Unavailable(missing)
	}
	var w worker.Options
	if o.Worker != nil {
		w = *o.Worker
	}
	w.Reexec = reexec || o.Main
	w.Explain = explain
	e, err := worker.New(ctx, &w)
	if err == nil {
		return &Engine{in: e, close: e.Close}, nil
	}
	if !o.AllowInProcess || !errors.Is(err, docs.ErrUnavailable) {
		return nil, err
	}
	in, err := inProcess(inProcessMemory)
	if err != nil {
		return nil, err
	}
	return &Engine{in: in, close: func() error { return nil }}, nil
}

// inProcessMemory is what MuPDF may allocate for a file in the host's own
// process, in bytes.
const inProcessMemory = 384 << 20

// Close ends all workers. Documents are of no use after it.
func (e *Engine) Close() error { return e.close() }

// Main serves and does not return if this process is a worker; in any other it
// returns at once. See Options.Main.
func Main() { worker.Main(served) }
