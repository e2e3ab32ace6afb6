package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/proc"
)

const (
	probeTime = 30 * time.Second // a container may have to start
	probeExit = 7                // neither success, nor what a sandbox says of itself
	probeSaid = 1 << 10          // bytes of its words that the cause keeps
)

// Probe runs a command by r in a directory and reports whether that works. Some
// sandboxes are there and cannot be used, as bubblewrap is in a container that may make
// no namespaces, and seem at each command as if the command had failed: a host asks once
// and refuses to start. It takes at most 30 s. Codes: sandbox_unavailable, with what the
// command said as its cause, and those of the runner and of ctx.
func Probe(ctx context.Context, r Runner, dir string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, probeTime, errors.New("it did not end in time"))
	defer cancel()
	var mu sync.Mutex
	var said []byte
	pipe, out, err := proc.NewPipe(func(b []byte) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, b[:min(len(b), probeSaid-len(said))]...)
	})
	if err != nil {
		return noSandbox(err)
	}
	defer pipe.Close()
	env, _ := environment(os.Environ(), &Options{})
	const job = "probe"
	p, err := r.Start(ctx, Spec{Command: fmt.Sprintf("exit %d", probeExit), Dir: dir, Env: commandEnv(env, dir, job), Out: out, Job: job})
	out.Close()
	if err == nil && p == nil {
		err = errNothing
	}
	if known := (*arc.Error)(nil); errors.As(err, &known) {
		return err
	}
	if err != nil {
		return noSandbox(err)
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
		proc.End(p, 0, nil)
		if err := context.Cause(ctx); !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return err
		}
		return noSandbox(context.Cause(ctx))
	}
	if e := p.Exit(); e.Unknown || e.Signal != "" || e.Code != probeExit {
		select { // its last words
		case <-pipe.EOF():
		case <-time.After(drainTime):
		}
		mu.Lock()
		defer mu.Unlock()
		text, _ := clean(said)
		return noSandbox(fmt.Errorf("a command ended with %+v, want exit %d: %s", e, probeExit, strings.TrimSpace(text)))
	}
	return nil
}

// errNothing is a Runner that broke its word.
var errNothing = errors.New("the runner started nothing")
