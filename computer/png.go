package computer

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"sync"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// filterUp is PNG's filter by the row above (PNG specification, 9.2). Screens are
// mostly flat, so that it leaves mostly zeros; choosing among all five filters
// costs more time than it saves bytes.
const filterUp = 2

// parts of a picture are worked on side by side. Their number is fixed, so that a
// picture has the same bytes on every machine.
const parts = 4

// inParts calls do for each part of n rows, side by side, and returns when all are
// done.
func inParts(n int, do func(part, from, to int)) {
	var all sync.WaitGroup
	for i := range parts {
		all.Go(func() { do(i, n*i/parts, n*(i+1)/parts) })
	}
	all.Wait()
}

// appendPNG appends p as a PNG: RGB of 8 bits, each row as its difference to the
// one above, compressed for speed. The parts are compressed each for itself, which
// costs a few bytes where they meet.
func appendPNG(dst []byte, p *picture) []byte {
	var deflated [parts]bytes.Buffer
	var sums [parts]uint32
	row := 1 + 3*p.w
	inParts(p.h, func(i, from, to int) { sums[i] = p.deflate(&deflated[i], from, to, i == parts-1) })
	sum := uint32(1) // of no bytes
	for i, s := range sums {
		sum = joinAdler(sum, s, row*(p.h*(i+1)/parts-p.h*i/parts))
	}

	buf := bytes.NewBuffer(dst)
	buf.WriteString(pngSignature)
	header := binary.BigEndian.AppendUint32(nil, uint32(p.w))
	header = binary.BigEndian.AppendUint32(header, uint32(p.h))
	header = append(header, 8, 2, 0, 0, 0) // 8 bits, RGB, deflate, filters, not interlaced
	chunk(buf, "IHDR", func() { buf.Write(header) })
	chunk(buf, "IDAT", func() {
		buf.Write([]byte{0x78, 0x01}) // RFC 1950: deflate with a window of 32 KiB, made for speed
		for i := range deflated {
			buf.Write(deflated[i].Bytes())
		}
		buf.Write(binary.BigEndian.AppendUint32(nil, sum))
	})
	chunk(buf, "IEND", func() {})
	return buf.Bytes()
}

// deflate compresses rows of p to buf, and returns the Adler-32 of what it has
// compressed. The last part ends the stream, the others end on a byte.
func (p *picture) deflate(buf *bytes.Buffer, from, to int, last bool) uint32 {
	z, _ := flate.NewWriter(buf, flate.BestSpeed) // fails for unknown levels alone
	sum := adler32.New()
	row := make([]byte, 1+3*p.w)
	row[0] = filterUp
	above := make([]byte, 3*p.w)
	if from > 0 {
		above = p.pix[3*p.w*(from-1):][:3*p.w]
	}
	for y := from; y < to; y++ {
		line := p.pix[3*p.w*y:][:3*p.w]
		subtract(row[1:], line, above)
		sum.Write(row)
		z.Write(row) // a bytes.Buffer takes everything
		above = line
	}
	if last {
		z.Close()
	} else {
		z.Flush()
	}
	return sum.Sum32()
}

// joinAdler is the Adler-32 of two texts, one after the other, of which the second is
// n bytes long (RFC 1950, 8.2: two sums modulo a prime, the second of the first).
func joinAdler(a, b uint32, n int) uint32 {
	const prime = 65521
	sum := func(x uint32) (uint64, uint64) { return uint64(x & 0xffff), uint64(x >> 16) }
	a1, a2 := sum(a)
	b1, b2 := sum(b)
	// Each sum of a begins at 1, and that of b at 1 again.
	first := (a1 + b1 + prime - 1) % prime
	second := (a2 + b2 + uint64(n%prime)*(a1+prime-1)) % prime
	return uint32(second<<16 | first)
}

// chunk writes a chunk whose content write appends to buf.
func chunk(buf *bytes.Buffer, name string, write func()) {
	at := buf.Len()
	buf.Write(make([]byte, 4))
	buf.WriteString(name)
	write()
	whole := buf.Bytes()[at:]
	binary.BigEndian.PutUint32(whole, uint32(len(whole)-8))
	sum := crc32.ChecksumIEEE(whole[4:])
	buf.Write(binary.BigEndian.AppendUint32(nil, sum))
}

// subtract sets dst to a-b, byte by byte and eight at a time.
func subtract(dst, a, b []byte) {
	const high = 0x8080808080808080
	for len(dst) >= 8 && len(a) >= 8 && len(b) >= 8 {
		x, y := binary.LittleEndian.Uint64(a), binary.LittleEndian.Uint64(b)
		// The highest bit of each byte is kept from lending to its neighbour, and
		// put right afterwards.
		binary.LittleEndian.PutUint64(dst, ((x|high)-(y&^high))^((x^^y)&high))
		dst, a, b = dst[8:], a[8:], b[8:]
	}
	for i := range dst {
		dst[i] = a[i] - b[i]
	}
}
