package workspace

import (
	"encoding/binary"
	"errors"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc"
)

func TestExtendedAttributesAndModesStay(t *testing.T) {
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
}

// TestNobodyElseMayReadAChangedFile: a directory's access control list for new files
// names somebody whom that of the file that is replaced does not.
func TestNobodyElseMayReadAChangedFile(t *testing.T) {
	p := newProject(t, map[string]string{"f": "a"})
	if err := os.Chmod(p.path("f"), 0o640); err != nil {
		t.Fatal(err)
	}
	acl := []byte{2, 0, 0, 0}
	for _, e := range []struct {
		tag, perm uint16
		id        uint32
	}{{1, 7, math.MaxUint32}, {2, 7, 65534}, {4, 7, math.MaxUint32}, {0x10, 7, math.MaxUint32}, {0x20, 5, math.MaxUint32}} { // owner, a user, group, mask, others
		acl = binary.LittleEndian.AppendUint16(acl, e.tag)
		acl = binary.LittleEndian.AppendUint16(acl, e.perm)
		acl = binary.LittleEndian.AppendUint32(acl, e.id)
	}
	if err := syscall.Setxattr(p.dir, "system.posix_acl_default", acl, 0); err != nil {
		t.Skip(err)
	}
	r := p.edit("f", "a", "b")
	n, err := syscall.Getxattr(p.path("f"), "system.posix_acl_access", make([]byte, 1000))
	info, _ := os.Stat(p.path("f"))
	if !errors.Is(err, syscall.ENODATA) || info.Mode() != 0o640 || len(r.Warnings) > 0 {
		t.Errorf("a list of %d bytes (%v), mode %v, warnings %v", n, err, info.Mode(), r.Warnings)
	}
}

func TestPathsThatNoChangeReaches(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := newProject(t, map[string]string{".git/config": "x", "sub/.git/config": "x", "f": "x", "d/f": "x", "locked/deep/f": "x", "behind/f": "x"})
	links := map[string]string{
		"out": outside, "outfile": filepath.Join(outside, "secret"), "up": "../" + filepath.Base(outside),
		"loop": "loop", "gitlink": ".git", "in": "d", "d/upin": "../f", "alias": "behind", "abs": p.path("d"), "sneaky": "d/../../" + filepath.Base(outside),
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
	p.open(&Options{Protected: []string{"locked", "alias"}})
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
		{".g" + strings.Repeat("\u200c", 60) + "it/config", ProtectedPath}, {".git" + strings.Repeat(".", 100) + "/config", ProtectedPath},
		{"sub/.git/config", ProtectedPath}, {"gitlink/config", ProtectedPath}, {"new/.git", ProtectedPath}, {"locked/deep/f", ProtectedPath}, {"locked", ProtectedPath}, {"alias/f", ProtectedPath}, {"behind/f", ProtectedPath},
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
	for _, f := range []string{filepath.Join(outside, "secret"), p.path(".git/config"), p.path("sub/.git/config"), p.path("locked/deep/f"), p.path("behind/f")} {
		if b, _ := os.ReadFile(f); strings.Contains(string(b), "evil") {
			t.Errorf("%s was changed", f)
		}
	}
	t.Run("links inside the project are followed", func(t *testing.T) {
		for path, real := range map[string]string{"in/f": "d/f", "abs/f": "d/f", "d/upin": "f"} {
			r := p.edit(path, "x", "y")
			if r.ResolvedPath != real {
				t.Errorf("%s led to %q, want %s", path, r.ResolvedPath, real)
			}
			p.undo(r.ChangeID)
		}
	})
	p.noLeftovers()
}

func TestHistoryClosesTheFilesThatItLooksAt(t *testing.T) {
	p := newProject(t, map[string]string{"f": "0"})
	p.edit("f", "0", "1")
	p.put("f", "2")
	open := func() int {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, fd := range fds {
			if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); to == p.path("f") {
				n++
			}
		}
		return n
	}
	h, err := p.History(ctx, HistoryArgs{})
	if err != nil || h.Changes[0].Current != false || open() != 0 {
		t.Errorf("%+v, %v; %d descriptors are open", h.Changes, err, open())
	}
}
