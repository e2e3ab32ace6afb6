//go:build unix

package flock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Try takes the exclusive lock on f, and reports whether it was free.
func Try(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}

// TryShared takes a lock on f that others may share and that keeps an exclusive one
// away, and reports whether it could: it tells whether somebody holds f.
func TryShared(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}

// Release gives the lock back. Closing f does too, but only once no child process
// that is being started shares it.
func Release(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }
