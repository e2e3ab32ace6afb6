package docs

import (
	"context"
	"slices"
)

// maxDrawn is how many pages a call has drawn to see whether they are pictures. What
// was drawn once is kept.
const maxDrawn = 48

// looked is those pages that have few words, in order, with their ink measured as far
// as time allows: of more than maxDrawn, some that are evenly spread.
func (v *view) looked(ctx context.Context, pages []*pageText) ([]*pageText, error) {
	pages = slices.Clone(pages)
	for _, n := range spread(len(pages), maxDrawn) {
		p, err := v.inked(ctx, pages[n-1])
		switch {
		case err == nil:
			pages[n-1] = p
		case spent(ctx):
			return pages, nil
		default:
			return pages, err
		}
	}
	return pages, nil
}
