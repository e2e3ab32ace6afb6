package seat_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// Reported elsewhere: a conversation that was rewound is there again once the page is
// loaded anew.
func TestARewoundConversationStaysAwayFromWhoeverReadsAnew(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	ids := r.many(3)
	if _, err := r.rewind(seat.RewindArgs{TurnID: string(ids[1])}); err != nil {
		t.Fatal(err)
	}
	r.restart()
	for i, m := range r.messages() {
		if stub := i >= 2; (m.Stub != nil) != stub || stub != (m.Text == "") {
			t.Errorf("message %d is %+v", m.ID, m)
		}
	}
	st, err := r.svc.Status(r.ctx(), r.op, seat.StatusArgs{Ref: ref})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range st.Turns[:2] {
		if x.State != "superseded" || x.Head != "" {
			t.Errorf("status shows %+v", x)
		}
	}
	if got := r.window(); !slices.Equal(got, []string{"p1"}) {
		t.Errorf("the window is %q", got)
	}
}

// Reported elsewhere: what was rewound is filtered for the model, and not for whoever
// else decides by it.
func TestEverybodyGoesByTheSameHistory(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	ids := r.many(4)
	gone := r.messages()[7].ID
	if _, err := r.rewind(seat.RewindArgs{TurnID: string(ids[3])}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.svc.Exclude(r.ctx(), r.op, seat.ExcludeArgs{Ref: ref, TurnID: string(ids[1])}); err != nil {
		t.Fatal(err)
	}
	c := r.context()
	st, err := r.svc.Status(r.ctx(), r.op, seat.StatusArgs{Ref: ref})
	if err != nil || c.LastTurnID != ids[2] || st.LastTurnID != ids[2] || st.LiveTotal != 3 || st.ExcludedTotal != 1 {
		t.Errorf("the last turn is %s and %s of %v, %v", c.LastTurnID, st.LastTurnID, ids, err)
	}
	r.send("next")
	var answer finishAnswer
	list := r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
		answer = data[finishAnswer](t, r.calls(ctx, x, finish(fmt.Sprintf(`{"summary":"s","reply_message_id":%d}`, gone)))[0])
		return "ok", nil
	})
	var replayed, shown []arc.TurnID
	for _, e := range list[0].Replay {
		replayed = append(replayed, e.Turn)
	}
	for _, e := range c.Entries {
		if e.State == seat.InWindow {
			shown = append(shown, e.TurnID)
		}
	}
	if want := []arc.TurnID{ids[0], ids[2]}; !slices.Equal(replayed, want) || !slices.Equal(shown, want) {
		t.Errorf("replayed are %q, shown %q, want %q", replayed, shown, want)
	}
	if answer.Status != "not_finished" || answer.Missing[0].Gate != "reply" {
		t.Errorf("the gate says %+v", answer)
	}
}

// Reported elsewhere: rewinding takes what was set up when the conversation was made.
func TestRewindingToTheFirstTurnKeepsTheSeat(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.run.Env = arc.Env{Access: arc.FullAccess, Services: []string{"files"}}
	if _, err := r.svc.Join(r.ctx(), seat.Spec{Room: "second", Membership: "m", Agent: "clara"}); err != nil {
		t.Fatal(err)
	}
	second := seat.Ref{RunID: "second"}
	send := func(text string) *seat.Turn {
		t.Helper()
		if _, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: second, Text: text, MaxSteps: 7}); err != nil {
			t.Fatal(err)
		}
		return r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
			_, err := x.Seat.SaveNotes(ctx, "c", "notes of "+text)
			return "ok", err
		})[0]
	}
	first := send("one")
	send("two")
	f, _, err := r.svc.Rewind(r.ctx(), r.op, seat.RewindArgs{Ref: second, TurnID: string(first.Origin.Turn), Message: new("one again")})
	if err != nil || f.NotesRevertedTo == nil || *f.NotesRevertedTo != 0 || f.HistoryRevision != 4 {
		t.Fatalf("got %+v, %v", f, err)
	}
	x := r.turns(say("ok"))[0]
	if x.Info.Membership != "m" || x.Info.Agent != "clara" || !x.Info.Managed || x.Notes != "" || len(x.Replay) != 0 || x.Access != arc.FullAccess || !slices.Equal(x.Services, []string{"files"}) {
		t.Errorf("got %+v", x)
	}
}

