package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arcseat/arc"
)

// contents is every file of the project and its content; directories end in a slash.
func (p *project) contents() map[string]string {
	p.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(p.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(p.dir, path)
		if err != nil || d.IsDir() {
			all[rel+"/"] = ""
			return err
		}
		b, err := os.ReadFile(path)
		all[rel] = string(b)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return all
}

func (p *project) wantContents(want map[string]string) {
	p.t.Helper()
	got := p.contents()
	for name, content := range want {
		if now, ok := got[name]; !ok || now != content {
			p.t.Errorf("%s is %.40q, %v; it was %.40q", name, now, ok, content)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			p.t.Errorf("%s was not there", name)
		}
	}
}

// TestReports are kinds of bugs that users of other agents' file tools reported and
// that have no better place.
func TestReports(t *testing.T) {
	edit := func(p *project, path, old, new string, hash SHA256) (*EditResult, error) {
		return p.Edit(ctx, by, EditArgs{Path: path, OldString: old, NewString: new, ExpectedSHA256: string(hash)})
	}
	t.Run("a file that was read can be edited at once, whatever its line ends", func(t *testing.T) {
		t.Parallel()
		for _, content := range []string{"a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\r\nb\nc\r\n", "\ufeffa\r\nb\r\nc", "a\rb\rc"} {
			p := newProject(t, map[string]string{"f": content})
			r, err := p.Read(ctx, ReadArgs{Path: "f"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := edit(p, "f", "b", "B", r.SHA256); err != nil {
				t.Errorf("%q: %v", content, err)
			}
			if want := strings.Replace(content, "b", "B", 1); p.get("f") != want {
				t.Errorf("file is %q, want %q", p.get("f"), want)
			}
		}
	})
	t.Run("text with LF is found in a CRLF file", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, map[string]string{"f": "one\r\ntwo\r\nthree\r\n"})
		p.edit("f", "one\ntwo\n", "1\n2\n")
		if got, want := p.get("f"), "1\r\n2\r\nthree\r\n"; got != want {
			t.Errorf("file is %q, want %q", got, want)
		}
	})
	t.Run("a refused change leaves nothing behind", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, map[string]string{"f": "old\n", "d/g": "x"})
		before := p.contents()
		stale := strings.Repeat("0", 64)
		for _, a := range []WriteArgs{
			{Path: "f", Content: "new"}, {Path: "f", Content: "new", ExpectedSHA256: stale}, {Path: "f", Content: "old\n", ExpectedSHA256: p.hash("f")},
			{Path: "new/f", Content: "new", ExpectedSHA256: stale}, {Path: "f/x", Content: "new"}, {Path: "d", Content: "new"},
		} {
			if _, err := p.Write(ctx, by, a); err == nil {
				t.Errorf("%+v was made", a)
			}
		}
		p.wantContents(before)
	})
	t.Run("text that differs inside is never replaced", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, map[string]string{"f": "func f() {\n\tx := 1\n\ty := 2\n\treturn x + y\n}\n"})
		before := p.contents()
		for _, old := range []string{
			"func f() {\n\tx := 1\n\ty := 99\n\treturn x + y\n}\n", "func f() {\n\tx := 1\n\treturn x + y\n}\n",
			"func f() {\n...\n}\n", "func f() {\n    x := 1\n", "x := 1 \n",
		} {
			_, err := edit(p, "f", old, "gone", SHA256(p.hash("f")))
			wantCode(t, err, NoMatch)
		}
		p.wantContents(before)
	})
	t.Run("an undo touches the file of its change alone", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, map[string]string{"f": "old\n", ".gitignore": "ignored/\n"})
		edited := p.edit("f", "old", "new").ChangeID
		created := p.create("made/here/g", "x").ChangeID
		p.put("untracked", "u")
		p.put("ignored/results", "r")
		p.put("made/by/others", "o")
		want := p.contents()
		delete(want, "made/here/")
		delete(want, "made/here/g")
		want["f"] = "old\n"
		p.undo(edited)
		p.undo(created)
		p.wantContents(want)
	})
	t.Run("a repository in the project is journaled like all else", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, map[string]string{"nested/f": "old\n", "nested/.gitignore": "*\n"})
		if git, err := exec.LookPath("git"); err == nil {
			if out, err := exec.Command(git, "init", "-q", p.path("nested")).CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
		}
		id := p.edit("nested/f", "old", "new").ChangeID
		p.open(nil)
		h, err := p.History(ctx, HistoryArgs{})
		if err != nil || len(h.Changes) != 1 || h.Changes[0].ChangeID != id {
			t.Fatalf("history is %+v, %v", h, err)
		}
		p.undo(id)
		if got := p.get("nested/f"); got != "old\n" {
			t.Errorf("file is %q", got)
		}
	})
	t.Run("an undo that cannot be made says so", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, map[string]string{"big": large(1)})
		r, err := p.Write(ctx, by, WriteArgs{Path: "big", Content: "small", ExpectedSHA256: p.hash("big")})
		if err != nil {
			t.Fatal(err)
		}
		blob := filepath.Join(p.state, "journal", "blobs", blobFolder(r.Before), blobName(r.Before))
		p.rewrite(blob, func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
		_, err = p.Undo(ctx, by, UndoArgs{r.ChangeID})
		wantCode(t, err, NotUndoable)
		if got := p.get("big"); got != "small" {
			t.Errorf("file is %.20q", got)
		}
		_, err = p.Write(ctx, by, WriteArgs{Path: "g", Content: "x"})
		wantCode(t, err, RecoveryBlocked)
		if s := p.status(); len(s.Tampered) != 1 {
			t.Errorf("status is %+v", s)
		}
	})
	t.Run("an edit that does not match looks in no other file", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, map[string]string{"f": "one\n", "g": "two\n", "d/f": "two\n"})
		before := p.contents()
		_, err := edit(p, "f", "two", "2", SHA256(p.hash("f")))
		wantCode(t, err, NoMatch)
		_, err = edit(p, "missing", "two", "2", SHA256(p.hash("g")))
		wantCode(t, err, arc.NotFound)
		p.wantContents(before)
	})
	t.Run("many lines that stand in the file as they are match", func(t *testing.T) {
		t.Parallel()
		block := "func f() {\n\t// “quotes”, \\n, $1, café and \u00a0\n\treturn `a\\tb`\n}\n"
		p := newProject(t, map[string]string{"f": "package p\n\n" + block + "\nvar x = 1\n"})
		for range 20 {
			r, err := p.Read(ctx, ReadArgs{Path: "f"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := edit(p, "f", block, strings.ToUpper(block), r.SHA256); err != nil {
				t.Fatal(err)
			}
			p.undo(p.journal.changes[len(p.journal.changes)-1].id)
		}
	})
}
