package computertest

import (
	"context"
	"fmt"
	"image"
	"slices"
	"sync"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/internal/cancel"
)

var (
	_ computer.Desktop  = (*Fake)(nil)
	_ computer.Holder   = (*Fake)(nil)
	_ computer.Pictured = (*Fake)(nil)
)

// A Fake is a desktop in memory. Set its fields before it is used.
type Fake struct {
	// System is what OS answers. Default: linux.
	System string

	// Latency of every call. Default: none.
	Latency time.Duration

	// OnEvent is called with each event as Events will have it, before it happens;
	// its error is what the Desktop answers, and the event is not written down. It
	// may call the methods of the fake. Nil: all goes well.
	OnEvent func(event string) error

	// CursorSize is the side of the pointer's picture, a white square. Default: it
	// has none.
	CursorSize int

	mu      sync.Mutex
	bounds  image.Rectangle
	gen     uint64
	at      image.Point
	changes []change
	events  []string
	down    []string
	typed   string
	blind   error
	painted image.Rectangle
	pix     []byte // of painted, unchanged
	closed  bool
}

type change struct {
	rect image.Rectangle
	salt byte
}

// New makes a fake whose screen is w×h with its first pixel at 0,0.
func New(w, h int) *Fake { return NewAt(image.Rect(0, 0, w, h)) }

// NewAt makes a fake whose screen is r in root coordinates; r.Min may be negative,
// as for a second monitor on the left.
func NewAt(r image.Rectangle) *Fake { return &Fake{bounds: r, at: r.Min} }

// ColorAt is the colour that a pixel has before anything has changed it; all pixels
// of a screen of up to 4096×4096 have different ones.
func ColorAt(p image.Point) (r, g, b byte) {
	return byte(p.X>>8&15) | byte(p.Y>>8&15)<<4, byte(p.Y), byte(p.X)
}

// Resize gives the screen another size.
func (f *Fake) Resize(w, h int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bounds.Max = f.bounds.Min.Add(image.Pt(w, h))
	f.gen++
}

// Change gives the pixels of r colours that they have not had.
func (f *Fake) Change(r image.Rectangle) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes = append(f.changes, change{r, byte(len(f.changes) + 1)})
}

// Put moves the pointer as another person would.
func (f *Fake) Put(p image.Point) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = p
}

// Blind makes every picture fail with err, as a locked screen does; nil ends that.
func (f *Fake) Blind(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blind = err
}

// Press puts keys or buttons down as another process would; they are written as
// Held names them.
func (f *Fake) Press(names ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = append(f.down, names...)
}

// Events are what was sent, in order: "move 3,4", "left down", "left up", "left
// down 2" in a double click, "wheel 0,1", "Return down", "type \"words\"".
func (f *Fake) Events() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.events)
}

// Forget empties Events and Typed.
func (f *Fake) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events, f.typed = nil, ""
}

// Typed is all text that was typed.
func (f *Fake) Typed() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.typed
}

// enter is how each call begins: it takes its time, and fails if it has to.
func (f *Fake) enter(ctx context.Context, event string) error {
	if err := cancel.Sleep(ctx, f.Latency); err != nil {
		return err
	}
	if event != "" && f.OnEvent != nil {
		if err := f.OnEvent(event); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return &arc.Error{Code: arc.ShuttingDown, Message: "the desktop is closed; go on without it."}
	}
	if event != "" {
		f.events = append(f.events, event)
	}
	return nil
}

// OS implements computer.Desktop.
func (f *Fake) OS() string {
	if f.System == "" {
		return "linux"
	}
	return f.System
}

