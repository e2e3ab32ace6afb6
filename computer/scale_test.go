package computer

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"pgregory.net/rapid"
)

// frameOf makes a frame from bytes that are drawn, with rows that do not follow
// each other.
func frameOf(t *rapid.T, w, h int, o PixOrder) *Frame {
	f := &Frame{W: w, H: h, Stride: 4*w + 4*rapid.IntRange(0, 2).Draw(t, "pad"), Order: o}
	f.Pix = make([]byte, f.Stride*h)
	seed := rapid.Uint32().Draw(t, "seed")
	for i := range f.Pix {
		seed = seed*1664525 + 1013904223
		f.Pix[i] = byte(seed >> 24)
	}
	return f
}

// rgb is the pixel at x, y of f.
func rgb(f *Frame, x, y int) [3]byte {
	px := f.Pix[y*f.Stride+4*x:]
	if f.Order == BGRX {
		return [3]byte{px[2], px[1], px[0]}
	}
	return [3]byte{px[0], px[1], px[2]}
}

func TestAShrunkPixelIsTheAverageOfWhatItCovers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := frameOf(t, rapid.IntRange(1, 30).Draw(t, "w"), rapid.IntRange(1, 30).Draw(t, "h"), PixOrder(rapid.IntRange(0, 1).Draw(t, "order")))
		// Screens are shrunk to a tenth at most; weights get coarse beyond.
		size := image.Pt(rapid.IntRange((f.W+9)/10, f.W).Draw(t, "to w"), rapid.IntRange((f.H+9)/10, f.H).Draw(t, "to h"))
		p := scale(f, size)
		for y := range size.Y {
			for x := range size.X {
				for ch := range 3 {
					var sum, area float64
					for sy := range f.H {
						ry := overlap(sy, y, f.H, size.Y)
						for sx := range f.W {
							if a := ry * overlap(sx, x, f.W, size.X); a > 0 {
								sum += a * float64(rgb(f, sx, sy)[ch])
								area += a
							}
						}
					}
					got, want := float64(p.pix[3*(y*size.X+x)+ch]), sum/area
					if got-want > 4 || want-got > 4 {
						t.Fatalf("channel %d at %d,%d of %v from %d×%d is %v, want %.2f", ch, x, y, size, f.W, f.H, got, want)
					}
				}
			}
		}
	})
}

// overlap is how much of input pixel s the output pixel o covers.
func overlap(s, o, n, m int) float64 {
	lo := max(float64(s), float64(o)*float64(n)/float64(m))
	hi := min(float64(s+1), float64(o+1)*float64(n)/float64(m))
	return max(0, hi-lo)
}

func TestWeightsAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 5000).Draw(t, "n"), rapid.IntRange(1, 5000).Draw(t, "m")
		tp := newTaps(n, m)
		for i := range m {
			sum := 0
			for _, w := range tp.of(i) {
				sum += int(w)
			}
			if sum != 256 || tp.first[i] < 0 || tp.first[i]+len(tp.of(i)) > n {
				t.Fatalf("pixel %d of %d from %d has weights %v from %d", i, m, n, tp.of(i), tp.first[i])
			}
		}
	})
}

func TestAFlatPictureStaysFlat(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{{X: 7, Y: 5}, {X: 30, Y: 20}, {X: 31, Y: 19}, {X: 90, Y: 80}} {
		var f Frame
		f.Resize(30, 20)
		for i := range f.Pix {
			f.Pix[i] = []byte{10, 200, 255, 7}[i%4]
		}
		p := scale(&f, size)
		if want := bytes.Repeat([]byte{255, 200, 10}, size.X*size.Y); !bytes.Equal(p.pix, want) {
			t.Errorf("at %v it is not one colour any more", size)
		}
	}
}

func TestAnEnlargedPictureStaysInPlace(t *testing.T) {
	t.Parallel()
	var f Frame
	f.Resize(2, 1)
	copy(f.Pix, []byte{0, 0, 0, 0, 255, 255, 255, 0})
	p := scale(&f, image.Pt(8, 2))
	want := []byte{0, 0, 32, 96, 159, 223, 255, 255}
	for x, w := range want {
		if got := p.pix[3*x]; got != w {
			t.Errorf("pixel %d is %d, want %d", x, got, w)
		}
	}
}

// A picture that has no alpha must not be an invisible one: some servers leave the
// fourth byte 0.
func TestAPNGIsThePictureAndOpaque(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := frameOf(t, rapid.IntRange(1, 70).Draw(t, "w"), rapid.IntRange(1, 40).Draw(t, "h"), PixOrder(rapid.IntRange(0, 1).Draw(t, "order")))
		for i := 3; i < len(f.Pix); i += 4 {
			f.Pix[i] = 0
		}
		m, err := png.Decode(bytes.NewReader(appendPNG(nil, scale(f, image.Pt(f.W, f.H)))))
		if err != nil || m.Bounds() != image.Rect(0, 0, f.W, f.H) {
			t.Fatalf("it decodes to %v, %v", m, err)
		}
		for y := range f.H {
			for x := range f.W {
				c := rgb(f, x, y)
				if got, want := color.NRGBAModel.Convert(m.At(x, y)), (color.NRGBA{c[0], c[1], c[2], 255}); got != want {
					t.Fatalf("at %d,%d it is %v, want %v", x, y, got, want)
				}
			}
		}
	})
}

func TestBytesAreSubtracted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		gen := rapid.SliceOfN(rapid.Byte(), n, n)
		a, b, got := gen.Draw(t, "a"), gen.Draw(t, "b"), make([]byte, n)
		subtract(got, a, b)
		for i := range n {
			if got[i] != a[i]-b[i] {
				t.Fatalf("%d - %d is %d", a[i], b[i], got[i])
			}
		}
	})
}
