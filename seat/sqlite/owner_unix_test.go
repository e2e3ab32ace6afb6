//go:build unix

package sqlite_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/sqlite"
)

// A store that is closed is free at once, also while the process starts commands: a
// child that is just being forked has all files of its parent open.
func TestAClosedStoreIsFreeWhileCommandsStart(t *testing.T) {
	t.Parallel()
	var starting sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		starting.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					exec.Command("true").Run()
				}
			}
		})
	}
	defer starting.Wait()
	defer close(done)
	path := filepath.Join(t.TempDir(), "seat.db")
	for range 150 {
		db, err := sqlite.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Whoever gets round the lock file is refused by the store's own lock.
func TestThereIsNoSecondOwner(t *testing.T) {
	t.Parallel()
	for name, around := range map[string]func(path string) (string, error){
		"under a hard link in another folder": func(path string) (string, error) {
			link := filepath.Join(t.TempDir(), "other.db")
			return link, os.Link(path, link)
		},
		"after its lock file was removed": func(path string) (string, error) {
			return path, os.Remove(path + ".owner")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS != "linux" {
				t.Skip("only Linux has a lock that SQLite's don't meet")
			}
			p := path(t)
			db := open(t, p, nil)
			if _, err := seat.Open(t.Context(), db, nil); err != nil {
				t.Fatal(err)
			}
			other, err := around(p)
			if err != nil {
				t.Fatal(err)
			}
			second, err := sqlite.Open(other, nil)
			if !errors.Is(err, arc.Locked) {
				t.Errorf("got %v", err)
			}
			if second != nil {
				second.Close()
			}
			if err := db.Update(t.Context(), func(*seat.Tx) error { return nil }); err != nil {
				t.Errorf("the first owner: %v", err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			open(t, other, nil)
		})
	}
}
