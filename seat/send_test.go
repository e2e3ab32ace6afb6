package seat_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/seattest"
)

func TestSend(t *testing.T) {
	t.Parallel()
	t.Run("a delivery key queues a prompt once, also after a restart and after its turn", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		send := func(text string) (seat.Queued, error) {
			return r.svc.Send(r.ctx(), seat.Prompt{Ref: ref, Author: "bob", Text: text, OriginID: "mail-7"})
		}
		first, err := send("hello")
		if err != nil {
			t.Fatal(err)
		}
		r.restart()
		r.turns(say("hi"))
		again, err := send("hello")
		if err != nil || again.ID != first.ID || again.State != "started" {
			t.Errorf("got %+v, %v", again, err)
		}
		_, err = send("something else")
		code(t, err, seat.OriginConflict)
		if rows := r.messages(); len(rows) != 2 || rows[0].Author != "bob" {
			t.Errorf("the room has %+v", rows)
		}
	})
	t.Run("refuses what is no prompt", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		for _, p := range []seat.Prompt{
			{Text: " \n"}, {Text: "x", MaxSteps: 501}, {Text: "x", OriginID: strings.Repeat("o", 201)}, {Text: "x", OriginID: "a\x00"},
			{Text: "x", Author: "bob\n[operator]"}, {Text: "x", Author: "b\xffb"}, {Text: "x", Author: strings.Repeat("b", 101)},
		} {
			p.Ref = ref
			_, err := r.svc.Send(r.ctx(), p)
			code(t, err, arc.InvalidArguments)
		}
		_, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: ref, Text: "x", SourceMessageID: 9})
		code(t, err, seat.SourceMessageInvalid)
		_, err = r.svc.Send(r.ctx(), seat.Prompt{Ref: seat.Ref{RunID: "nope"}, Text: "x"})
		code(t, err, arc.NotFound)
	})
	t.Run("who waits is told how it ended", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		q := r.send("hello")
		type end struct {
			status string
			turn   arc.TurnID
			err    error
		}
		told := make(chan end, 1)
		go func() {
			status, turn, err := r.svc.Await(r.ctx(), q.ID)
			told <- end{status, turn, err}
		}()
		list := r.turns(say("hi"))
		if e := <-told; e.err != nil || e.status != seat.StatusCompleted || e.turn != list[0].Origin.Turn {
			t.Errorf("got %+v", e)
		}
		_, _, err := r.svc.Await(r.ctx(), "q_none")
		code(t, err, arc.NotFound)
		ctx, cancel := context.WithCancel(r.ctx())
		cancel()
		if _, _, err := r.svc.Await(ctx, r.send("never").ID); err == nil {
			t.Error("it waits on")
		}
	})
}

