package local

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interruptible is a program's context: it ends with Ctrl-C, with a request to
// stop, and when the terminal or the reader of the output goes away, so that what
// runs can be ended in order. A second signal ends the program at once.
func Interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
