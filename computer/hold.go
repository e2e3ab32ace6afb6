package computer

import (
	"context"
	"slices"
	"time"
)

// releaseTime is what letting go of keys may take once nobody waits for it.
const releaseTime = 3 * time.Second

// A hold is one button or key that is down because of us.
type hold struct {
	button Button // zero: key
	key    Key
	since  time.Time
	call   int // that pressed it
}

func (h hold) String() string {
	if h.button != 0 {
		return h.button.String() + "_button"
	}
	return h.key.Name
}

func (h hold) is(o hold) bool { return h.button == o.button && h.key.Sym == o.key.Sym }

// press presses h. It is written down before it is sent: what may have been sent
// is released too.
func (c *Computer) press(ctx context.Context, h hold, clicks int) error {
	h.since = time.Now()
	c.mu.Lock()
	h.call = c.calls
	c.held = append(c.held, h)
	c.mu.Unlock()
	return c.send(ctx, h, true, clicks)
}

// lift releases h, and forgets it once that was sent.
func (c *Computer) lift(ctx context.Context, h hold, clicks int) error {
	if err := c.send(ctx, h, false, clicks); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.held) - 1; i >= 0; i-- {
		if c.held[i].is(h) {
			c.held = slices.Delete(c.held, i, i+1)
			break
		}
	}
	return nil
}

func (c *Computer) send(ctx context.Context, h hold, down bool, clicks int) error {
	if h.button != 0 {
		return c.desktop.Button(ctx, h.button, down, clicks)
	}
	return c.desktop.Key(ctx, h.key, down)
}

// isDown reports whether h is down because of us.
func (c *Computer) isDown(h hold) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.held, h.is)
}

// thisCall is the number of the call that runs.
func (c *Computer) thisCall() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls
}

// everything, as release has it, is what any call has pressed.
const everything = 0

// release lets go of all that was pressed by call since or a later one, the latest
// first, whatever has become of ctx. What cannot be released stays written down, so
// that the next release tries again.
func (c *Computer) release(ctx context.Context, since int) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	c.mu.Lock()
	down := slices.DeleteFunc(slices.Clone(c.held), func(h hold) bool { return h.call < since })
	c.mu.Unlock()
	var first error
	for _, h := range slices.Backward(down) {
		err := c.lift(ctx, h, 1)
		if err != nil { // a key that stays down is worth another try
			err = c.lift(ctx, h, 1)
		}
		if err != nil && first == nil {
			first = err
		}
	}
	return first
}

// heldNames are what is down because of us.
func (c *Computer) heldNames() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, h := range c.held {
		names = append(names, h.String())
	}
	return names
}
