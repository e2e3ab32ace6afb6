//go:build unix

package workspace

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A lockFile is held by one process at a time, and by none that has died.
type lockFile struct{ f *os.File }

func openLock(dir string) (lockFile, error) {
	f, err := os.OpenFile(filepath.Join(dir, "LOCK"), os.O_RDWR|os.O_CREATE, 0o600)
	return lockFile{f}, err
}

func (l lockFile) tryLock() (bool, error) {
	err := unix.Flock(int(l.f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}

func (l lockFile) unlock()      { unix.Flock(int(l.f.Fd()), unix.LOCK_UN) }
func (l lockFile) Close() error { return l.f.Close() }
