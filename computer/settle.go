package computer

import (
	"context"
	"image"
	"time"

	"github.com/arcseat/arc/internal/cancel"
)

// Timing of waiting until the screen is still.
const (
	pollTime        = 15 * time.Millisecond
	pollShare       = 4 // a picture may take this share of the time between two
	standardFirst   = 400 * time.Millisecond
	standardQuiet   = 120 * time.Millisecond
	standardSettle  = 2 * time.Second
	captureAttempts = 3
)

// A Settling is how the screen came to rest after an action.
type Settling struct {
	Took     time.Duration // that was waited
	Pictures int           // that were looked at
	Stable   bool          // the screen was still at the end
}

// view takes a picture of the whole screen as large as it is now, and shows it to
// look. A screen that changes its size meanwhile is asked again.
func (c *Computer) view(ctx context.Context, look func(*Frame)) (Screen, error) {
	var err error
	for range captureAttempts {
		var s Screen
		if s, err = c.desktop.Screen(ctx); err != nil {
			return s, err
		}
		if err = c.viewPart(ctx, s.Bounds, look); err == nil {
			return s, nil
		}
		if ctx.Err() != nil {
			return s, ctx.Err()
		}
	}
	return Screen{}, err
}

// viewPart shows a picture of r to look: where it lies, if the desktop can do that.
func (c *Computer) viewPart(ctx context.Context, r image.Rectangle, look func(*Frame)) error {
	if v, ok := c.desktop.(Viewer); ok {
		return v.View(ctx, r, look)
	}
	if err := c.desktop.Capture(ctx, r, &c.seen); err != nil {
		return err
	}
	look(&c.seen)
	return nil
}

// capture takes a picture of the whole screen to keep.
func (c *Computer) capture(ctx context.Context, f *Frame) (Screen, error) {
	return c.view(ctx, f.copyFrom)
}

// settle waits until what the action at since has set off is over: for the first
// change against before, and then until nothing changes any more. It leaves the
// latest picture in c.now.
func (c *Computer) settle(ctx context.Context, before *Frame, since time.Time) (Settling, Screen, error) {
	var out Settling
	begin := time.Now()
	var moved time.Time // when the screen last changed
	last := before
	for {
		asked := time.Now()
		changed := false
		screen, err := c.view(ctx, func(f *Frame) {
			if changed = !same(last, f); changed {
				c.now.copyFrom(f)
				last = &c.now
			}
		})
		if err != nil {
			return out, screen, err
		}
		at := time.Now()
		out.Pictures++
		if changed {
			moved = at
		}
		switch {
		case moved.IsZero() && at.Sub(since) < c.first,
			!moved.IsZero() && at.Sub(moved) < c.quiet && at.Sub(since) < c.most:
			if err := cancel.Sleep(ctx, max(pollTime, pollShare*at.Sub(asked))); err != nil {
				return out, screen, err
			}
			continue
		}
		out.Stable = moved.IsZero() || at.Sub(moved) >= c.quiet
		out.Took = at.Sub(begin)
		if moved.IsZero() {
			c.now.copyFrom(before)
		}
		return out, screen, nil
	}
}
