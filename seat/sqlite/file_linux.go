package sqlite

import (
	"os"

	"github.com/arcseat/arc/internal/flock"
)

// lockFile locks the store's file. SQLite locks its ranges in another way, which on Linux
// has nothing to do with this one.
func lockFile(f *os.File, _ os.FileInfo) error {
	free, err := try(f)
	if err == nil && !free {
		err = heldBy("")
	}
	return err
}

// unlockFile ends the lock by name: a child that is just being forked has the file open as
// well.
func unlockFile(f *os.File) error { return flock.Release(f) }
