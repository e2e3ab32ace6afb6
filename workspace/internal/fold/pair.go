package fold

import "encoding/binary"

// A pair is the anchor and another character a fixed number of bytes behind or
// before it, both of one byte in each form. Eight places are tested for both in a
// few instructions.
type pair struct {
	lead, trail   uint64 // each byte of the word is the character, small if it is a letter
	leadM, trailM uint64 // 0x20 in each byte for a letter, whose forms differ in that bit
	gap           int    // bytes from lead to trail
	toAnchor      int    // bytes from lead to the anchor: 0, or gap
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// newPair finds the rarest partner for the anchor, or nil.
func newPair(chars []char, anchor int) *pair {
	if len(chars) == 0 || !chars[anchor].oneByte() {
		return nil
	}
	best, gap := -1, 0
	for _, step := range []int{-1, 1} {
		for i := anchor + step; i >= 0 && i < len(chars) && chars[i].oneByte(); i += step {
			if best < 0 || chars[i].cost() < chars[best].cost() {
				best, gap = i, i-anchor
			}
		}
	}
	switch {
	case best < 0:
		return nil
	case gap < 0:
		return makePair(chars[best], chars[anchor], -gap, -gap)
	default:
		return makePair(chars[anchor], chars[best], gap, 0)
	}
}

func makePair(lead, trail char, gap, toAnchor int) *pair {
	p := &pair{gap: gap, toAnchor: toAnchor}
	p.lead, p.leadM = lead.word()
	p.trail, p.trailM = trail.word()
	return p
}

// oneByte reports whether all forms are single bytes: ASCII without k and s.
func (c char) oneByte() bool { return c.longest() == 1 && len(c.forms) <= 2 }

func (c char) word() (word, mask uint64) {
	b := uint64(c.forms[0][0])
	if len(c.forms) == 2 {
		b, mask = b|0x20, 0x20*ones
	}
	return b * ones, mask
}

// scan is Index from a place on, eight places at a time.
func (m *Matcher) scan(b []byte, from int) (start, end int) {
	p := m.pair
	at := max(0, from-p.toAnchor) // a lead
	for ; at+p.gap+8 <= len(b); at += 8 {
		lead := (binary.LittleEndian.Uint64(b[at:]) | p.leadM) ^ p.lead
		trail := (binary.LittleEndian.Uint64(b[at+p.gap:]) | p.trailM) ^ p.trail
		differs := lead | trail
		if (differs-ones)&^differs&highs == 0 {
			continue // no byte of differs is zero
		}
		for i := range 8 {
			if byte(differs>>(8*i)) == 0 {
				if start, end, ok := m.around(b, at+i+p.toAnchor, at+i+p.toAnchor+1); ok {
					return start, end
				}
			}
		}
	}
	for at += p.toAnchor; at < len(b); at++ {
		if n := m.chars[m.anchor].after(b[at:]); n > 0 {
			if start, end, ok := m.around(b, at, at+n); ok {
				return start, end
			}
		}
	}
	return -1, -1
}
