//go:build unix

package local

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// readerGone calls gone when standard output has lost its reader. The signal of that
// does not say whose reader it was, and a write to any connection may raise it. It is
// taken until forget is called, also when gone was, so that the program lives to say
// elsewhere how it ended; and it is not ignored, because commands would inherit that.
func readerGone(ctx context.Context, gone func()) (forget func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-broken:
				if unread(int32(syscall.Stdout)) {
					gone()
				}
			}
		}
	}()
	return func() { signal.Stop(broken) }
}

// unread reports whether nobody is left to read what is written to fd.
func unread(fd int32) bool {
	fds := []unix.PollFd{{Fd: fd}}
	for {
		n, err := unix.Poll(fds, 0)
		if err != unix.EINTR {
			return err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0
		}
	}
}
