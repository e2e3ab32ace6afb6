package webtool

import (
	"errors"
	"sync"
	"time"

	"github.com/arcseat/arc"
)

// maxPatience is how many URLs are remembered whose servers asked for patience.
const maxPatience = 1000

// A patience remembers which pages are not to be asked for until when. No other error
// is remembered: the next call tries again.
type patience struct {
	mu   sync.Mutex
	urls map[key]asked
}

type asked struct {
	until time.Time
	err   *arc.Error
}

// heed remembers err if it names a time.
func (p *patience) heed(k key, err error) {
	var e *arc.Error
	if !errors.As(err, &e) || e.Code != RateLimited {
		return
	}
	f, ok := e.Detail.(*FetchFailure)
	if !ok || f.Status == 0 || f.RetryAfterSec == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if len(p.urls) >= maxPatience {
		for k, a := range p.urls {
			if now.After(a.until) {
				delete(p.urls, k)
			}
		}
	}
	if len(p.urls) >= maxPatience {
		return
	}
	if p.urls == nil {
		p.urls = map[key]asked{}
	}
	p.urls[k] = asked{now.Add(time.Duration(f.RetryAfterSec) * time.Second), e}
}

// refusal is the error of before, while its time lasts.
func (p *patience) refusal(k key) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, ok := p.urls[k]
	if !ok {
		return nil
	}
	left := time.Until(a.until)
	if left <= 0 {
		delete(p.urls, k)
		return nil
	}
	e, f := *a.err, *a.err.Detail.(*FetchFailure)
	f.RetryAfterSec = seconds(left)
	e.Detail = &f
	return &e
}
