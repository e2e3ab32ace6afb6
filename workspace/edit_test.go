package workspace

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"pgregory.net/rapid"
)

// The pieces of which random files are made: each with its own line end, odd
// bytes among them.
var pieces = []string{
	"alpha\r\n", "beta\n", "\tgamma\r\n", "  delta\n", "é漢😀\r\n", "\xff\xfe\n", "$& $1 \\1\n", "lone\rcr\n", "\r\n", "\n", "\u00a0nbsp\n", "tail",
}

func TestAnEditChangesOnlyItsSpan(t *testing.T) {
	p := newProject(t, nil)
	p.open(&Options{Durability: Process}) // for speed: the bytes are the same
	n := 0
	check := func(t *rapid.T) {
		n++
		name := fmt.Sprintf("f%d", n)
		head := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "head"), "")
		tail := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "tail"), "")
		if rapid.Bool().Draw(t, "bom") {
			head = "\ufeff" + head
		}
		// The span stands on lines of its own, which must be UTF-8.
		head += "\n"
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
		span := "NEEDLE one" + eol + "two" + eol
		if rapid.Bool().Draw(t, "last line") {
			tail = ""
			span = strings.TrimSuffix(span, eol)
		}
		mode := rapid.SampledFrom([]os.FileMode{0o644, 0o755, 0o600, 0o664}).Draw(t, "mode")
		before := head + span + tail
		if err := os.WriteFile(p.path(name), []byte(before), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(p.path(name), mode); err != nil {
			t.Fatal(err)
		}
		old := strings.ReplaceAll(span, "\r\n", "\n") // as a read shows it
		new := rapid.SampledFrom([]string{"", "x", "a\nb\nc", "$& $1\n", "漢\n", "NEEDLE one\ntwo and more\n"}).Draw(t, "new")
		r, err := p.Edit(ctx, by, EditArgs{Path: name, OldString: old, NewString: new, ExpectedSHA256: string(hashOf([]byte(before)))})
		if err != nil {
			t.Fatal(err)
		}
		want := head + strings.ReplaceAll(new, "\n", eol) + tail
		got, err := os.ReadFile(p.path(name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Fatalf("file is %q, want %q", got, want)
		}
		if r.SHA256 != hashOf(got) {
			t.Fatalf("result names %s, file has %s", r.SHA256, hashOf(got))
		}
		if _, err := p.Undo(ctx, by, UndoArgs{r.ChangeID}); err != nil {
			t.Fatal(err)
		}
		got, err = os.ReadFile(p.path(name))
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(p.path(name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != before || info.Mode() != mode {
			t.Fatalf("undo left %q %v, want %q %v", got, info.Mode(), before, mode)
		}
	}
	for range 10 { // of 100 files
		rapid.Check(t, check)
	}
	p.noLeftovers()
}

func TestEditLineEnds(t *testing.T) {
	for _, c := range []struct {
		name, file, old, new, want string
	}{
		{"a CRLF file stays CRLF", "a\r\nb\r\nc\r\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\r\n"},
		{"LF in old_string matches CRLF", "a\r\nb\r\nc\r\n", "a\nb", "z", "z\r\nc\r\n"},
		{"one bare LF in a CRLF file stays", "a\r\nb\nc\r\nd\r\n", "c", "x", "a\r\nb\nx\r\nd\r\n"},
		{"a new line takes the end of the line before it", "a\r\nb\nc\nd\n", "b", "x\ny", "a\r\nx\r\ny\nc\nd\n"},
		{"the first line takes that of most lines", "a\nb\r\nc\r\n", "a", "x\ny", "x\r\ny\nb\r\nc\r\n"},
		{"line ends alone may be changed", "a\r\nb\r\n", "a\r\nb\r\n", "a\nb\n", "a\nb\n"},
		{"an LF file gets what was sent", "a\nb\n", "b", "x\r\ny", "a\nx\r\ny\n"},
		{"a match that starts at a line end takes the CR along", "a\r\nb\r\n", "\nb", "", "a\r\n"},
		{"a byte order mark stays", "\ufeffa\r\nb\r\n", "a\nb", "x\ny", "\ufeffx\r\ny\r\n"},
		{"a last newline can be removed", "a\nb\n", "b\n", "b", "a\nb"},
		{"a last newline can be added", "a\nb", "b", "b\n", "a\nb\n"},
		{"dollar signs are only dollar signs", "f(x)\n", "x", "$&$$$`$'$1\\1", "f($&$$$`$'$1\\1)\n"},
		{"a lone CR stays", "a\rb\nc\n", "c", "d", "a\rb\nd\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t, map[string]string{"f": c.file})
			p.edit("f", c.old, c.new)
			if got := p.get("f"); got != c.want {
				t.Errorf("file is %q, want %q", got, c.want)
			}
		})
	}
}

func TestEditMatches(t *testing.T) {
	t.Run("overlapping matches count", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "x = 1\nx = 1\nx = 1\n"})
		_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "x = 1\nx = 1", NewString: "y", ExpectedSHA256: p.hash("f")})
		e := wantCode(t, err, MultipleMatches)
		if got, want := fmt.Sprintf("%+v", e.Detail), "{Path:f Count:2 Lines:[1 2]}"; got != want {
			t.Errorf("detail is %s, want %s", got, want)
		}
	})
	t.Run("several matches name their lines", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "a\r\nb\r\n\r\na\r\nb\r\n"})
		_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "a\nb", NewString: "c", ExpectedSHA256: p.hash("f")})
		e := wantCode(t, err, MultipleMatches)
		if got, want := fmt.Sprintf("%+v", e.Detail), "{Path:f Count:2 Lines:[1 4]}"; got != want {
			t.Errorf("detail is %s, want %s", got, want)
		}
	})
	t.Run("replace_all goes from left to right", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "aaaaa\nb\na\n"})
		r, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "aa", NewString: "c", ExpectedSHA256: p.hash("f"), ReplaceAll: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.get("f"); got != "cca\nb\na\n" || r.Replacements != 2 {
			t.Errorf("%d replacements, file %q", r.Replacements, got)
		}
	})
	t.Run("matches that share a CRLF", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "\nx\r\nx\r\n"})
		_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "\nx\r", NewString: "y", ExpectedSHA256: p.hash("f"), ReplaceAll: true})
		if got := p.get("f"); err != nil || got != "yy\n" {
			t.Errorf("file is %q, %v", got, err)
		}
	})
	t.Run("the result names the new lines", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "a\nb\nc\nb\n"})
		r, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "b\n", NewString: "x\ny\nz\n", ExpectedSHA256: p.hash("f"), ReplaceAll: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(r.Lines); got != "[2-4 6-8]" {
			t.Errorf("lines are %s", got)
		}
	})
	t.Run("endless self-overlap ends", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": strings.Repeat("a", 1<<20)})
		_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: strings.Repeat("a", 1<<19), NewString: "b", ExpectedSHA256: p.hash("f")})
		if e := wantCode(t, err, MultipleMatches); !strings.Contains(e.Message, "at least 10000 times") {
			t.Errorf("message is %q", e.Message)
		}
	})
	t.Run("a line with several matches is named once", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "aXaXa\nb\naX\n"})
		_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "X", NewString: "c", ExpectedSHA256: p.hash("f")})
		e := wantCode(t, err, MultipleMatches)
		if got, want := fmt.Sprintf("%+v", e.Detail), "{Path:f Count:3 Lines:[1 3]}"; got != want {
			t.Errorf("detail is %s, want %s", got, want)
		}
	})
}

