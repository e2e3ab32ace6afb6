package sqlite

import "os"

// openLocked opens the store's file and makes it if it is missing. The lock beside it
// is the only one: a file cannot be locked here without being kept from SQLite.
func openLocked(path string) (file *os.File, release func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	return f, f.Close, nil
}

// openedToRead has nothing to note: a lock is its descriptor's here.
func openedToRead(os.FileInfo) (release func() error) { return func() error { return nil } }
