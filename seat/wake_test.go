package seat_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// arms runs one turn that makes calls.
func (r *room) arms(calls ...arc.Call) []*arc.Result {
	r.t.Helper()
	r.send("arm")
	var results []*arc.Result
	r.turns(r.calling(&results, "armed", calls...))
	for _, x := range results {
		if x.Err != nil {
			r.t.Fatal(x.Err)
		}
	}
	return results
}

// armed is the answer to a reminder.
type armed struct {
	ID string `json:"reminder_id"`
}

func remind(after, note string) arc.Call {
	return call("remind", fmt.Sprintf(`{"after":%q,"note":%q}`, after, note))
}

func TestReminders(t *testing.T) {
	t.Parallel()
	t.Run("comes when it is due, once, with its note, and is not the operator's", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		got := data[struct {
			ReminderID string    `json:"reminder_id"`
			DueAt      time.Time `json:"due_at"`
			InSeconds  float64   `json:"in_seconds"`
		}](t, r.arms(remind("10m", "look at the build"))[0])
		if got.InSeconds != 600 || !got.DueAt.Equal(r.clock.Now().Add(10*time.Minute)) || !strings.HasPrefix(got.ReminderID, "wake_") {
			t.Errorf("got %+v", got)
		}
		r.clock.Advance(10*time.Minute - time.Millisecond)
		if list := r.turns(say("too early")); len(list) != 0 {
			t.Fatal("it came early")
		}
		r.clock.Advance(time.Millisecond)
		list := r.turns(say("ok"))
		if len(list) != 1 || list[0].From != seat.FromWake || !strings.Contains(list[0].Prompt, "[reminder "+got.ReminderID+"]") || !strings.Contains(list[0].Prompt, "look at the build") {
			t.Fatalf("got %+v", list)
		}
		if list := r.turns(say("again")); len(list) != 0 {
			t.Error("it came twice")
		}
	})
	t.Run("comes after a restart, and says how late", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.arms(remind("2s", "n"))
		r.clock.Advance(7 * time.Second)
		r.restart()
		list := r.turns(say("ok"))
		if len(list) != 1 || !strings.Contains(list[0].Prompt, "comes 5s late") || list[0].Wakes[0].Late != 5*time.Second {
			t.Fatalf("got %+v", list)
		}
		for range 7 {
			r.restart()
			if list := r.turns(say("again")); len(list) != 0 {
				t.Fatal("a restart delivers it again")
			}
		}
	})
	t.Run("a step of the wall clock neither hurries nor delays it", func(t *testing.T) {
		t.Parallel()
		for _, jump := range []time.Duration{time.Hour, -time.Hour, 365 * 24 * time.Hour, -365 * 24 * time.Hour} {
			r := newRoom(t)
			r.arms(remind("10m", "n"))
			r.clock.Jump(jump)
			if list := r.turns(say("early")); len(list) != 0 {
				t.Errorf("a jump of %v hurried it", jump)
			}
			r.clock.Advance(10 * time.Minute)
			if list := r.turns(say("ok")); len(list) != 1 {
				t.Errorf("a jump of %v delayed it", jump)
			}
		}
	})
	t.Run("thirty that are due together are two turns with thirty notes", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		var calls []arc.Call
		for i := range 30 {
			calls = append(calls, remind("5m", fmt.Sprint("note ", i, ".")))
		}
		r.arms(calls...)
		r.clock.Advance(time.Hour)
		list := r.turns(say("ok"))
		notes := 0
		for _, x := range list {
			notes += strings.Count(x.Prompt, "Your note: note ")
		}
		if len(list) != 2 || notes != 30 || len(list[0].Wakes) != 20 {
			t.Errorf("%d turns with %d notes", len(list), notes)
		}
	})
	t.Run("one that is later than the host allows is skipped, and the log says so", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.o.MaxLate = time.Minute
		log := &strings.Builder{}
		r.o.Logger = logger(log)
		r.restart()
		r.arms(remind("1s", "old"))
		r.clock.Advance(time.Hour)
		r.restart()
		if list := r.turns(say("x")); len(list) != 0 || !strings.Contains(log.String(), "too late") {
			t.Errorf("%d turns, log %s", len(list), log)
		}
	})
	t.Run("comes also where a prompt was sent under its delivery key", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.arms(remind("10m", "look at the build"))
		wakes, err := r.svc.Wakes(r.ctx(), id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: ref, Text: "first", OriginID: "wake:" + wakes[0].ID}); err != nil {
			t.Fatal(err)
		}
		r.clock.Advance(10 * time.Minute)
		list := r.turns(say("ok"))
		if len(list) != 2 || !strings.Contains(list[1].Prompt, "look at the build") {
			t.Errorf("got %+v", list)
		}
	})
	t.Run("a seat has 64 at most", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		var calls []arc.Call
		for range 65 {
			calls = append(calls, remind("5m", "n"))
		}
		r.send("arm")
		var results []*arc.Result
		r.turns(r.calling(&results, "ok", calls...))
		code(t, results[64].Err, arc.LimitReached)
		if results[63].Err != nil {
			t.Error(results[63].Err)
		}
	})
	t.Run("is bound to its call: made again it arms nothing", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.send("x")
		r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
			for range 3 {
				if _, err := x.Seat.Remind(ctx, "call_1", arc.Reminder{After: time.Minute, Note: "n"}); err != nil {
					return "", err
				}
			}
			return "ok", nil
		})
		if w, err := r.svc.Wakes(r.ctx(), id); err != nil || len(w) != 1 {
			t.Errorf("%d are armed, %v", len(w), err)
		}
	})
	t.Run("refuses a note that is blank or too long, and times that are none", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.send("x")
		var results []*arc.Result
		r.turns(r.calling(&results, "ok", remind("1m", " "), remind("1m", strings.Repeat("é", 1501)), remind("soon", "n"), call("remind", `{"after":0,"note":"n"}`), remind("1m", strings.Repeat("é", 1500))))
		for _, x := range results[:4] {
			code(t, x.Err, arc.InvalidArguments)
		}
		if results[4].Err != nil {
			t.Error(results[4].Err)
		}
	})
	t.Run("one wake is queued however often an engine tells of it, and not before its time", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.arms(remind("1m", "n"))
		w, err := r.svc.Wakes(r.ctx(), id)
		if err != nil {
			t.Fatal(err)
		}
		if left, err := r.svc.Wake(r.ctx(), w[0].ID); err != nil || left != time.Minute {
			t.Errorf("got %v, %v", left, err)
		}
		r.clock.Advance(time.Minute)
		for range 5 {
			if _, err := r.svc.Wake(r.ctx(), w[0].ID); err != nil {
				t.Fatal(err)
			}
		}
		if list := r.turns(say("ok")); len(list) != 1 {
			t.Errorf("%d turns", len(list))
		}
		_, err = r.svc.Wake(r.ctx(), "wake_none")
		code(t, err, arc.NotFound)
	})
}

