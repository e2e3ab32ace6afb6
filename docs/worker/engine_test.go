//go:build unix

package worker

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc/docs"
)

// guard is how long a test waits for what should come at once.
const guard = 30 * time.Second

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(guard); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain: " + what)
		}
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, says string
		o          *Options
	}{
		{"nothing to start", "worker.Main", nil},
		{"a command that is not there", "is not there", &Options{Command: []string{"no-such-program"}}},
		{"a command that does not serve", "does not serve", &Options{Command: []string{"true"}}},
		{"a command that says nothing", "does not serve", &Options{Command: []string{os.Args[0], "silent"}, OpenTimeout: 100 * time.Millisecond}},
		{"an engine that is not there", "no library", &Options{Command: []string{os.Args[0], "none"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, err := New(t.Context(), c.o)
			if e != nil || !errors.Is(err, docs.ErrUnavailable) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("New returns %v, %v; want an error that says %q", e, err, c.says)
			}
		})
	}
	t.Run("a program of its own", func(t *testing.T) {
		t.Parallel()
		e := newEngine(t, Options{Command: []string{os.Args[0]}})
		if e.Name() != "actor-1" {
			t.Errorf("the engine is %s", e.Name())
		}
	})
}

func TestAWorkerStartsNoWorkers(t *testing.T) {
	t.Setenv(variable, "1:1000")
	if _, err := New(t.Context(), &Options{Reexec: true}); !errors.Is(err, docs.ErrUnavailable) {
		t.Errorf("New in a worker returns %v", err)
	}
	Main(func(int64) (docs.Engine, error) { // without pipes it is no worker
		t.Error("Main serves a program that only has the variable")
		return actor{}, nil
	})
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, line string
		want       error
		lost       int32
	}{
		{"a crash", "crash", docs.ErrCrashed, 2},
		{"a hang", "hang", docs.ErrTimeout, 1},
		{"a slow one", "slow", docs.ErrTimeout, 0},
		{"a swelling", "memory", docs.ErrMemory, 1},
		{"garbage", "garbage", docs.ErrCrashed, 2},
		{"a password", "password", docs.ErrEncrypted, 0},
		{"a file that cannot be opened", "cannot", docs.ErrPage, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if raced && c.want == docs.ErrMemory {
				t.Skip("the race detector dies without memory too, and not always with the same words")
			}
			log := &counting{}
			e := newEngine(t, Options{OpenTimeout: patience(c.line), Logger: slog.New(log)})
			for range 3 {
				if _, err := e.Open(t.Context(), source(t, c.line), docs.OpenOptions{}); !errors.Is(err, c.want) {
					t.Errorf("the error is %v, want %v", err, c.want)
				}
			}
			if got := log.lost.Load(); got != c.lost {
				t.Errorf("%d workers were lost, want %d", got, c.lost)
			}
			if pages, err := open(t, e, "", "good").Pages(t.Context(), 1, 1, docs.WantText); err != nil || said(pages) != "good" {
				t.Errorf("a good file after it is %q, %v", said(pages), err)
			}
		})
	}
	t.Run("the right password", func(t *testing.T) {
		t.Parallel()
		d, err := newEngine(t, Options{}).Open(t.Context(), source(t, "password", "secret"), docs.OpenOptions{Password: "sesame"})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if pages, err := d.Pages(t.Context(), 1, 1, docs.WantText); err != nil || said(pages) != "secret" {
			t.Errorf("the pages are %q, %v", said(pages), err)
		}
	})
}

func TestAContextEndsACall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/1"
	d := open(t, newEngine(t, Options{}), "", "one", "wait in "+dir)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		await(t, "the worker", func() bool { return len(pids(dir)) == 1 })
	}()
	pages, err := d.Pages(ctx, 1, 2, docs.WantText)
	if !errors.Is(err, context.Canceled) || !strings.HasPrefix("one", said(pages)) { // the end may come before the host has read page one
		t.Errorf("Pages returns %q, %v", said(pages), err)
	}
	if pages, err := d.Pages(t.Context(), 1, 2, docs.WantText); err != nil || said(pages) != "one awake" {
		t.Errorf("after it Pages returns %q, %v", said(pages), err)
	}
}

func TestAClosedDocument(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	d := open(t, e, "", "one")
	for range 2 {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := d.Pages(t.Context(), 1, 1, docs.WantText); err == nil {
		t.Error("a closed document is read")
	}
	if n := len(restingPIDs(e)); n != 0 {
		t.Errorf("%d workers are left", n)
	}
}

// restingPIDs are the process ids of the workers without work.
func restingPIDs(e *Engine) []int {
	e.pool.mu.Lock()
	defer e.pool.mu.Unlock()
	var all []int
	for _, r := range e.pool.idle {
		all = append(all, r.process.group.PID())
	}
	return all
}

func TestTheNumberOfWorkersIsBounded(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{MaxProcs: 2})
	var all []docs.Document
	for range 5 {
		all = append(all, open(t, e, "", "one", "two"))
	}
	var calls sync.WaitGroup
	for range 4 {
		for _, d := range all {
			calls.Go(func() {
				if pages, err := d.Pages(t.Context(), 1, 2, docs.WantText); err != nil || said(pages) != "one two" {
					t.Errorf("the pages are %q, %v", said(pages), err)
				}
				if n := len(restingPIDs(e)); n > 2 {
					t.Errorf("%d workers rest", n)
				}
			})
		}
	}
	calls.Wait()
	if n := len(restingPIDs(e)); n > 2 {
		t.Errorf("%d workers rest at the end", n)
	}
}

func TestAWorkerWithoutWorkIsEnded(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{IdleTimeout: time.Millisecond})
	d := open(t, e, "", "one")
	await(t, "an end of the idle worker", func() bool { return len(restingPIDs(e)) == 0 })
	if pages, err := d.Pages(t.Context(), 1, 1, docs.WantText); err != nil || said(pages) != "one" {
		t.Errorf("after it the pages are %q, %v", said(pages), err)
	}
}
