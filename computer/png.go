package computer

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// filterUp is PNG's filter by the row above (PNG specification, 9.2). Screens are
// mostly flat, so that it leaves mostly zeros; choosing among all five filters
// costs more time than it saves bytes.
const filterUp = 2

// appendPNG appends p as a PNG: RGB of 8 bits, each row as its difference to the
// one above, compressed for speed.
func appendPNG(dst []byte, p *picture) []byte {
	buf := bytes.NewBuffer(dst)
	buf.WriteString(pngSignature)
	header := binary.BigEndian.AppendUint32(nil, uint32(p.w))
	header = binary.BigEndian.AppendUint32(header, uint32(p.h))
	header = append(header, 8, 2, 0, 0, 0) // 8 bits, RGB, deflate, filters, not interlaced
	chunk(buf, "IHDR", func() { buf.Write(header) })
	chunk(buf, "IDAT", func() {
		z, _ := zlib.NewWriterLevel(buf, zlib.BestSpeed) // fails for unknown levels alone
		row := make([]byte, 1+3*p.w)
		row[0] = filterUp
		above := make([]byte, 3*p.w)
		for y := range p.h {
			line := p.pix[3*p.w*y:][:3*p.w]
			subtract(row[1:], line, above)
			z.Write(row) // a bytes.Buffer takes everything
			above = line
		}
		z.Close()
	})
	chunk(buf, "IEND", func() {})
	return buf.Bytes()
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
