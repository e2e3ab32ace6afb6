package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interruptible is the program's context: it ends with Ctrl-C and with a request to
// stop. A client that has closed its end of a connection is that connection's trouble
// and not the program's, which serves others: SIGPIPE is taken and let go, so that a
// write fails, and is not ignored, because commands would inherit that.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return ctx, stop
}
