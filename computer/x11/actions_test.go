//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/internal/xclient"
)

// operated is a Computer on a display with a client.
func operated(t *testing.T, w, h int) (*computer.Computer, *xclient.Client, *Virtual) {
	t.Helper()
	v := virtual(t, w, h)
	c := start(t, v)
	d, err := v.Open(t.Context())
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
	return pc, c, v
}

func do(t *testing.T, pc *computer.Computer, a computer.Action) *computer.Result {
	t.Helper()
	r, err := pc.Do(t.Context(), arc.Origin{Seat: "me"}, arc.Env{Model: arc.Model{Vision: true}}, computer.Args{Actions: []computer.Action{a}})
	if err != nil {
		t.Fatalf("%+v: %v", a, err)
	}
	return r
}

// Each of the 17 actions, as a program on the display sees it.
func TestWhatAProgramSeesOfEachAction(t *testing.T) {
	t.Parallel()
	pc, w, v := operated(t, 640, 480)
	do(t, pc, computer.Action{Action: computer.Screenshot})
	at := func(x, y int) []int { return []int{x, y} }
	for _, c := range []struct {
		action computer.Action
		want   []string
	}{
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
		{computer.Action{Action: computer.Scroll, ScrollDirection: "left", ScrollAmount: 1, Coordinate: at(5, 5), Text: "shift"}, []string{
			"key shift state 0", "press 6 at 5,5 state 1", "release 6 at 5,5"}},
		{computer.Action{Action: computer.Type, Text: "hé\n"}, []string{"key h state 0", "key eacute state 0", "key Return state 0"}},
		{computer.Action{Action: computer.PressKey, Text: "ctrl+shift+T Page_Down"}, []string{
			"key ctrl state 0", "key shift state 4", "key T state 5", "key Page_Down state 0"}},
		{computer.Action{Action: computer.PressKey, Text: "super+s"}, []string{"key super state 0", "key s state 40"}},
		{computer.Action{Action: computer.HoldKey, Text: "Down", Duration: 0.05}, []string{"key Down state 0"}},
		{computer.Action{Action: computer.Wait, Duration: 0.01}, nil},
		{computer.Action{Action: computer.Zoom, Region: []int{0, 0, 64, 48}}, nil},
		{computer.Action{Action: computer.LeftClick, Coordinate: at(325, 245)}, []string{"press 1 at 40,30 state 0", "release 1 at 40,30"}},
		{computer.Action{Action: computer.CursorPosition}, nil},
	} {
		r := do(t, pc, c.action)
		if r.Executed != 1 || len(r.Held) > 0 != (c.action.Action == computer.LeftMouseDown) {
			t.Errorf("%+v answers %+v", c.action, r)
		}
		w.Saw(c.want...)
	}
	if got := v.run(t, "xdotool", "getmouselocation", "--shell"); !strings.Contains(got, "X=40\nY=30\n") {
		t.Errorf("xdotool finds the pointer at %s", got)
	}
}

// A screenshot that is black, or another program's idea of the colours, is no help.
func TestAScreenshotIsWhatIsOnTheScreen(t *testing.T) {
	t.Parallel()
	pc, w, v := operated(t, 320, 200)
	w.Paint()
	do(t, pc, computer.Action{Action: computer.Screenshot})
	r := do(t, pc, computer.Action{Action: computer.LeftClick, Coordinate: []int{100, 80}})
	if r.Changed == nil || r.Changed.Region == nil || *r.Changed.Region != [4]int{90, 70, 110, 90} {
		t.Errorf("the click has changed %+v", r.Changed)
	}
	r = do(t, pc, computer.Action{Action: computer.MouseMove, Coordinate: []int{300, 180}})
	m, err := png.Decode(bytes.NewReader(r.Image.Data))
	if err != nil {
		t.Fatal(err)
	}
	if m.Bounds() != image.Rect(0, 0, 320, 200) {
		t.Errorf("it is %v", m.Bounds())
	}
	for at, want := range map[image.Point]string{{X: 5, Y: 5}: "204060", {X: 100, Y: 80}: "ff8000", {X: 111, Y: 80}: "204060"} {
		red, green, blue, alpha := m.At(at.X, at.Y).RGBA()
		if got := fmt.Sprintf("%02x%02x%02x", red>>8, green>>8, blue>>8); got != want || alpha != 0xffff {
			t.Errorf("at %v it is %s, want %s", at, got, want)
		}
	}
	differ := 0
	x := readXWD(t, []byte(v.run(t, "xwd", "-root", "-silent")))
	for y := range 200 {
		for at := range 320 {
			red, green, blue, _ := m.At(at, y).RGBA()
			if x(at, y) != uint32(red>>8<<16|green>>8<<8|blue>>8) {
				differ++
				if !image.Pt(at, y).In(image.Rect(280, 160, 320, 200)) {
					t.Fatalf("at %d,%d xwd has %06x", at, y, x(at, y))
				}
			}
		}
	}
	if differ == 0 { // xwd leaves it out
		t.Error("the pointer is not in the picture")
	}
}

// readXWD reads what xwd writes of a screen of 24 bits.
func readXWD(t *testing.T, b []byte) func(x, y int) uint32 {
	t.Helper()
	field := func(i int) int { return int(binary.BigEndian.Uint32(b[4*i:])) }
	if len(b) < 100 || field(2) != 2 || field(11) != 32 {
		t.Fatalf("xwd wrote %d bytes", len(b))
	}
	stride, little := field(12), field(7) == 0
	pix := b[field(0)+12*field(19):]
	return func(x, y int) uint32 {
		px := pix[y*stride+4*x:]
		if little {
			return binary.LittleEndian.Uint32(px) & 0xffffff
		}
		return binary.BigEndian.Uint32(px) & 0xffffff
	}
}

func TestAPictureWithoutSharedMemory(t *testing.T) {
	t.Parallel()
	v := virtual(t, 320, 200)
	start(t, v)
	shared, sent := connect(t, v), connect(t, v)
	sent.noShm = true
	r := image.Rect(20, 30, 250, 170)
	var a, b computer.Frame
	for _, c := range []struct {
		d *Desktop
		f *computer.Frame
	}{{shared, &a}, {sent, &b}} {
		if err := c.d.Capture(t.Context(), r, c.f); err != nil {
			t.Fatal(err)
		}
	}
	if shared.segment == nil || sent.segment != nil {
		t.Errorf("the segments are %v and %v", shared.segment, sent.segment)
	}
	if !bytes.Equal(a.Pix, b.Pix) || a.Order != b.Order {
		t.Error("the pictures differ")
	}
}
