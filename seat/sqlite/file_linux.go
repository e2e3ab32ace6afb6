package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/arcseat/arc/internal/flock"
)

// openLocked opens the store's file, makes it if it is missing, and locks it. SQLite
// locks its ranges in another way, which on Linux has nothing to do with this one.
func openLocked(path string) (*os.File, error) {
	fd, err := 0, error(unix.EINTR)
	for errors.Is(err, unix.EINTR) {
		// SQLite would make the file with the umask's mode.
		fd, err = unix.Open(path, unix.O_RDWR|unix.O_CREAT|unix.O_CLOEXEC, 0o600)
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	err = unix.EINTR
	for errors.Is(err, unix.EINTR) {
		err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		// Not closed: were the owner in this process, that would end the locks of its
		// SQLite. It is a descriptor for each attempt to get round a lock.
		return nil, heldBy("")
	}
	f := os.NewFile(uintptr(fd), path)
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func releaseFile(f *os.File) error { return flock.Release(f) }
