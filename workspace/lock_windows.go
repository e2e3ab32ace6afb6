package workspace

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// A lockFile is held by one process at a time, and by none that has died.
type lockFile struct{ f *os.File }

func openLock(dir string) (lockFile, error) {
	f, err := os.OpenFile(filepath.Join(dir, "LOCK"), os.O_RDWR|os.O_CREATE, 0o600)
	return lockFile{f}, err
}

func (l lockFile) tryLock() (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(l.f.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func (l lockFile) unlock() {
	windows.UnlockFileEx(windows.Handle(l.f.Fd()), 0, 1, 0, &windows.Overlapped{})
}

func (l lockFile) Close() error { return l.f.Close() }
