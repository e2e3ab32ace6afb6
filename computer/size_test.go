package computer

import (
	"image"
	"testing"

	"github.com/arcseat/arc"
	"pgregory.net/rapid"
)

func TestTheSizeOfAScreenshot(t *testing.T) {
	t.Parallel()
	large := arc.Model{MaxEdge: LargeMaxEdge, MaxPixels: LargeMaxPixels}
	for _, c := range []struct {
		name         string
		native, want image.Point
		env          arc.Env
	}{
		{"a small screen is shown as it is", image.Pt(1024, 768), image.Pt(1024, 768), arc.Env{}},
		{"so is one that just fits", image.Pt(1280, 800), image.Pt(1280, 800), arc.Env{}},
		{"half of a retina screen", image.Pt(2560, 1600), image.Pt(1280, 800), arc.Env{}},
		{"a third of 4K", image.Pt(3840, 2160), image.Pt(1280, 720), arc.Env{}},
		{"a quarter of 5K", image.Pt(5120, 2880), image.Pt(1280, 720), arc.Env{}},
		{"no half where that would lose much", image.Pt(1920, 1080), image.Pt(1430, 804), arc.Env{}},
		{"a tall screen", image.Pt(1080, 1920), image.Pt(804, 1430), arc.Env{}},
		{"a wide one", image.Pt(3440, 1440), image.Pt(1568, 656), arc.Env{}},
		{"a quarter of a very wide one", image.Pt(5120, 1440), image.Pt(1280, 360), arc.Env{}},
		{"a model that sees more", image.Pt(1920, 1080), image.Pt(1920, 1080), arc.Env{Model: large}},
		{"the size that the host has told", image.Pt(1920, 1200), image.Pt(960, 600), arc.Env{Desktop: arc.Desktop{Width: 1024, Height: 640}}},
	} {
		if got := limitsOf(c.env).screenshot(c.native); got != c.want {
			t.Errorf("%s: %v is shown as %v, want %v", c.name, c.native, got, c.want)
		}
	}
}

func TestASizeKeepsTheLimits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		native := image.Pt(rapid.IntRange(1, 16000).Draw(t, "w"), rapid.IntRange(1, 16000).Draw(t, "h"))
		l := limitsOf(arc.Env{Model: arc.Model{MaxEdge: rapid.IntRange(0, 3000).Draw(t, "edge"), MaxPixels: rapid.IntRange(0, 4_000_000).Draw(t, "pixels")}})
		shot := l.screenshot(native)
		if shot.X < 1 || shot.Y < 1 || shot.X > native.X || shot.Y > native.Y {
			t.Fatalf("%v is shown as %v", native, shot)
		}
		part := image.Pt(rapid.IntRange(1, native.X).Draw(t, "zw"), rapid.IntRange(1, native.Y).Draw(t, "zh"))
		zoom := l.zoom(part, shot)
		if zoom.X > maxMagnify*part.X || zoom.Y > maxMagnify*part.Y {
			t.Fatalf("%v is enlarged to %v", part, zoom)
		}
		for _, size := range []image.Point{shot, zoom} {
			if size.X < 1 || size.Y < 1 || max(size.X, size.Y) > l.edge || size.X*size.Y > l.pixels && min(size.X, size.Y) > 1 {
				t.Fatalf("%v with the limits %+v", size, l)
			}
		}
	})
}

// A picture that is not as large as its region is distorted, and every click in it
// off, if its sides are scaled apart.
func TestBothSidesAreScaledAlike(t *testing.T) {
	t.Parallel()
	l := limitsOf(arc.Env{})
	for _, part := range []image.Point{{X: 100, Y: 50}, {X: 640, Y: 400}, {X: 1919, Y: 20}, {X: 33, Y: 1000}, {X: 8, Y: 8}, {X: 1920, Y: 1080}} {
		z := l.zoom(part, image.Pt(1430, 804))
		// Rounding moves each side by half a pixel at most.
		if d := float64(z.X)*float64(part.Y) - float64(z.Y)*float64(part.X); d > float64(part.X+part.Y) || -d > float64(part.X+part.Y) {
			t.Errorf("%v is shown as %v", part, z)
		}
	}
}
