package webtool

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/arcseat/arc"
)

const (
	searchFresh = 5 * time.Minute
	maxSearches = 200 // that are kept
)

// A chain asks providers in order, and keeps what they found for a while.
type chain struct {
	providers []Searcher
	each      time.Duration
	log       *slog.Logger

	mu   sync.Mutex
	kept map[searchKey]keptSearch
}

type searchKey struct {
	provider, text string
	most           int
}

type keptSearch struct {
	hits []Hit
	at   time.Time
}

func newChain(providers []Searcher, l Limits, log *slog.Logger) *chain {
	return &chain{providers: providers, each: l.SearchTimeout, log: log, kept: map[searchKey]keptSearch{}}
}

func (c *chain) empty() bool { return len(c.providers) == 0 }

func (c *chain) close() {
	for _, p := range c.providers {
		if p, ok := p.(interface{ CloseIdleConnections() }); ok {
			p.CloseIdleConnections()
		}
	}
}

// search asks one provider after the other until one has looked.
func (c *chain) search(ctx context.Context, text string, most int) (*SearchResult, error) {
	if c.empty() {
		return nil, noProvider()
	}
	r := &SearchResult{Query: text, Untrusted: true}
	var first *arc.Error
	for _, p := range c.providers {
		hits, info, err := c.one(ctx, p, text, most)
		if err == nil {
			r.Provider, r.Results, r.Count, r.Cache = p.Name(), hits, len(hits), info
			return r, nil
		}
		if ctx.Err() != nil {
			return nil, ended(ctx, p)
		}
		e := searchError(p, err)
		c.log.Warn("a search provider failed", "provider", p.Name(), "code", e.Code, "err", e.Err)
		r.Notes = append(r.Notes, p.Name()+":"+string(e.Code))
		first = cmp.Or(first, e)
	}
	if f, ok := first.Detail.(*SearchFailure); ok && len(r.Notes) > 1 {
		f.Tried = r.Notes
	}
	return nil, first
}

// ended is the error of a search whose time is over, or that its caller has left.
func ended(ctx context.Context, p Searcher) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Canceled
	}
	return &arc.Error{
		Code:    arc.TimedOut,
		Message: "the search did not end in time; try once more later.",
		Detail:  &SearchFailure{Provider: p.Name(), Retryable: true},
		Err:     ctx.Err(),
	}
}

func (c *chain) one(ctx context.Context, p Searcher, text string, most int) ([]Hit, CacheInfo, error) {
	k := searchKey{p.Name(), text, most}
	c.mu.Lock()
	kept, ok := c.kept[k]
	c.mu.Unlock()
	if age := time.Since(kept.at); ok && age < searchFresh {
		return slices.Clone(kept.hits), CacheInfo{Hit: true, AgeSec: int(age / time.Second)}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.each)
	defer cancel()
	found, err := p.Search(ctx, Query{Text: text, Max: 2 * most})
	if err != nil {
		return nil, CacheInfo{}, err
	}
	hits := cleanHits(found, most)
	if len(hits) == 0 { // by the next time there may be something
		return hits, CacheInfo{}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) >= maxSearches {
		c.forget()
	}
	c.kept[k] = keptSearch{slices.Clone(hits), time.Now()}
	return hits, CacheInfo{}, nil
}

// forget drops what is stale, or else the oldest.
func (c *chain) forget() {
	var oldest searchKey
	for k, s := range c.kept {
		if time.Since(s.at) >= searchFresh {
			delete(c.kept, k)
		} else if o, ok := c.kept[oldest]; !ok || s.at.Before(o.at) {
			oldest = k
		}
	}
	if len(c.kept) >= maxSearches {
		delete(c.kept, oldest)
	}
}

// searchError is err as an error that a model may see, and this call's own.
func searchError(p Searcher, err error) *arc.Error {
	var known *arc.Error
	if errors.As(err, &known) {
		switch known.Code {
		case RateLimited, ProviderAuth, ProviderBlocked, ProviderUnavailable, ProviderParseError:
			e, f := *known, SearchFailure{}
			if d, ok := known.Detail.(*SearchFailure); ok && d != nil {
				f = *d
			}
			f.Provider = cmp.Or(f.Provider, p.Name())
			e.Detail = &f
			return &e
		}
	}
	return &arc.Error{
		Code:    ProviderUnavailable,
		Message: "the search provider is not reached; try again later, or read a known URL with web_fetch.",
		Detail:  &SearchFailure{Provider: p.Name(), Retryable: true},
		Err:     err,
	}
}
