package webtool

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// Flights joins callers that want the same: one fetches, all get its answer. Nobody's
// impatience ends it for the others, and when all have left it ends.
type flights struct {
	mu     sync.Mutex
	all    map[key]*flight
	closed bool
	wg     sync.WaitGroup
}

type flight struct {
	done    chan struct{}
	waiting int
	cancel  context.CancelCauseFunc
	landing landing
	err     error
}

// A landing is what a flight brings.
type landing struct {
	snap    *snapshot
	changed bool // another text was here before
	reused  bool // the server says that what was here is current

	declined *target // where the policy of who began it let it go no further; nil: nowhere
}

// join waits for the flight to k, which it starts with fn if there is none; joined says
// that there was one. Base ends
// every flight.
func (f *flights) join(ctx, base context.Context, k key, fn func(context.Context) (landing, error)) (l landing, joined bool, err error) {
	f.mu.Lock()
	fl := f.all[k]
	joined = fl != nil
	if !joined {
		if f.closed {
			f.mu.Unlock()
			return landing{}, false, shuttingDown()
		}
		fl = f.start(ctx, base, k, fn)
	}
	fl.waiting++
	f.mu.Unlock()
	select {
	case <-fl.done:
		return fl.landing, joined, fl.err
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if fl.waiting--; fl.waiting == 0 {
		fl.cancel(context.Canceled)
		if f.all[k] == fl { // whoever comes now wants a flight that lands
			delete(f.all, k)
		}
	}
	return landing{}, joined, ctx.Err()
}

func (f *flights) start(ctx, base context.Context, k key, fn func(context.Context) (landing, error)) *flight {
	// Not the caller's context: others may join, and stay when it leaves.
	flying, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(base, func() { cancel(context.Cause(base)) })
	fl := &flight{done: make(chan struct{}), cancel: cancel}
	if f.all == nil {
		f.all = map[key]*flight{}
	}
	f.all[k] = fl
	f.wg.Add(1)
	go func() {
		defer f.wg.Done()
		defer cancel(nil)
		defer stop()
		fl.landing, fl.err = safely(flying, fn)
		f.mu.Lock()
		if f.all[k] == fl {
			delete(f.all, k)
		}
		f.mu.Unlock()
		close(fl.done)
	}()
	return fl
}

// drain waits for every flight to end, and lets none begin. Its caller has ended their
// base.
func (f *flights) drain() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.wg.Wait()
}

// safely turns a panic, of a host's hook say, into an error: here nobody else would.
func safely(ctx context.Context, fn func(context.Context) (landing, error)) (l landing, err error) {
	defer func() {
		if p := recover(); p != nil {
			l, err = landing{}, fmt.Errorf("webtool: panic: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(ctx)
}