func TestNoMatchSaysWhy(t *testing.T) {
	const file = "package main\n\nfunc main() {\n\tfmt.Println(\"hi\")\n\treturn\n}\n// don’t\n// caf\u00e9\n"
	for _, c := range []struct{ reason, old, new, diff string }{
		{"whitespace", "func main() {\n    fmt.Println(\"hi\")\n", "x", "line 2 col 1: file has a tab, old_string has 4 spaces"},
		{"line_numbers", "3\tfunc main() {\n4\t\tfmt.Println(\"hi\")", "x", ""},
		{"case", "FUNC main() {", "x", ""},
		{"quotes", "// don't", "x", ""},
		{"unicode_form", "// cafe\u0301", "x", ""},
		{"escapes", `fmt.Println(\"hi\")`, "x", ""},
		{"already_applied", "func gone() {", "func main() {", ""},
		{"elided", "func main() {\n// ... rest of the function\n}", "x", ""},
		{"different", "func other(a int) string {", "x", ""},
	} {
		t.Run(c.reason, func(t *testing.T) {
			p := newProject(t, map[string]string{"f": file})
			_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: c.old, NewString: c.new, ExpectedSHA256: p.hash("f")})
			e := wantCode(t, err, NoMatch)
			d := e.Detail.(noMatchDetail)
			if d.Reason != c.reason {
				t.Errorf("reason is %s", d.Reason)
			}
			if c.diff != "" && (len(d.Closest) == 0 || d.Closest[0].DiffAt != c.diff) {
				t.Errorf("closest is %+v, want a difference at %q", d.Closest, c.diff)
			}
			if p.get("f") != file {
				t.Error("the file changed")
			}
		})
	}
	t.Run("a large file costs no more than its beginning", func(t *testing.T) {
		const near = "alpha beta\n"
		filler := strings.Repeat(strings.Repeat("z", 63)+"\n", explainedBytes/64)
		for _, c := range []struct {
			file string
			want int
		}{{near + filler[:64*15], 1}, {filler + near, 0}} {
			p := newProject(t, map[string]string{"f": c.file})
			_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "alpha gamma\n", NewString: "x", ExpectedSHA256: p.hash("f")})
			if d := wantCode(t, err, NoMatch).Detail.(noMatchDetail); len(d.Closest) != c.want {
				t.Errorf("closest is %+v, want %d", d.Closest, c.want)
			}
		}
	})
	t.Run("nothing is to be copied from where nothing is close", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "alpha\n"})
		for old, want := range map[string]string{
			"zebra":   "old_string is not in f: the text there differs; read the file again and copy it from there.",
			"alpha ?": "old_string is not in f: the text there differs; copy it from closest.",
		} {
			_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: old, NewString: "x", ExpectedSHA256: p.hash("f")})
			e := wantCode(t, err, NoMatch)
			if close := len(e.Detail.(noMatchDetail).Closest) > 0; e.Message != want || (e.Next == nil) != close {
				t.Errorf("%q: %s, next %+v", old, e.Message, e.Next)
			}
		}
	})
	t.Run("the closest lines are those that share most", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "if a {\n\tone()\n}\nif b {\n\ttwo()\n\tthree()\n}\n"})
		_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "if b {\n\ttwo()\n\t3()\n}", NewString: "x", ExpectedSHA256: p.hash("f")})
		d := wantCode(t, err, NoMatch).Detail.(noMatchDetail)
		if len(d.Closest) == 0 || d.Closest[0].StartLine != 4 || d.Closest[0].DiffAt != `line 3 col 2: file has "three()", old_string has "3()"` {
			t.Errorf("closest is %+v", d.Closest)
		}
	})
}

