package shell

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// clean makes terminal output readable: it removes escape sequences and control
// characters, keeps the last frame of a line that is drawn again and again with
// carriage returns, and applies backspaces. Invalid bytes become U+FFFD. It
// reports whether anything but those changed.
func clean(b []byte) (string, bool) {
	text := decode(b)
	if !strings.ContainsFunc(text, special) {
		return text, false
	}
	var out strings.Builder
	var frame []rune // the line as it would stand on a terminal
	flush := func() {
		out.WriteString(string(frame))
		frame = frame[:0]
	}
	fresh := false // a carriage return has come: the next character begins a frame
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == 0x1b:
			n = escape(text[i:])
		case r == '\r':
			fresh = true
		case r == '\n':
			fresh = false
			flush()
			out.WriteByte('\n')
		case r == '\b':
			if len(frame) > 0 {
				frame = frame[:len(frame)-1]
			}
		case r == '\t' || !special(r):
			if fresh {
				frame, fresh = frame[:0], false
			}
			frame = append(frame, r)
		}
		i += n
	}
	flush()
	return out.String(), true
}

// special are the C0 controls except tab and newline, DEL, and the C1 controls.
func special(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0
}

// longest is how far an escape sequence that carries a string may run before it
// is taken for a stray escape: text must not vanish for want of an end.
const longest = 4096

// escape returns the length of the escape sequence at the start of s, of ECMA-48:
// ESC [ … a letter; ESC ] … BEL or ESC \, and the other strings; ESC and one
// more.
func escape(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			switch c := s[i]; {
			case c >= 0x40 && c <= 0x7e:
				return i + 1
			case c < 0x20 || c > 0x7e:
				return i // broken off
			}
		}
		return len(s)
	case ']', 'P', 'X', '^', '_':
		for i := 2; i < len(s) && i < longest; i++ {
			switch {
			case s[i] == 0x07:
				return i + 1
			case s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\':
				return i + 2
			case s[i] == '\n':
				return 2
			}
		}
		return 2
	}
	i := 1
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
		i++
	}
	return i
}

// unfinished is how many bytes at the end of b are an escape sequence that more bytes
// could complete. A long one counts as stray.
func unfinished(b []byte) int {
	i := bytes.LastIndexByte(b, 0x1b)
	if i < 0 || len(b)-i > 64 {
		return 0
	}
	s := b[i:]
	if len(s) == 1 {
		return 1
	}
	rest, ends := s[2:], func(c byte) bool { return c < 0x20 || c > 0x2f }
	switch s[1] {
	case '[':
		ends = func(c byte) bool { return c < 0x20 || c > 0x3f }
	case ']', 'P', 'X', '^', '_':
		ends = func(c byte) bool { return c == 0x07 || c == '\n' }
	default:
		rest = s[1:]
	}
	for _, c := range rest {
		if ends(c) {
			return 0
		}
	}
	return len(b) - i
}

// divided is how many bytes of b from at on belong to an escape sequence that began
// before.
func divided(b []byte, at int) int {
	i := bytes.LastIndexByte(b[:at], 0x1b)
	if i < 0 {
		return 0
	}
	return max(0, i+escape(string(b[i:min(len(b), i+longest)]))-at)
}

// decode reads b as UTF-8, each invalid byte as one U+FFFD.
func decode(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return string([]rune(string(b)))
}