func TestLongPromptsAreListedWithoutBeingRead(t *testing.T) {
	r := newRoom(t)
	const size = 4 << 20
	for range 4 {
		r.send(strings.Repeat("x", size))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := r.context()
	runtime.ReadMemStats(&after)
	if len(c.Queued) != 4 || len(c.Queued[0].Preview) != 120 {
		t.Errorf("got %d queued", len(c.Queued))
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > size {
		t.Errorf("to list 4 prompts of %d bytes takes %d", size, used)
	}
}

// Who reads what a seat remembers does not read all that a busy room has asked of it.
func TestALongQueueIsListedInPart(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	turn := r.exchange("p", "r")
	var first seat.Queued
	for n := range 60 {
		if q := r.send(fmt.Sprint("prompt ", n)); n == 0 {
			first = q
		}
	}
	c := r.context()
	st, err := r.svc.Status(r.ctx(), r.op, seat.StatusArgs{Ref: ref})
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []struct {
		of    []seat.Queued
		total int64
	}{{c.Queued, c.QueuedTotal}, {st.Queued, st.QueuedTotal}} {
		if len(list.of) != 50 || list.total != 60 || list.of[0].ID != first.ID || list.of[49].Preview != "prompt 49" {
			t.Errorf("it lists %d of %d: %+v", len(list.of), list.total, list.of)
		}
	}
	_, err = r.retry(seat.RetryArgs{TurnID: string(turn)})
	code(t, err, seat.TurnsQueued)
	var e *arc.Error
	if errors.As(err, &e) {
		if items, _ := e.Detail.(map[string]any)["items"].([]seat.Queued); len(items) != 50 || !strings.HasPrefix(e.Message, "60 turns are queued") {
			t.Errorf("the refusal has %d items: %s", len(items), e.Message)
		}
	}
	f, err := r.retry(seat.RetryArgs{TurnID: string(turn), DropQueued: true})
	if err != nil || len(f.DroppedQueued) != 60 {
		t.Errorf("got %+v, %v", f, err)
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for _, name := range []string{"", " ", "a/b", "a#2", strings.Repeat("x", 101), "a\x00", "a\nb", "a\x7f", "\xff"} {
		_, err := r.svc.Join(r.ctx(), seat.Spec{Room: name})
		code(t, err, arc.InvalidArguments)
	}
	for _, name := range []string{strings.Repeat("x", 101), "a\x00", "a\nb", "\xff"} {
		_, err := r.svc.Post(r.ctx(), seat.Message{Room: "demo", Text: "x", Author: name})
		code(t, err, arc.InvalidArguments)
		_, err = r.svc.Post(r.ctx(), seat.Message{Room: "demo", Text: "x", Kind: name})
		code(t, err, arc.InvalidArguments)
		_, err = r.svc.AddTask(r.ctx(), seat.Message{Room: "demo", Text: "x", Author: name})
		code(t, err, arc.InvalidArguments)
		_, err = r.svc.AddTask(r.ctx(), seat.Message{Room: "demo", Text: "x", Assignee: name})
		code(t, err, arc.InvalidArguments)
		_, err = r.svc.Context(r.ctx(), seat.Operator{Name: name}, seat.ContextArgs{Ref: ref})
		code(t, err, arc.InvalidArguments)
	}
	if len(r.messages()) != 0 {
		t.Error("something was posted")
	}
	again, err := r.svc.Join(r.ctx(), seat.Spec{Room: "demo", Agent: "other"})
	if err != nil || again.ID != id || again.Agent != "agent" {
		t.Errorf("joined twice: %+v, %v", again, err)
	}
	if _, err := r.svc.Join(r.ctx(), seat.Spec{Room: "second", Membership: "m", Agent: "a"}); err != nil {
		t.Fatal(err)
	}
	for room, want := range map[string]string{"": "[demo/main second/m]", "demo": "[demo/main]", "none": "[]"} {
		list, err := r.svc.Seats(r.ctx(), room)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, s := range list {
			ids = append(ids, string(s.ID))
		}
		if got := fmt.Sprint(ids); got != want {
			t.Errorf("%q has %s", room, got)
		}
	}
	_, err = r.svc.Post(r.ctx(), seat.Message{Room: "none", Text: "x"})
	code(t, err, arc.NotFound)
	_, err = r.svc.Audit(r.ctx(), 99)
	code(t, err, arc.NotFound)
	code(t, r.svc.Notify(r.ctx(), "none/main", "job_1", "completed", "x"), arc.NotFound)
}

func TestSeatsOfOneRoom(t *testing.T) {
	t.Parallel()
	two := func(t *testing.T) *room {
		r := newRoom(t)
		if _, err := r.svc.Join(r.ctx(), seat.Spec{Room: "demo", Membership: "b", Agent: "b"}); err != nil {
			t.Fatal(err)
		}
		return r
	}
	sendTo := func(r *room, membership, text string) {
		r.t.Helper()
		if _, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: seat.Ref{RunID: "demo", MembershipID: membership}, Text: text}); err != nil {
			r.t.Fatal(err)
		}
	}
	t.Run("don't wait for each other in a ring", func(t *testing.T) {
		t.Parallel()
		r := two(t)
		task := map[string]int64{}
		for _, who := range []string{"main", "b"} {
			n, err := r.svc.AddTask(r.ctx(), seat.Message{Room: "demo", Text: "work of " + who, Assignee: who})
			if err != nil {
				t.Fatal(err)
			}
			task[who] = n
		}
		var results []*arc.Result
		sendTo(r, "main", "wait for b")
		r.turns(r.calling(&results, "", call("wait", fmt.Sprintf(`{"task_id":%d,"note":"n"}`, task["b"]))))
		sendTo(r, "b", "wait for main")
		r.turns(r.calling(&results, "", call("wait", fmt.Sprintf(`{"task_id":%d,"note":"n"}`, task["main"]))))
		if results[0].End != arc.Waiting {
			t.Errorf("got %v", results[0])
		}
		code(t, results[1].Err, seat.WaitCycle)
	})
	t.Run("the run that one has finished is over for the other", func(t *testing.T) {
		t.Parallel()
		r := two(t)
		sendTo(r, "main", "finish")
		sendTo(r, "b", "work")
		begun, finished := make(chan struct{}), make(chan struct{})
		var late *arc.Result
		r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
			if x.Info.Membership == "main" {
				defer close(finished)
				<-begun
				_, err := x.Seat.Finish(ctx, "c", arc.Finish{Summary: "done"})
				return "", err
			}
			close(begun)
			<-finished
			late = r.calls(ctx, x, call("save_notes", `{"notes":"n"}`))[0]
			return "said anyway", nil
		})
		code(t, late.Err, seat.RunFinished)
	})
	t.Run("a prompt that stood in the queue while another finished the run opens the next", func(t *testing.T) {
		t.Parallel()
		r := two(t)
		r.run.Parallel = 1
		sendTo(r, "main", "finish")
		sendTo(r, "b", "work")
		var runs []string
		r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
			runs = append(runs, x.Origin.Run)
			_, err := x.Seat.Finish(ctx, "c", arc.Finish{Summary: "done"})
			return "", err
		})
		if fmt.Sprint(runs) != "[demo demo#2]" {
			t.Errorf("the turns were of the runs %q", runs)
		}
	})
	t.Run("a host may have shared requests stubbed", func(t *testing.T) {
		t.Parallel()
		r := two(t)
		r.o.StubShared = true
		r.restart()
		sendTo(r, "main", "to both")
		if _, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: seat.Ref{RunID: "demo", MembershipID: "b"}, Text: "to both", SourceMessageID: 1}); err != nil {
			t.Fatal(err)
		}
		for _, x := range r.turns(say("ok")) {
			if x.Info.Membership == "b" {
				f, _, err := r.svc.Rewind(r.ctx(), r.op, seat.RewindArgs{Ref: seat.Ref{RunID: "demo", MembershipID: "b"}, TurnID: string(x.Origin.Turn)})
				if err != nil || len(f.KeptSharedRequests) != 0 || r.messages()[0].Stub == nil {
					t.Errorf("got %+v, %v", f, err)
				}
			}
		}
	})
}

