package shell

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
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
		"a | b; c": false, "a | b\nc": false, "a | b;": true, "a | b\n": true, "a | b # c": true, "a; b | c": true, "a | b & c": false, "a | b &": true, "a & b | c": true, "a |\nb": true, "a | # x\nb": true, "a |&\n\n b": true, "a | b &&\nc": true, "a ||\nb": false, "a && b | c": true, "a 2>&1 | b": true, "a | b 2>&1": true, "a | b &>x": true,
		`echo $'it\'s | x'`: false, `echo $'a' | b`: true, `echo "$'" | b`: true, "make\t# a | b": false, "(# a | b\n)": false,
	} {
		if got := pipeline(command); got != want {
			t.Errorf("%q: %v, want %v", command, got, want)
		}
	}
}

// bash knows whether a stage fails: PIPESTATUS has more than one entry after a pipeline.
func TestPipelinesAreWhatBashTakesForThem(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	word := rapid.SampledFrom([]string{"true", ":", "echo a", `echo "b | c"`, "echo 'd | e'", `echo \| f`, `echo $'g\'| h'`, `echo "\"| i"`, "echo j >&2", "echo k &>/dev/null", "(true | :)"})
	var commands []string
	var want []bool
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		piped := false
		for i := range rapid.IntRange(1, 3).Draw(t, "lists") {
			if i > 0 {
				b.WriteString(rapid.SampledFrom([]string{"; ", "\n", " & ", " # x | y\n"}).Draw(t, "end"))
			}
			stages := rapid.IntRange(1, 3).Draw(t, "stages")
			for j := range stages {
				if j > 0 {
					b.WriteString(rapid.SampledFrom([]string{"|", " | ", " |& ", " |\n"}).Draw(t, "pipe"))
				}
				w := word.Draw(t, "stage")
				if strings.HasPrefix(w, "(") && stages == 1 {
					w = "true" // whose exit code a group has is not asked here
				}
				b.WriteString(w)
			}
			piped = stages > 1
		}
		b.WriteString(rapid.SampledFrom([]string{"", ";", "\n", " # z | z"}).Draw(t, "tail"))
		if got := pipeline(b.String()); got != piped {
			t.Fatalf("%q: %v, want %v", b.String(), got, piped)
		}
		if len(commands) < 40 {
			commands, want = append(commands, b.String()), append(want, piped)
		}
	})
	for i, command := range commands { // what was drawn means what this test says
		out, err := exec.Command(bash, "-c", command+"\necho stages=${#PIPESTATUS[@]}").Output()
		// What it has in the background may speak later.
		if err != nil || !want[i] != bytes.Contains(out, []byte("stages=1\n")) || !bytes.Contains(out, []byte("stages=")) {
			t.Errorf("bash says of %q: %q, %v", command, out, err)
		}
	}
}

func FuzzPipeline(f *testing.F) {
	f.Add("a | b && $'\\'")
	f.Fuzz(func(t *testing.T, command string) {
		if pipeline("'" + strings.ReplaceAll(command, "'", "") + "'") {
			t.Fatalf("a quoted word is a pipeline: %q", command)
		}
		if !strings.Contains(command, "|") && pipeline(command) {
			t.Fatalf("a pipeline without a pipe: %q", command)
		}
	})
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

func TestEscapesAtEdges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		want int
	}{
		{"text", 0}, {"a\x1b", 1}, {"a\x1b[", 2}, {"a\x1b[1;3", 5}, {"a\x1b[1;3m", 0}, {"a\x1b[1\n", 0}, {"a\x1b]0;t", 5},
		{"a\x1b]0;t\x07", 0}, {"a\x1b]8;;\x1b\\", 0}, {"a\x1b(", 2}, {"a\x1b(B", 0}, {"a\x1b]" + strings.Repeat("x", 99), 0},
	} {
		if got := unfinished([]byte(c.in)); got != c.want {
			t.Errorf("%d bytes of %q could be completed, want %d", got, c.in, c.want)
		}
	}
	for _, c := range []struct {
		in       string
		at, want int
	}{
		{"text", 2, 0}, {"\x1b[31mtext", 2, 3}, {"\x1b[31mtext", 5, 0}, {"\x1b[31mtext", 7, 0}, {"\x1b]0;title\x07text", 4, 6}, {"\x1b[31mtext", 0, 0},
	} {
		if got := divided([]byte(c.in), c.at); got != c.want {
			t.Errorf("%q at %d: %d, want %d", c.in, c.at, got, c.want)
		}
	}
}
