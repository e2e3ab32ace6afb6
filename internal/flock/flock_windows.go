package flock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// at is past the text of any lock file: others may read it while it is locked.
func at() *windows.Overlapped { return &windows.Overlapped{Offset: 1 << 20} }

// Try takes the exclusive lock on f, and reports whether it was free.
func Try(f *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, at())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// TryShared takes a lock on f that others may share and that keeps an exclusive one
// away, and reports whether it could: it tells whether somebody holds f.
func TryShared(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// Release gives the lock back.
func Release(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, at())
}
