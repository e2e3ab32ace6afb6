package worker

import (
	"context"
	"errors"

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
	each  int // before this page replies are not gathered: a worker was lost on the way to it
	pages []docs.Page
}

// batch reads pages n to last, or fewer, and returns the first that is left.
func (b *reading) batch(ctx context.Context, n, last int) (next int, err error) {
	first, known := b.harm(n)
	if known && !first.ink {
		b.failed(n, first.err)
		return n + 1, nil
	}
	want := b.want
	if _, ok := b.d.engine.poisoned.at(b.place(labels)); ok {
		want &^= docs.WantLabel
	}
	if known {
		want &^= docs.WantInk
		last = n
	}
	for i := n + 1; i <= last; i++ {
		if _, ok := b.harm(i); ok {
			last = i - 1
		}
	}
	gather := last > n && n >= b.each
	err = b.d.use(ctx, func(p *process) (err error) {
		n, err = b.ask(ctx, p, n, last, want, gather)
		return err
	})
	if known && err == nil && b.want&docs.WantInk != 0 {
		b.inkless()
	}
	if !b.ofPage(ctx, err) {
		return n, err
	}
	if errors.Is(err, docs.ErrTimeout) { // measured for this page alone: another try would only take as long
		b.failed(n, err)
		return n + 1, nil
	}
	if gather {
		b.each = last + 1
		return n, nil
	}
	return n + 1, b.again(ctx, n)
}

// harm is what is known of page n, as far as it matters to what is wanted.
func (b *reading) harm(n int) (harm, bool) {
	h, ok := b.d.engine.poisoned.at(b.place(n))
	return h, ok && (!h.ink || b.want&docs.WantInk != 0)
}

func (b *reading) place(n int) place { return place{sha256: b.d.src.SHA256, page: n} }

// ofPage says whether err is what one page cost: not the caller's end, and not
// a file that could not be opened again.
func (b *reading) ofPage(ctx context.Context, err error) bool {
	if !costly(err) || ctx.Err() != nil {
		return false
	}
	h, ok := b.d.engine.poisoned.at(b.place(0))
	return !ok || !errors.Is(err, h.err)
}

// again reads page n alone, in another worker, after it has cost one. If it
// crashes that too, the file's page labels may be to blame, which are looked up
// for each page: without them the page may be had, and all others.
func (b *reading) again(ctx context.Context, n int) error {
	err := b.alone(ctx, n, b.want)
	if errors.Is(err, docs.ErrCrashed) && b.ofPage(ctx, err) && b.want&docs.WantLabel != 0 {
		if err = b.alone(ctx, n, b.want&^docs.WantLabel); err == nil {
			b.d.engine.poisoned.add(b.place(labels), harm{err: docs.ErrCrashed})
		}
	}
	if b.ofPage(ctx, err) {
		b.failed(n, err)
		return nil
	}
	return err
}

func (b *reading) alone(ctx context.Context, n int, want docs.Want) error {
	return b.d.use(ctx, func(p *process) error {
		_, err := b.ask(ctx, p, n, n, want, false)
		return err
	})
}

// ask reads pages n to last with p, or fewer where p is lost over a page's ink,
// and returns the first that it did not read. An error has ended p, unless it is
// the document's own.
func (b *reading) ask(ctx context.Context, p *process, n, last int, want docs.Want, gather bool) (next int, err error) {
	limit := b.d.engine.o.PageTimeout
	if err := p.ask(ctx, limit, request{Op: opPages, First: n, Last: last, Want: want, Limit: limit / 5 * 4, Gather: gather}); err != nil {
		return n, b.d.lost(ctx, p, n, err)
	}
	for ; n <= last; n++ {
		pg, own, err := b.reply(ctx, p, n)
		if own {
			return n, err
		}
		if err != nil {
			return n, b.d.lost(ctx, p, n, err)
		}
		if b.want&^want&docs.WantLabel != 0 {
			pg.Warnings = words(append(pg.Warnings, docs.WarnLabelsNotRead))
		}
		if want&docs.WantInk == 0 || pg.Err != nil {
			b.add(pg)
			continue
		}
		ink, own, err := b.reply(ctx, p, n)
		if !own && err != nil {
			err = b.d.lost(ctx, p, n, err)
		}
		if err == nil {
			err = ink.Err
		}
		pg.Ink, pg.HasInk = ink.Ink, ink.HasInk && err == nil
		pg.Warnings = words(append(pg.Warnings, ink.Warnings...))
		b.add(pg)
		switch {
		case own:
			return n + 1, err
		case ctx.Err() != nil:
			p.kill() // the replies that are under way are nobody's
			return n + 1, context.Cause(ctx)
		case costly(err):
			b.d.engine.poisoned.add(b.place(n), harm{err: err, ink: true})
		}
		if !pg.HasInk {
			b.inkless()
		}
		if p.dead.Load() {
			return n + 1, nil
		}
	}
	return n, nil
}

// reply reads one reply about page n. An error is the document's own, or one
// that p is to be ended for.
func (b *reading) reply(ctx context.Context, p *process, n int) (pg docs.Page, own bool, err error) {
	r, text, err := p.read(ctx, b.d.engine.o.PageTimeout)
	if err != nil {
		return docs.Page{}, false, err
	}
	if word, known := errorOf(r.Error); known && word != nil {
		return docs.Page{}, true, word
	}
	if pg, err = checkPage(r.Page, text, n); err != nil {
		return docs.Page{}, false, err
	}
	if p.replies.Buffered() == 0 { // of replies that came together the last one is told what was said meanwhile
		p.pipe.Drain()
		pg.Warnings = words(append(pg.Warnings, p.said.take()...))
	}
	return pg, false, nil
}

// add keeps a page, and remembers one that costs too much.
func (b *reading) add(p docs.Page) {
	if b.room -= len(p.Text); b.room < 0 {
		p = docs.Page{Number: p.Number, Err: docs.ErrMemory}
	} else if costly(p.Err) {
		b.d.engine.poisoned.add(b.place(p.Number), harm{err: p.Err})
	}
	p.Warnings = b.d.heard.add(p.Number, p.Warnings)
	b.pages = append(b.pages, p)
}

// failed adds page n, which has cost err.
func (b *reading) failed(n int, err error) { b.add(docs.Page{Number: n, Err: err}) }

// inkless warns of the last page that its ink was not measured.
func (b *reading) inkless() {
	p := &b.pages[len(b.pages)-1]
	p.Warnings = words(append(p.Warnings, docs.WarnInkNotMeasured))
}
