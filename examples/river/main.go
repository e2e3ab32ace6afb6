package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/postgres"
)

func main() {
	store := flag.String("store", "", "`URL` of a PostgreSQL database, such as postgres://user@localhost/database")
	flag.Parse()
	if *store == "" {
		fmt.Fprintln(os.Stderr, "river: -store is missing")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *store, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "river:", err)
		os.Exit(1)
	}
}

// run gives a seat a task, which sets itself a reminder, and ends when that has come.
func run(ctx context.Context, url string, out io.Writer) error {
	done := make(chan struct{})
	woken := sync.OnceFunc(func() { close(done) }) // a turn that could not be committed is resumed
	h, err := open(ctx, url, func(ctx context.Context, t *seat.Turn) (string, error) {
		if len(t.Wakes) > 0 {
			fmt.Fprintf(out, "woken: %s\n", t.Wakes[0].Note)
			woken()
			return "Well rested.", nil
		}
		fmt.Fprintf(out, "task: %s\n", t.Prompt)
		_, err := t.Seat.Remind(ctx, "call_1", arc.Reminder{After: time.Second, Note: "the tea is ready"})
		return "I set a reminder.", err
	})
	if err != nil {
		return err
	}
	defer h.close(ctx)
	if err := h.send(ctx, "river", "Make tea."); err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// host is a host whose work is River's jobs.
type host struct {
	store *seat.DB
	seats *seat.Service
	pool  *pgxpool.Pool
	river *river.Client[pgx.Tx]
}

// open opens the seats and River in one database, and begins to work.
func open(ctx context.Context, url string, handler seat.Handler) (*host, error) {
	store, err := postgres.Open(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	h := &host{store: store}
	fail := func(err error) (*host, error) {
		h.close(ctx)
		return nil, err
	}
	if h.seats, err = seat.Open(ctx, store, nil); err != nil {
		return fail(err)
	}
	if h.pool, err = pgxpool.New(ctx, url); err != nil {
		return fail(err)
	}
	driver := riverpgxv5.New(h.pool)
	tables, err := rivermigrate.New(driver, nil)
	if err == nil {
		_, err = tables.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	if err != nil {
		return fail(err)
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &sitter{seats: h.seats, handler: handler})
	river.AddWorker(workers, &ringer{seats: h.seats})
	client, err := river.NewClient(driver, &river.Config{
		Queues:  map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 4}},
		Workers: workers,
	})
	if err != nil {
		return fail(err)
	}
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return fail(err)
	}
	h.river = client
	return h, nil
}

// send gives the seat of a room something to do.
func (h *host) send(ctx context.Context, room, text string) error {
	info, err := h.seats.Join(ctx, seat.Spec{Room: room})
	if err != nil {
		return err
	}
	if _, err := h.seats.Send(ctx, seat.Prompt{Ref: seat.Ref{RunID: info.Run}, Text: text}); err != nil {
		return err
	}
	_, err = h.river.Insert(ctx, Sit{info.ID}, nil)
	return err
}

// close lets the jobs end that run.
func (h *host) close(ctx context.Context) {
	if h.river != nil {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_ = h.river.Stop(stopping) // what does not end is resumed
	}
	if h.pool != nil {
		h.pool.Close()
	}
	h.store.Close()
}
