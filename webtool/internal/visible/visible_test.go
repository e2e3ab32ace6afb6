package visible

import (
	"strings"
	"testing"
	"time"
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
		{"an escape that another interrupts is no more than its mark", "\x1b]a\x1b[1mb\x07", "ab"},
		{"an eight-bit escape goes too", "\u009b31mred", "red"},
		{"control characters go", "a\x00b\x07c\x7fd\u0085e", "abcd\ne"},
		{"a joiner between letters that need it stays", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"},
		{"a joiner in an emoji stays", "👩\u200d💻", "👩\u200d💻"},
		{"a joiner between Latin letters goes", "ig\u200cnore", "ignore"},
		{"an emoji keeps its style", "❤\ufe0f", "❤\ufe0f"},
		{"selectors in a row are a hiding place", "漢\ufe00\ufe01\U000E0100b", "漢\ufe00b"},
		{"a selector after a Latin letter is one too, and a keycap is none", "a\ufe00b\ufe01 1\ufe0f\u20e3", "ab 1\ufe0f\u20e3"},
		{"controls of music and shorthand, and what is set aside for more of them, go", "a\U0001D173b\U0001BCA0c\uFFF0d\U000E0080e\U000E0FFFf", "abcdef"},
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

func TestEscapesThatDoNotEnd(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"\x1b]", "\x1bP", "\x1b]words"} {
		done := make(chan string, 1)
		go func() { done <- Strip(strings.Repeat(piece, 4<<20/len(piece))) }()
		select {
		case got := <-done:
			if want := strings.Repeat(piece[2:], 4<<20/len(piece)); got != want {
				t.Errorf("of %q %d bytes are left, want %d", piece, len(got), len(want))
			}
		case <-time.After(30 * time.Second): // hundreds of times what it takes
			t.Errorf("%q takes more than 30 s", piece)
		}
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
