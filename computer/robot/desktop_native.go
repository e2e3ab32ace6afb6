//go:build cgo && (darwin || windows)

package robot

import (
	"context"
	"fmt"
	"image"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/robot/internal/keys"
	"github.com/arcseat/arc/internal/cancel"
	"github.com/go-vgo/robotgo"
)

var (
	_ computer.Desktop = (*Desktop)(nil)
	_ computer.Checker = (*Desktop)(nil)
)

// A Desktop is the main screen of this machine, in pixels from its upper left corner.
type Desktop struct {
	closed atomic.Bool

	// What is down because of us; used within a turn.
	buttons map[computer.Button]bool
	keys    []string        // names, in the order of their pressing
	shifts  map[string]bool // keys that shift was pressed for

	// asked is where the pointer was sent, and at where it then was, in the system's
	// units: those may be coarser than pixels.
	asked, at image.Point
	sent      bool

	mu     sync.Mutex
	screen computer.Screen
}

// Open takes the desktop of this machine.
func Open(ctx context.Context, _ *Options) (*Desktop, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := take(); err != nil {
		return nil, err
	}
	d := &Desktop{buttons: make(map[computer.Button]bool), shifts: make(map[string]bool)}
	if err := permitted(); err != nil {
		give()
		return nil, err
	}
	return d, nil
}

// Check implements computer.Checker.
func (d *Desktop) Check(ctx context.Context) error {
	return d.robotgo(ctx, permitted)
}

func never() bool { return false }

// robotgo calls f, which uses robotgo.
func (d *Desktop) robotgo(ctx context.Context, f func() error) error {
	return engine.turn.do(ctx, never, func() error {
		if d.closed.Load() {
			return shutDown()
		}
		return f()
	})
}

// OS implements computer.Desktop.
func (d *Desktop) OS() string { return runtime.GOOS }

