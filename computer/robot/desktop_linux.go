//go:build cgo && robotgo && (386 || amd64 || arm || arm64 || riscv64)

package robot

import (
	"context"
	"errors"
	"image"
	"os"
	"strings"
	"sync/atomic"

	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/x11"
	"github.com/go-vgo/robotgo"
)

var (
	_ computer.Desktop  = (*Desktop)(nil)
	_ computer.Holder   = (*Desktop)(nil)
	_ computer.Pictured = (*Desktop)(nil)
	_ computer.Viewer   = (*Desktop)(nil)
)

// A Desktop is the desktop of this process's session. Of what it embeds it uses the
// keyboard, the pictures, and the knowledge of what is down; its connection is also
// how each call sees whether the display still lives.
type Desktop struct {
	*x11.Desktop
	closed atomic.Bool
}

// Open connects to the display twice: in Go, which fails with an error where Xlib
// would end the process, and then as robotgo does.
func Open(ctx context.Context, o *Options) (*Desktop, error) {
	if o == nil {
		o = &Options{}
	}
	x, err := x11.Open(ctx, &x11.Options{AllowXWayland: o.AllowXWayland})
	if err != nil {
		return nil, err
	}
	if err := take(); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	d := &Desktop{Desktop: x}
	display := os.Getenv("DISPLAY")
	err = d.robotgo(ctx, func() error {
		if got := connect(); !sameDisplay(got, display) {
			// It takes :0 where it cannot have the one that was meant.
			robotgo.CloseMainDisplay()
			return unavailable("no_display", "robotgo cannot open the display; use x11.")
		}
		return nil
	})
	if err == nil {
		return d, nil
	}
	if dead() {
		err = unavailable("engine", "the display that robotgo had in this process has ended; restart the host, or use x11.")
	}
	give()
	return nil, errors.Join(err, x.Close())
}

// sameDisplay compares names of displays; the first screen need not be named.
func sameDisplay(a, b string) bool {
	return a != "" && strings.TrimSuffix(a, ".0") == strings.TrimSuffix(b, ".0")
}

// robotgo calls f, which uses robotgo, if the display lives.
func (d *Desktop) robotgo(ctx context.Context, f func() error) error {
	return engine.turn.do(ctx, dead, func() error {
		switch _, err := d.Desktop.Pointer(ctx); {
		case err != nil:
			return err
		case d.closed.Load():
			return shutDown()
		case dead():
			return lost(errors.New("the display ended during an earlier call"))
		}
		if err := f(); err != nil {
			return err
		}
		return refused()
	})
}

// Pointer implements computer.Desktop.
func (d *Desktop) Pointer(ctx context.Context) (p image.Point, err error) {
	at := make(chan image.Point, 1)
	if err := d.robotgo(ctx, func() error { at <- location(); return nil }); err != nil {
		return image.Point{}, err
	}
	return <-at, nil
}

// MoveTo implements computer.Desktop.
func (d *Desktop) MoveTo(ctx context.Context, p image.Point) error {
	return d.robotgo(ctx, func() error { robotgo.Move(p.X, p.Y); return nil })
}

// Button implements computer.Desktop. X counts clicks itself.
func (d *Desktop) Button(ctx context.Context, b computer.Button, down bool, _ int) error {
	return d.robotgo(ctx, func() error { return toggle(b, down) })
}

// Wheel implements computer.Desktop. robotgo's axes point left and up.
func (d *Desktop) Wheel(ctx context.Context, dx, dy int) error {
	return d.robotgo(ctx, func() error { robotgo.Scroll(-dx, -dy, 0); return nil })
}

// Close implements computer.Desktop.
func (d *Desktop) Close() error {
	if d.closed.Swap(true) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	// A display that cannot be closed has died, as the next Open will find.
	_ = engine.turn.do(ctx, dead, func() error {
		_, err := d.Desktop.Pointer(ctx)
		if err == nil && !dead() {
			robotgo.CloseMainDisplay()
		}
		return err
	})
	give()
	return d.Desktop.Close()
}
