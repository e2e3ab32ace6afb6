package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver; DB refers to it by its name

	"github.com/arcseat/arc/seat"
)

// Options of Open. The zero value is a good start.
type Options struct {
	// ReadOnly opens an existing file to be read, beside its owner, also where its
	// disk is full or cannot be written. Nothing is locked and every Update is
	// refused.
	ReadOnly bool

	// Busy is how long a statement waits for a lock of SQLite's. 0: 10 s.
	Busy time.Duration
}

// floor is the oldest engine that does not corrupt its log when a checkpoint and a
// reset meet: 3.51.3.
const floor = 3_051_003

// Open opens the store in the file at path, and makes both the file and the
// directory above it if they are missing. The caller closes it. Codes: locked,
// store_unavailable, permission_denied, no_space, io_error.
func Open(path string, o *Options) (*seat.DB, error) {
	if o == nil {
		o = &Options{}
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// A link to the file is no other store, and has no other owner.
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	if o.ReadOnly {
		return read(abs, o)
	}
	if err := os.MkdirAll(filepath.Dir(abs), 0o700); err != nil {
		return nil, classify(err)
	}
	lock, err := own(abs + ".owner")
	if err != nil {
		return nil, classify(err)
	}
	// SQLite would make the file with the umask's mode.
	f, err := os.OpenFile(abs, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		lock.Close()
		return nil, classify(err)
	}
	f.Close()
	db := newDB()
	db.Done = lock.Close
	if db.Read, err = open(abs, o, nil, "query_only(1)"); err == nil {
		db.Write, err = open(abs, o, nil, "synchronous(FULL)", "journal_mode(WAL)", "wal_autocheckpoint(1000)")
	}
	if err == nil {
		err = db.View(context.Background(), engine)
	}
	if err != nil {
		return nil, close(db, err)
	}
	err = db.Update(context.Background(), func(*seat.Tx) error { return nil }) // a file that cannot be written is told now
	if err != nil {
		return nil, close(db, err)
	}
	return db, nil
}

func newDB() *seat.DB {
	return &seat.DB{
		Begin:    "BEGIN IMMEDIATE",
		ID:       strings.ToLower(rand.Text()[:12]),
		Rebind:   func(q string) string { return strings.ReplaceAll(q, "$", "?") },
		Classify: classify,
	}
}

// close lets go of a store that could not be opened, for the reason err.
func close(db *seat.DB, err error) error {
	if db.Read != nil {
		db.Close()
	} else if db.Done != nil {
		db.Done()
	}
	return classify(err)
}

func open(path string, o *Options, params url.Values, pragmas ...string) (*sql.DB, error) {
	busy := o.Busy
	if busy <= 0 {
		busy = 10 * time.Second
	}
	v := url.Values{}
	maps.Copy(v, params)
	v.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()))
	for _, p := range pragmas {
		v.Add("_pragma", p)
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), RawQuery: v.Encode()}
	return sql.Open("sqlite", u.String())
}

// engine refuses a SQLite that is too old. It also reads the file for the first
// time, so that one that is none is told here.
func engine(tx *seat.Tx) error {
	rows, err := tx.Query(`SELECT sqlite_version(), (SELECT COUNT(*) FROM sqlite_master)`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var version string
	var tables int
	for rows.Next() {
		if err := rows.Scan(&version, &tables); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return checkEngine(version)
}

func checkEngine(version string) error {
	var major, minor, patch int
	if _, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); err != nil || major*1_000_000+minor*1_000+patch < floor {
		return unavailable("engine", nil, "SQLite %s may damage its files; link 3.51.3 or newer.", version)
	}
	return nil
}
