package proc

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// OnOwnThread runs f on a thread that dies with f's goroutine. The runtime makes no new
// thread from one that is locked, so that nothing else inherits what f gives up. Only
// Linux has it.
//
// It is never the process's first thread, which stands for the process and cannot die: a
// command that shares its confinement could signal the host.
func OnOwnThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			OnOwnThread(f) // another one: this goroutine holds the first
			runtime.UnlockOSThread()
			return
		}
		f()
	}()
	<-done
}
