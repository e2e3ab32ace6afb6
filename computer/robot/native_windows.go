//go:build cgo

package robot

import (
	"errors"
	"image"
	"unicode/utf16"
	"unsafe"

	"github.com/arcseat/arc/computer"
	"github.com/go-vgo/robotgo"
	"golang.org/x/sys/windows"
)

// permitted is always so: Windows drops what is sent to the windows of programs with
// more rights, and tells nobody.
func permitted() error { return nil }

// scale is 1: the size of the screen, pictures and the pointer of a process are all
// in the same pixels, whatever it knows of the screen's scaling.
func scale() int { return 1 }

var (
	user32       = windows.NewLazySystemDLL("user32.dll")
	setCursorPos = user32.NewProc("SetCursorPos")
	getCursorPos = user32.NewProc("GetCursorPos")
)

// where asks the system itself: robotgo multiplies by the scaling of the window that
// is in front.
func where() image.Point {
	var p struct{ x, y int32 }
	if ok, _, _ := getCursorPos.Call(uintptr(unsafe.Pointer(&p))); ok == 0 {
		return location()
	}
	return image.Pt(int(p.x), int(p.y))
}

// moveTo has the system do it, for the same reason.
func (d *Desktop) moveTo(p image.Point) error {
	if ok, _, err := setCursorPos.Call(uintptr(p.X), uintptr(p.Y)); ok == 0 {
		return err
	}
	return nil
}

// button does not need to know of the clicks before: Windows counts them itself.
func (d *Desktop) button(b computer.Button, down bool, _ int) error { return toggle(b, down) }

// mouseInput is INPUT with a MOUSEINPUT.
type mouseInput struct {
	kind        uint32
	dx, dy      int32
	data        uint32
	flags, time uint32
	extra       uintptr
}

// turnWheel sends the wheel's other axis itself: robotgo sends both as the first.
func turnWheel(dx, dy int) error {
	const (
		notch  = 120    // WHEEL_DELTA
		hwheel = 0x1000 // MOUSEEVENTF_HWHEEL
	)
	if dy != 0 {
		robotgo.Scroll(0, -dy, 0)
	}
	if dx == 0 {
		return nil
	}
	in := mouseInput{data: uint32(int32(dx * notch)), flags: hwheel}
	if n := robotgo.SendInput(1, unsafe.Pointer(&in), int32(unsafe.Sizeof(in))); n != 1 {
		return errors.New("the system took no input")
	}
	return nil
}

// flags of a key: none, since those that are down are down for all.
func (d *Desktop) flags(way, _ string) []any { return []any{way} }

// typeText types a character that may be of two UTF-16 units, which robotgo cuts to
// one.
func typeText(r rune) {
	for _, unit := range utf16.AppendRune(nil, r) {
		robotgo.UnicodeType(uint32(unit))
	}
}
