package computer

import (
	"context"
	"image"
	"slices"
	"time"

	"github.com/arcseat/arc/internal/cancel"
)

// How a hand moves: programs miss what is faster.
const (
	buttonTime = 15 * time.Millisecond // a button is down in a click
	clickGap   = 60 * time.Millisecond // between the clicks of a double click
	hoverTime  = 10 * time.Millisecond // between arriving and pressing
	keyTime    = 12 * time.Millisecond // a key is down
	wheelGap   = 8 * time.Millisecond  // between notches
	grabTime   = 50 * time.Millisecond // a drag stands still after pressing and before releasing
	glideTime  = 16 * time.Millisecond // between the steps of a drag
	glideSteps = 10                    // at least
	glidePx    = 40                    // native pixels of a step, where that makes more of them
)

// act does s.
func (c *Computer) act(ctx context.Context, s step, n *notes) error {
	if s.rule.kind != LeftClickDrag && s.at != nil {
		arrive := c.approach
		if s.rule.kind == MouseMove || s.rule.kind == LeftMouseUp {
			arrive = c.arrive
		}
		if err := arrive(ctx, *s.at); err != nil {
			return err
		}
	}
	if h := (hold{button: Left}); s.rule.kind == LeftClickDrag || s.rule.button == Left {
		if c.isDown(h) { // what was being dragged is dropped here
			n.add("was_down")
			if err := c.lift(ctx, h, 1); err != nil {
				return err
			}
		}
	}
	switch s.rule.kind {
	case LeftClick, RightClick, MiddleClick, DoubleClick, TripleClick:
		return c.with(ctx, s.mods, func() error { return c.click(ctx, s.rule.button, s.rule.clicks) })
	case LeftClickDrag:
		return c.with(ctx, s.mods, func() error { return c.drag(ctx, s) })
	case LeftMouseDown:
		if c.isDown(hold{button: Left}) {
			n.add("was_down")
			return nil
		}
		return c.press(ctx, hold{button: Left}, 1)
	case LeftMouseUp:
		if !c.isDown(hold{button: Left}) {
			n.add("was_not_down")
		}
		return c.lift(ctx, hold{button: Left}, 1)
	case Scroll:
		return c.with(ctx, s.mods, func() error { return c.turn(ctx, s) })
	case Type:
		return c.desktop.Text(ctx, s.text)
	case PressKey:
		for i, k := range s.keys {
			if i > 0 {
				if err := cancel.Sleep(ctx, keyTime); err != nil {
					return err
				}
			}
			if err := c.with(ctx, k, func() error { return cancel.Sleep(ctx, keyTime) }); err != nil {
				return err
			}
		}
		return nil
	case HoldKey:
		return c.with(ctx, s.keys[0], func() error { return cancel.Sleep(ctx, s.time) })
	case Wait:
		return cancel.Sleep(ctx, s.time)
	}
	return nil // mouse_move has arrived; the others look
}

// with does something while keys are down: pressed in order, released in reverse.
// If it fails, what is down is left to whoever releases what the call pressed.
func (c *Computer) with(ctx context.Context, keys chord, do func() error) error {
	for _, k := range keys {
		if err := c.press(ctx, hold{key: k}, 1); err != nil {
			return err
		}
	}
	if err := do(); err != nil {
		return err
	}
	for _, k := range slices.Backward(keys) {
		if err := c.lift(ctx, hold{key: k}, 1); err != nil {
			return err
		}
	}
	return nil
}

// arrive moves the pointer to p: at once, or while the button is down as a hand
// would, because programs do not take a jump for a drag.
func (c *Computer) arrive(ctx context.Context, p image.Point) error {
	if c.isDown(hold{button: Left}) {
		from, err := c.desktop.Pointer(ctx)
		if err != nil {
			return err
		}
		return c.glide(ctx, from, p)
	}
	return c.desktop.MoveTo(ctx, p)
}

// approach arrives where something is about to be pressed or turned, and rests there.
func (c *Computer) approach(ctx context.Context, p image.Point) error {
	if err := c.arrive(ctx, p); err != nil {
		return err
	}
	return cancel.Sleep(ctx, hoverTime)
}

// glide moves from one point to another in small steps, and ends exactly there.
func (c *Computer) glide(ctx context.Context, from, to image.Point) error {
	d := to.Sub(from)
	n := max(glideSteps, max(abs(d.X), abs(d.Y))/glidePx)
	for i := 1; i <= n; i++ {
		if err := cancel.Sleep(ctx, glideTime); err != nil {
			return err
		}
		if err := c.desktop.MoveTo(ctx, from.Add(image.Pt(d.X*i/n, d.Y*i/n))); err != nil {
			return err
		}
	}
	return nil
}

func abs(x int) int { return max(x, -x) }

func (c *Computer) click(ctx context.Context, b Button, clicks int) error {
	h := hold{button: b}
	for i := 1; i <= clicks; i++ {
		if i > 1 {
			if err := cancel.Sleep(ctx, clickGap); err != nil {
				return err
			}
		}
		if err := c.press(ctx, h, i); err != nil {
			return err
		}
		if err := cancel.Sleep(ctx, buttonTime); err != nil {
			return err
		}
		if err := c.lift(ctx, h, i); err != nil {
			return err
		}
	}
	return nil
}

// drag presses, moves and releases, with rests that programs need to tell it from
// a click.
func (c *Computer) drag(ctx context.Context, s step) error {
	h := hold{button: Left}
	if s.from != nil {
		if err := c.approach(ctx, *s.from); err != nil {
			return err
		}
	}
	from, err := c.desktop.Pointer(ctx)
	if err != nil {
		return err
	}
	if err := c.press(ctx, h, 1); err != nil {
		return err
	}
	if err := cancel.Sleep(ctx, grabTime); err != nil {
		return err
	}
	if err := c.glide(ctx, from, *s.at); err != nil {
		return err
	}
	if err := cancel.Sleep(ctx, grabTime); err != nil {
		return err
	}
	return c.lift(ctx, h, 1)
}

func (c *Computer) turn(ctx context.Context, s step) error {
	for i := range s.amount {
		if i > 0 {
			if err := cancel.Sleep(ctx, wheelGap); err != nil {
				return err
			}
		}
		if err := c.desktop.Wheel(ctx, s.dx, s.dy); err != nil {
			return err
		}
	}
	return nil
}
