package seat_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/sqlite"
)

// disk is a small file system of its own.
func disk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skip("no file system can be mounted here:", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func readOnly(t *testing.T, dir string) {
	t.Helper()
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
}

// fill leaves no room on the disk, and none in the store's log, until free is called.
func (b *busyRoom) fill(t *testing.T) (free func()) {
	t.Helper()
	if _, err := b.store.Write.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(filepath.Dir(b.path), "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	f.Close()
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAFullDiskIsToldByEveryCallAndLosesNothing(t *testing.T) {
	t.Parallel()
	b := newBusyRoom(t, disk(t))
	before := dump(t, b.room)
	free := b.fill(t)
	for name, do := range writes {
		told(t, name, do(b), arc.NoSpace)
	}
	for name, do := range views {
		if err := do(b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if dump(t, b.room) != before {
		t.Error("something was written")
	}
	free()
	for name, do := range within {
		b.inTurn(t, name, func(ctx context.Context, x *seat.Turn) {
			free := b.fill(t)
			told(t, name, do(ctx, b, x), arc.NoSpace)
			free()
		})
	}
	// What was refused is done now, once, under the same request id.
	last := b.exchange("again", "reply")
	for range 2 {
		if _, err := b.rewind(seat.RewindArgs{TurnID: string(last), RequestID: "rewind"}); err != nil {
			t.Fatal(err)
		}
	}
}

// A reply that finds the disk full is given again when there is room: its turn is
// resumed.
func TestATurnThatFindsTheDiskFullIsResumed(t *testing.T) {
	t.Parallel()
	b := newBusyRoom(t, disk(t))
	b.send("work")
	var free func()
	err := b.svc.Run(b.ctx(), func(_ context.Context, x *seat.Turn) (string, error) {
		if x.Prompt == "work" {
			free = b.fill(t)
		}
		return "done", nil
	}, &b.run)
	told(t, "Run", err, arc.NoSpace)
	free()
	list := b.turns(say("done"))
	if len(list) == 0 || list[0].Prompt != "work" || list[0].Attempt != 2 {
		t.Fatalf("got %+v", list)
	}
	if e := b.context().Entries[3]; e.Prompt.Text != "work" || e.Reply.Text != "done" {
		t.Errorf("got %+v", e)
	}
}

func TestAStoreOnADiskThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	t.Run("is read as it stands, by every call that reads, and not written", func(t *testing.T) {
		t.Parallel()
		dir := disk(t)
		b := newBusyRoom(t, dir)
		if err := b.store.Close(); err != nil {
			t.Fatal(err)
		}
		readOnly(t, dir)
		_, err := sqlite.Open(b.path, nil)
		told(t, "Open", err, arc.PermissionDenied)
		db, err := sqlite.Open(b.path, &sqlite.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if b.svc, err = seat.Open(t.Context(), db, &b.o); err != nil {
			t.Fatal(err)
		}
		for name, do := range views {
			if err := do(b); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, do := range writes {
			told(t, name, do(b), seat.StoreUnavailable)
		}
	})
	t.Run("is not read without the log that a killed host left", func(t *testing.T) {
		t.Parallel()
		dir := disk(t)
		b := newBusyRoom(t, "")
		for _, suffix := range []string{"", "-wal"} {
			file, err := os.ReadFile(b.path + suffix)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "seat.db"+suffix), file, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		readOnly(t, dir)
		_, err := sqlite.Open(filepath.Join(dir, "seat.db"), &sqlite.Options{ReadOnly: true})
		told(t, "Open", err, seat.StoreUnavailable)
	})
}
