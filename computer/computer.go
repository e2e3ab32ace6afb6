package computer

import (
	"context"
	"errors"
	"image"
	"log/slog"
	"sync"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/cancel"
	"github.com/arcseat/arc/internal/defaults"
)

// Options of a Computer. Nil is fine.
type Options struct {
	// Guard is asked before each action, with the native pixel that it goes to if it
	// has one; of a drag that says where it starts, first with that one. Its error refuses the action: an *arc.Error or arc.Code as it is,
	// anything else as forbidden. Nil: all are allowed.
	Guard func(ctx context.Context, a Action, at *image.Point) error

	// FirstChange is how long an action may take to show its first effect. 0:
	// 400 ms. Negative: screenshots are taken at once, without waiting for anything.
	FirstChange time.Duration

	// Quiet is how long nothing may change for the screen to count as still. 0:
	// 120 ms.
	Quiet time.Duration

	// Settle is how long to wait for a screen that does not come to rest. 0: 2 s.
	Settle time.Duration

	// HoldLimit is how long left_mouse_down lasts without left_mouse_up. A call that
	// runs when it is over ends first. 0: 60 s.
	HoldLimit time.Duration

	// MaxBytes of an image, before any encoding. 0: 1 MB.
	MaxBytes int

	// ActionsPerSecond that are begun; more are made to wait. 0: 20.
	ActionsPerSecond int

	// HidePointer leaves the pointer out of screenshots. Default: it is shown, if
	// the desktop knows it.
	HidePointer bool

	// RefuseTakeover refuses a call when somebody else has moved the pointer since
	// the last one; the call after it goes ahead. Default: a note says so.
	RefuseTakeover bool

	// HostNotes replace what the tool's description says of this host: what its
	// keys are called and which dialogs are the operator's. Empty: words for the
	// desktop's system.
	HostNotes string

	// Logger gets a line for what nobody else hears of. Text that is typed is never
	// logged. Nil: discard.
	Logger *slog.Logger
}

const (
	standardHold  = 60 * time.Second
	standardBytes = 1_000_000
	standardPace  = 20
	lockTime      = 5 * time.Second // that a call waits for another one's end
	maxViews      = 256             // seats whose latest picture is remembered
)

// A Computer operates one desktop: one call at a time, whoever makes it. Each seat
// has a frame of its own, that of the latest picture that it was given. It is an
// arc.Provider of the tool computer, and safe for concurrent use.
type Computer struct {
	desktop            Desktop
	opts               Options
	log                *slog.Logger
	first, quiet, most time.Duration
	keys               keyTable
	tool               arc.Tool

	turns chan struct{} // holds one value while a call has the desktop

	// Of the call that has the desktop.
	base, before, now, seen Frame
	begun                   []time.Time // latest actions, for the pace
	left                    *image.Point

	mu      sync.Mutex
	views   map[arc.SeatID]*shown
	frames  int // pictures given out
	calls   int // begun
	held    []hold
	notes   notes // for the next result
	stopped bool
	closed  bool
	running context.CancelCauseFunc
	limit   *time.Timer // of left_mouse_down
	pending sync.WaitGroup
}

// shown is the latest picture that a seat was given.
type shown struct {
	view
	number int
	kind   string
}

// Open operates d, which is closed with the Computer; if Open fails, it is still
// the caller's. What a killed process has left pressed on it is released, if d is a
// [Holder]; the first result says so.
func Open(ctx context.Context, d Desktop, o *Options) (*Computer, error) {
	c := &Computer{
		desktop: d, keys: newKeyTable(),
		turns: make(chan struct{}, 1), views: make(map[arc.SeatID]*shown),
	}
	if o != nil {
		c.opts = *o
	}
	c.log = c.opts.Logger
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	defaults.Positive(&c.opts.HoldLimit, standardHold)
	defaults.Positive(&c.opts.MaxBytes, standardBytes)
	defaults.Positive(&c.opts.ActionsPerSecond, standardPace)
	c.first, c.quiet, c.most = c.opts.FirstChange, c.opts.Quiet, c.opts.Settle
	if c.first == 0 {
		c.first = standardFirst
	}
	defaults.Positive(&c.quiet, standardQuiet)
	defaults.Positive(&c.most, standardSettle)
	if c.opts.HostNotes == "" {
		c.opts.HostNotes = hostNotes(d.OS())
	}
	c.tool = c.newTool()
	if h, ok := d.(Holder); ok {
		names, err := h.Release(ctx)
		if err != nil {
			return nil, backend(err)
		}
		if len(names) > 0 {
			c.notes.add("released_left_over_keys")
			c.log.Info("released what was left pressed", "keys", names)
		}
	}
	return c, nil
}

// Desktop is what a host puts into arc.Env for a model: the desktop's system, and
// the size of the screenshots that the model will get.
func (c *Computer) Desktop(ctx context.Context, m arc.Model) (arc.Desktop, error) {
	s, err := c.desktop.Screen(ctx)
	if err != nil {
		return arc.Desktop{}, backend(err)
	}
	size := limitsOf(arc.Env{Model: m}).screenshot(s.Bounds.Size())
	return arc.Desktop{OS: c.desktop.OS(), Width: size.X, Height: size.Y}, nil
}