func TestEditRefusals(t *testing.T) {
	const file = "one\ntwo\n"
	for _, c := range []struct {
		name string
		args EditArgs
		code arc.Code
	}{
		{"an empty old_string", EditArgs{Path: "f", NewString: "x"}, arc.InvalidArguments},
		{"old equal to new", EditArgs{Path: "f", OldString: "one", NewString: "one"}, NoChange},
		{"no hash", EditArgs{Path: "f", OldString: "one", NewString: "1"}, ExpectedSHA256Required},
		{"a hash that is none", EditArgs{Path: "f", OldString: "one", NewString: "1", ExpectedSHA256: "abc"}, arc.InvalidArguments},
		{"a stale hash", EditArgs{Path: "f", OldString: "one", NewString: "1", ExpectedSHA256: strings.Repeat("0", 64)}, arc.Stale},
		{"a missing file", EditArgs{Path: "g", OldString: "one", NewString: "1", ExpectedSHA256: strings.Repeat("0", 64)}, arc.NotFound},
		{"a directory", EditArgs{Path: "d", OldString: "one", NewString: "1", ExpectedSHA256: strings.Repeat("0", 64)}, arc.IsDirectory},
		{"the project", EditArgs{Path: ".", OldString: "one", NewString: "1", ExpectedSHA256: strings.Repeat("0", 64)}, arc.IsDirectory},
		{"new text that is not UTF-8", EditArgs{Path: "f", OldString: "one", NewString: "\xff", ExpectedSHA256: strings.Repeat("0", 64)}, arc.InvalidArguments},
		{"a parent that is a file", EditArgs{Path: "f/x", OldString: "one", NewString: "1", ExpectedSHA256: strings.Repeat("0", 64)}, arc.NotADirectory},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t, map[string]string{"f": file, "d/x": "x"})
			_, err := p.Edit(ctx, by, c.args)
			wantCode(t, err, c.code)
			if p.get("f") != file {
				t.Error("the file changed")
			}
		})
	}
	t.Run("binary", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "one\x00two"})
		_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "one", NewString: "1", ExpectedSHA256: p.hash("f")})
		wantCode(t, err, arc.BinaryFile)
	})
	t.Run("lines that are not UTF-8", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "a\none \xff\nb\n"})
		_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "one", NewString: "1", ExpectedSHA256: p.hash("f")})
		wantCode(t, err, arc.NotUTF8)
		p.edit("f", "b", "c")
		if got := p.get("f"); got != "a\none \xff\nc\n" {
			t.Errorf("invalid bytes elsewhere changed: %q", got)
		}
	})
	t.Run("a file that is too large", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "one"})
		if err := os.Truncate(p.path("f"), maxEdit+1); err != nil {
			t.Fatal(err)
		}
		_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "one", NewString: "1", ExpectedSHA256: strings.Repeat("0", 64)})
		wantCode(t, err, arc.TooLarge)
	})
	t.Run("a read-only file", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "one"})
		if err := os.Chmod(p.path("f"), 0o444); err != nil {
			t.Fatal(err)
		}
		_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "one", NewString: "1", ExpectedSHA256: p.hash("f")})
		wantCode(t, err, ReadOnlyFile)
	})
}

