package docs

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arcseat/arc/internal/page"
)

const (
	excerptSize = 240 // characters
	excerptRoom = 800 // bytes: fifty of them leave room for a header
	wordSlack   = 20  // characters that are given up to end at a word
)

// A pointer walks through a text: it turns offsets in characters, in rising order,
// into offsets in bytes.
type pointer struct {
	text         string
	chars, bytes int
}

func (p *pointer) to(char int) int {
	for p.chars < char && p.bytes < len(p.text) {
		_, n := utf8.DecodeRuneInString(p.text[p.bytes:])
		p.bytes += n
		p.chars++
	}
	return p.bytes
}

// excerpt is text around what is between two of its bytes, on one line, of at most
// 240 characters and 800 bytes, and the marks of what was left out.
func excerpt(text string, start, end int) string {
	s := excerptOf(text, start, end, excerptSize)
	if len(s) > excerptRoom {
		return excerptOf(text, start, end, excerptRoom/utf8.UTFMax)
	}
	return s
}

// excerptOf is an excerpt of at most size characters, without the marks.
func excerptOf(text string, start, end, size int) string {
	match := collapse(text[start:end])
	room := size - utf8.RuneCountInString(match)
	if room <= 0 {
		return mark(page.First(match, size), start > 0, true)
	}
	before, cutBefore := tail(text[:start], room/2)
	after, cutAfter := head(text[end:], room-utf8.RuneCountInString(before))
	return mark(strings.TrimSpace(before+match+after), cutBefore, cutAfter)
}

// shows reports whether an excerpt has s, on one line, as a part of it.
func shows(excerpt, s string) bool {
	return len(s) <= utf8.UTFMax*excerptSize && strings.Contains(excerpt, collapse(s))
}

func mark(s string, before, after bool) string {
	if before {
		s = "…" + s
	}
	if after {
		s += "…"
	}
	return s
}

// head is the beginning of s in at most max characters, to the end of a word.
func head(s string, max int) (text string, cut bool) {
	c := collapse(page.First(s, 4*max))
	text = page.First(c, max)
	if text == c {
		return text, len(s) > 0 && len(page.First(s, 4*max)) < len(s)
	}
	for i, n := len(text), 0; i > 0 && n < wordSlack; n++ {
		r, size := utf8.DecodeLastRuneInString(text[:i])
		if unicode.IsSpace(r) {
			return text[:i-size], true
		}
		i -= size
	}
	return text, true
}

// tail is the end of s in at most max characters, from the beginning of a word.
func tail(s string, max int) (text string, cut bool) {
	last := lastChars(s, 4*max)
	c := collapse(last)
	text = lastChars(c, max)
	if text == c {
		return text, len(last) < len(s)
	}
	for i, n := 0, 0; i < len(text) && n < wordSlack; n++ {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if unicode.IsSpace(r) {
			return text[i:], true
		}
	}
	return text, true
}

func lastChars(s string, n int) string {
	i := len(s)
	for ; i > 0 && n > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}

// collapse makes each run of white space one space.
func collapse(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	blank := false
	for _, r := range s {
		space := unicode.IsSpace(r)
		switch {
		case !space:
			b.WriteRune(r)
		case !blank:
			b.WriteByte(' ')
		}
		blank = space
	}
	return b.String()
}
