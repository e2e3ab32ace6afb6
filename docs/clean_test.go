package docs

import (
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

// It measures memory, so no other test runs beside it.
func TestWhatIsKeptOfAPageIsWhatIsLeftOfIt(t *testing.T) {
	for name, s := range map[string]string{
		"blanks":        "x" + strings.Repeat(" ", 1<<20),
		"ends of lines": "x" + strings.Repeat("\n", 1<<20),
		"and a control": "\x01x" + strings.Repeat("\n", 1<<20),
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var kept [16]string
		for i := range kept {
			kept[i], _ = clean(strings.Clone(s))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 || kept[0] != "x" {
			t.Errorf("%s: %d texts of one character keep %d bytes", name, len(kept), grown)
		}
		runtime.KeepAlive(kept)
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in, want string
		removed        int
	}{
		{"text stays as it is", "a line\n\tanother, naïve 漢字", "a line\n\tanother, naïve 漢字", 0},
		{"line ends are line feeds", "a\r\nb\rc\n", "a\nb\nc", 0},
		{"blanks at the end of a line and of the text go", "a  \n b\t\n\n \n", "a\n b", 0},
		{"form feeds and NULs go and are not counted", "a\x00b\fc\x00\x00", "abc", 0},
		{"control characters go and are counted", "a\x01b\x1bc\x7fd\u009be", "abcde", 4},
		{"a byte that is no character is U+FFFD", "a\xffb\xc3", "a\ufffdb\ufffd", 0},
		{"half of a surrogate pair is one U+FFFD", "a\xed\xa0\x80b\xed\xb0\x80", "a\ufffdb\ufffd", 0},
		{"two halves are two", "\xed\xa0\x80\xed\xb0\x80", "\ufffd\ufffd", 0},
		{"a blank before a control character at a line's end goes too", "a \x01\nb", "a\nb", 1},
		{"of several empty lines one stays", "a\n\n\n\nb\n \n\t\nc\n\nd", "a\n\nb\n\nc\n\nd", 0},
		{"also at the beginning, and of all kinds", "\r\n\r\n\r\n\ra\r\n\n\rb", "\n\na\n\nb", 0},
		{"a column of Chinese characters is a line", "標題\n人\n民\n共\n和\n。\nend", "標題\n人民共和。\nend", 0},
		{"so is one that is all there is", "縦\n書\nき", "縦書き", 0},
		{"two columns with an empty line between are two lines", "縦\n書\nき\n\n文\n字\n列\n", "縦書き\n\n文字列", 0},
		{"two lines of one character stay", "上\n下\nup", "上\n下\nup", 0},
		{"letters below each other stay", "a\nb\nc\nd", "a\nb\nc\nd", 0},
		{"nothing stays nothing", "", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, removed := clean(c.in); got != c.want || removed != c.removed {
				t.Errorf("clean(%q) = %q, %d, want %q, %d", c.in, got, removed, c.want, c.removed)
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\r\n b \x00\x01", "\xed\xa0\x80\xff", "a \x01\n\t", "\u0085\u00a0\u2028", "x\n \n\f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, removed := clean(s)
		if !utf8.ValidString(text) {
			t.Errorf("%q is not UTF-8", text)
		}
		if again, n := clean(text); again != text || n != 0 {
			t.Errorf("cleaned once %q, twice %q", text, again)
		}
		for _, r := range text {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				t.Errorf("%q has the control character %q", text, r)
			}
		}
		for line := range strings.SplitSeq(text, "\n") {
			if strings.HasSuffix(line, " ") || strings.HasSuffix(line, "\t") {
				t.Errorf("a line of %q ends in a blank", text)
			}
		}
		if removed < 0 || removed > len(s) {
			t.Errorf("%d characters removed of %d bytes", removed, len(s))
		}
	})
}
