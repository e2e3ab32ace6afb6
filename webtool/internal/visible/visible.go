// Package visible removes from text what a reader does not see but a model would
// read: control characters, terminal escapes, zero-width and direction characters,
// Unicode tags. Its functions are pure and safe for concurrent use.
package visible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Strip returns s without invisible characters and as valid UTF-8.
//
// Removed: C0 but \n and \t, DEL and C1, terminal escape sequences with their
// parameters, zero-width characters, direction marks, overrides and isolates, tag
// characters and the rest of their plane's first 4,096, controls of musical and
// shorthand notation, the soft hyphen, the byte order mark, fillers, and
// variation selectors that follow nothing they could vary. A joiner between two
// letters or symbols outside ASCII stays, for Persian, Indic scripts and emoji need
// it. A no-break space becomes a blank, \r\n and other line separators become \n.
func Strip(s string) string {
	i := suspect(s)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:i])
	prev, _ := utf8.DecodeLastRuneInString(s[:i])
	for i < len(s) {
		if c := s[i]; c >= ' ' && c < 0x7f {
			b.WriteByte(c)
			prev = rune(c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		next := i + n
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteRune(utf8.RuneError)
			prev = r
		case r == '\n' || r == '\t':
			b.WriteRune(r)
			prev = r
		case r == '\r':
			if next == len(s) || s[next] != '\n' {
				b.WriteByte('\n')
				prev = '\n'
			}
		case r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029:
			b.WriteByte('\n')
			prev = '\n'
		case r == 0xA0:
			b.WriteByte(' ')
			prev = ' '
		case r == 0x1b || r == 0x9b:
			next = i + escape(s[i:])
		case r == 0x200C || r == 0x200D:
			after, _ := utf8.DecodeRuneInString(s[next:])
			if joins(prev) && joins(after) {
				b.WriteRune(r)
				prev = r
			}
		case unicode.Is(unicode.Variation_Selector, r):
			if varies(prev, r) {
				b.WriteRune(r)
				prev = r
			}
		case hidden(r):
		default:
			b.WriteString(s[i:next])
			prev = r
		}
		i = next
	}
	return b.String()
}

// suspect is the index of the first byte that may begin something Strip changes, -1
// when there is none. It looks at lead bytes only, so that most text is passed over
// at the speed of a scan.
func suspect(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= ' ' && c < 0x7f || c == '\n' || c == '\t':
		case c < 0x80:
			return i
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 || r == 0xA0 || r == 0x85 || r == 0x2028 || r == 0x2029 ||
				unicode.Is(unicode.Variation_Selector, r) || r == 0x200C || r == 0x200D || hidden(r) {
				return i
			}
			i += n - 1
		}
	}
	return -1
}

// hidden reports whether a rune shows nothing wherever it stands.
func hidden(r rune) bool {
	switch {
	case r < 0x20 || r >= 0x7f && r <= 0x9f:
		return true
	case r < 0xAD:
		return false
	case r == 0xAD || r == 0x34F || r == 0x61C || r == 0x115F || r == 0x1160 || r == 0x17B4 || r == 0x17B5 || r == 0x180E:
		return true
	case r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2060 && r <= 0x206F:
		return true
	case r == 0x3164 || r == 0xFEFF || r == 0xFFA0 || r >= 0xFFF9 && r <= 0xFFFB:
		return true
	}
	return r >= 0xFFF0 && r <= 0xFFF8 || r >= 0x1BCA0 && r <= 0x1BCA3 || r >= 0x1D173 && r <= 0x1D17A || r >= 0xE0000 && r <= 0xE0FFF
}

// joins reports whether a joiner beside r can mean something.
func joins(r rune) bool {
	return r >= 0x80 && r != utf8.RuneError && !hidden(r) && r != 0x200C && r != 0x200D &&
		(unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r))
}

// varies reports whether the variation selector v can mean something after r: the
// supplement varies ideographs only, of ASCII only what stands on keycaps is varied, and
// no selector follows another.
func varies(r, v rune) bool {
	if unicode.Is(unicode.Variation_Selector, r) {
		return false
	}
	if v >= 0xE0100 {
		return unicode.Is(unicode.Han, r)
	}
	if r < utf8.RuneSelf { // a keycap's digit
		return v >= 0xFE0E && strings.ContainsRune("0123456789#*", r)
	}
	return true
}

// escape is the length of the terminal escape sequence at the start of s, at least 1.
func escape(s string) int {
	_, i := utf8.DecodeRuneInString(s)
	if s[0] == 0x1b {
		if i == len(s) {
			return i
		}
		switch s[i] {
		case '[':
			i++
		case ']', 'P', 'X', '^', '_': // a string, up to BEL or ST; one that does not end is no sequence
			end := strings.IndexAny(s[:min(len(s), 4096)][i+1:], "\x07\x1b")
			if end < 0 {
				return i + 1
			}
			switch end += i + 1; {
			case s[end] == 0x07:
				return end + 1
			case strings.HasPrefix(s[end+1:], "\\"):
				return end + 2
			}
			return i + 1 // another sequence begins before it ends
		default:
			if s[i] >= 0x20 && s[i] <= 0x2f && i+1 < len(s) { // a charset: one more byte
				return i + 2
			}
			if s[i] >= 0x30 && s[i] <= 0x7e {
				return i + 1
			}
			return i
		}
	}
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		i++
	}
	return i
}
