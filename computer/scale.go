package computer

import (
	"encoding/binary"
	"image"
)

// A picture is 8-bit RGB, rows following each other.
type picture struct {
	w, h int
	pix  []byte
}

// scale makes a picture of f: each pixel the average of the area that it covers,
// or where f is enlarged, between the pixels that are nearest. Both are sums with
// weights, and four channels are summed at once in the 16-bit lanes of a word:
// the weights of a pixel add up to 256, so that no lane overflows.
func scale(f *Frame, size image.Point) *picture {
	p := &picture{w: size.X, h: size.Y, pix: make([]byte, 3*size.X*size.Y)}
	if f.W == size.X && f.H == size.Y {
		inParts(p.h, func(_, from, to int) {
			for y := from; y < to; y++ {
				p.copyRow(y, f)
			}
		})
		return p
	}
	columns, rows := newTaps(f.W, size.X), newTaps(f.H, size.Y)
	inParts(p.h, func(_, from, to int) { p.sumRows(f, columns, rows, from, to) })
	return p
}

// sumRows makes rows of p.
func (p *picture) sumRows(f *Frame, columns, rows *taps, from, to int) {
	var cache [2]struct {
		y   int
		row []uint64
	}
	for i := range cache {
		cache[i].y, cache[i].row = -1, make([]uint64, p.w)
	}
	sum := make([]uint64, p.w)
	for y := from; y < to; y++ {
		clear(sum)
		for i, weight := range rows.of(y) {
			in := rows.first[y] + i
			c := &cache[in%2] // an output row and the next share one input row at most
			if c.y != in {
				c.y = in
				columns.apply(f.row(in), c.row)
			}
			for x, v := range c.row {
				sum[x] += v * uint64(weight)
			}
		}
		p.putRow(y, sum, f.Order)
	}
}

const (
	lanes = 0x00ff00ff00ff00ff
	half  = 0x0080008000800080
)

// spread puts the four bytes of a pixel into lanes: 0, 2, 1, 3.
func spread(p uint32) uint64 { return uint64(p)&0x00ff00ff | uint64(p&0xff00ff00)<<24 }

func (p *picture) putRow(y int, sum []uint64, o PixOrder) {
	out := p.pix[3*p.w*y:][:3*p.w]
	first, last := 0, 16
	if o == BGRX {
		first, last = 16, 0
	}
	for x, v := range sum {
		v = (v + half) >> 8 & lanes
		out[3*x] = byte(v >> first)
		out[3*x+1] = byte(v >> 32)
		out[3*x+2] = byte(v >> last)
	}
}

func (p *picture) copyRow(y int, f *Frame) {
	in := f.row(y)
	out := p.pix[3*p.w*y:][:3*p.w]
	first, last := 0, 2
	if f.Order == BGRX {
		first, last = 2, 0
	}
	for len(in) >= 4 && len(out) >= 3 {
		out[0], out[1], out[2] = in[first], in[1], in[last]
		in, out = in[4:], out[3:]
	}
}

// taps are the weights with which n input pixels make m output pixels.
type taps struct {
	first   []int // of each output pixel, its first input pixel
	from    []int // where its weights begin; one more than output pixels
	weights []uint16
}

func (t *taps) of(i int) []uint16 { return t.weights[t.from[i]:t.from[i+1]] }

func newTaps(n, m int) *taps {
	t := &taps{first: make([]int, m), from: make([]int, 1, m+1)}
	for i := range m {
		if m <= n {
			t.area(i, n, m)
		} else {
			t.between(i, n, m)
		}
		t.from = append(t.from, len(t.weights))
	}
	return t
}

// area weighs the input pixels that output pixel i covers, from i·n/m to
// (i+1)·n/m. Rounding the running total and not each weight keeps the sum 256.
func (t *taps) area(i, n, m int) {
	lo, hi := i*n, (i+1)*n // in m-ths of an input pixel
	t.first[i] = lo / m
	done := 0
	for in := lo / m; in*m < hi; in++ {
		covered := min((in+1)*m, hi) - lo
		total := (covered*256 + n/2) / n
		t.weights = append(t.weights, uint16(total-done))
		done = total
	}
}

// between weighs the two input pixels about the middle of output pixel i.
func (t *taps) between(i, n, m int) {
	at := max(0, (2*i+1)*n*128/m-128) // in 256ths, from the middle of the first
	first, part := at/256, at%256
	t.first[i] = min(first, n-1)
	if first >= n-1 || part == 0 {
		t.weights = append(t.weights, 256)
		return
	}
	t.weights = append(t.weights, uint16(256-part), uint16(part))
}

// apply makes one row of output pixels, in lanes.
func (t *taps) apply(in []byte, out []uint64) {
	for i := range out {
		weights := t.of(i)
		px := in[4*t.first[i]:][:4*len(weights)]
		var sum uint64
		for _, w := range weights {
			sum += spread(binary.LittleEndian.Uint32(px)) * uint64(w)
			px = px[4:]
		}
		out[i] = (sum + half) >> 8 & lanes
	}
}
