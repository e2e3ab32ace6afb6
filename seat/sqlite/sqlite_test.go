package sqlite_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/seattest"
	"github.com/arcseat/arc/seat/sqlite"
)

func path(t *testing.T) string { return filepath.Join(t.TempDir(), "state", "seat.db") }

func open(t *testing.T, path string, o *sqlite.Options) *seat.DB {
	t.Helper()
	db, err := sqlite.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// More of what takes long: go test ./seat/sqlite -ops 100000 -kills 1000.
var (
	ops    = flag.Int("ops", 1000, "operations of the model check")
	checks = flag.Int("checks", 1, "model checks that share them, with seeds in a row")
	seed   = flag.Uint64("seed", 1, "seed of the model check; 0: a new one")
	kills  = flag.Int("kills", 15, "how often a process is killed")
)

func TestAConnectionInAnUnknownStateIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	db := open(t, path(t), nil)
	failed := errors.New("failed")
	err := db.Update(t.Context(), func(tx *seat.Tx) error {
		return errors.Join(tx.Script(`CREATE TEMP TABLE mark (n BIGINT); COMMIT`), failed) // so that it cannot be undone
	})
	if !errors.Is(err, failed) {
		t.Fatal(err)
	}
	marks := 0
	err = db.Update(t.Context(), func(tx *seat.Tx) error {
		rows, err := tx.Query(`SELECT name FROM sqlite_temp_master`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			marks++
		}
		return rows.Err()
	})
	if err != nil || marks != 0 {
		t.Errorf("%d marks of the connection that was given up, %v", marks, err)
	}
}

