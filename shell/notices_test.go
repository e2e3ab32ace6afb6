//go:build linux

package shell_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
)

// A refusing takes notices as told does, but for those of a seat that it refuses.
type refusing struct {
	told
	mu    sync.Mutex
	seats map[arc.SeatID]bool
	asked int
}

func (r *refusing) add(n shell.Notice) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seats[n.Origin.Seat] {
		r.asked++
		return errors.New("the store is locked")
	}
	return r.told.add(n)
}

func (r *refusing) refused() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

func (r *refusing) relent() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seats = nil
}

// tellsNext relents, and fails t unless the end of a job that comes now is all that it is
// told.
func (r *refusing) tellsNext(t *testing.T, sh *shell.Shell) {
	t.Helper()
	r.relent()
	endedJob(t, sh, me.Seat, "after it")
	await(t, "the one after it", func() bool { return slices.Contains(lastLines(r.all()), "after it") })
	if got := lastLines(r.all()); !slices.Equal(got, []string{"after it"}) {
		t.Errorf("told were %q", got)
	}
}

// lastLines are what notices show of their jobs' words.
func lastLines(list []shell.Notice) (lines []string) {
	for _, n := range list {
		_, line, _ := strings.Cut(n.Text, "last line: ")
		lines = append(lines, line)
	}
	return lines
}

// endedJob runs a job of a seat to its end.
func endedJob(t *testing.T, sh *shell.Shell, seat arc.SeatID, word string) (id string) {
	t.Helper()
	r, err := sh.Exec(t.Context(), arc.Origin{Seat: seat}, shell.ExecArgs{Command: "sleep 0.2; echo " + word, BlockBudgetSec: new(0.02)})
	if err != nil || r.JobID == "" {
		t.Fatalf("%s is no job: %+v, %v", word, r, err)
	}
	await(t, "the end of "+word, func() bool {
		_, done, err := sh.JobStatus(t.Context(), seat, r.JobID)
		return err == nil && done
	})
	return r.JobID
}

