package computer

import (
	"context"
	"image"
	"time"
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
	Time     time.Duration // that was waited
	Pictures int           // that were looked at
	Stable   bool          // the screen was still at the end
}

// capture takes a picture of the whole screen as large as it is now. A screen that
// changes its size meanwhile is asked again.
func (c *Computer) capture(ctx context.Context, f *Frame) (Screen, error) {
	var err error
	for range captureAttempts {
		var s Screen
		if s, err = c.desktop.Screen(ctx); err != nil {
			return s, err
		}
		if err = c.desktop.Capture(ctx, s.Bounds, f); err == nil {
			return s, nil
		}
		if ctx.Err() != nil {
			return s, ctx.Err()
		}
	}
	return Screen{}, err
}

// settle waits until what the action at since has set off is over: for the first
// change against before, and then until nothing changes any more. It leaves the
// latest picture in c.now.
func (c *Computer) settle(ctx context.Context, before *Frame, since time.Time) (Settling, Screen, error) {
	var out Settling
	begin := time.Now()
	prev, now := &c.spare, &c.now
	moved := time.Time{} // when the screen last changed
	last := before
	for {
		took := time.Now()
		screen, err := c.capture(ctx, now)
		if err != nil {
			return out, screen, err
		}
		at := time.Now()
		out.Pictures++
		if !same(last, now) {
			moved = at
			*prev, *now = *now, *prev
			last = prev
		}
		switch {
		case moved.IsZero() && at.Sub(since) >= c.first:
			out.Stable = true
		case !moved.IsZero() && at.Sub(moved) >= c.quiet:
			out.Stable = true
		case at.Sub(since) < c.most || moved.IsZero():
			if err := pause(ctx, max(pollTime, pollShare*at.Sub(took))); err != nil {
				return out, screen, err
			}
			continue
		}
		out.Time = at.Sub(begin)
		if last == prev {
			*prev, *now = *now, *prev // now is what was seen last
		}
		return out, screen, nil
	}
}

// origin is where the first pixel of a picture of the whole screen is.
func (s Screen) origin() image.Point { return s.Bounds.Min }