// A process is killed while it marks the file that it has made: the mark is there, and SQLite
// takes it back.
func TestAStoreWhoseMakingWasCutShort(t *testing.T) {
	t.Parallel()
	p := path(t)
	if err := open(t, p, nil).Close(); err != nil {
		t.Fatal(err)
	}
	// A journal says that the file was empty: its magic, no page, a nonce, the size in pages,
	// that of a sector and that of a page.
	journal := "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + "\x00\x00\x00\x00" + "arcs" + "\x00\x00\x00\x00" + "\x00\x00\x02\x00" + "\x00\x00\x10\x00"
	if err := os.WriteFile(p+"-journal", []byte(journal+strings.Repeat("\x00", 512-len(journal))), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := seat.Open(t.Context(), open(t, p, nil), nil); err != nil {
		t.Error(err)
	}
}

func TestStore(t *testing.T) {
	seattest.Run(t, func(t *testing.T, name string) seat.Store {
		db, err := sqlite.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		return db
	}, &seattest.Options{Ops: *ops, Seed: *seed, Checks: *checks})
	t.Logf("score: model %d ≥ 1000 random operations, as a small model of a seat has them", *ops)
}

// fails opens a store that cannot be opened and tells the error's code and reason.
func fails(t *testing.T, path string, o *sqlite.Options) (arc.Code, string) {
	t.Helper()
	db, err := sqlite.Open(path, o)
	if err == nil {
		_, err = seat.Open(t.Context(), db, nil)
		db.Close()
	}
	var e *arc.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	d, _ := e.Detail.(map[string]string)
	return e.Code, d["reason"]
}

func TestOpen(t *testing.T) {
	t.Parallel()
	t.Run("a second owner is refused and told who the first is; reading is free", func(t *testing.T) {
		t.Parallel()
		p := path(t)
		db := open(t, p, nil)
		if _, err := seat.Open(t.Context(), db, nil); err != nil {
			t.Fatal(err)
		}
		_, err := sqlite.Open(p, nil)
		var e *arc.Error
		if !errors.As(err, &e) || e.Code != arc.Locked || !strings.Contains(fmt.Sprint(e.Detail), fmt.Sprint("pid ", os.Getpid())) {
			t.Errorf("got %v, %+v", err, e)
		}
		ro := open(t, p, &sqlite.Options{ReadOnly: true})
		s, err := seat.Open(t.Context(), ro, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Join(t.Context(), seat.Spec{Room: "demo"})
		if !errors.Is(err, seat.StoreUnavailable) {
			t.Errorf("a reader writes: %v", err)
		}
		owner, err := seat.Open(t.Context(), db, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := owner.Join(t.Context(), seat.Spec{Room: "demo"}); err != nil {
			t.Fatal(err)
		}
		if c, err := s.Context(t.Context(), seat.Operator{}, seat.ContextArgs{Ref: demo}); err != nil || c.HistoryRevision != 1 {
			t.Errorf("a reader sees %+v, %v", c, err)
		}
		db.Close()
		open(t, p, nil).Close()
	})
	t.Run("a link to the file gives it no second owner", func(t *testing.T) {
		t.Parallel()
		p := path(t)
		open(t, p, nil)
		link := filepath.Join(t.TempDir(), "link.db")
		if err := os.Symlink(p, link); err != nil {
			t.Skip("no links here:", err)
		}
		db, err := sqlite.Open(link, nil)
		if !errors.Is(err, arc.Locked) {
			t.Errorf("got %v", err)
		}
		if err == nil {
			db.Close()
		}
	})
	t.Run("the file and its folder are their user's alone", func(t *testing.T) {
		t.Parallel()
		if runtime.GOOS == "windows" {
			t.Skip("modes are not kept here")
		}
		p := path(t)
		open(t, p, nil)
		for name, want := range map[string]os.FileMode{p: 0o600, filepath.Dir(p): 0o700} {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
		}
	})
	t.Run("a file that is no database is told as that and left alone", func(t *testing.T) {
		t.Parallel()
		p := filepath.Join(t.TempDir(), "notes.txt")
		text := strings.Repeat("This is no database. ", 100)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, reason := fails(t, p, nil); code != seat.StoreUnavailable || reason != "not_a_database" {
			t.Errorf("got %s, %s", code, reason)
		}
		if b, err := os.ReadFile(p); err != nil || string(b) != text {
			t.Error("the file was changed")
		}
	})
	t.Run("a damaged file is corrupt, and nothing panics", func(t *testing.T) {
		t.Parallel()
		p := path(t)
		db := open(t, p, nil)
		s, err := seat.Open(t.Context(), db, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Join(t.Context(), seat.Spec{Room: "demo"}); err != nil {
			t.Fatal(err)
		}
		db.Close()
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for i := 4096; i < len(b); i++ {
			b[i] = 0xff
		}
		if err := os.WriteFile(p, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if code, reason := fails(t, p, nil); code != seat.StoreUnavailable || reason != "corrupt" {
			t.Errorf("got %s, %s", code, reason)
		}
	})
	t.Run("a store of a newer version is left to the newer program", func(t *testing.T) {
		t.Parallel()
		p := path(t)
		db := open(t, p, nil)
		if _, err := seat.Open(t.Context(), db, nil); err != nil {
			t.Fatal(err)
		}
		if err := db.Update(t.Context(), func(tx *seat.Tx) error { return tx.Script(`INSERT INTO arc_seat_version VALUES (99)`) }); err != nil {
			t.Fatal(err)
		}
		db.Close()
		for _, o := range []*sqlite.Options{nil, {ReadOnly: true}} {
			if code, reason := fails(t, p, o); code != seat.StoreUnavailable || reason != "version" {
				t.Errorf("got %s, %s", code, reason)
			}
		}
	})
	t.Run("a store of a version that there never was is left alone", func(t *testing.T) {
		t.Parallel()
		p := path(t)
		db := open(t, p, nil)
		if err := db.Update(t.Context(), func(tx *seat.Tx) error {
			return tx.Script(`CREATE TABLE arc_seat_version (version BIGINT PRIMARY KEY); INSERT INTO arc_seat_version VALUES (-1)`)
		}); err != nil {
			t.Fatal(err)
		}
		db.Close()
		if code, reason := fails(t, p, nil); code != seat.StoreUnavailable || reason != "version" {
			t.Errorf("got %s, %s", code, reason)
		}
	})
	t.Run("what is not there cannot be read", func(t *testing.T) {
		t.Parallel()
		if code, _ := fails(t, path(t), &sqlite.Options{ReadOnly: true}); code != arc.NotFound {
			t.Errorf("got %s", code)
		}
	})
	t.Run("what is empty is not there yet, and is left alone", func(t *testing.T) {
		t.Parallel()
		p := filepath.Join(t.TempDir(), "seat.db")
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _ := fails(t, p, &sqlite.Options{ReadOnly: true}); code != arc.NotFound {
			t.Errorf("got %s", code)
		}
		if list, err := os.ReadDir(filepath.Dir(p)); err != nil || len(list) != 1 {
			t.Errorf("beside it are %v, %v", list, err)
		}
		open(t, p, nil)
	})
	t.Run("a path with odd letters is just a path", func(t *testing.T) {
		t.Parallel()
		p := filepath.Join(t.TempDir(), "a b%20?c#d&mode=ro", "seät.db")
		if runtime.GOOS == "windows" {
			t.Skip("not a path here")
		}
		open(t, p, nil)
		if _, err := os.Stat(p); err != nil {
			t.Error(err)
		}
	})
}

func TestAFullDiskIsToldAndLosesNothing(t *testing.T) {
	t.Parallel()
	db := open(t, path(t), nil)
	s, err := seat.Open(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Join(t.Context(), seat.Spec{Room: "demo"}); err != nil {
		t.Fatal(err)
	}
	send := func(text string) error {
		_, err := s.Send(t.Context(), seat.Prompt{Ref: seat.Ref{RunID: "demo"}, Text: text})
		return err
	}
	if err := send("before"); err != nil {
		t.Fatal(err)
	}
	limit := func(pages string) {
		if err := db.Update(t.Context(), func(tx *seat.Tx) error { return tx.Script(`PRAGMA max_page_count = ` + pages) }); err != nil {
			t.Fatal(err)
		}
	}
	limit("1") // no more than there are
	if err := send(strings.Repeat("x", 1<<20)); !errors.Is(err, arc.NoSpace) {
		t.Errorf("got %v", err)
	}
	limit("1000000")
	if err := send("after"); err != nil {
		t.Error(err)
	}
	list, err := s.Messages(t.Context(), "demo", 0, 0)
	if err != nil || len(list) != 2 || list[0].Text != "before" || list[1].Text != "after" {
		t.Errorf("got %+v, %v", list, err)
	}
}

func TestEightWritersAreAllServed(t *testing.T) {
	t.Parallel()
	db := open(t, path(t), nil)
	s, err := seat.Open(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 8 {
		if _, err := s.Join(t.Context(), seat.Spec{Room: fmt.Sprint("room", n)}); err != nil {
			t.Fatal(err)
		}
	}
	before := descriptors()
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for i := range 50 {
				if _, err := s.Send(t.Context(), seat.Prompt{Ref: seat.Ref{RunID: fmt.Sprint("room", n)}, Text: fmt.Sprint(i)}); err != nil {
					t.Error(err)
				}
				if _, err := s.Messages(t.Context(), fmt.Sprint("room", n), 0, 10); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if after := descriptors(); after > before+64 {
		t.Errorf("%d files are open, %d were before", after, before)
	}
}

func descriptors() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}

// What is acknowledged is on the disk, in a log that readers don't wait for; whoever only
// reads cannot write by mistake.
func TestTheStoreIsKeptAsItSays(t *testing.T) {
	t.Parallel()
	p := path(t)
	db := open(t, p, nil)
	if _, err := seat.Open(t.Context(), db, nil); err != nil {
		t.Fatal(err)
	}
	beside := open(t, p, &sqlite.Options{ReadOnly: true})
	const full = 2
	for _, tt := range []struct {
		who, pragma string
		in          func(context.Context, func(*seat.Tx) error) error
		want        any
	}{
		{"the owner that writes", "journal_mode", db.Update, "wal"},
		{"the owner that writes", "synchronous", db.Update, int64(full)},
		{"the owner that writes", "busy_timeout", db.Update, int64(10_000)},
		{"the owner that reads", "query_only", db.View, int64(1)},
		{"a reader beside it", "query_only", beside.View, int64(1)},
		{"a reader beside it", "journal_mode", beside.View, "wal"},
	} {
		var got any
		err := tt.in(t.Context(), func(tx *seat.Tx) error {
			rows, err := tx.Query("PRAGMA " + tt.pragma)
			if err != nil {
				return err
			}
			defer rows.Close()
			rows.Next()
			return rows.Scan(&got)
		})
		if err != nil || got != tt.want {
			t.Errorf("%s has the %s %v, want %v; %v", tt.who, tt.pragma, got, tt.want, err)
		}
	}
}

func TestTransactions(t *testing.T) {
	t.Parallel()
	db := open(t, path(t), nil)
	ctx := t.Context()
	if err := db.Update(ctx, func(tx *seat.Tx) error { return tx.Script(`CREATE TABLE x (n BIGINT)`) }); err != nil {
		t.Fatal(err)
	}
	count := func() (n int) {
		err := db.View(ctx, func(tx *seat.Tx) error {
			rows, err := tx.Query(`SELECT COUNT(*) FROM x`)
			if err != nil {
				return err
			}
			defer rows.Close()
			rows.Next()
			return rows.Scan(&n)
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	insert := func(tx *seat.Tx) error { _, err := tx.Exec(`INSERT INTO x VALUES ($1)`, 1); return err }
	failed := errors.New("no")
	if err := db.Update(ctx, func(tx *seat.Tx) error { return errors.Join(insert(tx), failed) }); !errors.Is(err, failed) || count() != 0 {
		t.Errorf("a failed one left %d rows, %v", count(), err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = db.Update(ctx, func(tx *seat.Tx) error { _ = insert(tx); panic("oops") })
	}()
	if count() != 0 {
		t.Error("a panic left a row")
	}
	canceled, cancel := context.WithCancel(ctx)
	if err := db.Update(canceled, func(tx *seat.Tx) error { err := insert(tx); cancel(); return err }); !errors.Is(err, context.Canceled) || count() != 0 {
		t.Errorf("a canceled one left %d rows, %v", count(), err)
	}
	if err := db.Update(ctx, insert); err != nil || count() != 1 {
		t.Errorf("after all that: %d rows, %v", count(), err)
	}
	if err := db.View(ctx, insert); err == nil {
		t.Error("a view writes")
	} else if !errors.Is(err, arc.PermissionDenied) {
		t.Errorf("what cannot be written is told as %v", err)
	}
}
