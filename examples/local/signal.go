package local

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interruptible is a program's context: it ends with Ctrl-C, with a request to
// stop, and when the terminal or the reader of standard output goes away, so that what
// runs can be ended in order. A second signal ends the program at once. The function
// gives the signals back.
//
// Who hangs up at the other end of a connection is that connection's trouble: a write to
// it fails, and the program goes on.
func Interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	ctx, cancel := context.WithCancel(ctx)
	forget := readerGone(ctx, cancel)
	return ctx, func() {
		cancel()
		stop()
		forget()
	}
}
