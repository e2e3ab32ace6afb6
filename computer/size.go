package computer

import (
	"image"
	"math"

	"github.com/arcseat/arc"
)

// The limits of an image where the model states none: what vision models of most
// makers see without shrinking it themselves.
const (
	DefaultMaxEdge   = 1568      // pixels of the longer side
	DefaultMaxPixels = 1_150_000 // pixels in all
)

// Limits for models that see more, and for long conversations: some services
// refuse a side over 2,000 pixels once a request has many images.
const (
	LargeMaxEdge   = 2576      // pixels of the longer side
	LargeMaxPixels = 3_750_000 // pixels in all
	ManyMaxEdge    = 2000      // pixels of the longer side, with many images
)

const (
	maxMagnify = 8    // of a zoom
	evenEnough = 0.80 // a whole divisor is preferred while it leaves this much of the longer side
)

// limits of one image.
type limits struct{ edge, pixels, width, height int }

// limitsOf are the model's limits, and the size that the host has told it.
func limitsOf(e arc.Env) limits {
	l := limits{e.Model.MaxEdge, e.Model.MaxPixels, e.Desktop.Width, e.Desktop.Height}
	if l.edge <= 0 {
		l.edge = DefaultMaxEdge
	}
	if l.pixels <= 0 {
		l.pixels = DefaultMaxPixels
	}
	if l.width <= 0 || l.height <= 0 {
		l.width, l.height = l.edge, l.edge
	}
	return l
}

// factor is the largest scale at which a w×h picture keeps the limits.
func (l limits) factor(w, h int) float64 {
	return min(
		float64(l.edge)/float64(max(w, h)),
		math.Sqrt(float64(l.pixels)/(float64(w)*float64(h))),
		float64(l.width)/float64(w), float64(l.height)/float64(h),
	)
}

// screenshot is the size at which a screen of native size is shown: never larger,
// and divided by a whole number where that costs little, because such pictures
// stay sharp.
func (l limits) screenshot(native image.Point) image.Point {
	f := l.factor(native.X, native.Y)
	if f >= 1 {
		return native
	}
	d := int(math.Ceil(1/f - 1e-9))
	if native.X%d == 0 && native.Y%d == 0 && 1/float64(d) >= evenEnough*f {
		return native.Div(d)
	}
	return l.scaled(native, f)
}

// zoom is the size of a zoomed picture: that of the region enlarged until its
// longer side is the screenshot's, at most maxMagnify times, within the limits.
// Both sides grow alike, so nothing is distorted.
func (l limits) zoom(region, screenshot image.Point) image.Point {
	l.width, l.height = l.edge, l.edge // those are a screenshot's
	f := min(
		float64(max(screenshot.X, screenshot.Y))/float64(max(region.X, region.Y)),
		maxMagnify,
		l.factor(region.X, region.Y),
	)
	return l.scaled(region, f)
}

// scaled is size times f, rounded, and still within the limits.
func (l limits) scaled(size image.Point, f float64) image.Point {
	w := max(1, int(math.Round(float64(size.X)*f)))
	h := max(1, int(math.Round(float64(size.Y)*f)))
	w, h = min(w, l.edge, max(1, l.width)), min(h, l.edge, max(1, l.height))
	for w*h > l.pixels && w > 1 && h > 1 {
		if w >= h {
			w--
		} else {
			h--
		}
	}
	return image.Pt(w, h)
}
