package visible

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStrip(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text stays", "Plain text,\n\twith a tab.", "Plain text,\n\twith a tab."},
		{"text of other scripts stays", "naïve 漢字 Привет עברית", "naïve 漢字 Привет עברית"},
		{"instructions in Unicode tags go", "safe\U000E0049\U000E0067\U000E006E\U000E006F text", "safe text"},
		{"zero-width characters go", "pass\u200bword\u2060s\ufeff", "passwords"},
		{"direction overrides and isolates go", "a\u202eb\u202c \u2066c\u2069 \u200fd", "ab c d"},
		{"a soft hyphen goes", "hy\u00adphen", "hyphen"},
		{"a terminal escape goes with its parameters", "\x1b[31;1mred\x1b[0m \x1b]0;title\x07x \x1b(By", "red x y"},
		{"an eight-bit escape goes too", "\u009b31mred", "red"},
		{"control characters go", "a\x00b\x07c\x7fd\u0085e", "abcd\ne"},
		{"a joiner between letters that need it stays", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"},
		{"a joiner in an emoji stays", "👩\u200d💻", "👩\u200d💻"},
		{"a joiner between Latin letters goes", "ig\u200cnore", "ignore"},
		{"an emoji keeps its style", "❤\ufe0f", "❤\ufe0f"},
		{"selectors in a row are a hiding place", "a\ufe00\ufe01\U000E0100b", "a\ufe00b"},
		{"a no-break space is a blank", "10\u00a0km", "10 km"},
		{"line ends are one", "a\r\nb\rc\u2028d", "a\nb\nc\nd"},
		{"an invalid byte shows", "a\xffb", "a\uFFFDb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Strip(c.in); got != c.want {
				t.Errorf("Strip(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func FuzzStrip(f *testing.F) {
	f.Add("a\x1b[31mb\u200b\U000E0041")
	f.Add("\x1b]")
	f.Fuzz(func(t *testing.T, s string) {
		got := Strip(s)
		if !utf8.ValidString(got) {
			t.Fatalf("Strip(%q) is not UTF-8", s)
		}
		if len(got) > 3*len(s) {
			t.Errorf("Strip(%q) is %d bytes", s, len(got))
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return r != '\n' && r != '\t' && hidden(r) }); i >= 0 {
			t.Errorf("Strip(%q) = %q keeps what is at %d", s, got, i)
		}
	})
}
