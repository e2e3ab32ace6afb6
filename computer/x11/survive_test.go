//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
)

func middle(t testing.TB, d *Desktop) image.Point {
	t.Helper()
	s, err := d.Screen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.Bounds.Size().Div(2)
}

// reason is why something is unavailable.
func reason(err error) string {
	var e *arc.Error
	if !errors.As(err, &e) || e.Code != arc.Unavailable {
		return fmt.Sprint(err)
	}
	b, _ := json.Marshal(e.Detail)
	return string(b)
}

// A host that has no display must start, and fail only where it asks for one.
func TestThereIsNoDisplay(t *testing.T) {
	for _, name := range []string{"DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE"} {
		t.Setenv(name, "")
	}
	v := virtual(t, 320, 200)
	stranger := filepath.Join(t.TempDir(), "cookie")
	if err := os.WriteFile(stranger, newCookie(), 0o600); err != nil {
		t.Fatal(err)
	}
	deaf := filepath.Join(t.TempDir(), "x")
	l, err := net.Listen("unix", deaf+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, c := range []struct {
		name   string
		o      *Options
		reason string
	}{
		{"DISPLAY is not set", nil, "no_display"},
		{"nonsense", &Options{Display: "nonsense"}, "no_display"},
		{"no number", &Options{Display: ":x"}, "no_display"},
		{"nobody listens", &Options{Display: ":9173"}, "no_display"},
		{"no such screen", &Options{Display: v.Display + ".7", Xauthority: v.Xauthority}, "no_display"},
		{"a server that says nothing", &Options{Display: deaf + ":0"}, "no_display"},
		{"another cookie", &Options{Display: v.Display, Xauthority: stranger}, "refused"},
		{"no cookie", &Options{Display: v.Display, Xauthority: "/nonexistent"}, "refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			d, err := Open(ctx, c.o)
			if d != nil || !strings.Contains(reason(err), c.reason) {
				t.Errorf("it answers %v", reason(err))
			}
		})
	}
}

// Under Wayland the pointer and the picture are those of X windows alone.
func TestAWaylandSessionIsRefused(t *testing.T) {
	v := virtual(t, 320, 200)
	t.Setenv("DISPLAY", v.Display)
	t.Setenv("XAUTHORITY", v.Xauthority)
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	if _, err := Open(t.Context(), nil); !strings.Contains(reason(err), "unsupported_session") {
		t.Errorf("it answers %v", err)
	}
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("XDG_SESSION_TYPE", "wayland")
	if _, err := Open(t.Context(), nil); !strings.Contains(reason(err), "unsupported_session") {
		t.Errorf("it answers %v", err)
	}
	d, err := Open(t.Context(), &Options{AllowXWayland: true})
	if err != nil {
		t.Fatalf("though it is allowed: %v", err)
	}
	d.Close()
	connect(t, v) // a display that was named is meant
}

func TestAServerThatDies(t *testing.T) {
	t.Parallel()
	v := virtual(t, 320, 200)
	d := connect(t, v)
	if err := v.group.Kill(); err != nil {
		t.Fatal(err)
	}
	<-v.group.Done()
	var f computer.Frame
	_, screenErr := d.Screen(t.Context())
	for name, err := range map[string]error{
		"Screen": screenErr, "Capture": d.Capture(t.Context(), image.Rect(0, 0, 10, 10), &f), "MoveTo": d.MoveTo(t.Context(), image.Pt(1, 1)),
		"Key": d.Key(t.Context(), computer.Key{Name: "a", Sym: 'a'}, true), "Text": d.Text(t.Context(), "words"),
		"Button": d.Button(t.Context(), computer.Left, true, 1), "Wheel": d.Wheel(t.Context(), 0, 3),
	} {
		if !errors.Is(err, computer.DisplayLost) {
			t.Errorf("%s answers %v", name, err)
		}
	}
}

