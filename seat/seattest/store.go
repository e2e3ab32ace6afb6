package seattest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// Options of Run. Nil is fine.
type Options struct {
	// Ops is how many random operations the model check makes. 0: 1,000.
	Ops int
	// Seed repeats a model check. 0: one that was never used.
	Seed uint64
	// Hosts is how many services, each with an opening of its own, share the operations of
	// a model check: for a store that several processes share. 0: one.
	Hosts int
	// Process makes the command of a process that opens the store at path and calls [Work]
	// with its standard input and output; it is started, and may be killed, by the check.
	// With it the model check is made again by Hosts that are processes. Nil: it is not.
	Process func(t *testing.T, path string) *exec.Cmd
	// Checks is how many model checks share Ops, side by side and each with the next
	// seed, to keep a machine of several processors busy. 0: one.
	Checks int
}

// An opener opens the store in the file or database called path, which is new to it
// at first and the same one when it is opened again.
type opener func(t *testing.T, path string) seat.Store

// rules are what a store has to keep.
var rules = []struct {
	name  string
	check func(*testing.T, func() seat.Store)
}{
	{"an update that fails leaves nothing", failing},
	{"updates don't overlap", overlapping},
	{"a view does not change under its reader", snapshot},
	{"what was committed is there when it is opened again", reopened},
	{"a closed store refuses, and does not hang", closed},
	{"a canceled transaction leaves nothing and ends soon", canceled},
	{"several services over one store run each turn once", workers},
	{"a turn that was taken over writes nothing", fenced},
	{"a turn is stopped from anywhere", stopped},
	{"a store of an older version goes on", older},
	{"every query of a service is understood", func(t *testing.T, open func() seat.Store) {
		s := open()
		defer s.Close()
		Everything(t, s)
	}},
	{"a shared store changes rooms side by side", sideBySide},
	{"a shared store keeps a room to who changes it", alone},
	{"a shared store lets its users hear of each other", heard},
}

// maxLossy is how many operations of the model check are made in a store that loses them.
const maxLossy = 300

// Run fails t for every rule that the stores of open break, in a subtest of the
// rule's name.
func Run(t *testing.T, open func(t *testing.T, path string) seat.Store, o *Options) {
	if o == nil {
		o = &Options{}
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			r.check(t, reopen(t, open))
		})
	}
	t.Run("it agrees with the model", func(t *testing.T) {
		t.Parallel()
		ops, seed, checks := o.Ops, o.Seed, uint64(max(o.Checks, 1))
		if ops <= 0 {
			ops = 1000
		}
		if seed == 0 {
			seed = rand.Uint64()
		}
		each := (ops + int(checks) - 1) / int(checks)
		for n := range checks {
			t.Run(fmt.Sprint("seed ", seed+n), func(t *testing.T) {
				t.Parallel()
				check(t, locals(t, reopen(t, open)), each, seed+n, o.Hosts)
			})
			if o.Process == nil {
				continue
			}
			t.Run(fmt.Sprint("by processes, seed ", seed+n), func(t *testing.T) {
				t.Parallel()
				check(t, processes(t, o.Process), each, seed+n, o.Hosts)
			})
		}
		t.Run("also where the store loses what it then does again", func(t *testing.T) {
			t.Parallel()
			again := reopen(t, open)
			check(t, locals(t, func() seat.Store { return lossy{again()} }), min(ops, maxLossy), seed, o.Hosts)
		})
	})
}

// newPath is a path that no store was opened at.
func newPath(t *testing.T) string { return filepath.Join(t.TempDir(), "seat.db") }

// reopen opens one store again and again.
func reopen(t *testing.T, open opener) func() seat.Store {
	path := newPath(t)
	return func() seat.Store { return open(t, path) }
}

// table makes the table that the rules about transactions use.
func table(t *testing.T, s seat.Store) {
	t.Helper()
	if err := s.Update(t.Context(), func(tx *seat.Tx) error { return tx.Script(`CREATE TABLE seattest (n BIGINT)`) }); err != nil {
		t.Fatal(err)
	}
}

func insert(n int) func(*seat.Tx) error {
	return func(tx *seat.Tx) error { _, err := tx.Exec(`INSERT INTO seattest VALUES ($1)`, n); return err }
}

func count(tx *seat.Tx) (int64, error) { return number(tx, `SELECT COUNT(*) FROM seattest`) }

// holds fails unless the table has n rows.
func holds(t *testing.T, s seat.Store, n int64) {
	t.Helper()
	if got := Number(t, s, `SELECT COUNT(*) FROM seattest`); got != n {
		t.Errorf("it holds %d rows, want %d", got, n)
	}
}

func failing(t *testing.T, open func() seat.Store) {
	s := open()
	defer s.Close()
	table(t, s)
	no := errors.New("no")
	if err := s.Update(t.Context(), func(tx *seat.Tx) error { return errors.Join(insert(1)(tx), no) }); !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
	holds(t, s, 0)
	if err := s.Update(t.Context(), insert(1)); err != nil {
		t.Error(err)
	}
	holds(t, s, 1)
}

