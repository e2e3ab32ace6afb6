// Package cancel ends what takes long as soon as its context ends.
package cancel

import (
	"context"
	"io"
	"time"
)

// Sleep returns after d, or with ctx's error soon after ctx ends. It sleeps with the
// time package, so that inside of testing/synctest no time passes.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Reader reads from r until ctx ends: a Read that begins later fails with ctx's error.
// One that is under way is waited for.
func Reader(ctx context.Context, r io.Reader) io.Reader { return reader{ctx, r} }

type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}