// Stop ends the running call, lets go of everything that is down, and refuses
// calls with the code stopped until Resume. It returns when that is done, or ctx
// has ended.
func (c *Computer) Stop(ctx context.Context) error {
	c.mu.Lock()
	c.stopped = true
	if c.running != nil {
		c.running(errStopped())
	}
	c.mu.Unlock()
	if err := c.lock(ctx); err != nil {
		return err
	}
	defer c.unlock()
	return backend(c.release(ctx, everything))
}

// Resume takes calls again.
func (c *Computer) Resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = false
}

// Close ends the running call, lets go of everything that is down, and closes the
// desktop. Later calls answer shutting_down. Closing twice is fine.
func (c *Computer) Close(ctx context.Context) error {
	c.mu.Lock()
	first := !c.closed
	c.closed = true
	if c.running != nil {
		c.running(errClosed())
	}
	if c.limit != nil && c.limit.Stop() {
		c.limit = nil
		c.pending.Done()
	}
	c.mu.Unlock()
	if !first {
		return nil
	}
	c.turns <- struct{}{} // the running call ends soon, and has to let go first
	err := c.release(ctx, everything)
	<-c.turns
	c.pending.Wait()
	return errors.Join(backend(err), backend(c.desktop.Close()))
}

func errStopped() error {
	return &arc.Error{Code: Stopped, Message: "the operator has stopped the desktop tool; go on without it, or wait to be told that it may be used again."}
}

func errClosed() error {
	return &arc.Error{Code: arc.ShuttingDown, Message: "the host is closing its desktop; go on without it."}
}

// lock waits for the desktop; unlock gives it back.
func (c *Computer) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case c.turns <- struct{}{}:
		return nil
	default:
	}
	t := time.NewTimer(lockTime)
	defer t.Stop()
	select {
	case c.turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return &arc.Error{
			Code: arc.Locked, Message: "another call is operating the desktop; try again when it is done.",
			Detail: map[string]int64{"waited_ms": lockTime.Milliseconds()},
		}
	}
}

func (c *Computer) unlock() { <-c.turns }

// begin makes a context for a call that Stop and Close end, or says why there is
// to be none.
func (c *Computer) begin(ctx context.Context) (context.Context, context.CancelCauseFunc, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return nil, nil, errClosed()
	case c.stopped:
		return nil, nil, errStopped()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	c.running = cancel
	c.calls++
	return ctx, cancel, nil
}

// end is begin's other end: it arms the limit of a button that stays down.
func (c *Computer) end(cancel context.CancelCauseFunc) {
	cancel(nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = nil
	down := len(c.held) > 0
	if c.limit != nil && c.limit.Stop() {
		c.limit = nil
		c.pending.Done()
	}
	if down && !c.closed {
		c.pending.Add(1)
		c.limit = time.AfterFunc(c.opts.HoldLimit-time.Since(c.held[0].since), c.letGo)
	}
}

// letGo releases a button that was held for too long.
func (c *Computer) letGo() {
	defer c.pending.Done()
	c.turns <- struct{}{}
	defer c.unlock()
	c.mu.Lock()
	due := len(c.held) > 0 && !c.closed && time.Since(c.held[0].since) >= c.opts.HoldLimit
	if due {
		c.notes.add("button_released_after_hold_limit")
	}
	c.mu.Unlock()
	if !due {
		return
	}
	if err := c.release(context.Background(), everything); err != nil {
		c.log.Warn("a button that was held for too long could not be released", "err", err)
	}
}

// pace waits until another action may begin.
func (c *Computer) pace(ctx context.Context) error {
	if n := len(c.begun); n >= c.opts.ActionsPerSecond {
		if err := cancel.Sleep(ctx, time.Second-time.Since(c.begun[n-c.opts.ActionsPerSecond])); err != nil {
			return err
		}
		c.begun = append(c.begun[:0], c.begun[n-c.opts.ActionsPerSecond+1:]...)
	}
	c.begun = append(c.begun, time.Now())
	return nil
}

// shownTo is the frame of a seat, or nil.
func (c *Computer) shownTo(seat arc.SeatID) *shown {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.views[seat]
}

// show remembers what a seat is given.
func (c *Computer) show(seat arc.SeatID, kind string, v view) *shown {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frames++
	s := &shown{v, c.frames, kind}
	c.views[seat] = s
	if len(c.views) > maxViews {
		oldest := seat
		for id, o := range c.views {
			if o.number < c.views[oldest].number {
				oldest = id
			}
		}
		delete(c.views, oldest)
	}
	return s
}

// takeNotes are what happened between calls.
func (c *Computer) takeNotes() notes {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.notes
	c.notes = nil
	return n
}

// keepNotes gives back notes that no result has told.
func (c *Computer) keepNotes(earlier notes) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, word := range earlier {
		c.notes.add(word)
	}
}