func TestForgettingTakesBackWakesAndNotes(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	first := r.arms(call("save_notes", `{"notes":"one"}`), remind("1h", "stays"))
	second := r.arms(call("save_notes", `{"notes":"two"}`), remind("1h", "goes"), remind("1s", "queued"))
	r.clock.Advance(2 * time.Second)
	kept := data[armed](t, first[1]).ID
	last := r.context().LastTurnID
	if _, err := r.svc.Wake(r.ctx(), data[armed](t, second[2]).ID); err != nil {
		t.Fatal(err)
	}
	f, err := r.retry(seat.RetryArgs{TurnID: string(last), DropQueued: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.CancelledWakes) != 2 || f.NotesRevertedTo == nil || *f.NotesRevertedTo != 1 || len(f.DroppedQueued) != 1 {
		t.Errorf("got %+v", f)
	}
	c := r.context()
	if len(c.PendingWakes) != 1 || c.PendingWakes[0].ID != kept {
		t.Errorf("armed: %+v", c.PendingWakes)
	}
	if list := r.turns(say("ok")); len(list) != 1 || list[0].Notes != "one" {
		t.Errorf("got %+v", list)
	}
}

func TestAWakeOfASurvivingTurnIsKeptBehindTheReplacement(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	armed := r.arms(remind("1m", "durable"))
	last := r.exchange("p2", "r2")
	r.clock.Advance(time.Minute)
	wake := data[struct {
		ID string `json:"reminder_id"`
	}](t, armed[0]).ID
	if _, err := r.svc.Wake(r.ctx(), wake); err != nil {
		t.Fatal(err)
	}
	f, err := r.retry(seat.RetryArgs{TurnID: string(last)}) // it does not block either
	if err != nil || len(f.KeptQueued) != 1 || f.KeptQueued[0].OriginID != "wake:"+wake {
		t.Fatalf("got %+v, %v", f, err)
	}
	list := r.turns(say("ok"))
	if len(list) != 2 || list[0].Prompt != "p2" || !strings.Contains(list[1].Prompt, "durable") {
		t.Errorf("got %+v", list)
	}
}

// The machine's own clock, and a Run that goes on: a reminder comes by itself, and not
// before its time.
func TestARunDeliversByTheMachinesClock(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.o.Clock = nil
	r.restart()
	ctx, cancel := context.WithTimeout(r.ctx(), time.Minute) // a guard: it takes a second
	defer cancel()
	r.send("arm")
	var due time.Time
	var delivered []seat.Wake
	err := r.svc.Run(ctx, func(ctx context.Context, x *seat.Turn) (string, error) {
		if x.From == seat.FromWake {
			if now := time.Now(); now.Before(due) {
				t.Errorf("it came %v early", due.Sub(now))
			}
			delivered = x.Wakes
			cancel()
			return "woken", nil
		}
		due = time.Now().Add(time.Second)
		_, err := x.Seat.Remind(ctx, "c", arc.Reminder{After: time.Second, Note: "now"})
		return "armed", err
	}, nil)
	if !errors.Is(err, context.Canceled) || len(delivered) != 1 || delivered[0].Note != "now" {
		t.Errorf("got %+v, %v", delivered, err)
	}
	if got := r.context(); got.Busy != nil || len(got.Entries) != 2 {
		t.Errorf("got %+v", got)
	}
}
