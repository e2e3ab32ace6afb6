//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"context"
	"encoding/binary"
	"image"
	"os"
	"runtime"
	"sync"

	"github.com/arcseat/arc/computer"
	"github.com/jezek/xgb/xproto"
)

var (
	_ computer.Desktop  = (*Desktop)(nil)
	_ computer.Holder   = (*Desktop)(nil)
	_ computer.Pictured = (*Desktop)(nil)
	_ computer.Viewer   = (*Desktop)(nil)
)

// A Desktop is one screen of an X display.
type Desktop struct {
	wire  *wire
	root  xproto.Window
	order computer.PixOrder

	xtest, xkb, xfixes, shm byte // opcodes; all but the first may be 0

	capture chan struct{} // holds one value while segment is used
	segment *segment      // nil: none yet, or none possible
	noShm   bool

	input    chan struct{} // holds one value while the keyboard is used
	pressed  map[uint32]stroke
	borrowed []byte // codes that are mapped for keys that are down

	mu     sync.Mutex
	screen computer.Screen
}

// Open connects to a display and looks whether it can be operated.
func Open(ctx context.Context, o *Options) (*Desktop, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.Display == "" {
		opts.Display = os.Getenv("DISPLAY")
		if !opts.AllowXWayland && (os.Getenv("WAYLAND_DISPLAY") != "" || os.Getenv("XDG_SESSION_TYPE") == "wayland") {
			return nil, wayland()
		}
	}
	w, err := dial(ctx, opts)
	if err != nil {
		return nil, err
	}
	d := &Desktop{
		wire: w, capture: make(chan struct{}, 1), input: make(chan struct{}, 1), pressed: make(map[uint32]stroke),
	}
	if err := w.call(ctx, func() error { return d.look(opts) }); err != nil {
		w.close()
		return nil, err
	}
	return d, nil
}

func wayland() error {
	return unavailable("unsupported_session", "this is a Wayland session, whose screen an X client cannot see; log in to an X11 session to use the desktop.")
}

// look asks for what the server has.
func (d *Desktop) look(o Options) error {
	setup := xproto.Setup(d.wire.x)
	if n := d.wire.x.DefaultScreen; n >= len(setup.Roots) {
		return unavailable("no_display", "the X display has %d screens and not the one that was asked for.", len(setup.Roots))
	}
	root := setup.Roots[d.wire.x.DefaultScreen]
	d.root = root.Root
	var err error
	if d.order, err = pixOrder(setup, root); err != nil {
		return err
	}
	for _, x := range []struct {
		name string
		to   *byte
	}{{"XTEST", &d.xtest}, {"XKEYBOARD", &d.xkb}, {"XFIXES", &d.xfixes}, {"MIT-SHM", &d.shm}} {
		if *x.to, err = d.wire.extension(x.name); err != nil {
			return err
		}
	}
	if d.xtest == 0 {
		return unavailable("extension", "the X display has no XTEST extension, so nothing can be sent to it.")
	}
	if through, err := d.wire.extension("XWAYLAND"); err != nil {
		return err
	} else if through != 0 && !o.AllowXWayland {
		return wayland()
	}
	if d.xkb != 0 {
		if err := d.wire.useXKB(d.xkb); err != nil {
			return err
		}
	}
	if d.xfixes != 0 {
		return d.wire.useXFixes(d.xfixes)
	}
	return nil
}

// pixOrder is how the server's pixels are ordered. Those that are not four bytes
// with one for each colour are refused: what they would come out as is no picture.
func pixOrder(setup *xproto.SetupInfo, root xproto.ScreenInfo) (computer.PixOrder, error) {
	bits := byte(0)
	for _, f := range setup.PixmapFormats {
		if f.Depth == root.RootDepth {
			bits = f.BitsPerPixel
		}
	}
	var red, green, blue uint32
	for _, depth := range root.AllowedDepths {
		for _, v := range depth.Visuals {
			if v.VisualId == root.RootVisual {
				red, green, blue = v.RedMask, v.GreenMask, v.BlueMask
			}
		}
	}
	if bits == 32 && green == 0xff00 && setup.ImageByteOrder == xproto.ImageOrderLSBFirst {
		switch {
		case red == 0xff0000 && blue == 0xff:
			return computer.BGRX, nil
		case red == 0xff && blue == 0xff0000:
			return computer.RGBX, nil
		}
	}
	return 0, unavailable("depth", "the X display has %d bits a pixel; it has to be one of 24 for screenshots.", root.RootDepth)
}

