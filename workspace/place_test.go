package workspace

import (
	"io/fs"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/arcseat/arc"
)

// barred is a folder whose own folders can be listed and not entered.
type barred struct{ folder }

func (b barred) openDir(name string) (folder, error) {
	d, err := b.folder.openDir(name)
	return inBarred{d}, err
}

type inBarred struct{ folder }

func (inBarred) lstat(name string) (fs.FileInfo, error) {
	return nil, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrPermission}
}
func (inBarred) same(fs.FileInfo) bool { return false }

// TestADirectoryThatCannotBeEntered is not taken for one that was swapped under
// us, which is looked at again.
func TestADirectoryThatCannotBeEntered(t *testing.T) {
	p := newProject(t, map[string]string{"d/f": "x"})
	p.Close()
	ws := &Workspace{}
	err := ws.start(p.dir, &Options{State: p.state}, func(d folder) folder {
		if d, ok := d.(diskFolder); ok && d.root.Name() == p.realDir {
			return barred{d}
		}
		return d
	})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	_, err = ws.Read(ctx, ReadArgs{Path: "d/f"})
	wantCode(t, err, arc.PermissionDenied)
	_, err = ws.Write(ctx, by, WriteArgs{Path: "d/g", Content: "x"})
	wantCode(t, err, arc.PermissionDenied)
}

// scarce is a folder below which no folder can be opened once shut is set; a
// folder with the name sets it.
type scarce struct {
	folder
	name string
	shut *bool
}

func (s scarce) openDir(name string) (folder, error) {
	if *s.shut = *s.shut || name == s.name; *s.shut {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EMFILE}
	}
	d, err := s.folder.openDir(name)
	return scarce{d, s.name, s.shut}, err
}

// TestAChangeThatRunsOutOfDescriptors takes back the directories that it made.
func TestAChangeThatRunsOutOfDescriptors(t *testing.T) {
	for _, there := range []string{"", "a", "a/b"} {
		p := newProject(t, nil)
		if there != "" {
			p.put(there+"/other", "x")
		}
		before := p.tree()
		p.Close()
		ws, shut := &Workspace{}, false
		err := ws.start(p.dir, &Options{State: p.state}, func(d folder) folder {
			if d, ok := d.(diskFolder); ok && d.root.Name() == p.realDir {
				return scarce{d, "c", &shut}
			}
			return d
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = ws.Write(ctx, by, WriteArgs{Path: "a/b/c/d/f", Content: "x"})
		wantCode(t, err, arc.IOError)
		if after := p.tree(); !slices.Equal(before, after) {
			t.Errorf("with %q: before %q, after %q", there, before, after)
		}
		shut = false
		if r, err := ws.RecoveryStatus(ctx); err != nil || r.Status != "clean" {
			t.Errorf("status is %+v, %v", r, err)
		}
		ws.Close()
	}
}

// tree lists the project.
func (p *project) tree() (names []string) {
	p.t.Helper()
	err := fs.WalkDir(os.DirFS(p.dir), ".", func(path string, _ fs.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return names
}