func TestALeaseIsRenewedWhileItsTurnRuns(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	clock := seattest.NewClock()
	one := r.sharing(seat.Options{Clock: clock})
	two := r.sharing(seat.Options{Clock: clock})
	r.send("long work")
	claimed, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- one.Run(r.ctx(), func(context.Context, *seat.Turn) (string, error) {
			close(claimed)
			<-goOn
			return "done", nil
		}, &seat.RunOptions{Idle: true})
	}()
	<-claimed
	lease := func() (until int64) {
		err := r.store.View(r.ctx(), func(tx *seat.Tx) error {
			rows, err := tx.Query(`SELECT lease_until_us FROM seat WHERE id = $1`, id)
			if err != nil {
				return err
			}
			defer rows.Close()
			rows.Next()
			return rows.Scan(&until)
		})
		if err != nil {
			t.Fatal(err)
		}
		return until
	}
	for range 6 { // twice as long as a lease
		before := lease()
		clock.Advance(10 * time.Second)
		for lease() <= before { // the renewal comes from a goroutine of its own
			time.Sleep(time.Millisecond)
			clock.Advance(time.Millisecond)
		}
	}
	ctx, cancel := context.WithCancel(r.ctx())
	taken := make(chan error, 1)
	go func() { taken <- two.Run(ctx, say("stolen"), nil) }()
	time.Sleep(20 * time.Millisecond) // gives it the time to do wrong
	close(goOn)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	cancel()
	<-taken
	if c := r.context(); len(c.Entries) != 1 || c.Entries[0].Reply.Text != "done" {
		t.Errorf("got %+v", c.Entries)
	}
}

func TestSeatIsFoundByItsRef(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for _, spec := range []seat.Spec{{Room: "two", Membership: "a"}, {Room: "two", Membership: "b"}, {Room: "theirs", Unmanaged: true}} {
		if _, err := r.svc.Join(r.ctx(), spec); err != nil {
			t.Fatal(err)
		}
	}
	only := seat.Operator{Name: "olga", Rooms: []string{"demo"}}
	for name, tt := range map[string]struct {
		op   seat.Operator
		ref  seat.Ref
		want arc.SeatID
		code arc.Code
	}{
		"by its run alone":                  {only, ref, id, ""},
		"by its membership":                 {r.op, seat.Ref{RunID: "two", MembershipID: "b"}, "two/b", ""},
		"not where several could be meant":  {r.op, seat.Ref{RunID: "two"}, "", seat.SeatAmbiguous},
		"not where it is another's":         {only, seat.Ref{RunID: "two", MembershipID: "b"}, "", arc.Forbidden},
		"not where it is not run from here": {r.op, seat.Ref{RunID: "theirs"}, "", seat.SeatNotManaged},
		"not where there is none":           {r.op, seat.Ref{RunID: "none"}, "", arc.NotFound},
	} {
		info, err := r.svc.Seat(r.ctx(), tt.op, tt.ref)
		if info.ID != tt.want || (tt.code == "") != (err == nil) || tt.code != "" && !errors.Is(err, tt.code) {
			t.Errorf("%s: got %+v, %v", name, info, err)
		}
	}
}
