package shell

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/arcseat/arc"
)

// A refuser is asked to take notices, and remembers when, as "1.75s id".
type refuser struct {
	n       *notices
	began   time.Time
	refuses func(Notice) bool // set before a notice is queued
	mu      sync.Mutex
	asked   []string
}

func newRefuser(stopped chan struct{}) *refuser {
	f := &refuser{began: time.Now(), refuses: func(Notice) bool { return true }}
	f.n = &notices{log: slog.New(slog.DiscardHandler), stopped: stopped, notify: func(n Notice) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.asked = append(f.asked, fmt.Sprint(time.Since(f.began), " ", n.SpoolID))
		if f.refuses(n) {
			return errors.New("locked")
		}
		return nil
	}}
	return f
}

// add queues the notice of a seat's job.
func (f *refuser) add(seat arc.SeatID, id string) { f.n.add(endedRun(seat, id)) }

func endedRun(seat arc.SeatID, id string) *run {
	return &run{id: spoolPrefix + id, origin: arc.Origin{Seat: seat}, spool: &spool{sealed: true}, sh: &Shell{}}
}

// wants waits until nothing goes on any more but time, and says what was asked since.
func (f *refuser) wants(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Equal(f.asked, want) {
		t.Errorf("asked: %q, want %q", f.asked, want)
	}
	f.asked = nil
}

func TestWhenARefusedNoticeIsToldAgain(t *testing.T) {
	t.Parallel()
	for name, check := range map[string]func(*testing.T, *refuser){
		"ever more seldom, at least once a minute, and soon again after one that was taken": func(t *testing.T, f *refuser) {
			f.add("a", "1")
			time.Sleep(4 * time.Second)
			f.wants(t, "0s sp_1", "250ms sp_1", "750ms sp_1", "1.75s sp_1", "3.75s sp_1")
			time.Sleep(4 * time.Minute)
			f.wants(t, "7.75s sp_1", "15.75s sp_1", "31.75s sp_1", "1m3.75s sp_1", "2m3.75s sp_1", "3m3.75s sp_1", "4m3.75s sp_1")
			f.refuses = func(n Notice) bool { return n.SpoolID != "sp_1" }
			f.add("a", "2")
			time.Sleep(61 * time.Second)
			f.wants(t, "5m3.75s sp_1", "5m3.75s sp_2", "5m4s sp_2", "5m4.5s sp_2")
		},
		"and other seats are told meanwhile, at once": func(t *testing.T, f *refuser) {
			f.refuses = func(n Notice) bool { return n.Origin.Seat == "a" }
			f.add("a", "1")
			f.add("a", "2")
			f.add("b", "3")
			f.wants(t, "0s sp_1", "0s sp_3")
			time.Sleep(100 * time.Millisecond)
			f.add("b", "4")
			f.wants(t, "100ms sp_4")
			time.Sleep(200 * time.Millisecond)
			f.wants(t, "250ms sp_1")
		},
		"and not if its end is seen while it is refused": func(t *testing.T, f *refuser) {
			r := endedRun("a", "1")
			f.refuses = func(Notice) bool {
				r.look(0, true)
				r.look(0, false) // one that began before that
				return true
			}
			f.n.add(r)
			time.Sleep(time.Second)
			f.wants(t, "0s sp_1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				stopped := make(chan struct{})
				f := newRefuser(stopped)
				check(t, f)
				close(stopped)
				f.n.wait()
			})
		})
	}
	t.Run("once more at Close, at once, and none behind it", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			stopped := make(chan struct{})
			f := newRefuser(stopped)
			f.add("a", "1")
			f.add("a", "2")
			time.Sleep(2 * time.Second)
			f.wants(t, "0s sp_1", "250ms sp_1", "750ms sp_1", "1.75s sp_1")
			f.refuses = func(n Notice) bool { return n.SpoolID == "sp_1" }
			close(stopped)
			f.wants(t, "2s sp_1")
			f.add("a", "3")
			f.add("b", "4")
			f.wants(t, "2s sp_4")
			f.n.wait()
		})
	})
}
