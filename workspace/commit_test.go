package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/arcseat/arc"
)

// saver saves its versions of a file, one before and one after each exchange.
type saver struct {
	folder
	t        *testing.T
	path     string
	versions []string
}

func (s *saver) exchange(a, b string) error {
	s.save()
	err := s.folder.exchange(a, b)
	s.save()
	return err
}

func (s *saver) save() {
	if len(s.versions) == 0 {
		return
	}
	tmp := filepath.Join(s.t.TempDir(), "save")
	if err := os.WriteFile(tmp, []byte(s.versions[0]), 0o644); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(tmp, s.path); err != nil {
		s.t.Fatal(err)
	}
	s.versions = s.versions[1:]
}

// TestTheNewestSaveStands: somebody who saves again and again at the very moment
// of a change has the last version in place, not the one before.
func TestTheNewestSaveStands(t *testing.T) {
	for _, versions := range [][]string{{"1"}, {"1", "2"}, {"1", "2", "3"}, {"1", "2", "3", "4"}, {"1", "2", "3", "4", "5"}} {
		p := newProject(t, map[string]string{"f": "0"})
		p.Close()
		ws, s := &Workspace{}, &saver{t: t, path: p.path("f"), versions: versions}
		err := ws.start(p.dir, &Options{State: p.state}, func(d folder) folder {
			if d, ok := d.(diskFolder); ok && d.root.Name() == p.realDir {
				s.folder = d
				return s
			}
			return d
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = ws.Write(ctx, by, WriteArgs{Path: "f", Content: "ours", ExpectedSHA256: p.hash("f")})
		wantCode(t, err, arc.Stale)
		if got, want := p.get("f"), versions[len(versions)-1]; got != want {
			t.Errorf("after %q the file is %q", versions, got)
		}
		p.noLeftovers()
		r, err := ws.RecoveryStatus(ctx)
		if err != nil || r.Blocked || len(r.Conflicts) != min(len(versions)-1, 1) {
			t.Errorf("after %q: %+v, %v", versions, r, err)
		}
		for _, id := range r.Conflicts {
			at, err := ws.ConflictCopy(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			// Every other one their own next save replaced.
			if b, err := os.ReadFile(at); err != nil || string(b) != versions[len(versions)/2*2-2] {
				t.Errorf("after %q the copy is %q, %v", versions, b, err)
			}
			os.Remove(at)
			_, err = ws.ConflictCopy(ctx, id)
			wantCode(t, err, arc.NotFound)
		}
		ws.Close()
	}
}

// An inPlaceFolder is where somebody saves before the exchange, and once more into the
// file that the change had put there, before that is removed.
type inPlaceFolder struct {
	saver
}

func (f *inPlaceFolder) remove(name string) error {
	if isTempName(name) {
		if err := os.WriteFile(filepath.Join(filepath.Dir(f.path), name), []byte("late"), 0o644); err != nil {
			f.t.Fatal(err)
		}
	}
	return f.folder.remove(name)
}

// TestASaveIntoAVersionThatIsPutBackIsKept: nobody saw it, since what it was written
// into was thrown away as our own.
func TestASaveIntoAVersionThatIsPutBackIsKept(t *testing.T) {
	p := newProject(t, map[string]string{"f": "0"})
	p.root = &inPlaceFolder{saver{folder: p.root, t: t, path: p.path("f"), versions: []string{"theirs"}}}
	_, err := p.Write(ctx, by, WriteArgs{Path: "f", Content: "ours", ExpectedSHA256: p.hash("f")})
	wantCode(t, err, arc.Stale)
	r := p.status()
	if p.get("f") != "theirs" || r.Blocked || len(r.Conflicts) != 1 {
		t.Fatalf("the file is %q, status %+v", p.get("f"), r)
	}
	at, err := p.ConflictCopy(ctx, r.Conflicts[0])
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(at); err != nil || string(b) != "late" {
		t.Errorf("the copy is %q, %v", b, err)
	}
	p.noLeftovers()
}

// A grudgingFolder cannot exchange files, and keeps temporary ones while it
// clings.
type grudgingFolder struct {
	folder
	clings *bool
}

func (f grudgingFolder) openDir(name string) (folder, error) {
	d, err := f.folder.openDir(name)
	return grudgingFolder{d, f.clings}, err
}

func (f grudgingFolder) exchange(a, b string) error {
	return &os.LinkError{Op: "exchange", Old: a, New: b, Err: syscall.EIO}
}

func (f grudgingFolder) remove(name string) error {
	if *f.clings && isTempName(name) {
		return fs.ErrPermission
	}
	return f.folder.remove(name)
}

// TestAFailedChangeWhoseTemporaryFileStaysIsNotOver: the hidden file stayed for
// ever, and the status was clean.
func TestAFailedChangeWhoseTemporaryFileStaysIsNotOver(t *testing.T) {
	p := newProject(t, map[string]string{"f": "old"})
	clings := true
	p.root = grudgingFolder{p.root, &clings}
	_, err := p.Write(ctx, by, WriteArgs{Path: "f", Content: "new", ExpectedSHA256: p.hash("f")})
	wantCode(t, err, arc.IOError)
	if r := p.status(); !r.Blocked || len(r.Ambiguous) != 1 || r.Ambiguous[0].Kept == "" {
		t.Errorf("while it cannot be removed: %+v", r)
	}
	clings = false
	if r := p.status(); r.Status != "recovered" {
		t.Errorf("once it can be removed: %+v", r)
	}
	p.noLeftovers()
	if p.get("f") != "old" {
		t.Errorf("file is %q", p.get("f"))
	}
}
