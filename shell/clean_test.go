package shell

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in, want string
		cleaned        bool
	}{
		{"plain text", "a\tb\nc", "a\tb\nc", false},
		{"colours", "\x1b[1;31mred\x1b[0m", "red", true},
		{"a title ended by BEL", "\x1b]0;title\x07text", "text", true},
		{"a link ended by ST", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text", true},
		{"a device string", "\x1bPq#0\x1b\\text", "text", true},
		{"a character set", "\x1b(Btext", "text", true},
		{"a string without an end keeps the text", "\x1b]0;title\ntext", "0;title\ntext", true},
		{"a sequence broken off keeps the text", "\x1b[31\ntext", "\ntext", true},
		{"an escape at the end", "text\x1b", "text", true},
		{"progress frames", "10%\r50%\r100%\n", "100%\n", true},
		{"a carriage return at the end keeps the frame", "50%\r", "50%", true},
		{"CRLF", "a\r\nb\r\n", "a\nb\n", true},
		{"overstriking of man", "N\bNA\bAM\bM", "NAM", true},
		{"a backspace does not leave its line", "a\n\b\bb", "a\nb", true},
		{"bells and NULs", "a\x07\x00b\x7f", "ab", true},
		{"C1 controls", "a\u0085b", "ab", true},
		{"invalid bytes", "a\xff\xfeb", "a\uFFFD\uFFFDb", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got, cleaned := clean([]byte(c.in)); got != c.want || cleaned != c.cleaned {
				t.Errorf("%q became %q, %v, want %q, %v", c.in, got, cleaned, c.want, c.cleaned)
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	f.Add([]byte("\x1b[1mx\r\ny\b\x1b]0;t\x07\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, _ := clean(b)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, special) {
			t.Fatalf("%q became %q", b, got)
		}
		if again, changed := clean([]byte(got)); changed || again != got {
			t.Fatalf("%q, cleaned again, became %q", got, again)
		}
	})
}

func TestPipeline(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"a | b": true, "a|b": true, "a |& b": true, "a || b | c": true, "x=$(a | b)": true, "a\n| b": true,
		"a": false, "a || b": false, "a && b": false, "echo 'a | b'": false, `echo "a | b"`: false, `echo a \| b`: false,
		"a # b | c": false, "a >| b": false, `echo "\"|"`: false, "echo 'it'\\''s |'": false, "echo a#b | c": true,
		"a | b; c": false, "a | b\nc": false, "a | b;": true, "a | b\n": true, "a | b # c": true, "a; b | c": true, "make\t# a | b": false, "(# a | b\n)": false,
	} {
		if got := pipeline(command); got != want {
			t.Errorf("%q: %v, want %v", command, got, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 18233: "18,233", 1 << 30: "1,073,741,824"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}

func TestFirstLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"short", "short"}, {"  two\nlines", "two …"}, {"漢字漢字漢字", "漢字漢字漢…"}, {"12345\n", "12345"}, {"123456\nx", "12345…"},
		{"rm\r\x1b[Kls", "rm  […"}, {"a\r\nb", "a …"},
	} {
		if got := firstLine(c.in, 5); got != c.want {
			t.Errorf("%q is cut to %q, want %q", c.in, got, c.want)
		}
	}
}
