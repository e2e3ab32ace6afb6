package sqlite_test

import (
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

// asNobody runs fn without root's way around the modes of files.
func asNobody(t *testing.T, fn func()) {
	t.Helper()
	if os.Getuid() != 0 {
		fn()
		return
	}
	runtime.LockOSThread() // and never unlocked: the thread ends with the test
	if err := unix.Setfsuid(65534); err != nil {
		t.Skip(err)
	}
	defer func() { _ = unix.Setfsuid(0) }()
	fn()
}

func TestAStoreThatItsReaderMayOnlyRead(t *testing.T) {
	t.Parallel()
	p := left(t, t.TempDir())
	for name, mode := range map[string]os.FileMode{p: 0o444, p + ".owner": 0o444, filepath.Dir(p): 0o555} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(filepath.Dir(p), 0o755)
	for dir := filepath.Dir(filepath.Dir(p)); strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	asNobody(t, func() {
		reads(t, p)
		_, err := sqlite.Open(p, nil)
		told(t, err, arc.PermissionDenied)
	})
	if err := os.Chmod(p, 0); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() {
		_, err := sqlite.Open(p, &sqlite.Options{ReadOnly: true})
		told(t, err, arc.PermissionDenied)
	})
}

// told fails unless err has the code and a sentence that names no path of the host's.
func told(t *testing.T, err error, want arc.Code) {
	t.Helper()
	var e *arc.Error
	if !errors.As(err, &e) || e.Code != want || strings.Contains(e.Message, "/") || !strings.HasSuffix(e.Message, ".") {
		t.Errorf("got %v, want %s", err, want)
	}
}
