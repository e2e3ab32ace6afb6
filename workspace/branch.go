package workspace

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"
)

// A branch is a directory as a walk needs it. The one here stands on a folder
// and works on every system; Linux has a faster one. Several goroutines may open
// its files side by side, one of them at a time reads or enters it.
type branch interface {
	readDir(into []leaf) ([]leaf, error) // appended, sorted by name; may return both
	enter(name string) (branch, error)
	// open opens a regular file to read, or fails with errNotRegular. It never waits
	// on a pipe. The file ends soon behind the size that it has at first, however
	// fast it grows.
	open(name string) (io.ReadCloser, error)
	same(info fs.FileInfo) bool // whether info is of this very directory
	keep() branch               // takes one more Close
	Close() error
}

// A leaf is one name in a directory.
type leaf struct {
	name string
	mode fs.FileMode // its type bits
}

func compareLeaves(a, b leaf) int { return strings.Compare(a.name, b.name) }

// errNotRegular: what was a file when the directory was read is none any more.
var errNotRegular = errors.New("not a regular file")

// rootBranch is the project's own directory, by the fastest way there is.
func (ws *Workspace) rootBranch() branch {
	if b := quickBranch(ws.root); b != nil {
		return b
	}
	return newFolderBranch(keepOpen{ws.root})
}

type folderBranch struct {
	folder
	users atomic.Int32
}

func newFolderBranch(d folder) branch {
	b := &folderBranch{folder: d}
	b.users.Store(1)
	return b
}

func (b *folderBranch) readDir(into []leaf) ([]leaf, error) {
	entries, err := b.folder.readDir()
	for _, e := range entries {
		into = append(into, leaf{e.Name(), e.Type()})
	}
	return into, err
}

func (b *folderBranch) enter(name string) (branch, error) {
	d, err := b.openDir(name)
	if err != nil {
		return nil, err
	}
	return newFolderBranch(d), nil
}

func (b *folderBranch) open(name string) (io.ReadCloser, error) {
	f, err := b.folder.open(name)
	if err != nil {
		return nil, err
	}
	// It may have become a pipe since the walk saw it, and to read one may wait.
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errNotRegular
	}
	return boundedFile{bounded(f, info), f}, nil
}

func (b *folderBranch) keep() branch {
	b.users.Add(1)
	return b
}

func (b *folderBranch) Close() error {
	if b.users.Add(-1) > 0 {
		return nil
	}
	return b.folder.Close()
}

type boundedFile struct {
	io.Reader
	io.Closer
}
