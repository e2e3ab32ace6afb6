package docs

import (
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
	n.bare = f.bare(query)
	return n
}

// A found is where a needle is in a page, in code points of its text.
type found struct {
	start, end int
	joined     bool // over a hyphen at the end of a line, which the needle does not have
}

// findAll finds n in text, without overlaps: all of them are counted, and the first
// max returned.
func (n needle) findAll(f *folder, text string, max int) (first []found, count int) {
	tokens := f.tokens(text)
	end := 0 // of the last one, in tokens
	add := func(from, to int, joined bool) {
		end = to
		if count++; count <= max {
			first = append(first, found{int(tokens[from].start), int(tokens[to-1].end), joined})
		}
	}
	if n.bare == "" { // nothing but hyphens
		for i := 0; i < len(tokens); i++ {
			if to, joined, ok := n.matchAt(tokens, i); ok && i >= end {
				add(i, to, joined)
			}
		}
		return first, count
	}
	var bare strings.Builder
	var index []int32 // of the token, by the offset in bare
	for i, t := range tokens {
		if keeps(t.r) {
			bare.WriteRune(t.r)
			for range utf8.RuneLen(t.r) {
				index = append(index, int32(i))
			}
		}
	}
	hay := bare.String()
	for at := 0; ; {
		k := strings.Index(hay[at:], n.bare)
		if k < 0 {
			return first, count
		}
		at += k
		i := int(index[at])
		_, size := utf8.DecodeRuneInString(hay[at:])
		at += size
		// The needle may begin with hyphens that the bare form does not have.
		for i >= end && i >= 0 {
			if to, joined, ok := n.matchAt(tokens, i); ok {
				add(i, to, joined)
				for at < len(hay) && int(index[at]) < end {
					at++
				}
				break
			}
			if i--; i < 0 || keeps(tokens[i].r) {
				break
			}
		}
	}
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
