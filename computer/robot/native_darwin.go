//go:build cgo

package robot

/*
#cgo LDFLAGS: -framework ApplicationServices -framework CoreGraphics
#include <ApplicationServices/ApplicationServices.h>

static int arc_may_see(void) { return CGPreflightScreenCaptureAccess(); }
static int arc_may_operate(void) { return AXIsProcessTrusted(); }

// arc_type types up to two UTF-16 units as one key.
static void arc_type(UniChar *units, int n) {
	for (int down = 1; down >= 0; down--) {
		CGEventRef e = CGEventCreateKeyboardEvent(NULL, 0, down);
		if (!e)
			return;
		CGEventSetFlags(e, 0);
		CGEventKeyboardSetUnicodeString(e, n, units);
		CGEventPost(kCGHIDEventTap, e);
		CFRelease(e);
	}
}
*/
import "C"

import (
	"image"
	"slices"
	"unicode/utf16"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/robot/internal/keys"
	"github.com/go-vgo/robotgo"
)

// notch is how far the page goes for a notch of a wheel; robotgo's unit is a pixel.
const notch = 100

// permitted asks what the system lets this program do. Without leave its pictures are
// of the wallpaper, and what it sends goes nowhere; in both cases without an error.
func permitted() error {
	switch {
	case C.arc_may_see() == 0:
		return missing("screen_recording", "macOS does not let this program see the screen; ask the operator to allow it in the privacy settings under Screen Recording, and to restart it.")
	case C.arc_may_operate() == 0:
		return missing("accessibility", "macOS does not let this program operate the desktop; ask the operator to allow it in the privacy settings under Accessibility.")
	}
	return nil
}

func missing(permission, message string) error {
	return &arc.Error{Code: computer.PermissionMissing, Message: message, Detail: map[string]string{"permission": permission}}
}

// scale is how many pixels make a point. The pointer goes by points.
func scale() int { return max(1, int(robotgo.SysScale()+0.5)) }

// where is in points.
func where() image.Point { return location() }

// moveTo drags if a button is down: macOS tells programs of the one or of the other.
// Drag is called deprecated; of robotgo's functions it alone sends one such event.
func (d *Desktop) moveTo(p image.Point) error {
	for _, b := range []computer.Button{computer.Left, computer.Right, computer.Middle} {
		if d.buttons[b] {
			robotgo.Drag(p.X, p.Y, buttonNames[b])
			return nil
		}
	}
	robotgo.Move(p.X, p.Y)
	return nil
}

// button tells the system the number of a click, from the second on. robotgo can do
// that for both halves of a click at once, so that releasing it does nothing.
func (d *Desktop) button(b computer.Button, down bool, clicks int) error {
	switch {
	case clicks < 2:
		return toggle(b, down)
	case !down:
		return nil
	case int(b) >= len(buttonNames) || buttonNames[b] == "":
		return toggle(b, down) // which refuses it
	}
	return robotgo.MultiClick(buttonNames[b], clicks)
}

func turnWheel(dx, dy int) error {
	robotgo.Scroll(-dx*notch, -dy*notch, 0)
	return nil
}

// flags of a key are the modifiers that are down: macOS does not add them itself. A
// release has none, or robotgo would release those too.
func (d *Desktop) flags(way, name string) []any {
	out := []any{way}
	for _, down := range d.keys {
		if f := keys.Flag(down); f != "" && down != name && !slices.Contains(out, any(f)) {
			out = append(out, f)
		}
	}
	return out
}

// typeText types a character that may be of two UTF-16 units, which robotgo cuts to
// one.
func typeText(r rune) {
	units := utf16.AppendRune(nil, r)
	if len(units) == 1 {
		robotgo.UnicodeType(uint32(units[0]))
		return
	}
	C.arc_type((*C.UniChar)(&units[0]), C.int(len(units)))
}