func TestStaleTellsWhatARetryNeeds(t *testing.T) {
	t.Run("text that is still there once", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "a\nb\nc\nd\n"})
		was := p.hash("f")
		changed := p.edit("f", "a\n", "a\na2\n")
		_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "d", NewString: "e", ExpectedSHA256: was})
		d := wantCode(t, err, arc.Stale).Detail.(staleDetail)
		if d.Current == nil || string(*d.Current) != p.hash("f") || d.ChangedBy != changed.ChangeID || d.ChangedLines != "2" ||
			d.Matches == nil || *d.Matches != 1 || d.AtLine != 5 || d.Near != "a2\nb\nc\nd\n" {
			t.Errorf("detail is %+v", d)
		}
		if _, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "d", NewString: "e", ExpectedSHA256: string(*d.Current)}); err != nil {
			t.Errorf("the retry: %v", err)
		}
	})
	t.Run("an outsider's change", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "a\nb\n"})
		was := p.hash("f")
		p.put("f", "a\nx\n")
		_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "b", NewString: "c", ExpectedSHA256: was})
		e := wantCode(t, err, arc.Stale)
		d := e.Detail.(staleDetail)
		if d.ChangedBy != "external" || *d.Matches != 0 || e.Next == nil || e.Next.Tool != "workspace_read" {
			t.Errorf("detail is %+v, next %+v", d, e.Next)
		}
	})
	t.Run("a touched file is not stale", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "a\n"})
		was := p.hash("f")
		p.put("f", "a\n")
		if _, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "a", NewString: "b", ExpectedSHA256: was}); err != nil {
			t.Error(err)
		}
	})
	t.Run("two edits of one version: the second is refused", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "a\nb\n"})
		was := p.hash("f")
		errs := make(chan error, 2)
		for _, old := range []string{"a", "b"} {
			go func() {
				_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: old, NewString: old + old, ExpectedSHA256: was})
				errs <- err
			}()
		}
		a, b := <-errs, <-errs
		if (a == nil) == (b == nil) {
			t.Fatalf("errors are %v and %v", a, b)
		}
		if got := p.get("f"); got != "aa\nb\n" && got != "a\nbb\n" {
			t.Errorf("file is %q", got)
		}
	})
}

func FuzzSplice(f *testing.F) {
	f.Add([]byte("a\r\nb\nc"), "b\n", "x\ny")
	f.Fuzz(func(t *testing.T, file []byte, old, new string) {
		if old == "" {
			return
		}
		m := findMatches(file, old, false)
		if m.count != 1 {
			return
		}
		s := m.spans[0]
		out := splice(file, m.spans, old, new)
		if !bytes.HasPrefix(out, file[:s.start]) || !bytes.HasSuffix(out, file[s.end:]) {
			t.Fatalf("outside the span %v of %q something changed: %q", s, file, out)
		}
		if got, want := string(plainText(append([]byte("x"), file[s.start:s.end]...))), "x"+strings.ReplaceAll(old, "\r\n", "\n"); m.loose && got != want {
			t.Fatalf("span is %q, old %q", got, want)
		}
	})
}

// TestManyMatchesOnOneLine: each of them is not a look at the whole line.
func TestManyMatchesOnOneLine(t *testing.T) {
	const matches = 1 << 20
	line := strings.Repeat("x", matches)
	for _, file := range []string{line, "a\r\n" + line, line + "\r\n"} {
		p := newProject(t, map[string]string{"f": file})
		start := time.Now()
		r, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "x", NewString: "\n", ExpectedSHA256: p.hash("f"), ReplaceAll: true})
		if err != nil || r.Replacements != matches {
			t.Fatalf("%+v, %v", r, err)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("it took %v", d)
		}
		p.undo(r.ChangeID)
		if p.get("f") != file {
			t.Error("the undo does not restore it")
		}
	}
}

// TestAnEditThatWouldFillTheMemory is refused before anything is made.
func TestAnEditThatWouldFillTheMemory(t *testing.T) {
	p := newProject(t, map[string]string{"f": strings.Repeat("x\n", 1<<20)})
	_, err := p.Edit(ctx, by, EditArgs{Path: "f", OldString: "x", NewString: strings.Repeat("y", 1<<20), ExpectedSHA256: p.hash("f"), ReplaceAll: true})
	wantCode(t, err, arc.TooLarge)
	_, err = p.Edit(ctx, by, EditArgs{Path: "f", OldString: "x", NewString: strings.Repeat("y", 60), ExpectedSHA256: p.hash("f"), ReplaceAll: true})
	if err != nil {
		t.Fatal(err)
	}
}
