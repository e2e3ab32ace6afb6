//go:build cgo && linux && robotgo && (386 || amd64 || arm || arm64 || riscv64)

package robot_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/png"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
	"github.com/arcseat/arc/computer/robot"
	"github.com/arcseat/arc/computer/x11"
	"github.com/arcseat/arc/internal/xclient"
	"github.com/jezek/xgb"
	"go.uber.org/goleak"
)

// TestMain is also the processes in which something happens to the display.
func TestMain(m *testing.M) {
	if what := os.Getenv(childVariable); what != "" {
		os.Exit(child(what))
	}
	goleak.VerifyTestMain(m)
}

// virtual makes a display the environment's, or skips the test. Tests that have one
// do not run side by side: there is one environment, and one robotgo.
func virtual(t *testing.T, w, h int) *x11.Virtual {
	t.Helper()
	if _, err := exec.LookPath("Xvfb"); err != nil {
		t.Skip("Xvfb is not installed")
	}
	v, err := x11.StartVirtual(context.Background(), w, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Errorf("the display: %v", err)
		}
	})
	t.Setenv("DISPLAY", v.Display)
	t.Setenv("XAUTHORITY", v.Xauthority)
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("XDG_SESSION_TYPE", "")
	return v
}

func open(t testing.TB) *robot.Desktop {
	t.Helper()
	d, err := robot.Open(t.Context(), nil)
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

// start shows a client on the environment's display.
func start(t *testing.T) *xclient.Client {
	t.Helper()
	x, err := xgb.NewConn()
	if err != nil {
		t.Fatal(err)
	}
	return xclient.Start(t, x, xclient.Options{Name: computer.KeyName})
}

// run runs a program on the display, or skips the test if there is none.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return string(out)
}

func TestItKeepsTheRulesOfADesktop(t *testing.T) {
	virtual(t, 640, 480)
	c := start(t)
	computertest.Run(t, func(t testing.TB) computer.Desktop {
		c.Text("")
		return open(t)
	}, &computertest.Options{
		// What x11 types, x11 proves; here it is enough that x11 does it.
		Typed: func(_ testing.TB, want string) string { return c.Text(want) },
	})
}

