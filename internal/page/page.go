// Package page cuts text where a page may end: never inside a character, and
// always so that the next page goes on exactly where this one stopped. Offsets
// and sizes are in bytes, but for what First counts.
package page

import "unicode/utf8"

// Cut returns the most bytes of s, at most max, that do not end inside a
// character. An invalid byte counts as a character of its own. It returns 0
// only if max is less than the first character's size.
func Cut[T string | []byte](s T, max int) int {
	if max >= len(s) {
		return len(s)
	}
	if max <= 0 {
		return 0
	}
	// Step back over the bytes that continue a character, to the one that starts
	// it; it is a cut character only if it is whole in s and runs past max.
	for i := max - 1; i >= 0 && i > max-utf8.UTFMax; i-- {
		if !utf8.RuneStart(s[i]) {
			continue
		}
		if _, n := utf8.DecodeRuneInString(string(s[i:min(len(s), i+utf8.UTFMax)])); i+n > max {
			return i
		}
		break
	}
	return max
}

// Whole returns how much of b does not end inside a character that more bytes
// could complete. At most 3 bytes are held back.
func Whole(b []byte) int {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}

// First is the first max characters of s, or all of it.
func First(s string, max int) string {
	n := 0
	for i := range s {
		if n == max {
			return s[:i]
		}
		n++
	}
	return s
}
