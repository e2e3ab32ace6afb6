package docs

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// clean makes text of what an engine gives: valid UTF-8, where each byte that is
// none, and each half of a surrogate pair, is U+FFFD; line feeds for line ends; no
// control characters but those and tabs; no blanks at the end of a line and none at
// the end of the text; no two empty lines in a row; and Chinese or Japanese that is
// set from top to bottom as lines, where engines give a line for each character. It
// returns how many control characters it removed that stand for a glyph which the
// file does not explain.
func clean(s string) (text string, removed int) {
	if isClean(s) {
		return trimmed(s), 0
	}
	text, removed = valid(s)
	return joinColumns(text), removed
}

// valid is clean but for columns.
func valid(s string) (text string, removed int) {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\n', c == '\r':
			if b = trimBlanks(b); !bytes.HasSuffix(b, []byte("\n\n")) {
				b = append(b, '\n')
			}
			if c == '\r' && i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
			i++
		case c == '\t', c >= ' ' && c < 0x7f:
			b = append(b, c)
			i++
		case c < utf8.RuneSelf:
			if c != 0 && c != '\f' { // what engines put between pages, and what they pad with
				removed++
			}
			i++
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && n == 1:
				b = utf8.AppendRune(b, utf8.RuneError)
				n = invalid3(s[i:])
			case r < 0xa0: // the second row of control characters
				removed++
			default:
				b = append(b, s[i:i+n]...)
			}
			i += n
		}
	}
	return string(bytes.TrimRight(b, blanks)), removed
}

const blanks = " \t\n"

// trimmed is s without blanks at its end, in memory of its own if those are much:
// what is kept of a page is counted by what is left of it.
func trimmed(s string) string {
	t := strings.TrimRight(s, blanks)
	if len(t) < len(s)/2 {
		return strings.Clone(t)
	}
	return t
}

// invalid3 is the length of the invalid sequence at the start of s that stands for
// one character: 3 for half of a surrogate pair, else 1.
func invalid3(s string) int {
	if len(s) >= 3 && s[0] == 0xed && s[1]&0xe0 == 0xa0 && s[2]&0xc0 == 0x80 {
		return 3
	}
	return 1
}

// isClean reports whether only the end of s may need a change, which is so for
// almost every page.
func isClean(s string) bool {
	blank := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c > ' ' && c < 0x7f {
			blank = false
			continue
		}
		switch {
		case c == '\n' && (blank || i > 1 && s[i-1] == '\n' && s[i-2] == '\n' || isOneWide(s[i+1:])):
			return false
		case c < ' ' && c != '\n' && c != '\t', c == 0x7f:
			return false
		case c == 0xc2 && i+1 < len(s) && s[i+1] < 0xa0:
			return false
		}
		blank = c == ' ' || c == '\t'
	}
	return utf8.ValidString(s)
}

func trimBlanks(b []byte) []byte {
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}
