// Package xclient is an X program for tests: one window over the whole screen that
// writes down what happens to it. It reads keys as programs do, by the mapping that
// the server has when the event is read.
package xclient

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// patience is how long a test waits for what should come soon.
const patience = 15 * time.Second

// Options say how keys are read.
type Options struct {
	// Level is the keysym in a key's row at a level of a group. Default: that of a
	// keyboard with one group and two levels.
	Level func(row []xproto.Keysym, group, level int) uint32

	// Name is what a keysym is called. Default: its number.
	Name func(sym uint32) string

	// Ready is called with the connection before the window is made. Default:
	// nothing.
	Ready func(x *xgb.Conn)
}

// A Client is the program.
type Client struct {
	t    testing.TB
	x    *xgb.Conn
	o    Options
	win  xproto.Window
	gc   xproto.Gcontext
	done chan struct{}

	mu     sync.Mutex
	events []string // "press 1 at 10,20 state 0", "key a", "motion 3,4"
	typed  strings.Builder
	drawn  int
	paint  bool
}

// Start shows the window, which has the focus until the test ends. It closes x.
func Start(t testing.TB, x *xgb.Conn, o Options) *Client {
	t.Helper()
	c := &Client{t: t, x: x, o: o, done: make(chan struct{})}
	if c.o.Level == nil {
		c.o.Level = func(row []xproto.Keysym, _, level int) uint32 { return uint32(row[level&1]) }
	}
	if c.o.Name == nil {
		c.o.Name = func(sym uint32) string { return fmt.Sprintf("%#x", sym) }
	}
	if c.o.Ready != nil {
		c.o.Ready(x)
	}
	if err := c.show(); err != nil {
		t.Fatal(err)
	}
	go c.read()
	t.Cleanup(func() {
		x.Close()
		<-c.done
	})
	return c
}

