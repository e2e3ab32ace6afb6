package proc

import (
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func TestOnOwnThread(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	first, seen := false, false
	var all sync.WaitGroup
	pause := unix.Timespec{Nsec: 1e5}
	for range 64 { // so many that wait in the system need every thread, the first too
		all.Go(func() {
			for range 30 {
				_ = unix.Nanosleep(&pause, nil)
				mu.Lock()
				seen = seen || unix.Gettid() == unix.Getpid()
				mu.Unlock()
				OnOwnThread(func() {
					mu.Lock()
					defer mu.Unlock()
					first = first || unix.Gettid() == unix.Getpid()
					_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) // what only this thread has
				})
				if v, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || v != 0 {
					t.Errorf("it is on another thread as well: %d, %v", v, err)
				}
			}
		})
	}
	all.Wait()
	if first {
		t.Error("it was the process's first thread")
	}
	t.Logf("the first thread came into question: %v", seen)
}
