package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"

	"github.com/arcseat/arc/internal/flock"
	"github.com/arcseat/arc/seat"
)

// read opens the file at path to be read.
func read(path string, o *Options) (*seat.DB, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, classify(err)
	}
	db, err := readWith(path, o, url.Values{"mode": {"ro"}})
	if err == nil {
		return db, nil
	}
	// SQLite wants to make two files beside this one, and a disk that is full or
	// cannot be written has no room for them. Without a log all is in the file, and
	// nobody who could write it has it open.
	if info, no := os.Stat(path + "-wal"); errors.Is(no, fs.ErrNotExist) || no == nil && info.Size() == 0 {
		if db, no := readWith(path, o, url.Values{"mode": {"ro"}, "immutable": {"1"}}); no == nil {
			return db, nil
		}
	}
	return nil, err
}

func readWith(path string, o *Options, params url.Values) (*seat.DB, error) {
	db := newDB()
	if Owned(path) {
		db.ID = "" // what its owner holds is held
	}
	var err error
	if db.Read, err = open(path, o, params, "query_only(1)"); err == nil {
		err = db.View(context.Background(), engine)
	}
	if err != nil {
		return nil, close(db, err)
	}
	return db, nil
}

// Owned reports whether a process owns the store at path now.
func Owned(path string) bool {
	f, err := os.Open(path + ".owner")
	if err != nil {
		return false
	}
	defer f.Close()
	free, err := flock.TryShared(f)
	if free {
		_ = flock.Release(f) // Close does so as well
	}
	return err == nil && !free
}
