package workspace

import (
	"io/fs"
	"os"
	"slices"
	"strings"
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

// TestALinkThatLeadsOutIsNamed: the message named the directory that it is in,
// which is "." for most.
func TestALinkThatLeadsOutIsNamed(t *testing.T) {
	p := newProject(t, map[string]string{"d/f": "x"})
	for name, target := range map[string]string{"out": t.TempDir(), "up": "..", "d/far": "../../x", "round": "d/../../x", "via": "d/far"} {
		if err := os.Symlink(target, p.path(name)); err != nil {
			t.Skip(err)
		}
	}
	for path, link := range map[string]string{"out/x": "out", "up": "up", "d/far/y": "d/far", "round/x": "round", "via/x": "d/far"} {
		_, err := p.Read(ctx, ReadArgs{Path: path})
		if e := wantCode(t, err, arc.PathEscape); !strings.Contains(e.Message, "the link "+link+" leads out") {
			t.Errorf("%s: %s", path, e.Message)
		}
	}
}

// countedFolder counts the looks at names.
type countedFolder struct {
	folder
	looks *int
}

func (f countedFolder) openDir(name string) (folder, error) {
	d, err := f.folder.openDir(name)
	return countedFolder{d, f.looks}, err
}

func (f countedFolder) lstat(name string) (fs.FileInfo, error) {
	*f.looks++
	return f.folder.lstat(name)
}

// TestALinkThatGoesBackAndForthEnds: each ".." in a link's target begins the way
// anew, and a target has room for eight hundred.
func TestALinkThatGoesBackAndForthEnds(t *testing.T) {
	p := newProject(t, map[string]string{"d/f": "x"})
	for name, times := range map[string]int{"few": 50, "many": 800} {
		if err := os.Symlink(strings.Repeat("d/../", times)+"d", p.path(name)); err != nil {
			t.Skip(err)
		}
	}
	if r, err := p.Read(ctx, ReadArgs{Path: "few/f"}); err != nil || r.ResolvedPath != "d/f" {
		t.Errorf("%+v, %v", r, err)
	}
	looks := 0
	p.root = countedFolder{p.root, &looks}
	_, err := p.Read(ctx, ReadArgs{Path: "many/f"})
	if wantCode(t, err, arc.PathEscape); looks > 1000 {
		t.Errorf("%d names were looked at", looks)
	}
}

func TestAProjectThatIsGoneIsSaidToBe(t *testing.T) {
	for name, vanish := range map[string]func(p *project){
		"removed":            func(p *project) { os.RemoveAll(p.dir) },
		"moved":              func(p *project) { os.Rename(p.dir, p.dir+"2") },
		"moved and replaced": func(p *project) { os.Rename(p.dir, p.dir+"2"); os.Mkdir(p.dir, 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, map[string]string{"f": "x"})
			vanish(p)
			_, err := p.Write(ctx, by, WriteArgs{Path: "new", Content: "x"})
			if e := wantCode(t, err, arc.NotFound); !strings.Contains(e.Message, "project folder") {
				t.Errorf("message is %q", e.Message)
			}
			_, err = p.Read(ctx, ReadArgs{Path: "f"})
			wantCode(t, err, arc.NotFound)
			_, err = p.List(ctx, ListArgs{})
			wantCode(t, err, arc.NotFound)
		})
	}
}