func overlapping(t *testing.T, open func() seat.Store) {
	s := open()
	defer s.Close()
	table(t, s)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				err := s.Update(context.Background(), func(tx *seat.Tx) error {
					n, err := count(tx)
					if err != nil {
						return err
					}
					return insert(int(n))(tx)
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	seen := map[int]bool{}
	err := s.View(t.Context(), func(tx *seat.Tx) error {
		rows, err := tx.Query(`SELECT n FROM seattest`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var n int
			if err := rows.Scan(&n); err != nil {
				return err
			}
			seen[n] = true
		}
		return rows.Err()
	})
	if err != nil || len(seen) != 160 {
		t.Errorf("160 updates saw %d different counts, %v", len(seen), err)
	}
}

func snapshot(t *testing.T, open func() seat.Store) {
	s := open()
	defer s.Close()
	table(t, s)
	err := s.View(t.Context(), func(tx *seat.Tx) error {
		before, err := count(tx)
		if err != nil {
			return err
		}
		done := make(chan error, 1)
		go func() { done <- s.Update(context.Background(), insert(1)) }()
		if err := <-done; err != nil {
			return err
		}
		after, err := count(tx)
		if before != 0 || after != 0 {
			t.Errorf("it saw %d rows, then %d", before, after)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	holds(t, s, 1)
}

func reopened(t *testing.T, open func() seat.Store) {
	s := open()
	table(t, s)
	if err := s.Update(t.Context(), insert(1)); err != nil {
		t.Fatal(err)
	}
	first := s.Opening()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open()
	defer s.Close()
	holds(t, s, 1)
	if first != "" && s.Opening() == first {
		t.Error("two openings have one name")
	}
}

func closed(t *testing.T, open func() seat.Store) {
	s := open()
	table(t, s)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := s.Update(t.Context(), insert(1)); err == nil {
		t.Error("a closed store was written")
	}
	if err := s.View(t.Context(), func(*seat.Tx) error { return nil }); err == nil {
		t.Error("a closed store was read")
	}
}

func canceled(t *testing.T, open func() seat.Store) {
	s := open()
	defer s.Close()
	table(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Update(ctx, func(tx *seat.Tx) error { err := insert(1)(tx); cancel(); return err })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	holds(t, s, 0)
	// One that waits for its turn gives up as well.
	hold, held := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- s.Update(context.Background(), func(*seat.Tx) error { close(held); <-hold; return nil })
	}()
	<-held
	ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := s.Update(ctx, insert(1)); err == nil {
		t.Error("two updates overlapped")
	}
	close(hold)
	if err := <-done; err != nil {
		t.Error(err)
	}
	holds(t, s, 0)
}

// service opens a service with a seat in the room demo.
func service(t *testing.T, s seat.Store, o *seat.Options) *seat.Service {
	t.Helper()
	h, err := openLocal(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return h.Service
}

var demo = seat.Ref{RunID: "demo"}

const demoSeat = arc.SeatID("demo/main")

func workers(t *testing.T, open func() seat.Store) {
	s := open()
	defer s.Close()
	clock := NewClock()
	var all []*seat.Service
	for range 5 { // whose clock is far too fast for a lease of the usual length
		all = append(all, service(t, s, &seat.Options{Clock: clock, Lease: 24 * time.Hour}))
	}
	for i := range 20 {
		if _, err := all[0].Send(t.Context(), seat.Prompt{Ref: demo, Text: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a guard: it takes far less
	defer cancel()
	var mu sync.Mutex
	var prompts []string
	var busy atomic.Int32
	handler := func(_ context.Context, x *seat.Turn) (string, error) {
		if busy.Add(1) > 1 {
			t.Error("the seat is in two turns at once")
		}
		defer busy.Add(-1)
		time.Sleep(time.Millisecond) // gives another the time to begin one
		mu.Lock()
		defer mu.Unlock()
		prompts = append(prompts, x.Prompt)
		if len(prompts) == 20 {
			cancel()
		}
		return "ok", nil
	}
	var wg sync.WaitGroup
	for _, svc := range all {
		wg.Go(func() { _ = svc.Run(ctx, handler, nil) }) // it ends with ctx
	}
	// The clock moves, so that a service hears of what another has done.
	for ctx.Err() == nil {
		clock.Advance(time.Second)
		time.Sleep(time.Millisecond)
	}
	wg.Wait()
	var want []string
	for i := range 20 {
		want = append(want, fmt.Sprint(i))
	}
	if !slices.Equal(prompts, want) {
		t.Errorf("the turns were %q", prompts)
	}
}

func fenced(t *testing.T, open func() seat.Store) {
	s := open()
	clock := NewClock()
	svc := service(t, s, &seat.Options{Clock: clock})
	if _, err := svc.Send(t.Context(), seat.Prompt{Ref: demo, Text: "work"}); err != nil {
		t.Fatal(err)
	}
	var zombie *seat.Turn
	store, turn := s, make(chan *seat.Turn, 1)
	die, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_ = svc.Run(context.Background(), func(_ context.Context, x *seat.Turn) (string, error) {
			turn <- x
			<-die
			return "from the grave", nil
		}, &seat.RunOptions{Idle: true})
	}()
	zombie = <-turn
	store.Close()
	close(die)
	<-ended
	s = open()
	defer s.Close()
	clock.Advance(time.Hour) // longer than any lease
	svc = service(t, s, &seat.Options{Clock: clock})
	err := svc.Run(t.Context(), func(_ context.Context, x *seat.Turn) (string, error) {
		if x.Attempt != 2 || x.Origin.Turn != zombie.Origin.Turn {
			t.Errorf("it is attempt %d", x.Attempt)
		}
		return "resumed", nil
	}, &seat.RunOptions{Idle: true})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := svc.Messages(t.Context(), "demo", 0, 0)
	if err != nil || len(rows) != 2 || rows[1].Text != "resumed" {
		t.Errorf("the room has %+v, %v", rows, err)
	}
}
