package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/sqlite"
)

// opened counts the descriptors of the file that this process has open.
func opened(t *testing.T, path string) (n int) {
	t.Helper()
	is, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		if at, err := os.Stat("/proc/self/fd/" + d.Name()); err == nil && os.SameFile(is, at) {
			n++
		}
	}
	return n
}

// Each attempt to get round the lock of a store by a link is refused, and costs nothing.
func TestARefusedAttemptLeavesNoDescriptor(t *testing.T) {
	t.Parallel()
	p := path(t)
	link := filepath.Join(t.TempDir(), "other.db")
	owner := open(t, p, nil)
	if err := os.Link(p, link); err != nil {
		t.Skip("no links here:", err)
	}
	attempts := func(during string) {
		t.Helper()
		before := opened(t, p)
		for range 20 {
			if _, err := sqlite.Open(link, nil); !errors.Is(err, arc.Locked) {
				t.Errorf("%s: got %v", during, err)
			}
		}
		if after := opened(t, p); after != before {
			t.Errorf("%s: %d descriptors are open, %d were before", during, after, before)
		}
	}
	attempts("beside the owner")
	if err := owner.Update(t.Context(), func(*seat.Tx) error { return nil }); err != nil {
		t.Errorf("the owner: %v", err)
	}
	if err := owner.Close(); err != nil {
		t.Fatal(err)
	}
	if n := opened(t, p); n != 0 {
		t.Errorf("%d descriptors are open of a store that is closed", n)
	}
	// As an owner in another process would.
	f, err := os.Open(p)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	attempts("beside an owner elsewhere")
}

// The locks that SQLite has for a reader are the process's: they outlive an owner in the
// same process that comes and goes.
func TestAReaderKeepsItsLocksWhenAnOwnerInItsProcessCloses(t *testing.T) {
	t.Parallel()
	p := path(t)
	owner := open(t, p, nil)
	svc, err := seat.Open(t.Context(), owner, nil)
	if err != nil {
		t.Fatal(err)
	}
	reader := open(t, p, &sqlite.Options{ReadOnly: true})
	probe, err := os.OpenFile(p, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	// locked asks as another process would. The probe stays open: closing it would end the
	// locks as well.
	locked := func() bool {
		t.Helper()
		if err := reader.View(t.Context(), func(tx *seat.Tx) error {
			rows, err := tx.Query(`SELECT COUNT(*) FROM seat`)
			if err != nil {
				return err
			}
			return rows.Close()
		}); err != nil {
			t.Fatal(err)
		}
		l := unix.Flock_t{Type: unix.F_WRLCK, Start: 0, Len: 0}
		if err := unix.FcntlFlock(probe.Fd(), unix.F_OFD_GETLK, &l); err != nil {
			t.Fatal(err)
		}
		return l.Type != unix.F_UNLCK
	}
	if _, err := svc.Join(t.Context(), seat.Spec{Room: "demo"}); err != nil {
		t.Fatal(err)
	}
	if !locked() {
		t.Fatal("a reader has no lock")
	}
	before := 0
	for n := range 5 {
		if err := owner.Close(); err != nil {
			t.Fatal(err)
		}
		if !locked() {
			t.Fatal(fmt.Sprint("the owner took the reader's locks with it, ", n))
		}
		if n == 1 { // SQLite keeps its own as well, and uses them again
			before = opened(t, p)
		} else if now := opened(t, p); n > 1 && now != before {
			t.Errorf("%d descriptors are open, %d were before", now, before)
		}
		owner = open(t, p, nil)
	}
	if err := errors.Join(owner.Close(), reader.Close()); err != nil {
		t.Fatal(err)
	}
	if n := opened(t, p); n != 1 {
		t.Errorf("%d descriptors are open beside the probe", n-1)
	}
	probe.Close()
}
