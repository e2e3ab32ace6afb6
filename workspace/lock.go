package workspace

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/arcseat/arc/internal/flock"
)

// A lockFile is held by one process at a time, and by none that has died. Who waits
// for it holds another one, so that it comes next: without, a process that makes one
// change after the other leaves no moment for those who look now and then.
type lockFile struct{ held, next *os.File }

func openLock(dir string) (l lockFile, err error) {
	if l.held, err = os.OpenFile(filepath.Join(dir, "LOCK"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return l, err
	}
	if l.next, err = os.OpenFile(filepath.Join(dir, "NEXT"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		l.held.Close()
	}
	return l, err
}

func (l lockFile) tryNext() (bool, error) { return flock.Try(l.next) }
func (l lockFile) leaveNext()             { flock.Release(l.next) }
func (l lockFile) tryLock() (bool, error) { return flock.Try(l.held) }
func (l lockFile) unlock()                { flock.Release(l.held) }
func (l lockFile) Close() error           { return errors.Join(l.held.Close(), l.next.Close()) }
