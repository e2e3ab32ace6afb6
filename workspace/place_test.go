package workspace

import (
	"io/fs"
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
