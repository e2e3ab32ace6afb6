//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc/computer"
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// guard is how long a test waits for what should come soon.
const guard = 60 * time.Second

// virtual starts a display, or skips the test.
func virtual(t testing.TB, w, h int) *Virtual {
	t.Helper()
	if _, err := exec.LookPath("Xvfb"); err != nil {
		t.Skip("Xvfb is not installed")
	}
	v, err := StartVirtual(context.Background(), w, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Errorf("the display: %v", err)
		}
	})
	return v
}

// connect opens a display as a Desktop.
func connect(t testing.TB, v *Virtual) *Desktop {
	t.Helper()
	d, err := v.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return d
}

// run runs a program on the display, or skips the test if there is none.
func (v *Virtual) run(t testing.TB, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Env = append(c.Environ(), v.Env()...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, stderr.String())
	}
	return string(out)
}

// A client is a program with one window over the whole screen. It reads what is
// typed as programs do: by the mapping that the server has when the event is read.
type client struct {
	t    testing.TB
	x    *xgb.Conn
	win  xproto.Window
	gc   xproto.Gcontext
	done chan struct{}

	mu     sync.Mutex
	events []string // "press 1 at 10,20 state 0", "key a", "motion 3,4"
	typed  strings.Builder
	drawn  int
	paint  bool // a click draws a square
}

func start(t testing.TB, v *Virtual) *client {
	t.Helper()
	at, err := parseDisplay(v.Display)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := at.dial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	x, err := xgb.NewConnNet(&introduced{Conn: conn, hello: hello(cookie(v.Xauthority, at))})
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, x: x, done: make(chan struct{})}
	// Like every program of today it knows of XKB; the server folds the group into
	// the modifiers for those that don't.
	w := &wire{x: x}
	if xkb, err := w.extension("XKEYBOARD"); err != nil || w.useXKB(xkb) != nil {
		t.Fatal("the display has no XKB")
	}
	root := xproto.Setup(x).DefaultScreen(x)
	win, _ := xproto.NewWindowId(x)
	c.win = win
	mask := uint32(xproto.EventMaskKeyPress | xproto.EventMaskKeyRelease | xproto.EventMaskButtonPress | xproto.EventMaskButtonRelease |
		xproto.EventMaskPointerMotion | xproto.EventMaskExposure)
	for _, err := range []error{
		xproto.CreateWindowChecked(x, 0, win, root.Root, 0, 0, root.WidthInPixels, root.HeightInPixels, 0, xproto.WindowClassInputOutput, root.RootVisual,
			xproto.CwBackPixel|xproto.CwOverrideRedirect|xproto.CwEventMask, []uint32{0x204060, 1, mask}).Check(),
		xproto.MapWindowChecked(x, win).Check(),
		xproto.SetInputFocusChecked(x, xproto.InputFocusParent, win, xproto.TimeCurrentTime).Check(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	gc, _ := xproto.NewGcontextId(x)
	c.gc = gc
	if err := xproto.CreateGCChecked(x, gc, xproto.Drawable(win), xproto.GcForeground, []uint32{0xff8000}).Check(); err != nil {
		t.Fatal(err)
	}
	go c.read()
	t.Cleanup(func() {
		x.Close()
		conn.Close()
		<-c.done
	})
	return c
}

func (c *client) read() {
	defer close(c.done)
	for {
		e, err := c.x.WaitForEvent()
		if e == nil && err == nil {
			return
		}
		switch e := e.(type) {
		case xproto.KeyPressEvent:
			c.key(c.mapping(), e)
		case xproto.KeyReleaseEvent:
			c.log("key up %d", e.Detail)
		case xproto.ButtonPressEvent:
			c.log("press %d at %d,%d state %x", e.Detail, e.RootX, e.RootY, e.State)
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
		case xproto.ButtonReleaseEvent:
			c.log("release %d at %d,%d", e.Detail, e.RootX, e.RootY)
		case xproto.MotionNotifyEvent:
			c.log("motion %d,%d", e.RootX, e.RootY)
		}
	}
}

func (c *client) mapping() *keymap {
	setup := xproto.Setup(c.x)
	r, err := xproto.GetKeyboardMapping(c.x, setup.MinKeycode, byte(setup.MaxKeycode-setup.MinKeycode+1)).Reply()
	if err != nil {
		return &keymap{}
	}
	return &keymap{first: int(setup.MinKeycode), per: int(r.KeysymsPerKeycode), syms: r.Keysyms}
}

// key reads a key by the rules of the core protocol, with the third level on mod5
// and letters under Caps Lock.
func (c *client) key(m *keymap, e xproto.KeyPressEvent) {
	i := int(e.Detail) - m.first
	if i < 0 || i >= m.codes() {
		c.log("key ?")
		return
	}
	m.group = int(e.State >> 13 & 3)
	level := 0
	if e.State&xproto.ModMask5 != 0 {
		level = 2
	}
	if e.State&xproto.ModMaskShift != 0 {
		level++
	}
	sym := m.level(i, level)
	if sym == 0 { // a key with fewer levels, such as a modifier under a shift
		sym = m.level(i, 0)
	}
	if e.State&xproto.ModMaskLock != 0 && twoCases(m.level(i, level), m.level(i, level^1)) {
		sym = m.level(i, level^1)
	}
	c.log("key %s state %x", computer.KeyName(sym), e.State&0xff)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r := (computer.Key{Sym: sym}).Rune(); {
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

func (c *client) log(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, fmt.Sprintf(format, args...))
}

// text waits until want has been typed, or as much, and empties it.
func (c *client) text(want string) string {
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
func (c *client) wait(ok func() bool) bool {
	for deadline := time.Now().Add(guard / 4); ; time.Sleep(5 * time.Millisecond) {
		c.mu.Lock()
		done := ok()
		c.mu.Unlock()
		if done || time.Now().After(deadline) {
			return done
		}
	}
}

// saw waits until the events, motion and key releases left out, are those.
func (c *client) saw(want ...string) {
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
	c.mu.Lock()
	c.events = nil
	c.mu.Unlock()
}
