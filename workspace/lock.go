package workspace

import (
	"os"
	"path/filepath"

	"github.com/arcseat/arc/internal/flock"
)

// A lockFile is held by one process at a time, and by none that has died.
type lockFile struct{ f *os.File }

func openLock(dir string) (lockFile, error) {
	f, err := os.OpenFile(filepath.Join(dir, "LOCK"), os.O_RDWR|os.O_CREATE, 0o600)
	return lockFile{f}, err
}

func (l lockFile) tryLock() (bool, error) { return flock.Try(l.f) }
func (l lockFile) unlock()                { flock.Release(l.f) }
func (l lockFile) Close() error           { return l.f.Close() }
