//go:build unix && !linux

package sqlite

import (
	"os"
	"syscall"
)

// openLocked opens the store's file and makes it if it is missing. A lock of its own
// would get in the way of SQLite's here, so that a file with a second name is refused
// instead: the lock beside one name keeps nobody from the other.
func openLocked(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) // SQLite would make it with the umask's mode
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Nlink > 1 {
		f.Close()
		return nil, unavailable("linked", nil, "the store's file has a second name; remove one of them.")
	}
	return f, nil
}

func releaseFile(*os.File) error { return nil }
