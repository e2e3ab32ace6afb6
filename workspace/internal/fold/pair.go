package fold

import (
	"encoding/binary"
	"math/bits"
)

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
	if len(chars) == 0 || !chars[anchor].oneByte {
		return nil
	}
	best, gap := -1, 0
	for _, step := range []int{-1, 1} {
		for i := anchor + step; i >= 0 && i < len(chars) && chars[i].oneByte; i += step {
			if best < 0 || chars[i].cost < chars[best].cost {
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

// word is the character in each byte of a word, small if it is a letter, and 0x20
// in each byte if it is one.
func (c char) word() (word, letters uint64) { return ones * uint64(c.small), ones * uint64(c.letter) }

// scan finds the first match that starts at from or behind it, 32 places at a time.
func (m *Matcher) scan(b []byte, from int, wide bool) (start, end int) {
	p := m.pair
	at := max(0, from-p.toAnchor) // a lead
	next := m.pairWords
	if wide {
		next = m.pairBlocks
	}
	for at+p.gap+32 <= len(b) {
		var hits uint32
		if at, hits = next(b, at); hits == 0 {
			break
		}
		for ; hits != 0; hits &= hits - 1 {
			start, end, ok := m.verify(b, at+bits.TrailingZeros32(hits)+p.toAnchor)
			if ok && start >= from {
				return start, end
			}
		}
		at += 32
	}
	for at += p.toAnchor; at < len(b); at++ {
		if start, end, ok := m.verify(b, at); ok && start >= from {
			return start, end
		}
	}
	return -1, -1
}

// pairBlocks returns the next 32 places that have a pair, and which of them have
// one, a bit for each. Without a hit it returns where too little is left.
func (m *Matcher) pairBlocks(b []byte, at int) (place int, hits uint32) {
	p := m.pair
	blocks := (len(b) - at - p.gap) / 32
	want := [4]byte{byte(p.lead), byte(p.leadM), byte(p.trail), byte(p.trailM)}
	block, hits := pairBlocks(&b[at], p.gap, blocks, &want)
	return at + 32*block, hits
}

// pairWords is pairBlocks eight places at a time, for any processor. It may hit
// where there is no pair.
func (m *Matcher) pairWords(b []byte, at int) (place int, hits uint32) {
	p := m.pair
	for ; at+p.gap+32 <= len(b); at += 32 {
		lead, trail := (*[32]byte)(b[at:]), (*[32]byte)(b[at+p.gap:])
		w0 := p.differs(binary.LittleEndian.Uint64(lead[0:8]), binary.LittleEndian.Uint64(trail[0:8]))
		w1 := p.differs(binary.LittleEndian.Uint64(lead[8:16]), binary.LittleEndian.Uint64(trail[8:16]))
		w2 := p.differs(binary.LittleEndian.Uint64(lead[16:24]), binary.LittleEndian.Uint64(trail[16:24]))
		w3 := p.differs(binary.LittleEndian.Uint64(lead[24:32]), binary.LittleEndian.Uint64(trail[24:32]))
		z0, z1, z2, z3 := zeros(w0), zeros(w1), zeros(w2), zeros(w3)
		if z0|z1|z2|z3 != 0 {
			return at, gather(z0) | gather(z1)<<8 | gather(z2)<<16 | gather(z3)<<24
		}
	}
	return at, 0
}

// gather makes the marks of eight bytes eight bits.
func gather(z uint64) uint32 { return uint32((z >> 7) * 0x0102040810204080 >> 56) }

// differs has a zero for each place where lead and trail are what is wanted.
func (p *pair) differs(lead, trail uint64) uint64 {
	return ((lead | p.leadM) ^ p.lead) | ((trail | p.trailM) ^ p.trail)
}

// zeros marks the zero bytes of w, and may mark some above one of them.
func zeros(w uint64) uint64 { return (w - ones) &^ w & highs }
