package workspace

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// aside is how many bytes on either side of a match may be shown.
const aside = maxLineText * utf8.UTFMax

// Hits are matching lines of one file, or of files that follow each other. They
// hold no pointers and are filled again and again, since a search may come past
// very many: whoever keeps one copies it.
type hits struct {
	at    []hit
	texts []byte // as they are shown, one behind the other
}

type hit struct {
	line int
	end  int // of its text, which begins where that of the hit before ends
}

// behind are the hits of m that were not there before.
func (m *hits) behind(before hits) hits {
	return hits{m.at[len(before.at):], m.texts[len(before.texts):]}
}

// text is what is shown of hit i. It need not be UTF-8.
func (m *hits) text(i int) []byte {
	from := 0
	if i > 0 {
		from = m.at[i-1].end
	}
	return m.texts[from:m.at[i].end]
}

// forget makes room for others.
func (m *hits) forget() { m.at, m.texts = m.at[:0], m.texts[:0] }

// excerpt appends to dst what is shown of a line that matches at [start, end): all
// of it, or maxLineText characters with the match among them. cutBefore and cutAfter
// say that the line goes on beyond what is there of it.
func excerpt(dst, line []byte, start, end int, cutBefore, cutAfter bool) []byte {
	if !cutBefore && !cutAfter && (len(line) <= maxLineText || len(line) <= aside && utf8.RuneCount(line) <= maxLineText) {
		return append(dst, line...)
	}
	from := 0
	if cutBefore || end > aside || utf8.RuneCount(line[:end]) > maxLineText {
		from = back(line, start, max(0, maxLineText-utf8.RuneCount(line[start:end]))/2)
	}
	to := from
	for n := 0; n < maxLineText && to < len(line); n++ {
		_, size := utf8.DecodeRune(line[to:])
		to += size
	}
	if to == len(line) {
		from = back(line, to, maxLineText)
	}
	if from > 0 || cutBefore {
		dst = append(dst, "…"...)
	}
	dst = append(dst, line[from:to]...)
	if to < len(line) || cutAfter {
		dst = append(dst, "…"...)
	}
	return dst
}

// back is n characters before at.
func back(b []byte, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRune(b[:at])
		at -= size
	}
	return at
}

// lastNewline is where the last line of b begins, less one. Lines are short, and to
// look at eight bytes at once is what pays.
func lastNewline(b []byte) int {
	const lows, highs, newlines = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080, 0x0a0a0a0a0a0a0a0a
	end := len(b)
	for ; end >= 8; end -= 8 {
		w := binary.LittleEndian.Uint64(b[end-8:]) ^ newlines
		if found := ^((w&lows + lows) | w) & highs; found != 0 {
			return end - 1 - bits.LeadingZeros64(found)/8
		}
	}
	return bytes.LastIndexByte(b[:end], '\n')
}
