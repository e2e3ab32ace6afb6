package webtest

import (
	"context"
	"slices"
	"sync"

	"github.com/arcseat/arc/webtool"
)

// A Fake is a Searcher that answers as it is told and takes down what it was asked.
// Its fields are set before it is used.
type Fake struct {
	As    string                                                      // its name; empty: fake
	Hits  []webtool.Hit                                               // what it finds, whatever it is asked
	Err   error                                                       // what it fails with; nil: it does not
	Reply func(context.Context, webtool.Query) ([]webtool.Hit, error) // in place of both; nil: they stand

	mu    sync.Mutex
	asked []webtool.Query
}

var _ webtool.Searcher = (*Fake)(nil)

// Name is the Fake's name.
func (f *Fake) Name() string {
	if f.As == "" {
		return "fake"
	}
	return f.As
}

// Search answers.
func (f *Fake) Search(ctx context.Context, q webtool.Query) ([]webtool.Hit, error) {
	f.mu.Lock()
	f.asked = append(f.asked, q)
	f.mu.Unlock()
	if f.Reply != nil {
		return f.Reply(ctx, q)
	}
	return slices.Clone(f.Hits), f.Err
}

// Asked are the queries so far.
func (f *Fake) Asked() []webtool.Query {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.asked)
}