// Screen implements computer.Desktop.
func (f *Fake) Screen(ctx context.Context) (computer.Screen, error) {
	if err := f.enter(ctx, ""); err != nil {
		return computer.Screen{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return computer.Screen{Bounds: f.bounds, Gen: f.gen}, nil
}

// Capture implements computer.Desktop.
func (f *Fake) Capture(ctx context.Context, r image.Rectangle, to *computer.Frame) error {
	if err := f.enter(ctx, ""); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.blind != nil {
		return f.blind
	}
	if r.Empty() || !r.In(f.bounds) {
		return &arc.Error{Code: computer.Backend, Message: fmt.Sprintf("%v is not on the screen.", r)}
	}
	to.Resize(r.Dx(), r.Dy())
	to.Order = computer.BGRX
	f.paint()
	at := r.Min.Sub(f.painted.Min)
	for y := range to.H {
		copy(to.Pix[y*to.Stride:][:4*to.W], f.pix[4*((at.Y+y)*f.painted.Dx()+at.X):])
	}
	for _, c := range f.changes {
		part := c.rect.Intersect(r).Sub(r.Min)
		for y := part.Min.Y; y < part.Max.Y; y++ {
			for x := part.Min.X; x < part.Max.X; x++ {
				to.Pix[y*to.Stride+4*x] += c.salt
			}
		}
	}
	return nil
}

// paint makes the picture of an unchanged screen, once for each size.
func (f *Fake) paint() {
	if f.painted == f.bounds {
		return
	}
	f.painted, f.pix = f.bounds, f.pix[:0]
	for y := f.bounds.Min.Y; y < f.bounds.Max.Y; y++ {
		for x := f.bounds.Min.X; x < f.bounds.Max.X; x++ {
			red, green, blue := ColorAt(image.Pt(x, y))
			f.pix = append(f.pix, blue, green, red, 0)
		}
	}
}

// Pointer implements computer.Desktop.
func (f *Fake) Pointer(ctx context.Context) (image.Point, error) {
	if err := f.enter(ctx, ""); err != nil {
		return image.Point{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at, nil
}

// MoveTo implements computer.Desktop.
func (f *Fake) MoveTo(ctx context.Context, p image.Point) error {
	if err := f.enter(ctx, fmt.Sprintf("move %d,%d", p.X, p.Y)); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = p
	return nil
}

// Button implements computer.Desktop.
func (f *Fake) Button(ctx context.Context, b computer.Button, down bool, clicks int) error {
	event := b.String() + word(down)
	if clicks > 1 {
		event += fmt.Sprintf(" %d", clicks)
	}
	if err := f.enter(ctx, event); err != nil {
		return err
	}
	f.set(b.String()+"_button", down)
	return nil
}

// Wheel implements computer.Desktop.
func (f *Fake) Wheel(ctx context.Context, dx, dy int) error {
	return f.enter(ctx, fmt.Sprintf("wheel %d,%d", dx, dy))
}

// Key implements computer.Desktop.
func (f *Fake) Key(ctx context.Context, k computer.Key, down bool) error {
	if k.Sym == 0 {
		return &arc.Error{Code: computer.UnknownKey, Message: "there is no such key; name another."}
	}
	if err := f.enter(ctx, k.Name+word(down)); err != nil {
		return err
	}
	f.set(k.Name, down)
	return nil
}

// Text implements computer.Desktop.
func (f *Fake) Text(ctx context.Context, s string) error {
	if err := f.enter(ctx, fmt.Sprintf("type %q", s)); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.typed += s
	return nil
}

func word(down bool) string {
	if down {
		return " down"
	}
	return " up"
}

func (f *Fake) set(name string, down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = slices.DeleteFunc(f.down, func(n string) bool { return n == name })
	if down {
		f.down = append(f.down, name)
	}
}

// Held implements computer.Holder.
func (f *Fake) Held(ctx context.Context) ([]string, error) {
	if err := f.enter(ctx, ""); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.down), nil
}

// Release implements computer.Holder.
func (f *Fake) Release(ctx context.Context) ([]string, error) {
	if err := f.enter(ctx, ""); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	was := f.down
	f.down = nil
	return was, nil
}

// Cursor implements computer.Pictured.
func (f *Fake) Cursor(ctx context.Context) (computer.Cursor, error) {
	if err := f.enter(ctx, ""); err != nil {
		return computer.Cursor{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.CursorSize
	return computer.Cursor{
		Bounds: image.Rectangle{Min: f.at, Max: f.at.Add(image.Pt(n, n))},
		ARGB:   slices.Repeat([]uint32{0xffffffff}, n*n),
	}, nil
}

// Close implements computer.Desktop.
func (f *Fake) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return nil
}