// operated is a Computer on a display with a client.
func operated(t *testing.T, w, h int) (*computer.Computer, *xclient.Client) {
	t.Helper()
	virtual(t, w, h)
	c := start(t)
	d, err := robot.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	pc, err := computer.Open(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pc.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return pc, c
}

func do(ctx context.Context, pc *computer.Computer, a computer.Action) (*computer.Result, error) {
	return pc.Do(ctx, arc.Origin{Seat: "me"}, arc.Env{Model: arc.Model{Vision: true}}, computer.Args{Actions: []computer.Action{a}})
}

// Each of the 17 actions, as a program on the display sees it.
func TestWhatAProgramSeesOfEachAction(t *testing.T) {
	pc, w := operated(t, 640, 480)
	at := func(x, y int) []int { return []int{x, y} }
	done := map[computer.Kind]bool{}
	for _, c := range []struct {
		action computer.Action
		want   []string
	}{
		{computer.Action{Action: computer.Screenshot}, nil},
		{computer.Action{Action: computer.MouseMove, Coordinate: at(100, 50)}, nil},
		{computer.Action{Action: computer.LeftClick}, []string{"press 1 at 100,50 state 0", "release 1 at 100,50"}},
		{computer.Action{Action: computer.RightClick, Coordinate: at(7, 9)}, []string{"press 3 at 7,9 state 0", "release 3 at 7,9"}},
		{computer.Action{Action: computer.MiddleClick, Coordinate: at(639, 479)}, []string{"press 2 at 639,479 state 0", "release 2 at 639,479"}},
		{computer.Action{Action: computer.DoubleClick, Coordinate: at(20, 30)}, []string{
			"press 1 at 20,30 state 0", "release 1 at 20,30", "press 1 at 20,30 state 0", "release 1 at 20,30"}},
		{computer.Action{Action: computer.TripleClick, Text: "ctrl"}, []string{
			"key ctrl state 0", "press 1 at 20,30 state 4", "release 1 at 20,30", "press 1 at 20,30 state 4", "release 1 at 20,30", "press 1 at 20,30 state 4", "release 1 at 20,30"}},
		{computer.Action{Action: computer.LeftClickDrag, StartCoordinate: at(10, 10), Coordinate: at(300, 200), Text: "shift"}, []string{
			"key shift state 0", "press 1 at 10,10 state 1", "release 1 at 300,200"}},
		{computer.Action{Action: computer.LeftMouseDown, Coordinate: at(50, 60)}, []string{"press 1 at 50,60 state 0"}},
		{computer.Action{Action: computer.LeftMouseUp, Coordinate: at(70, 90)}, []string{"release 1 at 70,90"}},
		{computer.Action{Action: computer.Scroll, ScrollDirection: "down", ScrollAmount: 2}, []string{
			"press 5 at 70,90 state 0", "release 5 at 70,90", "press 5 at 70,90 state 0", "release 5 at 70,90"}},
		{computer.Action{Action: computer.Scroll, ScrollDirection: "up", ScrollAmount: 1}, []string{"press 4 at 70,90 state 0", "release 4 at 70,90"}},
		{computer.Action{Action: computer.Scroll, ScrollDirection: "right", ScrollAmount: 1}, []string{"press 7 at 70,90 state 0", "release 7 at 70,90"}},
		{computer.Action{Action: computer.Scroll, ScrollDirection: "left", ScrollAmount: 1, Coordinate: at(5, 5), Text: "shift"}, []string{
			"key shift state 0", "press 6 at 5,5 state 1", "release 6 at 5,5"}},
		{computer.Action{Action: computer.Type, Text: "hé\n"}, []string{"key h state 0", "key eacute state 0", "key Return state 0"}},
		{computer.Action{Action: computer.PressKey, Text: "ctrl+shift+T Page_Down"}, []string{
			"key ctrl state 0", "key shift state 4", "key T state 5", "key Page_Down state 0"}},
		{computer.Action{Action: computer.HoldKey, Text: "Down", Duration: 0.05}, []string{"key Down state 0"}},
		{computer.Action{Action: computer.Wait, Duration: 0.01}, nil},
		{computer.Action{Action: computer.Zoom, Region: []int{0, 0, 64, 48}}, nil},
		{computer.Action{Action: computer.LeftClick, Coordinate: at(325, 245)}, []string{"press 1 at 40,30 state 0", "release 1 at 40,30"}},
		{computer.Action{Action: computer.CursorPosition}, nil},
	} {
		r, err := do(t.Context(), pc, c.action)
		if err != nil {
			t.Fatalf("%+v: %v", c.action, err)
		}
		if r.Executed != 1 || len(r.Held) > 0 != (c.action.Action == computer.LeftMouseDown) {
			t.Errorf("%+v answers %+v", c.action, r)
		}
		w.Saw(c.want...)
		done[c.action.Action] = true
	}
	if len(done) != 17 {
		t.Errorf("%d kinds of actions were done", len(done))
	}
	if got := run(t, "xdotool", "getmouselocation", "--shell"); !strings.Contains(got, "X=40\nY=30\n") {
		t.Errorf("xdotool finds the pointer at %s", got)
	}
}

// A picture of robotgo's own would be transparent.
func TestAScreenshotIsWhatXwdSees(t *testing.T) {
	pc, w := operated(t, 320, 200)
	w.Paint()
	for _, a := range []computer.Action{
		{Action: computer.Screenshot}, {Action: computer.LeftClick, Coordinate: []int{100, 80}}, {Action: computer.MouseMove, Coordinate: []int{300, 180}},
	} {
		if _, err := do(t.Context(), pc, a); err != nil {
			t.Fatal(err)
		}
	}
	r, err := do(t.Context(), pc, computer.Action{Action: computer.Screenshot})
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(r.Image.Data))
	if err != nil || m.Bounds() != image.Rect(0, 0, 320, 200) {
		t.Fatalf("it is %v, %v", m, err)
	}
	xwd := []byte(run(t, "xwd", "-root", "-silent"))
	field := func(i int) int { return int(binary.BigEndian.Uint32(xwd[4*i:])) }
	pix := xwd[field(0)+12*field(19):]
	for y := range 200 {
		for x := range 320 {
			red, green, blue, alpha := m.At(x, y).RGBA()
			seen := binary.LittleEndian.Uint32(pix[y*field(12)+4*x:]) & 0xffffff
			same := seen == red>>8<<16|green>>8<<8|blue>>8
			if alpha != 0xffff || !same && !image.Pt(x, y).In(image.Rect(280, 160, 320, 200)) { // where the pointer is
				t.Fatalf("at %d,%d xwd has %06x", x, y, seen)
			}
		}
	}
}

func TestOneDesktopAProcess(t *testing.T) {
	virtual(t, 320, 200)
	d := open(t)
	if _, err := robot.Open(t.Context(), nil); !errors.Is(err, arc.Locked) {
		t.Errorf("a second one: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	second := open(t)
	if err := d.MoveTo(t.Context(), image.Pt(1, 1)); !errors.Is(err, arc.ShuttingDown) {
		t.Errorf("the closed one answers %v", err)
	}
	if err := second.MoveTo(t.Context(), image.Pt(2, 2)); err != nil {
		t.Error(err)
	}
}

// Wherever a call is canceled, nothing stays down on the server.
func TestACanceledDragLeavesNothingDown(t *testing.T) {
	pc, _ := operated(t, 640, 480)
	d, err := x11.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := do(t.Context(), pc, computer.Action{Action: computer.Screenshot}); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := do(ctx, pc, computer.Action{Action: computer.LeftClickDrag, StartCoordinate: []int{10, 10}, Coordinate: []int{600, 10 + 80*i}, Text: "shift"})
			ended <- err
		}()
		for held := 0; held < 2; {
			names, err := d.Held(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			held = len(names)
			if len(ended) > 0 {
				break
			}
		}
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("the drag answers %v", err)
		}
		if held, err := d.Held(t.Context()); err != nil || !slices.Equal(held, nil) {
			t.Errorf("held is %v, %v", held, err)
		}
	}
}
