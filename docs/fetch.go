package docs

import (
	"context"
	"errors"
	"slices"
)

// batch is how many pages an engine is asked for at once. From a dozen on a child
// process costs hardly more than the engine itself; another call for the document
// waits for no more than this.
const batch = 48

const wantText = WantText | WantLabel

// pages returns the pages first to last, at most a batch of them, from the cache or
// from the engine. With an error come the pages before it.
func (v *view) pages(ctx context.Context, first, last int, want Want) ([]*pageText, error) {
	last = min(last, first+batch-1)
	got := v.cached(nil, first, last, want)
	if len(got) > last-first {
		return got, nil
	}
	leave, err := v.d.enter(ctx, v.path)
	if err != nil {
		return got, err
	}
	defer leave()
	for {
		// Another call may have asked for the same meanwhile.
		got = v.cached(got, first, last, want)
		from := first + len(got)
		if from > last {
			return got, nil
		}
		to := from
		for to < last && !v.isCached(to+1, want) {
			to++
		}
		if got, err = v.load(ctx, got, from, to, want); err != nil {
			return got, err
		}
	}
}

func (v *view) isCached(page int, want Want) bool {
	p := v.l.cache.get(v.d.sha256, page)
	return p != nil && p.has(want)
}

// cached adds to got the pages that follow and are in the cache.
func (v *view) cached(got []*pageText, first, last int, want Want) []*pageText {
	for n := first + len(got); n <= last; n++ {
		p := v.l.cache.get(v.d.sha256, n)
		if p == nil || !p.has(want) {
			break
		}
		got = append(got, p)
	}
	return got
}

// load asks the engine for the pages first to last and adds them to got. A page at
// which the engine gives up is asked for alone, and if it gives up again the page has
// failed, for good: it costs no other page and no later call. So is one that lacked
// memory behind others. The caller has the turn.
func (v *view) load(ctx context.Context, got []*pageText, first, last int, want Want) ([]*pageText, error) {
	alone := false
	for next := first; next <= last; {
		if err := v.ready(ctx); err != nil {
			return got, err
		}
		to := last
		if alone {
			to = next
		}
		began, crowded := next, false
		pages, err := v.d.doc.Pages(ctx, next, to, want)
		for _, p := range pages {
			if p.Number != next || next > to {
				break
			}
			if crowded = errors.Is(p.Err, ErrMemory) && next > began; crowded {
				break // there may be room for it alone
			}
			got = append(got, v.keep(p, want))
			next++
		}
		switch {
		case err == nil && crowded:
			alone = true
			continue
		case err == nil && next <= to: // it was silent about one
			got = append(got, v.keep(Page{Number: next, Err: ErrPage}, want))
			next++
			alone = false
			continue
		case err == nil:
			alone = false
			continue
		case ctx.Err() != nil:
			return got, ended(ctx, v.path)
		}
		v.drop()
		switch {
		case errors.Is(err, ErrUnavailable):
			return got, v.told(err)
		case alone && next == began:
			v.l.log.Warn("a page could not be read", "path", v.path, "sha256", v.d.sha256, "page", next, "error", err)
			got = append(got, v.keep(Page{Number: next, Err: err}, want))
			next++
			alone = false
		default:
			alone = true
		}
	}
	return got, nil
}

// drop closes a document that is of no use any more; the copy stays.
func (v *view) drop() {
	v.l.shelf.warn(v.d.doc.Close())
	v.d.doc = nil
}

// keep puts a page into the cache.
func (v *view) keep(p Page, want Want) *pageText {
	t := newPage(p)
	t.fontWarning(v.d.about != nil && v.d.about.noFont || slices.Contains(t.warnings, WarnFontMissing))
	t.askedInk = want&WantInk != 0
	v.l.cache.put(v.d.sha256, t)
	return t
}

// inked is p with its ink measured, if it can be. The text is asked for again: it is
// little beside the drawing, and there are few words where ink matters.
func (v *view) inked(ctx context.Context, p *pageText) (*pageText, error) {
	if p.has(WantInk) {
		return p, nil
	}
	got, err := v.pages(ctx, p.number, p.number, wantText|WantInk)
	if err != nil {
		return p, err
	}
	if got[0].failed != "" { // its text was read
		c := *p
		c.askedInk, c.warnings = true, addWarnings(slices.Clone(p.warnings), []string{WarnInkNotMeasured})
		v.l.cache.put(v.d.sha256, &c)
		return &c, nil
	}
	return got[0], nil
}
