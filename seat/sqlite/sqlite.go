package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver; DB refers to it by its name

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// Options of Open. The zero value is a good start.
type Options struct {
	// ReadOnly opens an existing file to be read, beside its owner. Nothing is
	// locked and every Update is refused.
	ReadOnly bool

	// BusyTimeout is how long a statement waits for a lock of SQLite's. 0: 10 s.
	BusyTimeout time.Duration
}

// floor is the oldest engine that does not corrupt its log when a checkpoint and a
// reset meet: 3.51.3.
const floor = 3_051_003

// Open opens the store in the file at path, and makes both the file and the
// directory above it if they are missing. The caller closes it. Codes: locked,
// not_found, store_unavailable, permission_denied, no_space, io_error.
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
	var db *seat.DB
	if o.ReadOnly {
		db, err = openReader(abs, o)
	} else {
		db, err = openOwner(abs, o)
	}
	return db, classify(err)
}

// unopened is a store without its pools.
func unopened() *seat.DB {
	return &seat.DB{
		Begin:    "BEGIN IMMEDIATE",
		ID:       strings.ToLower(rand.Text()[:12]),
		Dialect:  seat.Dialect{Rebind: func(q string) string { return strings.ReplaceAll(q, "$", "?") }},
		Classify: classify,
	}
}

// openOwner opens the store for the one process that writes.
func openOwner(path string, o *Options) (*seat.DB, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	db := unopened()
	owned, err := own(path, db.ID)
	if err != nil {
		return nil, err
	}
	empty, err := fresh(owned.file)
	if _, no := os.Stat(path + "-journal"); err == nil && (empty || no == nil) { // of a mark that was cut short, and is taken back
		err = mark(path, o)
	}
	if err != nil {
		return nil, errors.Join(err, owned.Close())
	}
	db.Done = owned.Close
	db.Read, err = connect(path, o, "query_only(1)")
	if err == nil {
		db.Write, err = connect(path, o, "synchronous(FULL)", "journal_mode(WAL)", "wal_autocheckpoint(1000)")
	}
	if err == nil {
		err = db.View(context.Background(), engine)
	}
	if err == nil {
		err = db.Update(context.Background(), func(*seat.Tx) error { return nil }) // a file that cannot be written is told now
	}
	return opened(db, err)
}

// openReader opens the store beside its owner. Where the system lets nobody write, or
// has no room, and so none for the index of a log, a store without a log is read as it
// stands.
func openReader(path string, o *Options) (*seat.DB, error) {
	was, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if was.Size() == 0 { // it is not a store yet
		return nil, &os.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	db, err := readBy(path, was, o)
	full := errors.Is(err, arc.NoSpace)
	if !full && !errors.Is(err, arc.PermissionDenied) || full && logged(path) {
		return db, err
	}
	still, why := readBy(path, was, o, "immutable")
	switch {
	case why != nil:
		return nil, err
	case logged(path):
		still.Close()
		return nil, seat.Unavailable("log", err, "the store has a log, which can only be read where its folder can be written; copy both there.")
	}
	// Nothing keeps an owner away, and SQLite doesn't look for one.
	still.Stands = func() error {
		is, err := os.Stat(path)
		if err == nil && (logged(path) || !os.SameFile(was, is) || !is.ModTime().Equal(was.ModTime()) || is.Size() != was.Size()) {
			err = seat.Unavailable("changed", nil, "the store was written after it was opened to be read; open it again.")
		}
		return err
	}
	return still, nil
}

func readBy(path string, was os.FileInfo, o *Options, flags ...string) (db *seat.DB, err error) {
	db = unopened()
	db.Done = openedToRead(was)
	db.Owner = func() string { return owning(path) }
	if db.Read, err = connect(path, o, append(flags, "query_only(1)")...); err == nil {
		err = db.View(context.Background(), engine)
	}
	return opened(db, err)
}

// logged reports whether the store at path has a log with something in it.
func logged(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > 0
}

// opened is db, unless err is why it could not be opened.
func opened(db *seat.DB, err error) (*seat.DB, error) {
	switch {
	case err == nil:
		return db, nil
	case db.Read != nil:
		db.Close()
	case db.Done != nil:
		db.Done()
	}
	return nil, classify(err)
}

// mark makes an empty file a store's. That is done before the file gets a log, so that
// it stands in the file itself whatever happens next.
func mark(path string, o *Options) error {
	db, err := connect(path, o)
	if err != nil {
		return err
	}
	_, err = db.Exec(fmt.Sprintf(`PRAGMA application_id = %d`, applicationID))
	return errors.Join(err, db.Close())
}

// connect is a pool of connections to the file at path, each with these pragmas.
func connect(path string, o *Options, pragmas ...string) (*sql.DB, error) {
	busy := o.BusyTimeout
	if busy <= 0 {
		busy = 10 * time.Second
	}
	v := url.Values{}
	v.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()))
	for _, p := range pragmas {
		if p == "immutable" {
			v.Set(p, "1")
		} else {
			v.Add("_pragma", p)
		}
	}
	if o.ReadOnly {
		v.Set("mode", "ro")
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), RawQuery: v.Encode()}
	return sql.Open("sqlite", u.String())
}

// engine refuses a SQLite that is too old. It also reads the file for the first
// time, so that one that is none, or another program's, is told here.
func engine(tx *seat.Tx) error {
	rows, err := tx.Query(`SELECT sqlite_version(), (SELECT COUNT(*) FROM sqlite_master), (SELECT application_id FROM pragma_application_id)`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var version string
	var tables, application int64
	for rows.Next() {
		if err := rows.Scan(&version, &tables, &application); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if err := checkEngine(version); err != nil {
		return err
	}
	return checkApplication(application)
}

func checkEngine(version string) error {
	var major, minor, patch int
	if _, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); err != nil || major*1_000_000+minor*1_000+patch < floor {
		return seat.Unavailable("engine", nil, "SQLite %s may damage its files; link 3.51.3 or newer.", version)
	}
	return nil
}