func (c *Client) show() error {
	root := xproto.Setup(c.x).DefaultScreen(c.x)
	var err error
	if c.win, err = xproto.NewWindowId(c.x); err != nil {
		return err
	}
	if c.gc, err = xproto.NewGcontextId(c.x); err != nil {
		return err
	}
	const mask = xproto.EventMaskKeyPress | xproto.EventMaskKeyRelease | xproto.EventMaskButtonPress | xproto.EventMaskButtonRelease |
		xproto.EventMaskPointerMotion | xproto.EventMaskExposure
	for _, err := range []error{
		xproto.CreateWindowChecked(c.x, 0, c.win, root.Root, 0, 0, root.WidthInPixels, root.HeightInPixels, 0, xproto.WindowClassInputOutput, root.RootVisual,
			xproto.CwBackPixel|xproto.CwOverrideRedirect|xproto.CwEventMask, []uint32{0x204060, 1, mask}).Check(),
		xproto.MapWindowChecked(c.x, c.win).Check(),
		xproto.SetInputFocusChecked(c.x, xproto.InputFocusParent, c.win, xproto.TimeCurrentTime).Check(),
		xproto.CreateGCChecked(c.x, c.gc, xproto.Drawable(c.win), xproto.GcForeground, []uint32{0xff8000}).Check(),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// Paint has each click draw a square of 20 pixels, in one of two colours that
// alternate after two clicks.
func (c *Client) Paint() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paint = true
}

func (c *Client) read() {
	defer close(c.done)
	for {
		e, err := c.x.WaitForEvent()
		if e == nil && err == nil {
			return
		}
		switch e := e.(type) {
		case xproto.KeyPressEvent:
			c.key(e)
		case xproto.KeyReleaseEvent:
			c.log("key up %d", e.Detail)
		case xproto.ButtonPressEvent:
			c.log("press %d at %d,%d state %x", e.Detail, e.RootX, e.RootY, e.State)
			c.draw(e)
		case xproto.ButtonReleaseEvent:
			c.log("release %d at %d,%d", e.Detail, e.RootX, e.RootY)
		case xproto.MotionNotifyEvent:
			c.log("motion %d,%d", e.RootX, e.RootY)
		}
	}
}

func (c *Client) draw(e xproto.ButtonPressEvent) {
	c.mu.Lock()
	c.drawn++
	draw, colour := c.paint, uint32(0xff8000)
	if c.drawn%4 >= 2 { // another one than this place has
		colour = 0x0080ff
	}
	c.mu.Unlock()
	if draw {
		xproto.ChangeGC(c.x, c.gc, xproto.GcForeground, []uint32{colour})
		xproto.PolyFillRectangle(c.x, xproto.Drawable(c.win), c.gc, []xproto.Rectangle{{X: e.RootX - 10, Y: e.RootY - 10, Width: 20, Height: 20}})
	}
}

// key reads a key by the rules of the core protocol, with the third level on mod5
// and letters under Caps Lock.
func (c *Client) key(e xproto.KeyPressEvent) {
	setup := xproto.Setup(c.x)
	m, err := xproto.GetKeyboardMapping(c.x, e.Detail, 1).Reply()
	if err != nil || e.Detail < setup.MinKeycode || len(m.Keysyms) == 0 {
		c.log("key ?")
		return
	}
	group := int(e.State >> 13 & 3)
	at := func(level int) uint32 { return c.o.Level(m.Keysyms, group, level) }
	level := 0
	if e.State&xproto.ModMask5 != 0 {
		level = 2
	}
	if e.State&xproto.ModMaskShift != 0 {
		level++
	}
	sym := at(level)
	if sym == 0 { // a key with fewer levels, such as a modifier under a shift
		sym = at(0)
	}
	if small, large := Rune(at(level)), Rune(at(level^1)); e.State&xproto.ModMaskLock != 0 && small != large && strings.EqualFold(string(small), string(large)) {
		sym = at(level ^ 1)
	}
	c.log("key %s state %x", c.o.Name(sym), e.State&0xff)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r := Rune(sym); {
	case r != 0:
		c.typed.WriteRune(r)
	case sym == 0xff0d:
		c.typed.WriteByte('\n')
	case sym == 0xff09:
		c.typed.WriteByte('\t')
	case sym == 0:
		c.typed.WriteRune('�')
	}
}

// Rune is the character that a keysym stands for, 0 for a key that types none.
func Rune(sym uint32) rune {
	switch {
	case sym >= 0x20 && sym <= 0x7e, sym >= 0xa0 && sym <= 0xff:
		return rune(sym)
	case sym > 0x1000000 && sym <= 0x110ffff:
		return rune(sym - 0x1000000)
	}
	return 0
}

func (c *Client) log(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, fmt.Sprintf(format, args...))
}

// Text waits until want has been typed, or as much, and empties it.
func (c *Client) Text(want string) string {
	c.wait(func() bool { return len(c.typed.String()) >= len(want) })
	// What is typed beyond that comes soon.
	c.x.Sync()
	time.Sleep(20 * time.Millisecond)
	c.mu.Lock()
	defer c.mu.Unlock()
	got := c.typed.String()
	c.typed.Reset()
	return got
}

// wait waits until ok, or for long enough; ok is called with the lock held.
func (c *Client) wait(ok func() bool) {
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		c.mu.Lock()
		done := ok()
		c.mu.Unlock()
		if done || time.Now().After(deadline) {
			return
		}
	}
}

// Saw waits until the events, motion and key releases left out, are those, and
// forgets them.
func (c *Client) Saw(want ...string) {
	c.t.Helper()
	var got []string
	c.wait(func() bool {
		got = slices.DeleteFunc(slices.Clone(c.events), func(e string) bool {
			return strings.HasPrefix(e, "motion") || strings.HasPrefix(e, "key up")
		})
		return slices.Equal(got, want)
	})
	if !slices.Equal(got, want) {
		c.t.Errorf("it saw\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	c.Forget()
}

// Forget forgets the events.
func (c *Client) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = nil
}

// Pressed fails the test unless the buttons that were pressed are those.
func (c *Client) Pressed(want ...string) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	got := slices.DeleteFunc(slices.Clone(c.events), func(e string) bool { return !strings.HasPrefix(e, "press ") })
	if !slices.Equal(got, want) {
		c.t.Errorf("the buttons were\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
