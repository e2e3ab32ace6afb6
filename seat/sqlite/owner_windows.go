package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock takes the exclusive lock on a byte past the text of f, so that a refused
// process can read who holds it, and reports whether it was free.
func lock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, place())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, place())
}

func place() *windows.Overlapped { return &windows.Overlapped{Offset: 1 << 20} }
