package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arcseat/arc"
)

func TestWrite(t *testing.T) {
	t.Run("a new file, with the directories above it", func(t *testing.T) {
		p := newProject(t, nil)
		r := p.create("a/b/c.txt", "one\ntwo")
		if got := p.get("a/b/c.txt"); got != "one\ntwo" {
			t.Errorf("file is %q", got)
		}
		if r.Op != Create || r.Lines != 2 || r.Size != 7 || r.SHA256 != hashOf([]byte("one\ntwo")) || r.Before != "" || len(r.Warnings) > 0 || r.Swap != "" {
			t.Errorf("result is %+v", r)
		}
		p.undo(r.ChangeID)
		if p.exists("a") {
			t.Error("undo left the directories that the write made")
		}
	})
	t.Run("undo leaves a directory that is in use", func(t *testing.T) {
		p := newProject(t, nil)
		r := p.create("a/b/c.txt", "x")
		p.put("a/other", "y")
		p.undo(r.ChangeID)
		if p.exists("a/b") || !p.exists("a/other") {
			t.Error("undo took too little or too much away")
		}
	})
	t.Run("an existing file wants its hash, and tells it to who has read it", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "old"})
		_, err := p.Write(ctx, by, WriteArgs{Path: "f", Content: "new"})
		e := wantCode(t, err, ExpectedSHA256Required)
		if s := fmt.Sprintf("%+v", e.Detail); strings.Contains(s, p.hash("f")) || e.Next == nil || e.Next.Tool != "workspace_read" {
			t.Errorf("a seat that has not read the file is told %s, next %+v", s, e.Next)
		}
		p.seen.add(by.Seat, "f", SHA256(p.hash("f")))
		_, err = p.Write(ctx, by, WriteArgs{Path: "f", Content: "new"})
		e = wantCode(t, err, ExpectedSHA256Required)
		if s := fmt.Sprintf("%+v", e.Detail); !strings.Contains(s, p.hash("f")) {
			t.Errorf("a seat that has read the file is told %s", s)
		}
		_, err = p.Write(ctx, arc.Origin{Seat: "other"}, WriteArgs{Path: "f", Content: "new"})
		if e = wantCode(t, err, ExpectedSHA256Required); e.Next == nil {
			t.Error("another seat is told the hash")
		}
	})
	t.Run("a hash for a file that is gone", func(t *testing.T) {
		p := newProject(t, nil)
		_, err := p.Write(ctx, by, WriteArgs{Path: "f", Content: "new", ExpectedSHA256: strings.Repeat("a", 64)})
		if d := wantCode(t, err, arc.Stale).Detail.(staleDetail); d.Current != nil {
			t.Errorf("current is %v", *d.Current)
		}
	})
	t.Run("what the file was like stays", func(t *testing.T) {
		for _, c := range []struct{ name, file, content, want string }{
			{"CRLF", "a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"},
			{"mixed line ends are not guessed at", "a\r\nb\n", "x\ny\n", "x\ny\n"},
			{"content with CRs is as given", "a\r\nb\r\n", "x\r\ny\n", "x\r\ny\n"},
			{"a byte order mark", "\ufeffa\n", "b\n", "\ufeffb\n"},
			{"line ends alone change as asked", "a\r\nb\r\n", "a\nb\n", "a\nb\n"},
			{"a byte order mark alone goes as asked", "\ufeffa\n", "a\n", "a\n"},
		} {
			t.Run(c.name, func(t *testing.T) {
				p := newProject(t, map[string]string{"f": c.file})
				if _, err := p.Write(ctx, by, WriteArgs{Path: "f", Content: c.content, ExpectedSHA256: p.hash("f")}); err != nil {
					t.Fatal(err)
				}
				if got := p.get("f"); got != c.want {
					t.Errorf("file is %q, want %q", got, c.want)
				}
			})
		}
	})
	t.Run("nothing new is no change", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "a"})
		_, err := p.Write(ctx, by, WriteArgs{Path: "f", Content: "a", ExpectedSHA256: p.hash("f")})
		wantCode(t, err, NoChange)
		if h, _ := p.History(ctx, HistoryArgs{}); h.Total != 0 {
			t.Error("it was journaled")
		}
	})
	t.Run("an empty file", func(t *testing.T) {
		p := newProject(t, nil)
		r := p.create("f", "")
		if r.Lines != 0 || r.Size != 0 || p.get("f") != "" {
			t.Errorf("result is %+v", r)
		}
		p.undo(r.ChangeID)
	})
	t.Run("too much content", func(t *testing.T) {
		p := newProject(t, nil)
		_, err := p.Write(ctx, by, WriteArgs{Path: "f", Content: strings.Repeat("a", maxContent+1)})
		wantCode(t, err, arc.TooLarge)
	})
	t.Run("a read-only workspace", func(t *testing.T) {
		p := newProject(t, nil)
		p.open(&Options{ReadOnly: true})
		_, err := p.Write(ctx, by, WriteArgs{Path: "f", Content: "a"})
		wantCode(t, err, arc.Forbidden)
	})
	t.Run("a hard link is broken, and said to be", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "shared"})
		store := filepath.Join(t.TempDir(), "store")
		if err := os.Link(p.path("f"), store); err != nil {
			t.Skip(err)
		}
		r := p.edit("f", "shared", "mine")
		if b, _ := os.ReadFile(store); string(b) != "shared" || r.HardLinks != 2 {
			t.Errorf("the store has %q, the result says %d links", b, r.HardLinks)
		}
	})
	t.Run("a link to a file is kept and its target changed", func(t *testing.T) {
		p := newProject(t, map[string]string{"real/f": "a"})
		if err := os.Symlink("real/f", p.path("link")); err != nil {
			t.Skip(err)
		}
		r := p.edit("link", "a", "b")
		if info, _ := os.Lstat(p.path("link")); info.Mode()&os.ModeSymlink == 0 || p.get("real/f") != "b" || r.ResolvedPath != "real/f" {
			t.Errorf("link is %v, file %q, result %+v", info.Mode(), p.get("real/f"), r)
		}
		p.undo(r.ChangeID)
		if p.get("real/f") != "a" {
			t.Error("undo did not reach the target")
		}
	})
}

func TestTheJournalIsOutOfReachInsideTheProject(t *testing.T) {
	dir := t.TempDir()
	ws, err := Open(dir, &Options{State: filepath.Join(dir, "state")})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	_, err = ws.Write(ctx, by, WriteArgs{Path: "state/journal/HEAD", Content: "x"})
	wantCode(t, err, ProtectedPath)
}

func TestADirectoryThatBecomesALinkIsNotFollowedOut(t *testing.T) {
	outside := t.TempDir()
	p := newProject(t, map[string]string{"d/f": "x"})
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			os.Rename(p.path("d"), p.path("e"))
			os.Symlink(outside, p.path("d"))
			os.Remove(p.path("d"))
			os.Rename(p.path("e"), p.path("d"))
		}
	}()
	for i := range 300 {
		p.Write(ctx, by, WriteArgs{Path: fmt.Sprintf("d/new%d", i), Content: "x"})
	}
	close(stop)
	<-done
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("%s was written outside", entries[0].Name())
	}
}
