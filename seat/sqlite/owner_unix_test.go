//go:build unix

package sqlite_test

import (
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

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
