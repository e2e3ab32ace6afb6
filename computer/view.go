package computer

import (
	"image"

	"github.com/arcseat/arc"
)

// gridSize is how many steps each side of a frame has for a model whose
// coordinates are a grid: 0 to 999.
const gridSize = 1000

// minRegion is the least side of a zoomed region in native pixels; a smaller one
// is widened.
const minRegion = 8

// A view is what a model's coordinates mean: a picture that it has seen, and the
// part of the screen that the picture shows. Both have at least one pixel.
type view struct {
	image image.Point     // size of the picture
	rect  image.Rectangle // what it shows, native pixels in root coordinates
	gen   uint64          // of the screen
	grid  bool            // coordinates are 0–999 instead of the picture's pixels
}

// size is how many coordinates a side has.
func (v view) size() image.Point {
	if v.grid {
		return image.Pt(gridSize, gridSize)
	}
	return v.image
}

// native is the pixel of the screen whose middle is nearest to the middle of
// coordinate p. Integers alone: for x of n coordinates over w pixels it is the
// floor of (x+½)·w/n.
func (v view) native(p image.Point) image.Point {
	n := v.size()
	return v.rect.Min.Add(image.Pt(centre(p.X, n.X, v.rect.Dx()), centre(p.Y, n.Y, v.rect.Dy())))
}

// coordinate is the other way round. It is outside of the view for a pixel that
// is.
func (v view) coordinate(p image.Point) image.Point {
	n := v.size()
	p = p.Sub(v.rect.Min)
	return image.Pt(centre(p.X, v.rect.Dx(), n.X), centre(p.Y, v.rect.Dy(), n.Y))
}

// centre maps i of n steps to the step of m that holds its middle.
func centre(i, n, m int) int { return floorDiv((2*i+1)*m, 2*n) }

func floorDiv(a, b int) int {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

// point checks a coordinate and maps it. A grid's 1000 is taken for 999, because
// models that count to 1000 mean its end.
func (v view) point(x, y int) (image.Point, error) {
	n := v.size()
	p := image.Pt(x, y)
	if v.grid {
		p = image.Pt(atMost(x, gridSize), atMost(y, gridSize))
	}
	if !p.In(image.Rectangle{Max: n}) {
		return image.Point{}, outside(n)
	}
	return v.native(p), nil
}

// atMost takes the end of a scale for its last step.
func atMost(x, n int) int {
	if x == n {
		return n - 1
	}
	return x
}

// region checks corners, in any order, and maps the edges: what it returns holds
// every pixel that the region touches.
func (v view) region(x0, y0, x1, y1 int) (image.Rectangle, error) {
	n := v.size()
	r := image.Rect(x0, y0, x1, y1)
	if r.Empty() {
		return r, invalid("bad_region", "region [%d, %d, %d, %d] has no area; give two opposite corners.", x0, y0, x1, y1)
	}
	if r.Min.X < 0 || r.Min.Y < 0 || r.Max.X > n.X || r.Max.Y > n.Y {
		return r, outside(n)
	}
	if v.grid { // the last step is the edge
		if r.Max.X == gridSize-1 {
			r.Max.X = gridSize
		}
		if r.Max.Y == gridSize-1 {
			r.Max.Y = gridSize
		}
	}
	w, h := v.rect.Dx(), v.rect.Dy()
	r = image.Rect(r.Min.X*w/n.X, r.Min.Y*h/n.Y, (r.Max.X*w+n.X-1)/n.X, (r.Max.Y*h+n.Y-1)/n.Y)
	r.Min.X, r.Max.X = widen(r.Min.X, r.Max.X, w)
	r.Min.Y, r.Max.Y = widen(r.Min.Y, r.Max.Y, h)
	return r.Add(v.rect.Min), nil
}

// widen makes [lo, hi) at least minRegion long, about its middle and inside of
// [0, n) as far as that goes.
func widen(lo, hi, n int) (int, int) {
	if hi-lo >= minRegion {
		return lo, hi
	}
	lo = max(0, min((lo+hi-minRegion)/2, n-minRegion))
	return lo, min(lo+minRegion, n)
}

func outside(n image.Point) error {
	type span [2]int
	return &arc.Error{
		Code:    arc.OutOfRange,
		Message: "a coordinate is outside of the latest screenshot or zoom; read it off that picture again.",
		Detail: struct {
			Range struct {
				X span `json:"x"`
				Y span `json:"y"`
			} `json:"range"`
		}{struct {
			X span `json:"x"`
			Y span `json:"y"`
		}{span{0, n.X - 1}, span{0, n.Y - 1}}},
	}
}
