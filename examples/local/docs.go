package local

import (
	"cmp"
	"context"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/fitz"
	"github.com/arcseat/arc/docs/worker"
)

// openDocs makes the tools for PDF files, which the web reads its own with.
func (h *Host) openDocs(o *Options) {
	with := docs.Options{}
	if o.Docs != nil {
		with = *o.Docs
	}
	with.Logger = cmp.Or(with.Logger, o.Logger)
	engine := o.Engine
	if engine == nil {
		h.engine = newLate(func(ctx context.Context) (engineCloser, error) {
			return fitz.New(ctx, &fitz.Options{Worker: &worker.Options{Logger: with.Logger}})
		})
		engine = h.engine
	}
	h.Docs = docs.New(h.Workspace, engine, &with)
}

type engineCloser interface {
	docs.Engine
	Close() error
}

// A late engine is made when a file is opened, so that a host that reads none has no
// worker process. What cannot be made is the answer to that file, and tried again for
// the next.
type late struct {
	start func(context.Context) (engineCloser, error)

	turn chan struct{} // a lock that a context can be waited for with
	made engineCloser  // nil: not yet; guarded by turn
}

func newLate(start func(context.Context) (engineCloser, error)) *late {
	return &late{start: start, turn: make(chan struct{}, 1)}
}

// Name is not the engine's, which nobody may know yet.
func (*late) Name() string { return "late" }

// Open makes the engine if need be, and opens the file with it.
func (l *late) Open(ctx context.Context, src docs.Source, o docs.OpenOptions) (docs.Document, error) {
	engine, err := l.engine(ctx)
	if err != nil {
		return nil, err
	}
	return engine.Open(ctx, src, o)
}

func (l *late) engine(ctx context.Context) (docs.Engine, error) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if l.made == nil {
		made, err := l.start(ctx)
		if err != nil {
			return nil, err
		}
		l.made = made
	}
	return l.made, nil
}

// Close closes the engine, if one was made. No file is opened meanwhile or later.
func (l *late) Close() error {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	if l.made == nil {
		return nil
	}
	return l.made.Close()
}
