package docs

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// leastColumn is how many lines of one character are a column and no accident.
const leastColumn = 3

// joinColumns joins lines of one Chinese or Japanese character each, which were set
// from top to bottom.
func joinColumns(s string) string {
	if !strings.Contains(s, "\n") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for rest := s; rest != ""; {
		column, n := columnAt(rest)
		if column == "" {
			if n = strings.IndexByte(rest, '\n') + 1; n == 0 {
				n = len(rest)
			}
			column = rest[:n]
		}
		b.WriteString(column)
		rest = rest[n:]
	}
	return b.String()
}

// columnAt is the column that s begins with, as a line, and what it takes of s.
func columnAt(s string) (column string, size int) {
	var b strings.Builder
	lines := 0
	for rest := s; isOneWide(rest); lines++ {
		_, n := utf8.DecodeRuneInString(rest)
		b.WriteString(rest[:n])
		size += n
		if rest = rest[n:]; rest != "" {
			size++
			rest = rest[1:]
		}
	}
	if lines < leastColumn {
		return "", 0
	}
	if s[size-1] == '\n' {
		b.WriteByte('\n')
	}
	return b.String(), size
}

// isOneWide reports whether the first line of s is one character of a script that is
// set from top to bottom.
func isOneWide(s string) bool {
	if len(s) < 3 || s[0] < 0xe3 { // U+3000 is the first
		return false
	}
	r, n := utf8.DecodeRuneInString(s)
	return (n == len(s) || s[n] == '\n') &&
		(unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r > 0x3000 && r <= 0x30ff || r > 0xff00 && r <= 0xff65)
}