// OS implements computer.Desktop. Displays of other machines are taken for ones of
// this machine's system.
func (d *Desktop) OS() string { return runtime.GOOS }

// Screen implements computer.Desktop.
func (d *Desktop) Screen(ctx context.Context) (computer.Screen, error) {
	var size image.Point
	err := d.wire.call(ctx, func() error {
		g, err := xproto.GetGeometry(d.wire.x, xproto.Drawable(d.root)).Reply()
		if err == nil {
			size = image.Pt(int(g.Width), int(g.Height))
		}
		return err
	})
	if err != nil {
		return computer.Screen{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := (image.Rectangle{Max: size}); d.screen.Bounds != r {
		d.screen = computer.Screen{Bounds: r, Gen: d.screen.Gen + 1}
	}
	return d.screen, nil
}

// state is where the pointer is, and which modifiers, buttons and group are on.
func (d *Desktop) state(ctx context.Context) (at image.Point, mask uint16, err error) {
	err = d.wire.call(ctx, func() error {
		p, err := xproto.QueryPointer(d.wire.x, d.root).Reply()
		if err == nil {
			at, mask = image.Pt(int(p.RootX), int(p.RootY)), p.Mask
		}
		return err
	})
	return at, mask, err
}

// Pointer implements computer.Desktop.
func (d *Desktop) Pointer(ctx context.Context) (image.Point, error) {
	at, _, err := d.state(ctx)
	return at, err
}

// MoveTo implements computer.Desktop.
func (d *Desktop) MoveTo(ctx context.Context, p image.Point) error {
	return d.wire.input(ctx, func() { d.fakeInput(xproto.MotionNotify, 0, int16(p.X), int16(p.Y)) })
}

// xButtons are X's numbers; 4 to 7 are the wheel.
var xButtons = [...]byte{computer.Left: 1, computer.Middle: 2, computer.Right: 3}

// Button implements computer.Desktop. X counts clicks itself.
func (d *Desktop) Button(ctx context.Context, b computer.Button, down bool, _ int) error {
	if int(b) >= len(xButtons) || xButtons[b] == 0 {
		return unavailable("button", "there is no such button.")
	}
	event := byte(xproto.ButtonRelease)
	if down {
		event = xproto.ButtonPress
	}
	return d.wire.input(ctx, func() { d.fakeInput(event, xButtons[b], 0, 0) })
}

// Wheel implements computer.Desktop.
func (d *Desktop) Wheel(ctx context.Context, dx, dy int) error {
	return d.wire.input(ctx, func() {
		for _, axis := range []struct {
			n           int
			forth, back byte
		}{{dy, 5, 4}, {dx, 7, 6}} {
			button := axis.forth
			if axis.n < 0 {
				button = axis.back
			}
			for range max(axis.n, -axis.n) {
				d.fakeInput(xproto.ButtonPress, button, 0, 0)
				d.fakeInput(xproto.ButtonRelease, button, 0, 0)
			}
		}
	})
}

// Cursor implements computer.Pictured. Without XFIXES there is nothing to see.
func (d *Desktop) Cursor(ctx context.Context) (computer.Cursor, error) {
	if d.xfixes == 0 {
		return computer.Cursor{}, ctx.Err()
	}
	var c computer.Cursor
	err := d.wire.call(ctx, func() error {
		b, err := d.wire.ask(request(d.xfixes, 4, 0)) // GetCursorImage
		if err != nil {
			return err
		}
		n := func(at int) int { return int(binary.LittleEndian.Uint16(b[at:])) }
		size := image.Pt(n(12), n(14))
		at := image.Pt(int(int16(n(8)))-n(16), int(int16(n(10)))-n(18))
		if len(b) < 32+4*size.X*size.Y {
			return nil
		}
		c.Bounds = image.Rectangle{Min: at, Max: at.Add(size)}
		for px := b[32 : 32+4*size.X*size.Y]; len(px) > 0; px = px[4:] {
			c.ARGB = append(c.ARGB, binary.LittleEndian.Uint32(px))
		}
		return nil
	})
	return c, err
}

// Close implements computer.Desktop.
func (d *Desktop) Close() error {
	d.wire.close()
	d.capture <- struct{}{}
	defer func() { <-d.capture }()
	d.segment.free()
	d.segment = nil
	return nil
}
