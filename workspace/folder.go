package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// A folder is an open directory. Everything that a change, an undo or a recovery
// does to the project or to the journal is one of its methods, so that a test
// can stand in for the disk and lose what was not synced. Names are single
// elements, never paths: a handle to the directory itself keeps containment,
// whatever is renamed or linked meanwhile.
type folder interface {
	lstat(name string) (fs.FileInfo, error)
	readlink(name string) (string, error)
	readDir() ([]fs.DirEntry, error) // sorted by name
	openDir(name string) (folder, error)
	open(name string) (file, error)                     // to read; never waits on a pipe
	openAppend(name string) (file, error)               // to read and append, made if missing
	create(name string, perm fs.FileMode) (file, error) // to write, must not exist
	exchange(a, b string) error                         // swaps two names at once, or errNoExchange
	moveNew(from, to string) error                      // renames, fs.ErrExist if to exists
	replace(from, to string) error                      // renames over what is there
	remove(name string) error                           // a file or an empty directory
	mkdir(name string, perm fs.FileMode) error
	sync() error                                    // makes its names durable
	adopt(dst, src file, info fs.FileInfo) []string // gives dst the owner, attributes and mode of src
	same(info fs.FileInfo) bool                     // whether info is of this very directory
	sameFile(a, b fs.FileInfo) bool                 // whether both are of one file
	at(path string) bool                            // whether path, a host's, leads to this very directory
	Close() error
}

// A file is an open file of a folder.
type file interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.Closer
	Stat() (fs.FileInfo, error)
	Sync() error
	Truncate(size int64) error
	Chmod(mode fs.FileMode) error
}

// errNoExchange says that this file system cannot swap two names.
var errNoExchange = errors.ErrUnsupported

// diskFolder is a folder of the operating system.
type diskFolder struct{ root *os.Root }

func openFolder(dir string) (folder, error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return diskFolder{r}, nil
}

func (d diskFolder) lstat(name string) (fs.FileInfo, error) { return d.root.Lstat(name) }
func (d diskFolder) readlink(name string) (string, error)   { return d.root.Readlink(name) }
func (d diskFolder) remove(name string) error               { return d.root.Remove(name) }
func (d diskFolder) replace(from, to string) error          { return d.root.Rename(from, to) }
func (d diskFolder) Close() error                           { return d.root.Close() }

func (d diskFolder) mkdir(name string, perm fs.FileMode) error { return d.root.Mkdir(name, perm) }

func (d diskFolder) readDir() ([]fs.DirEntry, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	sortEntries(entries)
	return entries, err
}

func (d diskFolder) openDir(name string) (folder, error) {
	r, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return diskFolder{r}, nil
}

func (d diskFolder) open(name string) (file, error) {
	return asFile(d.root.OpenFile(name, os.O_RDONLY|openFlags, 0))
}

func (d diskFolder) openAppend(name string) (file, error) {
	return asFile(d.root.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600))
}

func (d diskFolder) create(name string, perm fs.FileMode) (file, error) {
	return asFile(d.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm))
}

// asFile keeps a nil *os.File from becoming a file that is not nil.
func asFile(f *os.File, err error) (file, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d diskFolder) same(info fs.FileInfo) bool {
	mine, err := d.root.Stat(".")
	return err == nil && os.SameFile(mine, info)
}

func (d diskFolder) sameFile(a, b fs.FileInfo) bool { return os.SameFile(a, b) }

func (d diskFolder) at(path string) bool {
	info, err := os.Stat(path)
	return err == nil && d.same(info)
}

func (d diskFolder) sync() error {
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(syncDir(f), f.Close())
}

// withHandle lends the directory's own descriptor.
func (d diskFolder) withHandle(do func(fd int) error) error {
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return do(int(f.Fd()))
}

// A linker is an os.Root, as linkNew needs it.
type linker interface {
	Link(from, to string) error
	Lstat(name string) (fs.FileInfo, error)
	Remove(name string) error
}

// linkNew is moveNew where the system has no rename that refuses to replace: a
// link fails if its name is taken. If the old name cannot go, the new one does, so
// that nothing has happened.
func linkNew(d linker, from, to string) error {
	if err := d.Link(from, to); err != nil {
		return err
	}
	err := d.Remove(from)
	if err == nil {
		return nil
	}
	old, oldErr := d.Lstat(from)
	made, madeErr := d.Lstat(to)
	if oldErr == nil && madeErr == nil && os.SameFile(old, made) { // and nobody has saved another there
		return errors.Join(err, d.Remove(to))
	}
	return errors.Join(err, oldErr, madeErr)
}

func sortEntries(entries []fs.DirEntry) {
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
}
