package computer

import (
	"errors"
	"image"
	"testing"

	"github.com/arcseat/arc"
	"pgregory.net/rapid"
)

// genView draws a screenshot of a screen, or a zoom into one as deep as four.
func genView(t *rapid.T) view {
	at := image.Pt(rapid.IntRange(-3000, 3000).Draw(t, "left"), rapid.IntRange(-3000, 3000).Draw(t, "top"))
	native := image.Pt(rapid.IntRange(minRegion, 8000).Draw(t, "width"), rapid.IntRange(minRegion, 8000).Draw(t, "height"))
	l := limits{edge: rapid.IntRange(100, 3000).Draw(t, "edge"), pixels: rapid.IntRange(10_000, 4_000_000).Draw(t, "pixels")}
	l.width, l.height = l.edge, l.edge
	v := view{image: l.screenshot(native), rect: image.Rectangle{Min: at, Max: at.Add(native)}}
	full := v.image
	v.grid = rapid.Bool().Draw(t, "grid")
	for range rapid.IntRange(0, 4).Draw(t, "zooms") {
		n := v.size()
		x0, x1 := rapid.IntRange(0, n.X-1).Draw(t, "x0"), rapid.IntRange(0, n.X).Draw(t, "x1")
		y0, y1 := rapid.IntRange(0, n.Y-1).Draw(t, "y0"), rapid.IntRange(0, n.Y).Draw(t, "y1")
		part, err := v.region(x0, y0, x1, y1)
		if err != nil {
			continue // no area
		}
		v = view{image: l.zoom(part.Size(), full), rect: part, grid: v.grid}
	}
	return v
}

// What a coordinate clicks is, in the same picture, at that coordinate; and a
// pixel that the picture shows enlarged is found again.
func TestCoordinatesGoThereAndBack(t *testing.T) {
	t.Parallel()
	pairs := 0
	rapid.Check(t, func(t *rapid.T) {
		v := genView(t)
		n := v.size()
		for range 20 {
			pairs++
			p := image.Pt(rapid.IntRange(0, n.X-1).Draw(t, "x"), rapid.IntRange(0, n.Y-1).Draw(t, "y"))
			s, err := v.point(p.X, p.Y)
			if err != nil || !s.In(v.rect) {
				t.Fatalf("%v of %+v is %v, %v", p, v, s, err)
			}
			back := v.coordinate(s)
			if n.X <= v.rect.Dx() && back.X != p.X || n.Y <= v.rect.Dy() && back.Y != p.Y {
				t.Fatalf("%v of %+v is the pixel %v, which is %v", p, v, s, back)
			}
			again := v.native(back)
			if n.X >= v.rect.Dx() && again.X != s.X || n.Y >= v.rect.Dy() && again.Y != s.Y {
				t.Fatalf("the pixel %v of %+v is %v, which is %v", s, v, back, again)
			}
		}
	})
	if pairs < 1000 {
		t.Errorf("only %d coordinates were tried", pairs)
	}
}

// A coordinate means the pixel below its middle: at most half a pixel away, to which
// a picture of fewer pixels adds nothing.
func TestACoordinateIsWithinHalfAPixelOfItsMiddle(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]int{{5120, 1280}, {3840, 1280}, {3840, 1568}, {1920, 1280}, {1920, 1429}, {1366, 1366}, {100, 800}, {2560, 1000}, {8, 64}} {
		native, shown := pair[0], pair[1]
		last := -1
		for x := range shown {
			s := centre(x, shown, native)
			middle := (float64(x) + 0.5) * float64(native) / float64(shown)
			if off := middle - (float64(s) + 0.5); off > 0.5 || off < -0.5 {
				t.Fatalf("%d of %d over %d pixels is %d, %.2f off", x, shown, native, s, off)
			}
			if s < last || s >= native {
				t.Fatalf("%d of %d over %d pixels is %d after %d", x, shown, native, s, last)
			}
			last = s
		}
	}
}

// Nothing is lost at the edges of a region, and it is inside of the view.
func TestARegionHoldsEveryPixelThatItTouches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := genView(t)
		n := v.size()
		x0, x1 := rapid.IntRange(0, n.X).Draw(t, "x0"), rapid.IntRange(0, n.X).Draw(t, "x1")
		y0, y1 := rapid.IntRange(0, n.Y).Draw(t, "y0"), rapid.IntRange(0, n.Y).Draw(t, "y1")
		r, err := v.region(x0, y0, x1, y1)
		if x0 == x1 || y0 == y1 {
			if !errors.Is(err, arc.InvalidArguments) {
				t.Fatalf("a region without area is %v, %v", r, err)
			}
			return
		}
		if err != nil || !r.In(v.rect) || r.Empty() {
			t.Fatalf("[%d %d %d %d] of %+v is %v, %v", x0, y0, x1, y1, v, r, err)
		}
		if r.Dx() < min(minRegion, v.rect.Dx()) || r.Dy() < min(minRegion, v.rect.Dy()) {
			t.Fatalf("[%d %d %d %d] of %+v is as small as %v", x0, y0, x1, y1, v, r)
		}
		for _, p := range []image.Point{{X: min(x0, x1), Y: min(y0, y1)}, {X: max(x0, x1) - 1, Y: max(y0, y1) - 1}} {
			if s := v.native(p); !s.In(r) {
				t.Fatalf("[%d %d %d %d] of %+v is %v, without %v, which %v clicks", x0, y0, x1, y1, v, r, s, p)
			}
		}
		if other, err := v.region(x1, y1, x0, y0); err != nil || other != r {
			t.Fatalf("with the corners exchanged it is %v, %v", other, err)
		}
	})
}

func TestWhatIsOutsideOfTheFrameIsRefused(t *testing.T) {
	t.Parallel()
	pixels := view{image: image.Pt(1280, 800), rect: image.Rect(0, 0, 2560, 1600)}
	grid := pixels
	grid.grid = true
	for _, c := range []struct {
		name string
		v    view
		x, y int
		ok   bool
	}{
		{"the first", pixels, 0, 0, true},
		{"the last", pixels, 1279, 799, true},
		{"as wide as the picture", pixels, 1280, 0, false},
		{"as high as the picture", pixels, 0, 800, false},
		{"negative", pixels, -1, 5, false},
		{"a native pixel", pixels, 2559, 1599, false},
		{"the grid's last", grid, 999, 999, true},
		{"a grid counted to 1000", grid, 1000, 1000, true},
		{"past the grid", grid, 1001, 5, false},
	} {
		if _, err := c.v.point(c.x, c.y); (err == nil) != c.ok || err != nil && !errors.Is(err, arc.OutOfRange) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if p, _ := grid.point(1000, 1000); p != image.Pt(2558, 1599) {
		t.Errorf("the end of the grid is %v", p)
	}
	if r, err := grid.region(0, 0, 999, 999); err != nil || r != pixels.rect {
		t.Errorf("the whole grid is the region %v, %v", r, err)
	}
}