func TestAServerThatHangs(t *testing.T) {
	t.Parallel()
	v := virtual(t, 320, 200)
	d := connect(t, v)
	if err := syscall.Kill(v.group.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(v.group.PID(), syscall.SIGCONT)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var f computer.Frame
	for _, err := range []error{d.Capture(ctx, image.Rect(0, 0, 10, 10), &f), d.MoveTo(ctx, image.Pt(1, 1))} {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it answers %v", err)
		}
	}
	// One that nobody limits ends too, though the picture before it has no answer yet.
	ended := make(chan error, 1)
	go func() { ended <- d.Capture(context.Background(), image.Rect(0, 0, 10, 10), new(computer.Frame)) }()
	select {
	case err := <-ended:
		if !errors.Is(err, computer.DisplayLost) {
			t.Errorf("without a limit it answers %v", err)
		}
	case <-time.After(guard):
		t.Error("it waits for ever")
	}
	if err := d.Close(); err != nil { // nor does closing wait for it
		t.Error(err)
	}
}

func TestAScreenThatShrinks(t *testing.T) {
	t.Parallel()
	v := virtual(t, 800, 600)
	d := connect(t, v)
	pc, err := computer.Open(t.Context(), d, &computer.Options{FirstChange: -1})
	if err != nil {
		t.Fatal(err)
	}
	do := func(a computer.Action) (*computer.Result, error) {
		return pc.Do(t.Context(), arc.Origin{}, arc.Env{Model: arc.Model{Vision: true}}, computer.Args{Actions: []computer.Action{a}})
	}
	if _, err := do(computer.Action{Action: computer.Screenshot}); err != nil {
		t.Fatal(err)
	}
	shrink(t, d, 640, 480)
	var f computer.Frame
	if err := d.Capture(t.Context(), image.Rect(0, 0, 800, 600), &f); !errors.Is(err, computer.Backend) {
		t.Errorf("a picture of what was there: %v", err)
	}
	r, err := do(computer.Action{Action: computer.LeftClick, Coordinate: []int{700, 500}})
	if !errors.Is(err, computer.StaleFrame) || r.Image == nil || r.Frame.Width != 640 || r.Frame.Height != 480 {
		t.Errorf("a click in the old picture: %+v, %v", r, err)
	}
	if _, err := do(computer.Action{Action: computer.LeftClick, Coordinate: []int{600, 400}}); err != nil {
		t.Errorf("a click in the new one: %v", err)
	}
}

// shrink gives the screen another size: RANDR's SetScreenSize, after its one output
// was turned off.
func shrink(t *testing.T, d *Desktop, w, h uint16) {
	t.Helper()
	err := d.wire.call(t.Context(), func() error {
		randr, err := d.wire.extension("RANDR")
		if err != nil || randr == 0 {
			return errors.New("the display has no RANDR")
		}
		version := request(randr, 0, 8)
		version[4], version[8] = 1, 3
		if _, err := d.wire.ask(version); err != nil {
			return err
		}
		resources := request(randr, 8, 4)
		binary.LittleEndian.PutUint32(resources[4:], uint32(d.root))
		r, err := d.wire.ask(resources)
		if err != nil {
			return err
		}
		for i := range int(binary.LittleEndian.Uint16(r[16:])) { // crtcs
			off := request(randr, 21, 24)
			copy(off[4:8], r[32+4*i:])
			copy(off[12:16], r[12:16])
			off[24] = 1
			if _, err := d.wire.ask(off); err != nil {
				return err
			}
		}
		size := request(randr, 7, 16)
		binary.LittleEndian.PutUint32(size[4:], uint32(d.root))
		for i, v := range []uint16{w, h} {
			binary.LittleEndian.PutUint16(size[8+2*i:], v)
			size[12+4*i] = 100
		}
		d.wire.send(size)
		return nil
	})
	if err == nil {
		err = d.wire.sync(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A screen of few colours would come out as noise.
func TestAScreenOfFewColoursIsRefused(t *testing.T) {
	t.Parallel()
	for _, depth := range []string{"8", "16"} {
		server, err := exec.LookPath("Xvfb")
		if err != nil {
			t.Skip("Xvfb is not installed")
		}
		v := &Virtual{dir: t.TempDir()}
		v.Xauthority = filepath.Join(v.dir, "cookie")
		if err := v.start(t.Context(), server, "320x200x"+depth); err != nil {
			t.Fatal(err)
		}
		_, err = v.Open(t.Context())
		if !strings.Contains(reason(err), "depth") {
			t.Errorf("%s bits: %v", depth, err)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}
