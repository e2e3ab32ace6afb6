package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/postgres"
	"github.com/arcseat/arc/seat/seattest"
)

// A storm is a store under load from several processes, while something goes wrong.
type storm struct {
	t       *testing.T
	orders  orders
	svc     *seat.Service
	judge   *seat.DB // which has the time for any query
	rooms   int
	workers []*worker // that run
	gone    []*worker // that were killed
	kills   map[*worker]time.Time

	mu    sync.Mutex
	acked []string // origin ids of prompts that were acknowledged
}

// newStorm joins the rooms and starts n workers, each with its orders.
func newStorm(t *testing.T, o orders, rooms, n int) *storm {
	t.Helper()
	s := &storm{t: t, orders: o, rooms: rooms, kills: map[*worker]time.Time{}}
	db := open(t, o.URL, &postgres.Options{Schema: o.Schema, Timeout: o.Timeout, RetryFor: 20 * time.Second})
	s.judge = open(t, o.URL, &postgres.Options{Schema: o.Schema, Timeout: time.Minute, ReadOnly: true})
	var err error
	if s.svc, err = seat.Open(t.Context(), db, &seat.Options{Lease: o.Lease, Mirror: mirrorTo(o.Mirror)}); err != nil {
		t.Fatal(err)
	}
	for r := range rooms {
		if _, err := s.svc.Join(t.Context(), seat.Spec{Room: fmt.Sprint("room", r)}); err != nil {
			t.Fatal(err)
		}
	}
	for range n {
		s.start(o)
	}
	t.Cleanup(func() {
		for _, w := range s.workers {
			w.kill()
		}
	})
	return s
}

func (s *storm) start(o orders) *worker {
	w := startWorker(s.t, o)
	s.workers = append(s.workers, w)
	return w
}

// loaded sends prompts to all rooms until during has returned.
func (s *storm) loaded(pause time.Duration, during func()) {
	ctx, stop := context.WithCancel(s.t.Context())
	var sending sync.WaitGroup
	for g := range 2 {
		sending.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				id := fmt.Sprintf("p%d-%d", g, i)
				ref := seat.Ref{RunID: fmt.Sprint("room", rand.IntN(s.rooms))}
				for { // whoever is not answered asks again, with the same id
					_, err := s.svc.Send(context.Background(), seat.Prompt{Ref: ref, Text: id, OriginID: id})
					if err == nil {
						break
					}
					if !errors.Is(err, seat.StoreUnavailable) {
						s.t.Error(err)
						return
					}
				}
				s.mu.Lock()
				s.acked = append(s.acked, id)
				s.mu.Unlock()
				time.Sleep(pause)
			}
		})
	}
	during()
	stop()
	sending.Wait()
}

// killOne kills a worker and starts another in its place.
func (s *storm) killOne(i int) {
	w := s.workers[i]
	w.kill()
	s.kills[w] = time.Now()
	s.gone = append(s.gone, w)
	s.workers[i] = startWorker(s.t, s.orders)
}

func (s *storm) number(query string, args ...any) int64 {
	s.t.Helper()
	return seattest.Number(s.t, s.judge, query, args...)
}

// settle waits until nothing is left to be run.
func (s *storm) settle() {
	s.t.Helper()
	guard := time.Now().Add(2 * time.Minute)
	for {
		left := s.number(`SELECT (SELECT COUNT(*) FROM queue WHERE state = 'queued') + (SELECT COUNT(*) FROM wake WHERE state = 'armed') + (SELECT COUNT(*) FROM turn WHERE status = 'running')`)
		if left == 0 {
			return
		}
		if time.Now().After(guard) {
			s.t.Fatalf("%d things are left to be run", left)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// verify holds what is in the store to what was acknowledged: all of it is there, once.
func (s *storm) verify() {
	s.t.Helper()
	s.settle()
	for _, id := range s.acked {
		if n := s.number(`SELECT COUNT(*) FROM turn WHERE status <> 'running' AND origin = 'operator' AND prompt = $1`, id); n != 1 {
			s.t.Errorf("the prompt %s has %d turns", id, n)
		}
	}
	for what, query := range map[string]string{
		"prompts that were doubled":     `SELECT COUNT(*) FROM (SELECT body FROM message WHERE kind = 'prompt' GROUP BY body HAVING COUNT(*) > 1) x`,
		"replies that were doubled":     `SELECT COUNT(*) FROM (SELECT meta FROM message WHERE kind = 'reply' GROUP BY meta HAVING COUNT(*) > 1) x`,
		"completed turns without one":   `SELECT COUNT(*) FROM turn WHERE status = 'completed' AND reply_message_id = 0`,
		"reminders that were lost":      `SELECT COUNT(*) FROM wake w WHERE state <> 'fired' OR 1 <> (SELECT COUNT(*) FROM queue q JOIN turn t ON t.id = q.turn_id WHERE q.wake_id = w.id AND t.status <> 'running')`,
		"a wrong total":                 `SELECT COALESCE(SUM(ABS(live_total - (SELECT COUNT(*) FROM turn WHERE live = 1 AND turn.seat_id = seat.id))), 0)::bigint FROM seat`,
		"a wrong revision":              `SELECT COUNT(*) FROM seat WHERE history_revision <> 1 + live_total`,
		"seats that are held":           `SELECT COUNT(*) FROM seat WHERE lease_owner <> ''`,
		"messages that are out of turn": `SELECT COUNT(*) FROM turn a JOIN turn b ON a.seat_id = b.seat_id AND a.seq < b.seq WHERE a.reply_message_id > b.reply_message_id AND b.reply_message_id <> 0`,
	} {
		if n := s.number(query); n != 0 {
			s.t.Errorf("%s: %d", what, n)
		}
	}
	for _, w := range append(s.gone, s.workers...) {
		if said := w.said("error"); said != nil {
			s.t.Error(strings.Join(said, "\n"))
		}
	}
}

// attempt is one handler's part in a turn, by the clock of this machine.
type attempt struct {
	w          *worker
	start, end time.Time // end is zero where it did not come to one
}

// attempts are those of each turn, in order.
func (s *storm) attempts() map[string]map[int]attempt {
	all := map[string]map[int]attempt{}
	for _, w := range append(s.gone, s.workers...) {
		for _, l := range append(w.said("start "), w.said("end ")...) {
			var what, turn string
			var n int
			var at int64
			if _, err := fmt.Sscan(l, &what, &turn, &n, &at); err != nil {
				continue // cut off by its end
			}
			if all[turn] == nil {
				all[turn] = map[int]attempt{}
			}
			a := all[turn][n]
			a.w = w
			if what == "start" {
				a.start = time.UnixMicro(at)
			} else {
				a.end = time.UnixMicro(at)
			}
			all[turn][n] = a
		}
	}
	return all
}
