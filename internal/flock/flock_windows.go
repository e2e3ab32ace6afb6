package flock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// at is past the text of any lock file: others may read it while it is locked.
func at() *windows.Overlapped { return &windows.Overlapped{Offset: 1 << 20} }

// Try takes the exclusive lock on f, and reports whether it was free.
func Try(f *os.File) (bool, error) { return try(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// TryShared takes a lock that others may share, as one who looks does, and reports
// whether nobody had the exclusive one.
func TryShared(f *os.File) (bool, error) { return try(f, 0) }

func try(f *os.File, how uint32) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// Release gives the lock back.
func Release(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, at())
}