// Screen implements computer.Desktop.
func (d *Desktop) Screen(ctx context.Context) (computer.Screen, error) {
	err := d.robotgo(ctx, func() error {
		w, h := robotgo.GetScreenSize()
		r := image.Rectangle{Max: image.Pt(w, h).Mul(scale())}
		d.mu.Lock()
		defer d.mu.Unlock()
		if r.Empty() {
			return unavailable("no_display", "this machine has no screen now; go on without the desktop.")
		}
		if d.screen.Bounds != r {
			d.screen = computer.Screen{Bounds: r, Gen: d.screen.Gen + 1}
		}
		return nil
	})
	if err != nil {
		return computer.Screen{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.screen, nil
}

// Capture implements computer.Desktop.
func (d *Desktop) Capture(ctx context.Context, r image.Rectangle, f *computer.Frame) error {
	screen, err := d.Screen(ctx)
	if err != nil {
		return err
	}
	if r.Empty() || !r.In(screen.Bounds) {
		return &arc.Error{Code: computer.Backend, Message: fmt.Sprintf("%v is not on the screen, which may have become smaller; take a screenshot.", r)}
	}
	got := make(chan *computer.Frame, 1)
	err = d.robotgo(ctx, func() error {
		picture, err := grab(r)
		got <- picture
		return err
	})
	if err != nil {
		return err
	}
	*f = *<-got
	return nil
}

// grab captures r. The picture may be of another size than was asked for, as that of
// a scaled screen is; each pixel is then that of the nearest.
func grab(r image.Rectangle) (*computer.Frame, error) {
	s := scale()
	units := image.Rectangle{Min: r.Min.Div(s), Max: r.Max.Add(image.Pt(s-1, s-1)).Div(s)}
	bitmap := robotgo.CaptureScreen(units.Min.X, units.Min.Y, units.Dx(), units.Dy())
	if bitmap == nil {
		return nil, &arc.Error{Code: computer.Backend, Message: "the system gave no picture of the screen, which may be locked; try again later."}
	}
	defer robotgo.FreeBitmap(bitmap)
	b := robotgo.ToBitmap(bitmap)
	if b.ImgBuf == nil || b.BytesPerPixel != 4 || b.Width < 1 || b.Height < 1 || b.Bytewidth < 4*b.Width {
		return nil, fmt.Errorf("a picture of %d×%d has %d bytes a pixel", b.Width, b.Height, b.BytesPerPixel)
	}
	pix := unsafe.Slice(b.ImgBuf, b.Bytewidth*b.Height)
	from := units.Min.Mul(s)
	size := units.Size().Mul(s) // that the picture stands for
	f := &computer.Frame{Order: computer.BGRX}
	f.Resize(r.Dx(), r.Dy())
	for y := range f.H {
		row := pix[(r.Min.Y+y-from.Y)*b.Height/size.Y*b.Bytewidth:]
		to := f.Pix[y*f.Stride:]
		for x := range f.W {
			at := 4 * ((r.Min.X + x - from.X) * b.Width / size.X)
			copy(to[4*x:4*x+4], row[at:at+4])
		}
	}
	return f, nil
}

// Pointer implements computer.Desktop.
func (d *Desktop) Pointer(ctx context.Context) (image.Point, error) {
	p := make(chan image.Point, 1)
	err := d.robotgo(ctx, func() error {
		at := where()
		if d.sent && at == d.at {
			p <- d.asked
		} else {
			p <- at.Mul(scale())
		}
		return nil
	})
	if err != nil {
		return image.Point{}, err
	}
	return <-p, nil
}

// MoveTo implements computer.Desktop.
func (d *Desktop) MoveTo(ctx context.Context, p image.Point) error {
	return d.robotgo(ctx, func() error {
		if err := d.moveTo(p.Div(scale())); err != nil {
			return err
		}
		d.asked, d.at, d.sent = p, where(), true
		return nil
	})
}

// Button implements computer.Desktop.
func (d *Desktop) Button(ctx context.Context, b computer.Button, down bool, clicks int) error {
	return d.robotgo(ctx, func() error {
		if err := d.button(b, down, clicks); err != nil {
			return err
		}
		d.buttons[b] = down
		return nil
	})
}

// Wheel implements computer.Desktop.
func (d *Desktop) Wheel(ctx context.Context, dx, dy int) error {
	return d.robotgo(ctx, func() error { return turnWheel(dx, dy) })
}

// Key implements computer.Desktop.
func (d *Desktop) Key(ctx context.Context, k computer.Key, down bool) error {
	return d.robotgo(ctx, func() error {
		name, shift, ok := keys.Name(k.Sym)
		if !ok {
			return &arc.Error{
				Code: computer.UnknownKey, Message: "this desktop's keyboard has no such key; nothing was pressed, so use another.",
				Detail: map[string]string{"key": k.Name},
			}
		}
		if !down {
			return d.lift(name)
		}
		if shift && !slices.ContainsFunc(d.keys, func(n string) bool { return keys.Flag(n) == "shift" }) {
			if err := d.press("lshift"); err != nil {
				return err
			}
			d.shifts[name] = true
		}
		return d.press(name)
	})
}

func (d *Desktop) press(name string) error {
	if err := robotgo.KeyToggle(name, d.flags("down", name)...); err != nil {
		return &arc.Error{Code: computer.UnknownKey, Message: "this desktop's keyboard has no such key; use another.", Detail: map[string]string{"key": name}, Err: err}
	}
	d.keys = append(d.keys, name)
	return nil
}

func (d *Desktop) lift(name string) error {
	err := robotgo.KeyToggle(name, "up")
	d.keys = slices.DeleteFunc(d.keys, func(n string) bool { return n == name })
	if err == nil && d.shifts[name] {
		delete(d.shifts, name)
		return d.lift("lshift")
	}
	return err
}

// Text implements computer.Desktop.
func (d *Desktop) Text(ctx context.Context, s string) error {
	for _, r := range s {
		if err := d.robotgo(ctx, func() error { return d.typeRune(r) }); err != nil {
			return err
		}
		if err := cancel.Sleep(ctx, typeGap); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// typeRune types one character: keys as keys, all else as the system takes text.
func (d *Desktop) typeRune(r rune) error {
	switch r {
	case '\n', '\t', '\b', '\x1b':
		name, _, _ := keys.Name(computer.RuneSym(r))
		if err := robotgo.KeyToggle(name, "down"); err != nil {
			return err
		}
		return robotgo.KeyToggle(name, "up")
	}
	typeText(r)
	return nil
}

// typeGap is the time from one character to the next.
const typeGap = time.Millisecond

// Close implements computer.Desktop.
func (d *Desktop) Close() error {
	if !d.closed.Swap(true) {
		give()
	}
	return nil
}
