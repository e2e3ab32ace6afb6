package computer

import (
	"bytes"
	"image"
	_ "image/jpeg" // decodes
	_ "image/png"  // decodes
	"testing"
)

// noise is a frame that does not compress.
func noise(w, h int) *Frame {
	f := &Frame{}
	f.Resize(w, h)
	seed := uint32(1)
	for i := range f.Pix {
		seed = seed*1664525 + 1013904223
		f.Pix[i] = byte(seed >> 24)
	}
	return f
}

func TestAPictureKeepsItsLimitOfBytes(t *testing.T) {
	t.Parallel()
	f := noise(400, 300)
	for _, c := range []struct {
		name, mime string
		maxBytes   int
		size       image.Point
	}{
		{"a PNG that fits", "image/png", 400_000, image.Pt(400, 300)},
		{"a JPEG where a PNG is too large", "image/jpeg", 150_000, image.Pt(400, 300)},
		{"a smaller picture where that is too large as well", "image/jpeg", 30_000, image.Pt(200, 150)},
		{"and in the end a small one, whatever the limit", "image/jpeg", 10, image.Pt(100, 75)},
	} {
		t.Run(c.name, func(t *testing.T) {
			img, size := encode(f, image.Pt(400, 300), c.maxBytes)
			if img.MIME != c.mime || size != c.size || len(img.Data) > c.maxBytes && c.maxBytes > 10 {
				t.Errorf("it is %s of %v and %d bytes, want %s of %v", img.MIME, size, len(img.Data), c.mime, c.size)
			}
			m, kind, err := image.Decode(bytes.NewReader(img.Data))
			if err != nil || "image/"+kind != c.mime || m.Bounds().Size() != c.size {
				t.Errorf("it decodes to %s of %v, %v", kind, m.Bounds(), err)
			}
		})
	}
}

func TestThePointerIsDrawn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		order PixOrder
		argb  uint32
		want  []byte // the pixel's first three bytes; it was 100, 100, 100
	}{
		{"opaque", BGRX, 0xff102030, []byte{0x30, 0x20, 0x10}},
		{"opaque, red first", RGBX, 0xff102030, []byte{0x10, 0x20, 0x30}},
		{"half", BGRX, 0x80400000, []byte{50, 50, 114}},
		{"not at all", BGRX, 0, []byte{100, 100, 100}},
	} {
		f := Frame{Order: c.order}
		f.Resize(3, 3)
		for i := range f.Pix {
			f.Pix[i] = 100
		}
		// Three of its four pixels are outside of the picture.
		blend(&f, image.Pt(10, 10), Cursor{Bounds: image.Rect(9, 9, 11, 11), ARGB: []uint32{1 << 31, 1 << 31, 1 << 31, c.argb}})
		if !bytes.Equal(f.Pix[:3], c.want) {
			t.Errorf("%s: it is %v, want %v", c.name, f.Pix[:3], c.want)
		}
		if !bytes.Equal(f.Pix[4:], bytes.Repeat([]byte{100}, 32)) {
			t.Errorf("%s: another pixel has changed", c.name)
		}
	}
}

func TestWhatHasChanged(t *testing.T) {
	t.Parallel()
	frame := func() *Frame { f := &Frame{}; f.Resize(10, 10); return f }
	a, b := frame(), frame()
	b.Pix[3] = 9 // of no meaning
	if ch := changeBetween(a, b, image.Pt(5, 5)); ch != (Change{}) {
		t.Errorf("nothing has changed and it is %v", ch)
	}
	b.Pix[4*(2*10+3)], b.Pix[4*(4*10+8)] = 1, 1
	if ch := changeBetween(a, b, image.Pt(5, 5)); ch != (Change{2, image.Rect(8, 7, 14, 10)}) {
		t.Errorf("two pixels have changed and it is %v", ch)
	}
	wide := &Frame{}
	wide.Resize(20, 10)
	if ch := changeBetween(a, wide, image.Point{}); ch != (Change{100, image.Rect(0, 0, 20, 10)}) {
		t.Errorf("the screen is larger and it is %v", ch)
	}
}
