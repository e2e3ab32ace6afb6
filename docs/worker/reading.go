package worker

import (
	"context"
	"errors"
	"slices"

	"github.com/arcseat/arc/docs"
)

// maxTotal is how much text one call of Pages returns, in bytes. Pages beyond
// it have ErrMemory.
const maxTotal = 64 << 20

// reading is one call of Pages.
type reading struct {
	d     *document
	want  docs.Want
	room  int // what is left of maxTotal
	pages []docs.Page
}

// batch reads pages n to last, or fewer, and returns the first that is left.
func (b *reading) batch(ctx context.Context, n, last int) (next int, err error) {
	if h, ok := b.harm(n); ok {
		if h.ink {
			return n + 1, b.alone(ctx, n, h.err)
		}
		b.failed(n, h.err)
		return n + 1, nil
	}
	for i := n + 1; i <= last; i++ {
		if _, ok := b.harm(i); ok {
			last = i - 1
		}
	}
	next = n
	err = b.d.use(ctx, func(p *process) error {
		var err error
		next, err = b.ask(ctx, p, n, last, b.want)
		return err
	})
	if !b.ofPage(ctx, err) {
		return next, err
	}
	if errors.Is(err, docs.ErrTimeout) && b.want&docs.WantInk == 0 {
		b.failed(next, err)
		return next + 1, nil
	}
	return next + 1, b.alone(ctx, next, err)
}

// harm is what is known of page n, as far as it matters to what is wanted.
func (b *reading) harm(n int) (harm, bool) {
	h, ok := b.d.engine.poisoned.at(place{b.d.src.SHA256, n})
	return h, ok && (!h.ink || b.want&docs.WantInk != 0)
}

// ofPage says whether err is what one page cost: not the caller's end, and not
// a file that could not be opened again.
func (b *reading) ofPage(ctx context.Context, err error) bool {
	if !costly(err) || ctx.Err() != nil {
		return false
	}
	h, ok := b.d.engine.poisoned.at(place{sha256: b.d.src.SHA256})
	return !ok || !errors.Is(err, h.err)
}

// failed adds page n, which cost err and is not tried again.
func (b *reading) failed(n int, err error) {
	b.add(docs.Page{Number: n, Err: err})
}

// ask reads pages n to last with p, and returns the first that it did not read.
// An error other than the document's own has ended p.
func (b *reading) ask(ctx context.Context, p *process, n, last int, want docs.Want) (next int, err error) {
	limit := b.d.engine.o.PageTimeout
	if err := p.ask(ctx, limit, request{Op: opPages, First: n, Last: last, Want: want, Limit: limit / 5 * 4}); err != nil {
		return n, b.d.lost(ctx, p, n, err)
	}
	for ; n <= last; n++ {
		r, text, err := p.read(ctx, limit)
		if err != nil {
			return n, b.d.lost(ctx, p, n, err)
		}
		if word, known := errorOf(r.Error); known && word != nil {
			return n, word
		}
		pg, err := checkPage(r.Page, text, n)
		if err != nil {
			return n, b.d.lost(ctx, p, n, err)
		}
		p.pipe.Drain()
		pg.Warnings = words(append(pg.Warnings, p.said.take()...))
		b.add(pg)
	}
	return n, nil
}

// add keeps a page, and remembers one that costs too much.
func (b *reading) add(p docs.Page) {
	if b.room -= len(p.Text); b.room < 0 {
		p = docs.Page{Number: p.Number, Err: docs.ErrMemory}
	} else if costly(p.Err) {
		b.d.engine.poisoned.add(place{b.d.src.SHA256, p.Number}, harm{err: p.Err})
	}
	b.pages = append(b.pages, p)
}

// alone reads page n by itself, and without its ink, after it has cost a worker
// cause.
func (b *reading) alone(ctx context.Context, n int, cause error) error {
	had := len(b.pages)
	err := b.d.use(ctx, func(p *process) error {
		_, err := b.ask(ctx, p, n, n, b.want&^docs.WantInk)
		return err
	})
	switch {
	case b.ofPage(ctx, err):
		b.failed(n, err)
		return nil
	case err != nil || b.want&docs.WantInk == 0:
		return err
	}
	for i := range b.pages[had:] {
		p := &b.pages[had+i]
		p.Warnings = append(slices.Clip(p.Warnings), inkWarning)
		if p.Err == nil {
			b.d.engine.poisoned.add(place{b.d.src.SHA256, n}, harm{err: cause, ink: true})
		}
	}
	return nil
}
