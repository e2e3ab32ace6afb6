package computer

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"testing"
	"time"

	"golang.org/x/image/draw"
)

// ui is a frame like a desktop: flat windows, bars, and lines of text-like marks.
func ui(w, h int) *Frame {
	f := &Frame{}
	f.Resize(w, h)
	fill := func(r image.Rectangle, c [3]byte) {
		r = r.Intersect(image.Rect(0, 0, w, h))
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				copy(f.Pix[y*f.Stride+4*x:], c[:])
			}
		}
	}
	fill(image.Rect(0, 0, w, h), [3]byte{0x60, 0x40, 0x20})
	seed := uint32(7)
	for i, win := range []image.Rectangle{image.Rect(w/20, h/20, w/2, h*8/10), image.Rect(w*4/10, h/5, w*9/10, h*9/10)} {
		fill(win, [3]byte{0xf0 - byte(i)*0xd0, 0xf0 - byte(i)*0xd0, 0xf0 - byte(i)*0xd0})
		fill(image.Rect(win.Min.X, win.Min.Y, win.Max.X, win.Min.Y+24), [3]byte{0x90, 0x50, 0x30})
		for y := win.Min.Y + 30; y < win.Max.Y-12; y += 14 {
			for x := win.Min.X + 6; x < win.Max.X-12; x += 7 {
				seed = seed*1664525 + 1013904223
				if seed>>30 == 0 {
					continue
				}
				for dot := range 12 {
					seed = seed*1664525 + 1013904223
					at := image.Pt(x+int(seed>>8%5), y+int(seed>>16%9))
					fill(image.Rectangle{Min: at, Max: at.Add(image.Pt(1, 1+dot%3))}, [3]byte{0x30, 0x30, 0x80})
				}
			}
		}
	}
	return f
}

var encoded = []struct{ native, size image.Point }{
	{image.Pt(1280, 800), image.Pt(1280, 800)},
	{image.Pt(1920, 1080), image.Pt(1280, 720)},
	{image.Pt(3840, 2160), image.Pt(1280, 720)},
}

// shortest runs op and reports the shortest time that one took: on a busy machine
// the average is that of its neighbours.
func shortest(b *testing.B, op func()) {
	best := time.Hour
	for b.Loop() {
		at := time.Now()
		op()
		best = min(best, time.Since(at))
	}
	b.ReportMetric(float64(best.Microseconds())/1000, "min-ms/op")
}

// BenchmarkPicture makes the image of a frame, all of it on one processor.
func BenchmarkPicture(b *testing.B) {
	for _, c := range encoded {
		f := ui(c.native.X, c.native.Y)
		b.Run(fmt.Sprintf("%dx%d/ours", c.native.X, c.native.Y), func(b *testing.B) {
			n := 0
			shortest(b, func() {
				img, _ := encode(f, c.size, 1<<30)
				n = len(img.Data)
			})
			b.ReportMetric(float64(n)/1000, "KB")
		})
		b.Run(fmt.Sprintf("%dx%d/CatmullRom+image-png", c.native.X, c.native.Y), func(b *testing.B) {
			n := 0
			shortest(b, func() {
				src := image.NewRGBA(image.Rectangle{Max: c.native})
				for i := 0; i < len(f.Pix); i += 4 {
					src.Pix[i], src.Pix[i+1], src.Pix[i+2], src.Pix[i+3] = f.Pix[i+2], f.Pix[i+1], f.Pix[i], 0xff
				}
				shown := src
				if c.native != c.size {
					shown = image.NewRGBA(image.Rectangle{Max: c.size})
					draw.CatmullRom.Scale(shown, shown.Bounds(), src, src.Bounds(), draw.Src, nil)
				}
				var buf bytes.Buffer
				if err := png.Encode(&buf, shown); err != nil {
					b.Fatal(err)
				}
				n = buf.Len()
			})
			b.ReportMetric(float64(n)/1000, "KB")
		})
	}
}
