package sqlite

import "os"

// openLocked opens the store's file and makes it if it is missing. The lock beside it
// is the only one: a file cannot be locked here without being kept from SQLite.
func openLocked(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}

func releaseFile(*os.File) error { return nil }
