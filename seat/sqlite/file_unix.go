//go:build unix && !linux

package sqlite

import (
	"os"
	"syscall"

	"github.com/arcseat/arc/seat"
)

// lockFile refuses a file with a second name: the lock beside one name keeps nobody from
// the other, and a lock of the file's own would get in the way of SQLite's here.
func lockFile(_ *os.File, info os.FileInfo) error {
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Nlink > 1 {
		return seat.Unavailable("linked", nil, "the store's file has a second name; remove one of them.")
	}
	return nil
}

func unlockFile(*os.File) error { return nil }
