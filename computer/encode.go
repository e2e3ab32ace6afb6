package computer

import (
	"bytes"
	"image"
	"image/jpeg"

	"github.com/arcseat/arc"
)

// jpegQualities are tried in turn when a PNG is too large.
var jpegQualities = [...]int{85, 70}

// leastSide is where shrinking a picture that is too large ends.
const leastSide = 64

// encode makes an image of f of the given size and of at most maxBytes: a PNG, which
// for windows and text is the smaller one and loses nothing; else a JPEG; else both
// again with half the sides. It returns the size that the image came to have.
func encode(f *Frame, size image.Point, maxBytes int) (arc.Image, image.Point) {
	for {
		p := scale(f, size)
		png := appendPNG(nil, p)
		if len(png) <= maxBytes {
			return arc.Image{MIME: "image/png", Data: png}, size
		}
		var buf bytes.Buffer
		for _, quality := range jpegQualities {
			buf.Reset()
			jpeg.Encode(&buf, p.rgba(), &jpeg.Options{Quality: quality}) // a bytes.Buffer takes everything
			if buf.Len() <= maxBytes {
				break
			}
		}
		if buf.Len() <= maxBytes || min(size.X, size.Y) < 2*leastSide {
			return arc.Image{MIME: "image/jpeg", Data: buf.Bytes()}, size
		}
		size = size.Div(2)
	}
}

// rgba is p with full alpha, which is what image/jpeg is fast with.
func (p *picture) rgba() *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, p.w, p.h))
	for i := range p.w * p.h {
		m.Pix[4*i], m.Pix[4*i+1], m.Pix[4*i+2], m.Pix[4*i+3] = p.pix[3*i], p.pix[3*i+1], p.pix[3*i+2], 0xff
	}
	return m
}

// blend draws the pointer into f, whose first pixel is at the root coordinate
// origin.
func blend(f *Frame, origin image.Point, c Cursor) {
	w := c.Bounds.Dx()
	if w <= 0 || len(c.ARGB) < w*c.Bounds.Dy() {
		return
	}
	seen := c.Bounds.Intersect(image.Rectangle{Min: origin, Max: origin.Add(image.Pt(f.W, f.H))})
	red, blue := 0, 2
	if f.Order == BGRX {
		red, blue = 2, 0
	}
	for y := seen.Min.Y; y < seen.Max.Y; y++ {
		for x := seen.Min.X; x < seen.Max.X; x++ {
			argb := c.ARGB[(y-c.Bounds.Min.Y)*w+x-c.Bounds.Min.X]
			left := 255 - argb>>24
			if left == 255 {
				continue
			}
			px := f.Pix[(y-origin.Y)*f.Stride+4*(x-origin.X):][:4]
			for _, ch := range [...]struct {
				at   int
				over uint32
			}{{red, argb >> 16 & 0xff}, {1, argb >> 8 & 0xff}, {blue, argb & 0xff}} {
				px[ch.at] = byte(min(255, ch.over+(uint32(px[ch.at])*left+127)/255))
			}
		}
	}
}
