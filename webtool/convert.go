package webtool

import (
	"context"

	"github.com/arcseat/arc/webtool/internal/content"
)

// A converter makes text of bodies, of some at a time: the tree of a page made to cost
// takes a hundred times its bytes, and a processor for seconds.
type converter struct{ slots chan struct{} }

func newConverter(l Limits) converter { return converter{make(chan struct{}, l.Converting)} }

// convert waits for a slot, within ctx.
func (c converter) convert(ctx context.Context, b *body, from *target) (*content.Document, error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return content.Convert(ctx, b.data, content.Options{URL: from.text, ContentType: b.media, Truncated: b.cut})
}
