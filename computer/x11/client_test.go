//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"bytes"
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/internal/xclient"
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

// start shows a client on the display. Like every program of today it knows of XKB;
// the server folds the group into the modifiers for those that don't.
func start(t testing.TB, v *Virtual) *xclient.Client {
	t.Helper()
	at, err := parseDisplay(v.Display)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := at.dial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	x, err := xgb.NewConnNet(&introduced{Conn: conn, hello: hello(cookie(v.Xauthority, at))})
	if err != nil {
		t.Fatal(err)
	}
	return xclient.Start(t, x, xclient.Options{
		Level: func(row []xproto.Keysym, group, level int) uint32 {
			return (&keymap{per: len(row), syms: row, group: group}).level(0, level)
		},
		Name: computer.KeyName,
		Ready: func(x *xgb.Conn) {
			w := &wire{x: x}
			if xkb, err := w.extension("XKEYBOARD"); err != nil || w.useXKB(xkb) != nil {
				t.Fatal("the display has no XKB")
			}
		},
	})
}
