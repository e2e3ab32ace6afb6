package docs

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cut returns how many bytes, and characters, of s a page of a result may have: at
// most max characters and room bytes, at least one character. It ends behind a line
// if one ends in the last tenth, and never before a mark that belongs to the
// character before it, unless there is nothing else.
func cut(s string, max, room int) (size, chars int) {
	end, last := 0, 0 // behind the last character that fits, and before it
	for i, r := range s {
		n := utf8.RuneLen(r)
		if chars > 0 && (chars >= max || i+n > room) {
			break
		}
		last, end = i, i+n
		chars++
	}
	if end == len(s) {
		return end, chars
	}
	tenth := end
	for range chars / 10 {
		_, n := utf8.DecodeLastRuneInString(s[:tenth])
		tenth -= n
	}
	if i := strings.LastIndexByte(s[tenth:end], '\n'); i >= 0 {
		size = tenth + i + 1
		return size, chars - utf8.RuneCountInString(s[size:end])
	}
	for size, chars := end, chars; size > 0; chars-- {
		if r, _ := utf8.DecodeRuneInString(s[size:]); !joins(r) {
			return size, chars
		}
		if size == end {
			size = last
			continue
		}
		_, n := utf8.DecodeLastRuneInString(s[:size])
		size -= n
	}
	return end, chars
}

// joins reports whether r belongs to the character before it.
func joins(r rune) bool {
	return unicode.In(r, unicode.M, unicode.Variation_Selector) || r == '\u200d' || r >= 0x1f3fb && r <= 0x1f3ff
}

// skip returns the offset of the character of s with the given number, from 0, and
// whether s has as many.
func skip(s string, chars int) (offset int, ok bool) {
	if chars >= len(s) { // or else every character has one byte at least
		return len(s), chars == utf8.RuneCountInString(s)
	}
	for i := range s {
		if chars == 0 {
			return i, true
		}
		chars--
	}
	return len(s), chars == 0
}
