//go:build unix

package sqlite

import (
	"errors"
	"os"
	"sync"
	"syscall"
)

// An inode is a file, whatever names it has.
type inode struct{ device, number uint64 }

// openFile is a file that this process has open as a store.
type openFile struct {
	stores      int        // that are written or read
	owned       bool       // one of them is written
	descriptors []*os.File // beside those of SQLite; seldom more than one
}

// openFiles are the process's. There is one list of them, because the locks that SQLite
// takes are the process's too: to close any descriptor of a file ends all of them. Ours
// are closed when the last store on the file is, and used again until then.
var openFiles = struct {
	sync.Mutex
	of map[inode]*openFile
}{of: map[inode]*openFile{}}

func inodeOf(info os.FileInfo) inode {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return inode{uint64(s.Dev), uint64(s.Ino)}
	}
	return inode{}
}

// enter counts a store on the file, under the lock of openFiles.
func enter(at inode) *openFile {
	f := openFiles.of[at]
	if f == nil {
		f = &openFile{}
		openFiles.of[at] = f
	}
	f.stores++
	return f
}

// leave ends what enter began, under the same lock.
func leave(at inode) error {
	f := openFiles.of[at]
	if f.stores--; f.stores > 0 {
		return nil
	}
	delete(openFiles.of, at)
	var errs []error
	for _, d := range f.descriptors {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}

// openLocked opens the store's file for its owner, makes it if it is missing, and locks
// it. The caller calls release, and does not close the file.
func openLocked(path string) (file *os.File, release func() error, err error) {
	openFiles.Lock()
	defer openFiles.Unlock()
	if info, err := os.Stat(path); err == nil {
		if f := openFiles.of[inodeOf(info)]; f != nil && f.owned {
			return nil, nil, heldBy("")
		} else if f != nil && len(f.descriptors) > 0 {
			file = f.descriptors[0]
		}
	}
	reused := file != nil
	if !reused {
		if file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil { // SQLite would make it with the umask's mode
			return nil, nil, err
		}
	}
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	at := inodeOf(info)
	f := enter(at)
	if !reused {
		f.descriptors = append(f.descriptors, file)
	}
	if err := lockFile(file, info); err != nil {
		return nil, nil, errors.Join(err, leave(at))
	}
	f.owned = true
	return file, func() error {
		openFiles.Lock()
		defer openFiles.Unlock()
		f.owned = false
		return errors.Join(unlockFile(file), leave(at))
	}, nil
}

// openedToRead notes that SQLite is about to open the store's file to read it. The caller
// calls release once SQLite has closed it.
func openedToRead(info os.FileInfo) (release func() error) {
	openFiles.Lock()
	defer openFiles.Unlock()
	at := inodeOf(info)
	enter(at)
	return func() error {
		openFiles.Lock()
		defer openFiles.Unlock()
		return leave(at)
	}
}
