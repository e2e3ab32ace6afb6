package docs

import (
	"bytes"
	"math"
	"strings"
	"unicode/utf8"
)

// A needle is what a search looks for, folded.
type needle struct {
	runes []rune
	bare  string // see [folder.bare]
}

func newNeedle(f *folder, query string) needle {
	var n needle
	// The end of a line in a query is a space: nothing is parted there.
	for _, t := range f.tokens(strings.Join(strings.Fields(query), " ")) {
		if t.r != wrapped {
			n.runes = append(n.runes, t.r)
		}
	}
	n.bare, _ = f.bare(query, math.MaxInt)
	return n
}

// A found is where a needle is in a page, in code points of its text.
type found struct {
	start, end int
	joined     bool // over a hyphen at the end of a line, which the needle does not have
}

// window is how many tokens of a page are looked at together. A character can stand
// for many, and a page can have millions: all at once would take gigabytes.
const window = 1 << 16

// findAll finds n in text, without overlaps: all of them are counted, and the first
// max returned.
func (n needle) findAll(f *folder, text string, max int) (first []found, count int) {
	return n.findIn(f, text, max, window)
}

// findIn is findAll with windows of room tokens, or of what the needle needs.
func (n needle) findIn(f *folder, text string, max, room int) (first []found, count int) {
	m := matcher{needle: n, max: max}
	if least := 2 * n.longest(); room < least {
		room = least
	}
	var w tokenWriter
	f.each(text, func(r rune, start, end int32, unspaced bool) bool {
		w.add(r, start, end, unspaced)
		if len(w.out) >= room {
			// A match that begins before this one ends in the window; from it on they
			// are looked at again.
			to := len(w.out) - n.longest()
			m.look(w.out, to)
			w.out = append(w.out[:0], w.out[to:]...)
		}
		return true
	})
	w.flush()
	m.look(w.out, len(w.out))
	return m.first, m.count
}

// longest is the most tokens that n can be: no two that it may pass over, or that are
// two of its characters, stand side by side.
func (n needle) longest() int { return 2*len(n.runes) + 2 }

// A matcher looks for a needle in one window after the other.
type matcher struct {
	needle needle
	max    int
	past   int32 // where the last match ended: matches share no character
	first  []found
	count  int

	bare  []byte  // of the window, see [folder.bare]
	index []int32 // of the token, by the offset in bare
}

// look finds the matches that begin in the first of tokens.
func (m *matcher) look(tokens []token, limit int) {
	if m.needle.bare == "" { // nothing but hyphens
		for i := range limit {
			m.try(tokens, i)
		}
		return
	}
	m.bare, m.index = m.bare[:0], m.index[:0]
	for i, t := range tokens {
		if keeps(t.r) {
			m.bare = utf8.AppendRune(m.bare, t.r)
			for len(m.index) < len(m.bare) {
				m.index = append(m.index, int32(i))
			}
		}
	}
	needle := []byte(m.needle.bare)
	for at := 0; ; {
		k := bytes.Index(m.bare[at:], needle)
		if k < 0 {
			return
		}
		at += k
		i := int(m.index[at])
		_, size := utf8.DecodeRune(m.bare[at:])
		at += size
		// The needle may begin with hyphens that the bare form does not have.
		for least := max(0, i-m.needle.longest()); i >= least; {
			if i < limit && m.try(tokens, i) {
				for at < len(m.bare) && tokens[m.index[at]].start < m.past {
					at++
				}
				break
			}
			if i >= limit {
				if _, _, ok := m.needle.matchAt(tokens, i); ok {
					break // the next window's
				}
			}
			if i--; i < 0 || keeps(tokens[i].r) {
				break
			}
		}
	}
}

// try reports whether there is a match at tokens[i], and notes it.
func (m *matcher) try(tokens []token, i int) bool {
	if tokens[i].start < m.past {
		return false
	}
	to, joined, ok := m.needle.matchAt(tokens, i)
	if !ok {
		return false
	}
	m.past = tokens[to-1].end
	if m.count++; m.count <= m.max {
		m.first = append(m.first, found{int(tokens[i].start), int(m.past), joined})
	}
	return true
}

// matchAt reports whether n is at tokens[i], and where it ends.
func (n needle) matchAt(tokens []token, i int) (to int, joined, ok bool) {
	if tokens[i].r == wrapped || tokens[i].r == parted && n.runes[0] != '-' {
		return 0, false, false
	}
	for j := 0; j < len(n.runes); i++ {
		if i == len(tokens) {
			return 0, false, false
		}
		switch r := tokens[i].r; r {
		case n.runes[j]:
			j++
		case parted:
			switch {
			case n.runes[j] != '-':
				joined = true
			case j+1 < len(n.runes) && n.runes[j+1] == ' ':
				j += 2
			default:
				j++
			}
		case wrapped:
			if n.runes[j] == ' ' {
				j++
			}
		default:
			return 0, false, false
		}
	}
	return i, joined, true
}