// Reported elsewhere: one that yields to wait is told upstream as done.
func TestAWaitingTurnIsNowhereToldAsDone(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	q := r.send("wait")
	var results []*arc.Result
	r.turns(r.calling(&results, "I wait.", call("wait", `{"after":"1h","note":"n"}`)))
	status, _, err := r.svc.Await(r.ctx(), q.ID)
	if err != nil {
		t.Fatal(err)
	}
	st, err := r.svc.Status(r.ctx(), r.op, seat.StatusArgs{Ref: ref})
	if err != nil {
		t.Fatal(err)
	}
	c := r.context()
	for what, got := range map[string]string{
		"the call": data[struct{ Status string }](t, results[0]).Status, "await": status, "status": st.Turns[0].State,
		"the context": c.Entries[0].Status, "the room": r.messages()[1].Meta["status"],
	} {
		if got != seat.StatusWaiting {
			t.Errorf("%s says %q", what, got)
		}
	}
	if st.RunFinished || c.Busy != nil || len(c.PendingWakes) != 1 {
		t.Errorf("got %+v", c)
	}
}

// Reported elsewhere: a reminder fires at each look and after each restart; an instance
// of each of several fires it.
func TestAReminderComesOnceHoweverManyLook(t *testing.T) {
	t.Parallel()
	t.Run("twice, and after seven restarts", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.arms(remind("1m", "n"))
		r.clock.Advance(time.Minute)
		came := 0
		for range 7 {
			for range 2 {
				came += len(r.turns(say("ok")))
			}
			r.restart()
		}
		if came != 1 {
			t.Errorf("it came %d times", came)
		}
	})
	t.Run("by five services of one store", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.arms(remind("1m", "n"))
		r.clock.Advance(time.Minute)
		var came atomic.Int32
		var wg sync.WaitGroup
		for range 5 {
			svc, err := seat.Open(r.ctx(), r.store, &r.o)
			if err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				err := svc.Run(r.ctx(), func(context.Context, *seat.Turn) (string, error) { came.Add(1); return "ok", nil }, &r.run)
				if err != nil {
					t.Error(err)
				}
			})
		}
		r.ticking(&wg)
		if came.Load() != 1 {
			t.Errorf("it came %d times", came.Load())
		}
	})
	t.Run("by a machine that slept for three hours, or whose clock was set by a year", func(t *testing.T) {
		t.Parallel()
		for _, step := range []struct {
			jump, sleep time.Duration
			late        string
		}{
			{0, 3 * time.Hour, "2h50m0s"}, {365 * 24 * time.Hour, 3 * time.Hour, "2h50m0s"}, {-365 * 24 * time.Hour, 3 * time.Hour, "2h50m0s"}, {-time.Hour, 10 * time.Minute, "0s"},
		} {
			r := newRoom(t)
			r.arms(remind("10m", "n"))
			r.clock.Jump(step.jump)
			r.clock.Advance(step.sleep)
			list := r.turns(say("ok"))
			if len(list) != 1 || list[0].Wakes[0].Late.String() != step.late {
				t.Errorf("%+v: got %+v", step, list)
			}
		}
	})
	t.Run("also where the host dies after it was queued, and once more in its turn", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		wake := data[armed](t, r.arms(remind("1m", "durable"))[0]).ID
		r.clock.Advance(time.Minute)
		if _, err := r.svc.Wake(r.ctx(), wake); err != nil {
			t.Fatal(err)
		}
		r.restart()
		r.dies(func(_ context.Context, x *seat.Turn) {
			if !strings.Contains(x.Prompt, "durable") {
				t.Errorf("it is asked %q", x.Prompt)
			}
		})
		if list := r.turns(say("ok")); len(list) != 1 || list[0].Attempt != 2 || !strings.Contains(list[0].Prompt, "durable") {
			t.Errorf("got %+v", list)
		}
	})
}

// Reported elsewhere: overdue reminders of weeks are replayed one by one at a start.
func TestWhatIsLongOverdueComesInOneTurn(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for i := range 5 {
		r.arms(remind("1h", fmt.Sprint("note ", i, ".")))
	}
	r.clock.Advance(60 * 24 * time.Hour)
	r.restart()
	list := r.turns(say("ok"))
	if len(list) != 1 || len(list[0].Wakes) != 5 || !strings.Contains(list[0].Prompt, "comes 1439h0m0s late") {
		t.Errorf("got %+v", list)
	}
}
