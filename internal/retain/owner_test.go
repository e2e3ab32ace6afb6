//go:build unix

package retain_test

import (
	"os"
	"sync"
	"syscall"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/retain"
)

// Each reads the others' locks while they are being made.
func TestStoresThatOpenAtOnceDoNotTakeEachOtherForDead(t *testing.T) {
	t.Parallel()
	for range 20 {
		dir := t.TempDir()
		var mu sync.Mutex
		var stores []*retain.Store
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				s, err := retain.Open(dir, nil)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				stores = append(stores, s)
			})
		}
		wg.Wait()
		for _, of := range stores {
			for _, s := range stores {
				if s.Orphaned(&retain.Entry{Owner: of.Owner()}) {
					t.Fatal("a store that is open is taken for dead")
				}
			}
		}
		for _, s := range stores {
			s.Close()
		}
	}
}

// It is not parallel: it uses up the process's descriptors.
func TestAnOwnerIsNotDeadForWantOfDescriptors(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir, nil), open(t, dir, nil)
	e, f, err := a.Create("x_", arc.Origin{}, note{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Skip(err)
	}
	few := before
	few.Cur = 64
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Skip(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		defer f.Close()
	}
	if b.Orphaned(e) {
		t.Error("an owner that lives is taken for dead")
	}
}
