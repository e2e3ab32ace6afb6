package docs

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		max, room  int
		want       string
	}{
		{"all of it fits", "abc", 3, 100, "abc"},
		{"as many characters as there may be", "abcdef", 4, 100, "abcd"},
		{"as many bytes", "äöüß", 100, 5, "äö"},
		{"behind the last line that ends in the last tenth", strings.Repeat("x", 95) + "\n" + strings.Repeat("y", 50), 100, 1000, strings.Repeat("x", 95) + "\n"},
		{"not behind one before that", strings.Repeat("x", 80) + "\n" + strings.Repeat("y", 50), 100, 1000, strings.Repeat("x", 80) + "\n" + strings.Repeat("y", 19)},
		{"not before a mark of the last character", "abcde\u0301f", 5, 100, "abcd"},
		{"not inside an emoji of several", "ab👩\u200d👩", 3, 100, "ab"},
		{"one character at least", "漢字", 1, 1, "漢"},
		{"also where nothing but marks follows", "e\u0301\u0301\u0301\u0301", 3, 100, "e\u0301\u0301"},
	} {
		t.Run(c.name, func(t *testing.T) {
			size, chars := cut(c.text, c.max, c.room)
			if got := c.text[:size]; got != c.want || chars != utf8.RuneCountInString(got) {
				t.Errorf("cut at %q, %d characters, want %q", got, chars, c.want)
			}
		})
	}
}

func FuzzCut(f *testing.F) {
	f.Add("a line\nanother é e\u0301 漢字", 7, 9)
	f.Add("\u0301\u0301\u0301", 1, 1)
	f.Fuzz(func(t *testing.T, s string, max, room int) {
		s, _ = clean(s)
		if s == "" || max < 1 || room < utf8.UTFMax {
			return
		}
		var joined strings.Builder
		done := 0
		for rest := s; rest != ""; {
			offset, ok := skip(s, done)
			if !ok || s[offset:] != rest {
				t.Fatalf("character %d of %q is at %d", done, s, offset)
			}
			size, chars := cut(rest, max, room)
			if size < 1 || chars < 1 || chars > max || size > room || chars != utf8.RuneCountInString(rest[:size]) {
				t.Fatalf("cut(%q, %d, %d) = %d, %d", rest, max, room, size, chars)
			}
			joined.WriteString(rest[:size])
			rest = rest[size:]
			done += chars
		}
		if joined.String() != s {
			t.Fatalf("joined %q, whole %q", joined.String(), s)
		}
		if _, ok := skip(s, done+1); ok {
			t.Fatalf("%q has a character more than it has", s)
		}
	})
}
