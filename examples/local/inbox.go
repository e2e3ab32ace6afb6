package local

import (
	"context"
	"sync"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// An inbox holds what each seat has yet to be told.
type inbox struct {
	mu    sync.Mutex
	texts map[arc.SeatID][]string
}

func (b *inbox) put(seat arc.SeatID, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.texts == nil {
		b.texts = map[arc.SeatID][]string{}
	}
	b.texts[seat] = append(b.texts[seat], text)
}

func (b *inbox) take(seat arc.SeatID) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	texts := b.texts[seat]
	delete(b.texts, seat)
	return texts
}

// deliver is a middleware: what waits for a seat goes out with the result of
// its next call, in the header, where no file or page can forge it.
func (b *inbox) deliver(next tools.Handler) tools.Handler {
	return func(ctx context.Context, c arc.Call) *arc.Result {
		r := next(ctx, c)
		r.Notices = append(r.Notices, b.take(c.Origin.Seat)...)
		return r
	}
}