// A store that was locked at the end of a job lost the notice of it.
func TestANoticeThatIsRefused(t *testing.T) {
	t.Parallel()
	busy := map[arc.SeatID]bool{me.Seat: true}
	t.Run("is told again until it is taken, once and in order, and holds up no other seat", func(t *testing.T) {
		t.Parallel()
		store := &refusing{seats: busy}
		state := t.TempDir()
		sh := open(t, &shell.Options{State: state, Notify: store.add})
		for _, c := range []struct {
			seat arc.SeatID
			word string
		}{{me.Seat, "one"}, {me.Seat, "two"}, {"other", "three"}} {
			endedJob(t, sh, c.seat, c.word)
		}
		await(t, "the other seat's", func() bool { return len(store.all()) == 1 })
		await(t, "a second refusal", func() bool { return store.refused() > 1 })
		kept(t, state, 2)
		store.relent()
		await(t, "all", func() bool { return len(store.all()) == 3 })
		if err := sh.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := lastLines(store.all()), []string{"three", "one", "two"}; !slices.Equal(got, want) {
			t.Errorf("told were %v, want %v", got, want)
		}
		kept(t, state, 0)
	})
	t.Run("and whose end is seen meanwhile is not told", func(t *testing.T) {
		t.Parallel()
		store := &refusing{seats: busy}
		sh := open(t, &shell.Options{Notify: store.add})
		job := endedJob(t, sh, me.Seat, "seen")
		await(t, "a refusal", func() bool { return store.refused() > 0 })
		if p, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: job}); err != nil || p.Status != "completed" {
			t.Fatalf("the look is %+v, %v", p, err)
		}
		store.tellsNext(t, sh)
	})
	t.Run("and whose end is seen beside this host is not told", func(t *testing.T) {
		t.Parallel()
		store := &refusing{seats: busy}
		state := t.TempDir()
		sh := open(t, &shell.Options{State: state, Notify: store.add})
		job := endedJob(t, sh, me.Seat, "seen")
		await(t, "a refusal", func() bool { return store.refused() > 0 })
		beside := open(t, &shell.Options{State: state})
		if p, err := beside.Job(t.Context(), me.Seat, shell.JobArgs{JobID: job}); err != nil || p.Status != "completed" || p.Output != "seen\n" {
			t.Fatalf("the look is %+v, %v", p, err)
		}
		store.tellsNext(t, sh)
	})
	t.Run("and whose end is seen when its words are gone is not told", func(t *testing.T) {
		t.Parallel()
		store := &refusing{seats: busy}
		sh := open(t, &shell.Options{Notify: store.add, Limits: shell.Limits{KeepBytes: 1000}})
		job := endedJob(t, sh, me.Seat, "seen")
		await(t, "a refusal", func() bool { return store.refused() > 0 })
		run(t, sh, shell.ExecArgs{Command: "yes | head -c 1000"})
		if p, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: job}); err != nil || p.Status != "completed" || p.Output != "" {
			t.Fatalf("the look is %+v, %v", p, err)
		}
		store.tellsNext(t, sh)
	})
	t.Run("and whose end is seen after a spool's time is not told", func(t *testing.T) {
		t.Parallel()
		store := &refusing{seats: busy}
		sh := open(t, &shell.Options{Notify: store.add, Limits: shell.Limits{KeepFor: 100 * time.Millisecond}})
		job := endedJob(t, sh, me.Seat, "seen")
		await(t, "a refusal", func() bool { return store.refused() > 0 })
		time.Sleep(200 * time.Millisecond)
		run(t, sh, shell.ExecArgs{Command: "true"}) // a start tidies up
		if p, err := sh.Job(t.Context(), me.Seat, shell.JobArgs{JobID: job}); err != nil || p.Status != "completed" {
			t.Fatalf("the look is %+v, %v", p, err)
		}
		store.tellsNext(t, sh)
	})
	t.Run("by a host that closes is told before what ends then, by the next host", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		state := filepath.Join(dir, "state")
		var notices told
		var closing, refused atomic.Bool // it refuses until once after Close has begun
		sh := openIn(t, dir, &shell.Options{State: state, Notify: func(n shell.Notice) error {
			if c := closing.Load(); !c || refused.CompareAndSwap(false, c) {
				return errors.New("the store is locked")
			}
			return notices.add(n)
		}})
		endedJob(t, sh, me.Seat, "one")
		job := background(t, sh, "trap 'sleep 0.5; echo two; exit' TERM; echo up; sleep 300 & wait")
		await(t, "the trap", func() bool {
			p, err := sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: job.SpoolID})
			return err == nil && p.TotalBytes > 0
		})
		closing.Store(true)
		if err := sh.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		next := openIn(t, dir, &shell.Options{State: state, Notify: notices.add})
		if err := next.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := lastLines(notices.all()), []string{"one", "two"}; !slices.Equal(got, want) {
			t.Errorf("told were %v, want %v", got, want)
		}
	})
	t.Run("does not hold up Close, and is told by the next host", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		state := filepath.Join(dir, "state")
		store := &refusing{seats: busy}
		sh := openIn(t, dir, &shell.Options{State: state, Notify: store.add})
		two := background(t, sh, "until [ -e go ]; do sleep 0.01; done; echo two") // it begins first
		endedJob(t, sh, me.Seat, "one")
		if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		ended(t, sh, two.JobID)
		await(t, "a refusal", func() bool { return store.refused() > 0 })
		if err := sh.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, want := range [][]string{{"one", "two"}, nil} {
			var notices told
			next := openIn(t, dir, &shell.Options{State: state, Notify: notices.add})
			if err := next.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := lastLines(notices.all()); !slices.Equal(got, want) {
				t.Errorf("host %d after it tells %v, want %v", i+1, got, want)
			}
		}
	})
}

// A panic of the host's ended the host, and with it every command.
func TestAHostThatPanicsWhenItIsToldHasNotTakenTheNotice(t *testing.T) {
	t.Parallel()
	var notices told
	panicked := make(chan struct{}) // only Notify, which is called one at a time, closes it
	sh := open(t, &shell.Options{Notify: func(n shell.Notice) error {
		select {
		case <-panicked:
			return notices.add(n)
		default:
			close(panicked)
			panic("broken")
		}
	}})
	endedJob(t, sh, me.Seat, "one")
	await(t, "the notice", func() bool { return len(notices.all()) > 0 })
	if got := lastLines(notices.all()); !slices.Equal(got, []string{"one"}) {
		t.Errorf("told were %v", got)
	}
}
