package computer

import (
	"bytes"
	"encoding/binary"
	"image"
)

// A Change is how much of the screen differs from before.
type Change struct {
	Percent float64         // of the screen's pixels
	Rect    image.Rectangle // that holds all of them, root coordinates; empty: none
}

// same reports whether a and b show the same. The fourth byte of a pixel has no
// meaning, but a desktop that fills it does so in one way.
func same(a, b *Frame) bool {
	if a.W != b.W || a.H != b.H || a.Order != b.Order {
		return false
	}
	if a.Stride == b.Stride && a.Stride == 4*a.W {
		return bytes.Equal(a.Pix, b.Pix)
	}
	for y := range a.H {
		if !bytes.Equal(a.row(y), b.row(y)) {
			return false
		}
	}
	return true
}

// changeBetween compares two frames of the whole screen, whose first pixel is at
// origin. Frames of different sizes differ everywhere.
func changeBetween(a, b *Frame, origin image.Point) Change {
	all := image.Rectangle{Min: origin, Max: origin.Add(image.Pt(b.W, b.H))}
	if a.W != b.W || a.H != b.H || a.Order != b.Order {
		return Change{100, all}
	}
	var r image.Rectangle
	n := 0
	for y := range a.H {
		rowA, rowB := a.row(y), b.row(y)
		if bytes.Equal(rowA, rowB) {
			continue
		}
		lo, hi := a.W, 0
		for x := range a.W {
			if (binary.LittleEndian.Uint32(rowA[4*x:])^binary.LittleEndian.Uint32(rowB[4*x:]))&0xffffff != 0 {
				lo, hi = min(lo, x), x+1
				n++
			}
		}
		if hi > 0 {
			r = r.Union(image.Rect(lo, y, hi, y+1))
		}
	}
	if n == 0 {
		return Change{}
	}
	return Change{float64(n) * 100 / float64(a.W*a.H), r.Add(origin)}
}
