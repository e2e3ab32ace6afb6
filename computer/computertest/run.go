package computertest

import (
	"bytes"
	"context"
	"errors"
	"image"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/internal/defaults"
)

// Options of Run. Nil is fine.
type Options struct {
	// Typed waits until want has been typed into a program on the desktop since it
	// was last asked, or for long enough, and returns what was. Nil: what is typed
	// is not looked at.
	Typed func(t testing.TB, want string) string

	// Patience is how long a canceled call may take to return. Zero or less: 10 s.
	Patience time.Duration
}

// Run takes Desktops through the rules of the interface, each in a subtest that is
// named for it. Each has a Desktop of its own from open, on which nobody else works;
// Run closes it.
func Run(t *testing.T, open func(testing.TB) computer.Desktop, o *Options) {
	var with Options
	if o != nil {
		with = *o
	}
	defaults.Positive(&with.Patience, 10*time.Second)
	for _, rule := range []struct {
		name  string
		check func(*testing.T, *Options, computer.Desktop)
	}{
		{"the screen has an area and keeps its generation", screen},
		{"the pointer is where it was moved to", pointer},
		{"a part of a picture is that part of the whole", parts},
		{"a picture that is viewed is the one that is captured", viewed},
		{"a region outside of the screen is an error", beyond},
		{"what is pressed is held until it is released", held},
		{"release lets go of everything", release},
		{"releasing what is not down is no error", notDown},
		{"a key that does not exist is refused and presses nothing", unknown},
		{"text arrives as it is", typing},
		{"an ended context does nothing", ended},
		{"it may be used from many goroutines", many},
		{"a closed desktop answers shutting_down", closed},
	} {
		t.Run(rule.name, func(t *testing.T) {
			d := open(t)
			defer d.Close()
			rule.check(t, &with, d)
		})
	}
}

func bounds(t *testing.T, d computer.Desktop) image.Rectangle {
	t.Helper()
	s, err := d.Screen(t.Context())
	if err != nil {
		t.Fatalf("Screen: %v", err)
	}
	return s.Bounds
}

func screen(t *testing.T, _ *Options, d computer.Desktop) {
	a, err := d.Screen(t.Context())
	if err != nil || a.Bounds.Empty() {
		t.Fatalf("the screen is %v, %v", a, err)
	}
	if b, err := d.Screen(t.Context()); err != nil || a != b {
		t.Errorf("it is %v at first and then %v, %v", a, b, err)
	}
	if d.OS() == "" {
		t.Error("it has no system")
	}
}

func pointer(t *testing.T, _ *Options, d computer.Desktop) {
	r := bounds(t, d)
	for _, p := range []image.Point{
		r.Min, r.Max.Sub(image.Pt(1, 1)), {X: r.Min.X, Y: r.Max.Y - 1}, {X: r.Max.X - 1, Y: r.Min.Y}, r.Min.Add(r.Size().Div(2)),
	} {
		if err := d.MoveTo(t.Context(), p); err != nil {
			t.Fatalf("MoveTo %v: %v", p, err)
		}
		if got, err := d.Pointer(t.Context()); err != nil || got != p {
			t.Errorf("moved to %v it is at %v, %v", p, got, err)
		}
	}
}

func parts(t *testing.T, _ *Options, d computer.Desktop) {
	r := bounds(t, d)
	part := image.Rectangle{Min: r.Min.Add(r.Size().Div(4)), Max: r.Min.Add(r.Size().Div(2))}
	var whole, cut computer.Frame
	soon(t, "the part equals that part of the whole", func() bool {
		for _, c := range []struct {
			r image.Rectangle
			f *computer.Frame
		}{{r, &whole}, {part, &cut}} {
			if err := d.Capture(t.Context(), c.r, c.f); err != nil {
				t.Fatalf("Capture %v: %v", c.r, err)
			}
			if c.f.W != c.r.Dx() || c.f.H != c.r.Dy() || c.f.Stride < 4*c.f.W || len(c.f.Pix) < c.f.Stride*(c.f.H-1)+4*c.f.W {
				t.Fatalf("a picture of %v is %d×%d, %d bytes a row, %d in all", c.r, c.f.W, c.f.H, c.f.Stride, len(c.f.Pix))
			}
		}
		equal := true
		at := part.Min.Sub(r.Min)
		for y := range cut.H {
			equal = equal && bytes.Equal(cut.Pix[y*cut.Stride:][:4*cut.W], whole.Pix[(y+at.Y)*whole.Stride+4*at.X:][:4*cut.W])
		}
		return equal
	})
}

