package workspace

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

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
		if info, _ := os.Lstat(p.path("link")); info.Mode()&os.ModeSymlink == 0 || p.get("real/f") != "b" || r.Resolved != "real/f" {
			t.Errorf("link is %v, file %q, result %+v", info.Mode(), p.get("real/f"), r)
		}
		p.undo(r.ChangeID)
		if p.get("real/f") != "a" {
			t.Error("undo did not reach the target")
		}
	})
	t.Run("extended attributes and modes stay", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "a"})
		if err := syscall.Setxattr(p.path("f"), "user.note", []byte("keep me"), 0); err != nil {
			t.Skip(err)
		}
		if err := os.Chmod(p.path("f"), 0o755|os.ModeSetuid); err != nil {
			t.Fatal(err)
		}
		p.edit("f", "a", "b")
		got := make([]byte, 100)
		n, err := syscall.Getxattr(p.path("f"), "user.note", got)
		info, _ := os.Stat(p.path("f"))
		if err != nil || string(got[:n]) != "keep me" || info.Mode() != 0o755|os.ModeSetuid {
			t.Errorf("attribute is %q (%v), mode %v", got[:max(n, 0)], err, info.Mode())
		}
	})
}

func TestPathsThatNoChangeReaches(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := newProject(t, map[string]string{".git/config": "x", "sub/.git/config": "x", "f": "x", "d/f": "x", "locked/deep/f": "x"})
	links := map[string]string{
		"out": outside, "outfile": filepath.Join(outside, "secret"), "up": "../" + filepath.Base(outside),
		"loop": "loop", "gitlink": ".git", "in": "d", "d/upin": "../f", "abs": p.path("d"), "sneaky": "d/../../" + filepath.Base(outside),
	}
	for name, target := range links {
		if err := os.Symlink(target, p.path(name)); err != nil {
			t.Skip(err)
		}
	}
	if err := syscall.Mkfifo(p.path("fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", p.path("sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p.open(&Options{Protected: []string{"locked"}})
	long := strings.Repeat("n", 300)
	for _, c := range []struct {
		path string
		code arc.Code
	}{
		{"../x", arc.InvalidPath}, {"d/../../x", arc.InvalidPath}, {"d/..", arc.InvalidPath}, {"/etc/passwd", arc.InvalidPath},
		{p.path("f"), arc.InvalidPath}, {"a\x00b", arc.InvalidPath}, {"a\xff", arc.InvalidPath}, {"new/", arc.InvalidPath}, {"", arc.IsDirectory}, {"./", arc.InvalidPath},
		{long, arc.InvalidPath}, {strings.Repeat("d/", 3000) + "f", arc.InvalidPath},
		{"out/secret", arc.PathEscape}, {"outfile", arc.PathEscape}, {"up/secret", arc.PathEscape}, {"out/new", arc.PathEscape}, {"loop", arc.PathEscape}, {"sneaky/secret", arc.PathEscape},
		{".git/config", ProtectedPath}, {".git/hooks/pre-commit", ProtectedPath}, {".GIT/config", ProtectedPath}, {".g\u200cit/config", ProtectedPath}, {"git~1/config", ProtectedPath},
		{"sub/.git/config", ProtectedPath}, {"gitlink/config", ProtectedPath}, {"new/.git", ProtectedPath}, {"locked/deep/f", ProtectedPath}, {"locked", ProtectedPath},
		{".arc-change_1_abcd.tmp", ProtectedPath},
		{"fifo", arc.NotRegularFile}, {"sock", arc.NotRegularFile}, {"d", arc.IsDirectory}, {"f/x", arc.NotADirectory},
	} {
		t.Run(clip(c.path, 40), func(t *testing.T) {
			done := make(chan struct{})
			go func() {
				select {
				case <-done:
				case <-time.After(30 * time.Second):
					panic("a path hangs: " + c.path)
				}
			}()
			defer close(done)
			_, err := p.Write(ctx, by, WriteArgs{Path: c.path, Content: "evil"})
			wantCode(t, err, c.code)
			_, err = p.Edit(ctx, by, EditArgs{Path: c.path, OldString: "x", NewString: "evil", ExpectedSHA256: string(hashOf([]byte("x")))})
			var e *arc.Error
			if !errors.As(err, &e) {
				t.Errorf("edit: %v", err)
			}
		})
	}
	for _, f := range []string{filepath.Join(outside, "secret"), p.path(".git/config"), p.path("sub/.git/config"), p.path("locked/deep/f")} {
		if b, _ := os.ReadFile(f); strings.Contains(string(b), "evil") {
			t.Errorf("%s was changed", f)
		}
	}
	t.Run("links inside the project are followed", func(t *testing.T) {
		for path, real := range map[string]string{"in/f": "d/f", "abs/f": "d/f", "d/upin": "f"} {
			r := p.edit(path, "x", "y")
			if r.Resolved != real {
				t.Errorf("%s led to %q, want %s", path, r.Resolved, real)
			}
			p.undo(r.ChangeID)
		}
	})
	p.noLeftovers()
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
