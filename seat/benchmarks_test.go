package seat_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/sqlite"
)

// filled is a store with rooms that have a history of n exchanges each, of 2 KB.
func filled(b *testing.B, rooms, n int) (*seat.DB, *seat.Service) {
	b.Helper()
	store, err := sqlite.Open(filepath.Join(b.TempDir(), "seat.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	svc, err := seat.Open(b.Context(), store, nil)
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("x", 1000)
	for r := range rooms {
		info, err := svc.Join(b.Context(), seat.Spec{Room: fmt.Sprint("room", r)})
		if err != nil {
			b.Fatal(err)
		}
		err = store.Update(b.Context(), func(tx *seat.Tx) error {
			for i := range n {
				id := r*n + i + 1
				if _, err := tx.Exec(`INSERT INTO message (id, room_id, run_id, author, seat_id, kind, body, meta, at_us) VALUES ($1, $2, $2, 'agent', $3, 'reply', $4, '', 1)`,
					id, info.Room, info.ID, text); err != nil {
					return err
				}
				if _, err := tx.Exec(`INSERT INTO turn (id, seat_id, run_id, seq, status, live, origin, mode, prompt, prompt_sha, reply_sha, reply_message_id, source_message_id, max_steps, attempt, queue_id, started_us, committed_us)
					VALUES ($1, $2, $3, $4, 'completed', 1, 'operator', 0, $5, 'x', 'x', $6, 0, 100, 1, '', 1, 1)`,
					fmt.Sprintf("turn_%d_%d", r, i), info.ID, info.Room, i+1, text, id); err != nil {
					return err
				}
			}
			_, err := tx.Exec(`UPDATE seat SET turns = $1, live_total = $1, history_revision = $1 + 1 WHERE id = $2`, n, info.ID)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return store, svc
}

// Reading the context costs the same whatever the length of the history.
func BenchmarkContext(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			_, svc := filled(b, 1, n)
			var times []time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := svc.Context(b.Context(), seat.Operator{}, seat.ContextArgs{Ref: seat.Ref{RunID: "room0"}}); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			b.ReportMetric(median(times), "median-µs")
		})
	}
}

// The commit of a turn, one row of 2 KB, and the least that a log of turns would
// write by itself: a counter, the 2 KB and a row that says who asked. They take turns,
// by the same driver in the same file.
func BenchmarkTurnAppend(b *testing.B) {
	store, svc := filled(b, 1, 1000)
	script := `CREATE TABLE bare (id TEXT PRIMARY KEY, body TEXT);
		CREATE TABLE raw_seat (id TEXT PRIMARY KEY, revision BIGINT); INSERT INTO raw_seat VALUES ('s', 0);
		CREATE TABLE raw_turn (id TEXT PRIMARY KEY, seat TEXT, seq BIGINT, live BIGINT, body TEXT); CREATE INDEX raw_window ON raw_turn (seat, live, seq);
		CREATE TABLE raw_idem (seat TEXT, request TEXT, body TEXT, PRIMARY KEY (seat, request))`
	if err := store.Update(b.Context(), func(tx *seat.Tx) error { return tx.Script(script) }); err != nil {
		b.Fatal(err)
	}
	seats, err := svc.Seats(b.Context(), "")
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("y", 1000)
	times := map[string][]time.Duration{}
	timed := func(what string, f func() error) {
		start := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		times[what] = append(times[what], time.Since(start))
	}
	update := func(statements ...statement) func() error {
		return func() error {
			return store.Update(b.Context(), func(tx *seat.Tx) error {
				for _, s := range statements {
					if _, err := tx.Exec(s.query, s.args...); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	n := 0
	for b.Loop() {
		n++
		if _, err := svc.Send(b.Context(), seat.Prompt{Ref: seat.Ref{RunID: "room0"}, Text: text}); err != nil {
			b.Fatal(err)
		}
		t, err := svc.Claim(b.Context(), seats[0])
		if err != nil {
			b.Fatal(err)
		}
		id := fmt.Sprint("turn_", n)
		timed("turn", func() error { return t.Commit(b.Context(), text) })
		timed("bare", update(statement{`INSERT INTO bare VALUES ($1, $2)`, []any{id, text + text}}))
		timed("raw", update(
			statement{`UPDATE raw_seat SET revision = revision + 1 WHERE id = $1`, []any{"s"}},
			statement{`INSERT INTO raw_turn VALUES ($1, 's', $2, 1, $3)`, []any{id, n, text + text}},
			statement{`INSERT INTO raw_idem VALUES ('s', $1, $2)`, []any{id, "{}"}}))
	}
	for what, list := range times {
		b.ReportMetric(median(list), what+"-µs")
	}
	b.ReportMetric(median(times["turn"])/median(times["bare"]), "turn/bare")
	b.ReportMetric(median(times["turn"])/median(times["raw"]), "turn/raw")
}

// median is in microseconds.
func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Microseconds())
}

type statement struct {
	query string
	args  []any
}

// A turn and a look at its context cost the same however many seats do nothing, in the
// same room and in others. The two services take turns.
func BenchmarkIdleSeats(b *testing.B) {
	type one struct {
		svc  *seat.Service
		ref  seat.Ref
		took map[string][]time.Duration
	}
	var all []*one
	for _, idle := range []int{0, 100_000} {
		store, svc := filled(b, 1, 20)
		err := store.Update(b.Context(), func(tx *seat.Tx) error {
			for i := range idle {
				room := "room0"
				if i%2 == 0 {
					room = fmt.Sprint("idle", i)
					if _, err := tx.Exec(`INSERT INTO room (id, run_id, runs, created_us) VALUES ($1, $1, 1, 1)`, room); err != nil {
						return err
					}
					if _, err := tx.Exec(`INSERT INTO run (id, room_id, n) VALUES ($1, $1, 1)`, room); err != nil {
						return err
					}
				}
				if _, err := tx.Exec(`INSERT INTO seat (id, room_id, membership_id, agent_id, managed) VALUES ($1, $2, $3, 'agent', 1)`,
					fmt.Sprint(room, "/", i), room, fmt.Sprint("m", i)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, &one{svc, seat.Ref{RunID: "room0", MembershipID: "main"}, map[string][]time.Duration{}})
	}
	timed := func(x *one, what string, f func() error) {
		start := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		x.took[what] = append(x.took[what], time.Since(start))
	}
	for b.Loop() {
		for _, x := range all {
			if _, err := x.svc.Send(b.Context(), seat.Prompt{Ref: x.ref, Text: "go on"}); err != nil {
				b.Fatal(err)
			}
			timed(x, "turn", func() error {
				return x.svc.Run(b.Context(), func(context.Context, *seat.Turn) (string, error) { return "ok", nil }, &seat.RunOptions{Idle: true})
			})
			timed(x, "context", func() error {
				_, err := x.svc.Context(b.Context(), seat.Operator{}, seat.ContextArgs{Ref: x.ref})
				return err
			})
		}
	}
	for _, what := range []string{"turn", "context"} {
		without := median(all[0].took[what])
		b.ReportMetric(without, what+"-µs")
		b.ReportMetric(median(all[1].took[what])/without, what+"-with-100,000/without")
	}
}

// What a process needs for 100 seats with 1,000 exchanges each, all of which have a
// turn. Run it alone: the peak is the process's.
func BenchmarkHundredSeats(b *testing.B) {
	_, svc := filled(b, 100, 1000)
	for b.Loop() {
		for r := range 100 {
			if _, err := svc.Send(b.Context(), seat.Prompt{Ref: seat.Ref{RunID: fmt.Sprint("room", r)}, Text: "go on"}); err != nil {
				b.Fatal(err)
			}
		}
		err := svc.Run(b.Context(), func(context.Context, *seat.Turn) (string, error) { return "ok", nil }, &seat.RunOptions{Idle: true})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(peak(), "peak-MiB")
}

// peak is the process's largest resident size so far, in MiB; 0 where it is not told.
func peak() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	var kb float64
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			fmt.Sscan(rest, &kb)
		}
	}
	return kb / 1024
}
