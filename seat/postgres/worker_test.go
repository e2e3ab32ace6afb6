package postgres_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/postgres"
)

// In a child process this holds its orders.
const childOrders = "SEAT_TEST_WORKER"

// orders are what a worker is to do.
type orders struct {
	URL, Schema string
	Host        string
	Lease, Work time.Duration // Work: how long a turn takes
	Timeout     time.Duration // of the store
	Patience    time.Duration
	Parallel    int
	Remind      bool // each prompt's turn sets itself a reminder
	Project     bool
	Mirror      string // the URL of a chat; empty: there is none
}

// work runs turns until the process is killed, or its parent is gone, and tells of each:
//
//	start TURN ATTEMPT MICROS
//	end TURN ATTEMPT MICROS    its handler has returned, or was told to
func work(text string) {
	var o orders
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // which ends with the parent
		os.Exit(0)
	}()
	ctx := context.Background()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	db, err := connect(ctx, o, log)
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	svc, err := seat.Open(ctx, db, &seat.Options{Lease: o.Lease, Host: o.Host, Mirror: mirrorTo(o.Mirror), Logger: log})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println("ready")
	var mu sync.Mutex
	say := func(what string, t *seat.Turn) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(what, t.Origin.Turn, t.Attempt, time.Now().UnixMicro())
	}
	err = svc.Run(ctx, func(ctx context.Context, t *seat.Turn) (string, error) {
		say("start", t)
		defer say("end", t)
		if _, err := t.Step(ctx); err != nil {
			return "", err
		}
		if o.Remind && t.From == seat.FromOperator {
			if _, err := t.Seat.Remind(ctx, "c", arc.Reminder{After: time.Second, Note: "n"}); err != nil && !errors.Is(err, arc.LimitReached) {
				return "", err
			}
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-time.After(o.Work):
		}
		return "to " + t.Prompt, nil
	}, &seat.RunOptions{Parallel: o.Parallel, Env: arc.Env{Project: o.Project}})
	fmt.Println("error", err)
	os.Exit(1)
}

// connect opens a store, however long the server is away.
func connect(ctx context.Context, o orders, log *slog.Logger) (*seat.DB, error) {
	for {
		db, err := postgres.Open(ctx, o.URL, &postgres.Options{Schema: o.Schema, Connections: 2, Timeout: o.Timeout, RetryFor: o.Patience, Logger: log})
		if err == nil || !errors.Is(err, seat.StoreUnavailable) {
			return db, err
		}
	}
}

// A worker is such a process.
type worker struct {
	cmd   *exec.Cmd
	in    io.Closer
	ready chan struct{} // closed when it says so
	ended chan struct{}

	mu    sync.Mutex
	lines []string // that it has said
	log   []string
}

func startWorker(t *testing.T, o orders) *worker {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &worker{cmd: exec.Command(exe), ready: make(chan struct{}), ended: make(chan struct{})}
	w.cmd.Env = append(os.Environ(), childOrders+"="+string(text))
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log, err := w.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	reading.Go(func() { w.read(out, &w.lines) })
	reading.Go(func() { w.read(log, &w.log) })
	go func() {
		defer close(w.ended)
		reading.Wait()
		_ = w.cmd.Wait() // it was killed
	}()
	return w
}

func (w *worker) read(from io.Reader, to *[]string) {
	for lines := bufio.NewScanner(from); lines.Scan(); {
		if lines.Text() == "ready" {
			close(w.ready)
			continue
		}
		w.mu.Lock()
		*to = append(*to, lines.Text())
		w.mu.Unlock()
	}
}

// kill ends it at once, wherever it is.
func (w *worker) kill() {
	_ = w.cmd.Process.Kill()
	<-w.ended
	w.in.Close()
}

// said are the lines that begin so, of its words or of its log.
func (w *worker) said(prefix string) (list []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.lines {
		if strings.HasPrefix(l, prefix) {
			list = append(list, l)
		}
	}
	return list
}

// logged counts lines of its log that hold all words.
func (w *worker) logged(words ...string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
lines:
	for _, l := range w.log {
		for _, word := range words {
			if !strings.Contains(l, word) {
				continue lines
			}
		}
		n++
	}
	return n
}
