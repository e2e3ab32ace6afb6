package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arcseat/arc/internal/pgserver"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/postgres"
)

// durable is a server that syncs each commit, as one that is relied on does.
func durable(b *testing.B, settings ...string) *pgserver.Server {
	b.Helper()
	server, err := pgserver.Start(b.Context(), &pgserver.Options{Settings: settings})
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { server.Close() })
	return server
}

func serve(b *testing.B, url, schema string) (*seat.DB, *seat.Service) {
	b.Helper()
	db := open(b, url, &postgres.Options{Schema: schema})
	svc, err := seat.Open(b.Context(), db, nil)
	if err != nil {
		b.Fatal(err)
	}
	return db, svc
}

// Turns that do nothing, by how many workers run them: each has a store, a service and
// connections of its own, as a process has. It takes b.N turns of each. The last is on a server
// that does not wait for its disk, which tells how much of a turn is that wait.
func BenchmarkWorkers(b *testing.B) {
	synced, not := durable(b), durable(b, "synchronous_commit=off")
	for _, c := range []struct {
		server  *pgserver.Server
		workers int
	}{{synced, 1}, {synced, 2}, {synced, 4}, {synced, 8}, {not, 8}} {
		server, workers := c.server, c.workers
		name := fmt.Sprint(workers)
		if server == not {
			name += "-without-sync"
		}
		b.Run(name, func(b *testing.B) {
			name := fmt.Sprintf("workers_%d_%d", workers, b.N)
			_, svc := serve(b, server.URL(), name)
			const rooms = 32
			for r := range rooms {
				if _, err := svc.Join(b.Context(), seat.Spec{Room: fmt.Sprint("room", r)}); err != nil {
					b.Fatal(err)
				}
			}
			for i := range b.N {
				if _, err := svc.Send(b.Context(), seat.Prompt{Ref: seat.Ref{RunID: fmt.Sprint("room", i%rooms)}, Text: "work"}); err != nil {
					b.Fatal(err)
				}
			}
			var all []*seat.Service
			for range workers {
				_, svc := serve(b, server.URL(), name)
				all = append(all, svc)
			}
			ctx, stop := context.WithCancel(b.Context())
			defer stop()
			var done atomic.Int64
			b.ResetTimer()
			var running sync.WaitGroup
			for _, svc := range all {
				running.Go(func() {
					_ = svc.Run(ctx, func(context.Context, *seat.Turn) (string, error) { // it ends with ctx
						if done.Add(1) == int64(b.N) {
							stop()
						}
						return "done", nil
					}, nil)
				})
			}
			running.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
		})
	}
}

// What a host asks of the server that has 1,000 seats and nothing to do. The server counts the
// statements, BEGIN and COMMIT with the others.
func BenchmarkIdle(b *testing.B) {
	server := durable(b, "shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track=all")
	db, svc := serve(b, server.URL(), "idle")
	for r := range 1000 {
		if _, err := svc.Join(b.Context(), seat.Spec{Room: fmt.Sprint("room", r)}); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := db.Write.Exec(`CREATE EXTENSION pg_stat_statements`); err != nil {
		b.Skip(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = svc.Run(ctx, func(context.Context, *seat.Turn) (string, error) { return "", nil }, nil) // it ends with ctx
	}()
	time.Sleep(2 * time.Second) // it listens by then
	count := func() (n float64) {
		if err := db.Write.QueryRow(`SELECT SUM(calls) FROM pg_stat_statements`).Scan(&n); err != nil {
			b.Fatal(err)
		}
		return n
	}
	const watched = 30 * time.Second // a whole round of all that a host asks by itself
	before := count()
	for b.Loop() {
		time.Sleep(watched)
	}
	b.ReportMetric((count()-before-1)/float64(b.N)/watched.Seconds(), "statements/s")
	stop()
	<-ended
}