func viewed(t *testing.T, _ *Options, d computer.Desktop) {
	v, ok := d.(computer.Viewer)
	if !ok {
		t.Skip("it only hands out copies")
	}
	r := bounds(t, d)
	r.Max = r.Min.Add(r.Size().Div(2))
	var captured computer.Frame
	soon(t, "they are equal", func() bool {
		if err := d.Capture(t.Context(), r, &captured); err != nil {
			t.Fatalf("Capture: %v", err)
		}
		equal, looks := true, 0
		if err := v.View(t.Context(), r, func(f *computer.Frame) {
			looks++
			equal = f.W == captured.W && f.H == captured.H && f.Order == captured.Order
			for y := 0; equal && y < f.H; y++ {
				equal = bytes.Equal(f.Pix[y*f.Stride:][:4*f.W], captured.Pix[y*captured.Stride:][:4*f.W])
			}
		}); err != nil || looks != 1 {
			t.Fatalf("View: %v, after %d looks", err, looks)
		}
		return equal
	})
}

// soon tries ok again, a few times: a clock on the screen may tick between two pictures.
func soon(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 20 {
		if ok() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	if !ok() {
		t.Fatalf("it is never so that %s", what)
	}
}

func beyond(t *testing.T, _ *Options, d computer.Desktop) {
	r := bounds(t, d)
	var f computer.Frame
	for _, out := range []image.Rectangle{
		r.Add(image.Pt(1, 0)), r.Add(image.Pt(0, -1)), r.Add(r.Size()), {Min: r.Min, Max: r.Min}, r.Inset(-1),
	} {
		if err := d.Capture(t.Context(), out, &f); err == nil {
			t.Errorf("Capture %v of a screen %v does not fail", out, r)
		}
	}
	if err := d.Capture(t.Context(), r, &f); err != nil {
		t.Errorf("afterwards a whole picture fails: %v", err)
	}
}

var (
	shift = computer.Key{Name: "shift", Sym: computer.SymShift}
	keyA  = computer.Key{Name: "a", Sym: 'a'}
)

func names(t *testing.T, h computer.Holder) []string {
	t.Helper()
	all, err := h.Held(t.Context())
	if err != nil {
		t.Fatalf("Held: %v", err)
	}
	return all
}

func press(t *testing.T, d computer.Desktop, down bool) {
	t.Helper()
	if err := d.Key(t.Context(), shift, down); err != nil {
		t.Fatalf("Key: %v", err)
	}
	if err := d.Button(t.Context(), computer.Left, down, 1); err != nil {
		t.Fatalf("Button: %v", err)
	}
}

func held(t *testing.T, _ *Options, d computer.Desktop) {
	h, ok := d.(computer.Holder)
	if !ok {
		t.Skip("it does not know what is down")
	}
	press(t, d, true)
	if got := names(t, h); len(got) != 2 || !slices.Contains(got, "left_button") {
		t.Errorf("shift and the left button are down and held is %v", got)
	}
	press(t, d, false)
	if got := names(t, h); len(got) != 0 {
		t.Errorf("everything was released and held is %v", got)
	}
}

func release(t *testing.T, _ *Options, d computer.Desktop) {
	h, ok := d.(computer.Holder)
	if !ok {
		t.Skip("it does not know what is down")
	}
	press(t, d, true)
	if got, err := h.Release(t.Context()); err != nil || len(got) != 2 {
		t.Errorf("Release: %v, %v", got, err)
	}
	if got := names(t, h); len(got) != 0 {
		t.Errorf("held is still %v", got)
	}
}

func notDown(t *testing.T, _ *Options, d computer.Desktop) {
	if err := d.Button(t.Context(), computer.Middle, false, 1); err != nil {
		t.Errorf("Button: %v", err)
	}
	if err := d.Key(t.Context(), keyA, false); err != nil {
		t.Errorf("Key: %v", err)
	}
}

func unknown(t *testing.T, _ *Options, d computer.Desktop) {
	err := d.Key(t.Context(), computer.Key{Name: "nonsense"}, true)
	if !errors.Is(err, computer.UnknownKey) {
		t.Errorf("it answers %v", err)
	}
	if h, ok := d.(computer.Holder); ok {
		if got := names(t, h); len(got) != 0 {
			t.Errorf("held is %v", got)
		}
	}
}

func typing(t *testing.T, o *Options, d computer.Desktop) {
	if o.Typed == nil {
		t.Skip("nobody looks at what is typed")
	}
	for _, text := range []string{"a", "az AZ 019", "~^`@{}[]<>|\\/?!#$%&*()_+-=;:'\"", "one\ntwo\tthree\n", "é ñ ß € 漢字 Привет 😀", "É Ñ Ω"} {
		if err := d.Text(t.Context(), text); err != nil {
			t.Errorf("Text %q: %v", text, err)
			continue
		}
		if got := o.Typed(t, text); got != text {
			t.Errorf("typed %q and %q arrived", text, got)
		}
	}
}

func ended(t *testing.T, o *Options, d computer.Desktop) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := bounds(t, d)
	before, err := d.Pointer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := r.Min
	if before == elsewhere {
		elsewhere = r.Max.Sub(image.Pt(1, 1))
	}
	var f computer.Frame
	for name, call := range map[string]func() error{
		"Screen":  func() error { _, err := d.Screen(ctx); return err },
		"Capture": func() error { return d.Capture(ctx, r, &f) },
		"Pointer": func() error { _, err := d.Pointer(ctx); return err },
		"MoveTo":  func() error { return d.MoveTo(ctx, elsewhere) },
		"Button":  func() error { return d.Button(ctx, computer.Left, true, 1) },
		"Wheel":   func() error { return d.Wheel(ctx, 0, 1) },
		"Key":     func() error { return d.Key(ctx, keyA, true) },
		"Text":    func() error { return d.Text(ctx, "words") },
	} {
		done := make(chan error, 1)
		go func() { done <- call() }()
		select {
		case err := <-done:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s answers %v", name, err)
			}
		case <-time.After(o.Patience):
			t.Fatalf("%s does not return", name)
		}
	}
	if after, err := d.Pointer(t.Context()); err != nil || after != before {
		t.Errorf("the pointer went from %v to %v, %v", before, after, err)
	}
	if held, ok := d.(computer.Holder); ok {
		if got := names(t, held); len(got) != 0 {
			t.Errorf("held is %v", got)
		}
	}
	if o.Typed != nil {
		if got := o.Typed(t, ""); got != "" {
			t.Errorf("%q was typed", got)
		}
	}
}

func many(t *testing.T, _ *Options, d computer.Desktop) {
	r := bounds(t, d)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			var f computer.Frame
			for range 10 {
				if err := d.MoveTo(t.Context(), r.Min); err != nil {
					t.Errorf("MoveTo: %v", err)
				}
				if err := d.Capture(t.Context(), r, &f); err != nil {
					t.Errorf("Capture: %v", err)
				}
				if _, err := d.Pointer(t.Context()); err != nil {
					t.Errorf("Pointer: %v", err)
				}
			}
		})
	}
	wg.Wait()
}

func closed(t *testing.T, _ *Options, d computer.Desktop) {
	r := bounds(t, d)
	if err := d.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	var f computer.Frame
	_, screenErr := d.Screen(t.Context())
	for name, err := range map[string]error{
		"Screen": screenErr, "Capture": d.Capture(t.Context(), r, &f), "MoveTo": d.MoveTo(t.Context(), r.Min),
		"Key": d.Key(t.Context(), keyA, true), "Text": d.Text(t.Context(), "words"),
	} {
		if !errors.Is(err, arc.ShuttingDown) {
			t.Errorf("%s answers %v", name, err)
		}
	}
}
