package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/postgres"
)

// bare is a job that does nothing.
type bare struct{}

func (bare) Kind() string { return "bare" }

// bareWorker says when it has begun one.
type bareWorker struct {
	river.WorkerDefaults[bare]
	begun chan time.Time
}

func (w *bareWorker) Work(context.Context, *river.Job[bare]) error {
	w.begun <- time.Now()
	return nil
}

// BenchmarkLatency is from the moment in which something is queued to that in which work at it begins,
// in turns: a prompt until its handler is called, a job of River until its worker is. Whoever
// queues is another process's, to whoever works: all goes through the server.
func BenchmarkLatency(b *testing.B) {
	url := database(b)
	ctx := b.Context()
	open := func() *seat.Service {
		store, err := postgres.Open(ctx, url, &postgres.Options{Schema: "latency"})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { store.Close() })
		svc, err := seat.Open(ctx, store, nil)
		if err != nil {
			b.Fatal(err)
		}
		return svc
	}
	asks, works := open(), open()
	info, err := asks.Join(ctx, seat.Spec{Room: "demo"})
	if err != nil {
		b.Fatal(err)
	}
	seats := make(chan time.Time, 1)
	running, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = works.Run(running, func(context.Context, *seat.Turn) (string, error) { // it ends with its context
			seats <- time.Now()
			return "done", nil
		}, nil)
	}()
	defer func() { stop(); <-ended }()

	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()
	driver := riverpgxv5.New(pool)
	tables, err := rivermigrate.New(driver, nil)
	if err == nil {
		_, err = tables.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	if err != nil {
		b.Fatal(err)
	}
	jobs := make(chan time.Time, 1)
	workers := river.NewWorkers()
	river.AddWorker(workers, &bareWorker{begun: jobs})
	worker, err := river.NewClient(driver, &river.Config{Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 4}}, Workers: workers})
	if err == nil {
		err = worker.Start(ctx)
	}
	if err != nil {
		b.Fatal(err)
	}
	defer worker.Stop(context.WithoutCancel(ctx))
	var inserter *river.Client[pgx.Tx]
	if inserter, err = river.NewClient(driver, &river.Config{}); err != nil {
		b.Fatal(err)
	}
	time.Sleep(2 * time.Second) // both listen by then

	var ours, rivers []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := asks.Send(ctx, seat.Prompt{Ref: seat.Ref{RunID: info.Run}, Text: "work"}); err != nil {
			b.Fatal(err)
		}
		ours = append(ours, (<-seats).Sub(start))
		time.Sleep(20 * time.Millisecond) // for the turn to end
		start = time.Now()
		if _, err := inserter.Insert(ctx, bare{}, nil); err != nil {
			b.Fatal(err)
		}
		rivers = append(rivers, (<-jobs).Sub(start))
		time.Sleep(20 * time.Millisecond)
	}
	median := func(list []time.Duration) float64 {
		slices.Sort(list)
		return float64(list[len(list)/2].Microseconds()) / 1000
	}
	b.ReportMetric(median(ours), "seat-ms")
	b.ReportMetric(median(rivers), "river-ms")
	b.ReportMetric(median(ours)/median(rivers), "seat/river")
}
