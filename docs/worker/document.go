package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/arcseat/arc/docs"
)

// batch is how many pages are asked for at once. Between two batches another
// document may have the worker.
const batch = 12

// document is a file of an Engine. Its worker may come and go.
type document struct {
	engine *Engine
	src    docs.Source
	o      docs.OpenOptions
	turn   chan struct{} // full while a call is served
	closed atomic.Bool
	told   atomic.Pointer[told] // nil: not yet
	heard  heard
}

var errClosed = errors.New("the document is closed")

// use calls f with a worker that has the file open. The worker is kept if f
// returns nil or the worker is not to blame; f has ended it otherwise.
func (d *document) use(ctx context.Context, f func(*process) error) (err error) {
	if d.closed.Load() {
		return errClosed
	}
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if d.closed.Load() {
		return errClosed
	}
	p, err := d.engine.pool.take(ctx, d)
	if err != nil {
		return err
	}
	defer func() {
		if p != nil && p.dead.Load() {
			p = nil
		}
		d.engine.pool.give(d, p)
	}()
	if p == nil {
		if p, err = d.open(ctx); err != nil {
			return err
		}
	}
	return f(p)
}

// open starts a worker and opens the file in it. The caller holds turn and a
// slot.
func (d *document) open(ctx context.Context) (*process, error) {
	at := place{sha256: d.src.SHA256}
	if h, ok := d.engine.poisoned.at(at); ok {
		return nil, h.err
	}
	for again := false; ; again = true {
		p, err := d.openOnce(ctx)
		if err == nil {
			return p, nil
		}
		if (errors.Is(err, docs.ErrCrashed) || errors.Is(err, errUnborn)) && !again && ctx.Err() == nil {
			continue
		}
		if costly(err) && ctx.Err() == nil {
			d.engine.poisoned.add(at, opening(err))
		}
		return nil, err
	}
}

func (d *document) openOnce(ctx context.Context) (*process, error) {
	p, err := d.engine.start(ctx, d.src.File)
	if err != nil {
		return nil, err
	}
	limit := d.engine.o.OpenTimeout
	err = p.ask(ctx, limit, request{Op: opOpen, Size: d.src.Size, SHA256: d.src.SHA256, Password: d.o.Password, Limit: limit / 5 * 4})
	var r reply
	if err == nil {
		r, _, err = p.read(ctx, limit)
	}
	if err != nil {
		return nil, d.lost(ctx, p, 0, err)
	}
	word, known := errorOf(r.Error)
	if !known {
		word = docs.ErrCrashed
	}
	if word != nil {
		p.kill()
		return nil, word
	}
	return p, nil
}

// lost ends a worker that failed with err at a page, or at the file with page
// 0, and says in the log what it said last.
func (d *document) lost(ctx context.Context, p *process, page int, err error) error {
	err = p.end(err)
	if ctx.Err() == nil {
		log := d.engine.o.Logger.With("sha256", d.src.SHA256, "page", page)
		log.Warn("a worker was lost", "error", err)
		tail, _ := p.said.end()
		log.Debug("the worker's last words", "stderr", tail)
	}
	return err
}

// costly says whether err is one that is not to be met twice.
func costly(err error) bool {
	return errors.Is(err, docs.ErrCrashed) || errors.Is(err, docs.ErrMemory) || errors.Is(err, docs.ErrTimeout)
}

// told is what became of Info.
type told struct {
	info docs.Info
	err  error
}

// Info asks once; what a file says of itself does not change. A crash is tried
// once more, and then it is the answer. An engine that does not say that the last
// page loads is asked for that page: then what it costs is that page's.
func (d *document) Info(ctx context.Context) (docs.Info, error) {
	if t := d.told.Load(); t != nil {
		return t.info, t.err
	}
	ctx, done := d.engine.bind(ctx)
	defer done()
	var t told
	ask := func() error {
		return d.use(ctx, func(p *process) (err error) {
			t.info, err = d.askInfo(ctx, p)
			return err
		})
	}
	if t.err = ask(); errors.Is(t.err, docs.ErrCrashed) && ctx.Err() == nil {
		t.err = ask()
	}
	if t.err == nil && t.info.Pages > 0 && !t.info.LastLoads {
		if t.info.LastLoads, t.err = d.loads(ctx, t.info.Pages); t.err != nil {
			return docs.Info{}, t.err
		}
	}
	if t.err == nil || costly(t.err) && ctx.Err() == nil {
		d.told.Store(&t)
	}
	return t.info, t.err
}

// loads says whether page n can be loaded. An error is no page's.
func (d *document) loads(ctx context.Context, n int) (bool, error) {
	pages, err := d.Pages(ctx, n, n, 0)
	if err != nil || len(pages) != 1 {
		return false, err
	}
	return pages[0].Err == nil, nil
}

func (d *document) askInfo(ctx context.Context, p *process) (docs.Info, error) {
	limit := d.engine.o.OpenTimeout
	err := p.ask(ctx, limit, request{Op: opInfo, Limit: limit / 5 * 4})
	var r reply
	if err == nil {
		r, _, err = p.read(ctx, limit)
	}
	if err == nil && r.Error == "" && r.Info == nil {
		err = errFrame
	}
	if err != nil {
		return docs.Info{}, d.lost(ctx, p, 0, err)
	}
	if word, known := errorOf(r.Error); !known {
		return docs.Info{}, d.lost(ctx, p, 0, errFrame)
	} else if word != nil {
		return docs.Info{}, word
	}
	checkInfo(r.Info)
	p.pipe.Drain()
	r.Info.Warnings = slices.Clip(words(append(r.Info.Warnings, p.said.take()...)))
	return *r.Info, nil
}

// Pages reads pages in batches. A batch at which a worker crashes, or takes all of
// its memory, is read once more, page by page, in another one; and a page that does
// it again then, once more in a third. A page that fails there too has Err set, and
// costs this Engine nothing from then on; so has one that took too long, at once:
// its time was measured for it alone. A page whose ink could not be measured has all
// else, and the warning [docs.WarnInkNotMeasured]; so has one that crashes workers
// only with its label, with [docs.WarnLabelsNotRead].
//
// Warnings that a worker says on standard error are told with the page at which
// they were heard, that page's own or one's that is near it, and with each later
// reading of that page too.
func (d *document) Pages(ctx context.Context, first, last int, want docs.Want) ([]docs.Page, error) {
	if first < 1 || last < first {
		return nil, fmt.Errorf("pages %d to %d are no range", first, last)
	}
	ctx, done := d.engine.bind(ctx)
	defer done()
	b := &reading{d: d, want: want, room: maxTotal}
	for n := first; n <= last; {
		if err := ctx.Err(); err != nil {
			return b.pages, context.Cause(ctx)
		}
		if b.room <= 0 {
			b.failed(n, docs.ErrMemory)
			n++
			continue
		}
		next, err := b.batch(ctx, n, min(last, n+batch-1))
		if err != nil {
			return b.pages, err
		}
		n = next
	}
	return b.pages, nil
}

// Close ends the document's worker. A call that is being served is finished
// first.
func (d *document) Close() error {
	if d.closed.Swap(true) {
		return nil
	}
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	d.engine.pool.end(d)
	return nil
}
