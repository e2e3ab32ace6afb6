package worker

import (
	"errors"
	"sync"
	"time"

	"github.com/arcseat/arc/docs"
)

// maxPoisoned is how many pages are remembered.
const maxPoisoned = 4096

// A place is a page of a file, or with page 0 the opening of the file.
type place struct {
	sha256 string
	page   int
}

// labels stands for the labels of all pages of a file, as the page of a place.
const labels = -1

// A harm is what an attempt at a place cost.
type harm struct {
	err error // ErrCrashed, ErrMemory or ErrTimeout
	ink bool  // it was the page's ink alone; the rest can be had
	// until is when it is forgotten; zero: never. A file that was slow to open may
	// have met a busy machine.
	until time.Time
}

// opening is the harm of an opening that failed with err.
func opening(err error) harm {
	h := harm{err: err}
	if errors.Is(err, docs.ErrTimeout) {
		h.until = time.Now().Add(docs.RetryAfter)
	}
	return h
}

// poisoned remembers what made a worker crash, run out of memory or out of
// time, so that it is paid for once. The oldest are forgotten first.
type poisoned struct {
	mu    sync.Mutex
	harms map[place]harm
	order []place
}

func (p *poisoned) add(at place, h harm) {
	if at.sha256 == "" {
		return // a file that nobody has named cannot be told from another
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.harms == nil {
		p.harms = map[place]harm{}
	}
	if _, ok := p.harms[at]; !ok {
		if len(p.order) == maxPoisoned {
			delete(p.harms, p.order[0])
			p.order = p.order[1:]
		}
		p.order = append(p.order, at)
	}
	p.harms[at] = h
}

func (p *poisoned) at(at place) (harm, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, ok := p.harms[at]
	if ok && !h.until.IsZero() && !time.Now().Before(h.until) {
		return harm{}, false
	}
	return h, ok
}
