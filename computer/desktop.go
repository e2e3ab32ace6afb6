package computer

import (
	"context"
	"image"
)

// A Desktop is what a machine's screen, pointer and keyboard look like to this
// package; computer/x11 is one. Implementations are thin: frames, key names,
// limits, waiting and held keys are dealt with above them.
//
// Points are native pixels in root coordinates, those of Screen.Bounds. A
// Desktop is safe for concurrent use, though a [Computer] makes one call at a
// time. Every method returns soon after ctx ends, and then with an error; the
// errors are [*arc.Error] with the codes display_lost, permission_missing,
// unknown_key, untypable_text, shutting_down, unavailable or backend, or ctx's
// own; anything else becomes backend. Package computertest has the suite.
type Desktop interface {
	// Screen says how large the screen is now.
	Screen(ctx context.Context) (Screen, error)

	// Capture copies r, which lies inside the bounds, into f without the pointer.
	// It reuses f.Pix where that is large enough. A screen that has shrunk since
	// is an error, never a crash.
	Capture(ctx context.Context, r image.Rectangle, f *Frame) error

	// Pointer says where the pointer is.
	Pointer(ctx context.Context) (image.Point, error)

	// MoveTo puts the pointer on p, in one step.
	MoveTo(ctx context.Context, p image.Point) error

	// Button presses or releases b. clicks is 1 for a click of its own, 2 for the
	// second of a double click, 3 for the third; some systems need to be told.
	// Releasing what is not down is no error.
	Button(ctx context.Context, b Button, down bool, clicks int) error

	// Wheel turns the wheel: dx notches to the right, dy notches down, either may
	// be negative.
	Wheel(ctx context.Context, dx, dy int) error

	// Key presses or releases k. A Key that needs a shift level presses what it
	// needs, unless that is down already, and releases it with the key. A key that
	// the desktop does not have is unknown_key, and nothing is pressed.
	Key(ctx context.Context, k Key, down bool) error

	// Text types s whatever the keyboard's layout: what arrives is s. \n is Return,
	// \t is Tab, \b is Backspace and \x1b is Escape; other controls do not occur.
	// It leaves the keyboard as it was, also when ctx ends half-way.
	Text(ctx context.Context, s string) error

	// OS is the system of the desktop, in the words of runtime.GOOS; it may be
	// another machine's.
	OS() string

	// Close lets go of the desktop. Later calls answer shutting_down; closing
	// twice is fine.
	Close() error
}

// A Screen is the size of a desktop.
type Screen struct {
	Bounds image.Rectangle // native pixels, root coordinates
	Gen    uint64          // another one whenever Bounds or the layout has changed
}

// PixOrder says how the four bytes of a pixel are ordered. The fourth has no
// meaning.
type PixOrder uint8

const (
	BGRX PixOrder = iota // blue first
	RGBX                 // red first
)

// A Frame is a captured picture. It belongs to whoever passed it to Capture.
type Frame struct {
	W, H   int      // pixels
	Stride int      // bytes from one row to the next
	Pix    []byte   // rows from the top, four bytes a pixel
	Order  PixOrder // of those four
}

// Resize makes f a w×h frame with rows that follow each other, and keeps the
// memory of Pix where that is large enough.
func (f *Frame) Resize(w, h int) {
	f.W, f.H, f.Stride = w, h, 4*w
	if n := f.Stride * h; cap(f.Pix) < n {
		f.Pix = make([]byte, n)
	} else {
		f.Pix = f.Pix[:n]
	}
}

// copyFrom makes f the same picture as g.
func (f *Frame) copyFrom(g *Frame) {
	f.Resize(g.W, g.H)
	f.Order = g.Order
	for y := range g.H {
		copy(f.row(y), g.row(y))
	}
}

// row is row y of f, without what follows it.
func (f *Frame) row(y int) []byte { return f.Pix[y*f.Stride : y*f.Stride+4*f.W] }

// A Button is a button of the pointer: the left, the middle (the wheel's), the right.
type Button uint8

// The buttons that a Desktop presses. The zero value is none of them.
const (
	Left   Button = 1 + iota // the main one
	Middle                   // the wheel's
	Right                    // the one that opens menus
)

// String is the button's word: left, middle, right.
func (b Button) String() string {
	switch b {
	case Left:
		return "left"
	case Middle:
		return "middle"
	case Right:
		return "right"
	}
	return "unknown"
}

// A Holder is a Desktop that knows what is down, whoever pressed it. A process
// that is killed in the middle of a drag leaves buttons and keys down; the next
// [Open] has them released.
type Holder interface {
	// Held names the buttons and keys that are down.
	Held(ctx context.Context) ([]string, error)
	// Release lets go of all of them and returns their names.
	Release(ctx context.Context) ([]string, error)
}

// A Checker is a Desktop that may lose its permission to see or to operate the screen,
// and then does nothing without telling.
type Checker interface {
	// Check is asked at the beginning of each call; its error, usually
	// permission_missing, is the call's, and nothing is done.
	Check(ctx context.Context) error
}

// A Pictured is a Desktop that knows what its pointer looks like; screenshots
// then show it.
type Pictured interface {
	// Cursor is the pointer's picture as it is now. A zero Cursor is invisible.
	Cursor(ctx context.Context) (Cursor, error)
}

// A Viewer is a Desktop that can show a picture where it lies, without copying it.
type Viewer interface {
	// View is Capture, but look gets the picture in memory of the desktop, which
	// it may change, and must let go of when it returns. Other pictures wait for it.
	View(ctx context.Context, r image.Rectangle, look func(*Frame)) error
}

// A Cursor is a picture of the pointer.
type Cursor struct {
	Bounds image.Rectangle // where it is drawn, root coordinates
	ARGB   []uint32        // a row after another, alpha premultiplied
}
