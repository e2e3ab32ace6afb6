package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/sqlite"
)

// left makes a store with one prompt in the folder dir, closed in order.
func left(t *testing.T, dir string) string {
	t.Helper()
	p := filepath.Join(dir, "seat.db")
	db := open(t, p, nil)
	svc, err := seat.Open(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Join(t.Context(), seat.Spec{Room: "demo"}); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Send(t.Context(), seat.Prompt{Ref: demo, Text: "work"}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return p
}

// reads fails unless the operator can read the store.
func reads(t *testing.T, p string) {
	t.Helper()
	db, err := sqlite.Open(p, &sqlite.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	svc, err := seat.Open(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := svc.Context(t.Context(), seat.Operator{}, seat.ContextArgs{Ref: demo})
	if err != nil || len(c.Queued) != 1 {
		t.Errorf("got %+v, %v", c, err)
	}
}

const nobody = 65534

// asNobody runs fn without root's way around the modes of files.
func asNobody(t *testing.T, fn func()) {
	t.Helper()
	if os.Getuid() != 0 {
		fn()
		return
	}
	runtime.LockOSThread() // and never unlocked: the thread ends with the test
	if err := unix.Setfsuid(nobody); err != nil {
		t.Skip(err)
	}
	defer func() { _ = unix.Setfsuid(0) }()
	fn()
}

func TestAStoreThatItsReaderMayOnlyRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, folder os.FileMode
		theirs       bool
	}{
		"somebody else's":                   {0o644, 0o755, false},
		"in a folder that nobody may write": {0o444, 0o555, true},
		"in a folder of its reader's":       {0o400, 0o700, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := left(t, t.TempDir())
			folder := filepath.Dir(p)
			for dir := filepath.Dir(folder); strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
				if err := os.Chmod(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			modes := func(file, folderMode os.FileMode) {
				t.Helper()
				for name, mode := range map[string]os.FileMode{p: file, p + ".owner": file, folder: folderMode} {
					if err := os.Chmod(name, mode); err != nil {
						t.Fatal(err)
					}
					if c.theirs && os.Getuid() == 0 {
						if err := os.Chown(name, nobody, nobody); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			modes(c.file, c.folder)
			defer modes(0o600, 0o755)
			asNobody(t, func() {
				for range 2 { // what the first reader may have left misleads no second
					reads(t, p)
				}
				if c.theirs || os.Getuid() == 0 {
					_, err := sqlite.Open(p, nil)
					told(t, err, arc.PermissionDenied)
				}
			})
			modes(0, c.folder)
			asNobody(t, func() {
				_, err := sqlite.Open(p, &sqlite.Options{ReadOnly: true})
				told(t, err, arc.PermissionDenied)
			})
		})
	}
}

// A reader that SQLite lets look for no owner hears that one has come: it is told
// neither what stood before nor that the store is damaged.
func TestAStoreThatIsWrittenWhileItIsReadAsItStands(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("owner and reader are two users")
	}
	p := left(t, t.TempDir())
	for dir := filepath.Dir(p); strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(p, 0o644); err != nil {
		t.Fatal(err)
	}
	var reader *seat.DB
	look := func() error {
		return reader.View(t.Context(), func(tx *seat.Tx) error {
			rows, err := tx.Query(`SELECT body FROM message`)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
			}
			return rows.Err()
		})
	}
	asNobody(t, func() {
		var err error
		if reader, err = sqlite.Open(p, &sqlite.Options{ReadOnly: true}); err != nil {
			t.Fatal(err)
		}
		if err := look(); err != nil {
			t.Error(err)
		}
	})
	defer reader.Close()
	db, err := sqlite.Open(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	svc, err := seat.Open(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	changed := func(when string) {
		t.Helper()
		err := look()
		told(t, err, seat.StoreUnavailable)
		if err == nil || !strings.Contains(err.Error(), "was written after it was opened") {
			t.Errorf("%s: got %v", when, err)
		}
	}
	for n := range 400 { // more than the log holds
		if _, err := svc.Send(t.Context(), seat.Prompt{Ref: demo, Text: strings.Repeat("x", 3000)}); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			changed("in the log")
		}
	}
	changed("in the file")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	changed("and closed")
}

// Who may not look at the lock file is not told that nobody runs a turn.
func TestAReaderWhoMayNotSeeWhoOwnsTheStore(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("owner and reader are two users")
	}
	p := left(t, t.TempDir())
	for dir := filepath.Dir(p); strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	svc, err := seat.Open(t.Context(), open(t, p, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	state := func() (state string) {
		asNobody(t, func() {
			reader, err := sqlite.Open(p, &sqlite.Options{ReadOnly: true})
			if err != nil {
				t.Error(err)
				return
			}
			defer reader.Close()
			seats, err := seat.Open(t.Context(), reader, nil)
			if err != nil {
				t.Error(err)
				return
			}
			c, err := seats.Context(t.Context(), seat.Operator{}, seat.ContextArgs{Ref: demo})
			if err != nil || c.Busy == nil {
				t.Errorf("got %+v, %v", c, err)
				return
			}
			state = c.Busy.State
			if !sqlite.Owned(p) {
				t.Error("it is nobody's")
			}
		})
		return state
	}
	err = svc.Run(t.Context(), func(context.Context, *seat.Turn) (string, error) {
		for _, name := range []string{p, p + "-wal", p + "-shm"} {
			if err := os.Chmod(name, 0o666); err != nil {
				t.Error(err)
			}
		}
		for mode, want := range map[os.FileMode]string{0o600: "unknown", 0o644: "running"} {
			if err := os.Chmod(p+".owner", mode); err != nil {
				t.Error(err)
			}
			if got := state(); got != want {
				t.Errorf("with a lock file of mode %v it is %s, want %s", mode, got, want)
			}
		}
		return "done", nil
	}, &seat.RunOptions{Idle: true})
	if err != nil {
		t.Error(err)
	}
}

// told fails unless err has the code and a sentence that names no path of the host's.
func told(t *testing.T, err error, want arc.Code) {
	t.Helper()
	var e *arc.Error
	if !errors.As(err, &e) || e.Code != want || strings.Contains(e.Message, "/") || !strings.HasSuffix(e.Message, ".") {
		t.Errorf("got %v, want %s", err, want)
	}
}
