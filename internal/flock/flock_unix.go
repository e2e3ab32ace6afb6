//go:build unix

package flock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Try takes the exclusive lock on f, and reports whether it was free.
func Try(f *os.File) (bool, error) { return try(f, unix.LOCK_EX) }

// TryShared takes a lock that others may share, as one who looks does, and reports
// whether nobody had the exclusive one.
func TryShared(f *os.File) (bool, error) { return try(f, unix.LOCK_SH) }

func try(f *os.File, how int) (bool, error) {
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}

// Release gives the lock back. Closing f does too, but only once no child process
// that is being started shares it.
func Release(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }
