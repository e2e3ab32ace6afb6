package postgres_test

import (
	"errors"
	"flag"
	"testing"
	"time"

	"github.com/arcseat/arc/internal/pgserver"
)

var restarts = flag.Int("restarts", 2, "how often the server is stopped and started under load; every other time it crashes")

// The server is stopped and started again under load. What was acknowledged is there, once.
func TestTheServerRestarts(t *testing.T) {
	t.Parallel()
	server, err := pgserver.Start(t.Context(), nil)
	if errors.Is(err, pgserver.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	o := orders{URL: server.URL(), Schema: "restarts", Lease: 3 * time.Second, Work: 30 * time.Millisecond, Timeout: 2 * time.Second, Patience: 10 * time.Second, Parallel: 4, Remind: true}
	s := newStorm(t, o, 10, 4)
	for _, w := range s.workers {
		<-w.ready
	}
	s.loaded(10*time.Millisecond, func() {
		for n := range *restarts {
			time.Sleep(700 * time.Millisecond)
			if n%2 == 0 {
				server.Crash()
			} else {
				server.Stop()
			}
			time.Sleep(200 * time.Millisecond)
			if err := server.Begin(t.Context()); err != nil {
				t.Error(err)
				return
			}
		}
		time.Sleep(700 * time.Millisecond)
	})
	s.verify()
	for _, w := range s.workers {
		select {
		case <-w.ended:
			t.Error("a worker has ended with the server")
		default:
		}
	}
	t.Logf("%d prompts, %d turns, %d of them resumed, %d failed", len(s.acked), s.number(`SELECT COUNT(*) FROM turn`),
		s.number(`SELECT COUNT(*) FROM turn WHERE attempt > 1`), s.number(`SELECT COUNT(*) FROM turn WHERE status = 'failed'`))
}
