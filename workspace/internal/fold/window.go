package fold

import "encoding/binary"

// A window is the anchor and what stands around it, up to eight characters of one
// byte in each form: they are compared in one go.
type window struct {
	word, letters uint64 // as in a pair: what is wanted, small if a letter, and 0x20 where it is one
	keep          uint64 // 0xff in each byte that counts
	back          int    // bytes before the anchor
	size          int    // 0: the anchor itself has longer forms, so there is no window
	whole         bool   // the window is the query
}

func newWindow(chars []char, anchor int) (w window) {
	if len(chars) == 0 || !chars[anchor].oneByte {
		return w
	}
	first, last := anchor, anchor
	for first > 0 && last-first < 7 && chars[first-1].oneByte {
		first--
	}
	for last+1 < len(chars) && last-first < 7 && chars[last+1].oneByte {
		last++
	}
	for i, c := range chars[first : last+1] {
		word, mask := c.word()
		w.word |= word & (0xff << (8 * i))
		w.letters |= mask & (0xff << (8 * i))
		w.keep |= 0xff << (8 * i)
	}
	w.back, w.size = anchor-first, last-first+1
	w.whole = w.size == len(chars)
	return w
}

// verify reports the match whose anchor begins at b[at], if there is one.
func (m *Matcher) verify(b []byte, at int) (start, end int, ok bool) {
	w := &m.window
	if from := at - w.back; w.size > 0 && from >= 0 && from+8 <= len(b) {
		if ((binary.LittleEndian.Uint64(b[from:])|w.letters)^w.word)&w.keep != 0 {
			return 0, 0, false
		}
		if w.whole {
			return from, from + w.size, true
		}
	}
	n := m.chars[m.anchor].after(b[at:])
	if n == 0 {
		return 0, 0, false
	}
	return m.around(b, at, at+n)
}
