package seat_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

func (r *room) edit(turn arc.TurnID, content string) {
	r.t.Helper()
	if _, err := r.svc.EditReply(r.ctx(), r.op, seat.EditArgs{Ref: ref, TurnID: string(turn), Content: content}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *room) retry(a seat.RetryArgs) (*seat.Forgotten, error) {
	a.Ref = ref
	f, _, err := r.svc.Retry(r.ctx(), r.op, a)
	return f, err
}

func (r *room) rewind(a seat.RewindArgs) (*seat.Forgotten, error) {
	a.Ref = ref
	f, _, err := r.svc.Rewind(r.ctx(), r.op, a)
	return f, err
}

// many makes n exchanges and returns their turns.
func (r *room) many(n int) []arc.TurnID {
	r.t.Helper()
	var ids []arc.TurnID
	for i := range n {
		ids = append(ids, r.exchange(fmt.Sprint("p", i+1), fmt.Sprint("r", i+1)))
	}
	return ids
}

func TestRetry(t *testing.T) {
	t.Parallel()
	t.Run("the user's prompt is not doubled, and the old reply is a stub", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(2)
		f, err := r.retry(seat.RetryArgs{TurnID: string(ids[1])})
		if err != nil {
			t.Fatal(err)
		}
		if !f.Applied || f.HistoryRevision != 4 || !slices.Equal(f.Superseded.Turns, ids[1:]) || !slices.Equal(f.Superseded.MessageIDs, []int64{4}) {
			t.Errorf("got %+v", f)
		}
		list := r.turns(say("better"))
		if list[0].Prompt != "p2" || list[0].From != seat.FromRetry {
			t.Errorf("got %+v", list[0])
		}
		if got := r.window(); !slices.Equal(got, []string{"p1", "p2"}) {
			t.Errorf("the window is %q", got)
		}
		var rows []string
		for _, m := range r.messages() {
			text := m.Text
			if m.Stub != nil {
				text = "[" + m.Stub.Reason + " by " + m.Stub.By + "]"
			}
			rows = append(rows, text)
		}
		if want := []string{"p1", "r1", "p2", "[superseded by olga]", "better"}; !slices.Equal(rows, want) {
			t.Errorf("the room has %q", rows)
		}
		if m, err := r.svc.Audit(r.ctx(), 4); err != nil || m.Text != "r2" {
			t.Errorf("the audit says %+v, %v", m, err)
		}
		if c := r.context(); c.Entries[1].Prompt.SourceMessageID != 3 {
			t.Errorf("the prompt's message is %d", c.Entries[1].Prompt.SourceMessageID)
		}
	})
	t.Run("an edited prompt stubs the request", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(1)
		f, err := r.retry(seat.RetryArgs{TurnID: string(ids[0]), Message: new("p1, please")})
		if err != nil || !slices.Equal(f.Superseded.MessageIDs, []int64{1, 2}) {
			t.Fatalf("got %+v, %v", f, err)
		}
		if list := r.turns(say("x")); list[0].Prompt != "p1, please" {
			t.Errorf("got %q", list[0].Prompt)
		}
	})
	t.Run("a turn that is not the last names the last", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(2)
		_, err := r.retry(seat.RetryArgs{TurnID: string(ids[0])})
		code(t, err, seat.NotLastTurn)
		if !strings.Contains(err.Error(), string(ids[1])) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a stale revision is refused with the current one", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(2)
		_, err := r.retry(seat.RetryArgs{TurnID: string(ids[1]), ExpectedRevision: new(int64(2))})
		code(t, err, seat.RevisionMismatch)
	})
	t.Run("queued turns block, or are dropped and told", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(1)
		q := r.send("later")
		_, err := r.retry(seat.RetryArgs{TurnID: string(ids[0])})
		code(t, err, seat.TurnsQueued)
		f, err := r.retry(seat.RetryArgs{TurnID: string(ids[0]), DropQueued: true})
		if err != nil || len(f.DroppedQueued) != 1 || f.DroppedQueued[0].ID != q.ID {
			t.Fatalf("got %+v, %v", f, err)
		}
		if status, _, err := r.svc.Await(r.ctx(), q.ID); status != "dropped" || err != nil {
			t.Errorf("who waits for it is told %q, %v", status, err)
		}
		if list := r.turns(say("again")); len(list) != 1 || list[0].Prompt != "p1" {
			t.Errorf("%d turns ran", len(list))
		}
	})
	t.Run("a blank message and steps out of range are refused", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(1)
		for _, a := range []seat.RetryArgs{{Message: new(" ")}, {MaxSteps: 501}, {MaxSteps: -1}, {SourceMessageID: 1}, {RequestID: strings.Repeat("x", 201)}} {
			a.TurnID = string(ids[0])
			_, err := r.retry(a)
			code(t, err, arc.InvalidArguments)
		}
	})
	t.Run("the source of the new prompt has to be free", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(2)
		for _, source := range []int64{99, 1} {
			_, err := r.retry(seat.RetryArgs{TurnID: string(ids[1]), Message: new("x"), SourceMessageID: source})
			code(t, err, seat.SourceMessageInvalid)
		}
	})
}

func TestRewind(t *testing.T) {
	t.Parallel()
	t.Run("forgets a turn and all later ones, and leaves the seat ready", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(4)
		f, err := r.rewind(seat.RewindArgs{TurnID: string(ids[1])})
		if err != nil || f.Replacement != nil || !slices.Equal(f.Superseded.Turns, ids[1:]) || !slices.Equal(f.Superseded.MessageIDs, []int64{3, 4, 5, 6, 7, 8}) {
			t.Fatalf("got %+v, %v", f, err)
		}
		if got := r.window(); !slices.Equal(got, []string{"p1"}) {
			t.Errorf("the window is %q", got)
		}
		_, err = r.rewind(seat.RewindArgs{TurnID: string(ids[2])})
		code(t, err, seat.TurnSuperseded)
	})
	t.Run("to the first turn leaves an empty history, and the revision goes on", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(2)
		if _, err := r.rewind(seat.RewindArgs{TurnID: string(ids[0]), Message: new("anew")}); err != nil {
			t.Fatal(err)
		}
		if c := r.context(); len(c.Entries) != 0 || c.HistoryRevision != 4 {
			t.Errorf("got %+v", c)
		}
		if list := r.turns(say("ok")); list[0].Prompt != "anew" || len(list[0].Replay) != 0 || list[0].Seq != 3 {
			t.Errorf("got %+v", list[0])
		}
	})
	t.Run("without a message takes nothing that belongs to one", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(1)
		for _, a := range []seat.RewindArgs{{SourceMessageID: 1}, {OriginID: "o"}, {MaxSteps: 4}} {
			a.TurnID = string(ids[0])
			_, err := r.rewind(a)
			code(t, err, arc.InvalidArguments)
		}
		_, err := r.rewind(seat.RewindArgs{TurnID: string(ids[0]), SourceMessageID: 1, OriginID: "o", RequestID: strings.Repeat("x", 201)})
		for _, want := range []string{"source_message_id", "origin_id", "request_id"} {
			if !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("%s is not told: %v", want, err)
			}
		}
	})
	t.Run("a request that another seat remembers stays readable", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		if _, err := r.svc.Join(r.ctx(), seat.Spec{Room: "demo", Membership: "second", Agent: "other"}); err != nil {
			t.Fatal(err)
		}
		send := func(membership string, source int64) {
			_, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: seat.Ref{RunID: "demo", MembershipID: membership}, Text: "to all", SourceMessageID: source})
			if err != nil {
				t.Fatal(err)
			}
		}
		send("main", 0)
		send("second", 1)
		turns := map[arc.SeatID]arc.TurnID{}
		for _, x := range r.turns(say("done")) {
			turns[x.Origin.Seat] = x.Origin.Turn
		}
		_, err := r.rewind(seat.RewindArgs{TurnID: string(turns[id])})
		code(t, err, seat.SeatAmbiguous)
		f, _, err := r.svc.Rewind(r.ctx(), r.op, seat.RewindArgs{Ref: seat.Ref{RunID: "demo", AgentID: "agent"}, TurnID: string(turns[id])})
		if err != nil || !slices.Equal(f.KeptSharedRequests, []int64{1}) || len(f.Superseded.MessageIDs) != 1 {
			t.Fatalf("got %+v, %v", f, err)
		}
		if m := r.messages()[0]; m.Stub != nil || m.Text != "to all" {
			t.Errorf("the request is %+v", m)
		}
		f, _, err = r.svc.Rewind(r.ctx(), r.op, seat.RewindArgs{Ref: seat.Ref{RunID: "demo", MembershipID: "second"}, TurnID: string(turns["demo/second"])})
		if err != nil || len(f.KeptSharedRequests) != 0 || r.messages()[0].Stub == nil {
			t.Errorf("nobody remembers it: got %+v, %v", f, err)
		}
	})
	t.Run("a message that carries a prompt to come stays, and is not queued for the seat again", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		if _, err := r.svc.Join(r.ctx(), seat.Spec{Room: "demo", Membership: "second"}); err != nil {
			t.Fatal(err)
		}
		source, err := r.svc.Post(r.ctx(), seat.Message{Room: "demo", Author: "bob", Text: "to all"})
		if err != nil {
			t.Fatal(err)
		}
		send := func(membership string) error {
			_, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: seat.Ref{RunID: "demo", MembershipID: membership}, Text: "to all", SourceMessageID: source})
			return err
		}
		if err := send("main"); err != nil {
			t.Fatal(err)
		}
		code(t, send("main"), seat.SourceMessageInvalid)
		turn := r.turns(say("done"))[0].Origin.Turn
		if err := send("second"); err != nil {
			t.Fatal(err)
		}
		f, _, err := r.svc.Rewind(r.ctx(), r.op, seat.RewindArgs{Ref: seat.Ref{RunID: "demo", MembershipID: "main"}, TurnID: string(turn)})
		if err != nil || !slices.Equal(f.KeptSharedRequests, []int64{source}) || r.messages()[0].Stub != nil {
			t.Errorf("got %+v, %v", f, err)
		}
	})
}

func TestEditReply(t *testing.T) {
	t.Parallel()
	t.Run("the edited reply is the operator's, and the seat is told once", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(1)
		e, err := r.svc.EditReply(r.ctx(), r.op, seat.EditArgs{Ref: ref, TurnID: string(ids[0]), Content: "r1, really"})
		if err != nil || !e.Changed || e.HistoryRevision != 3 || e.RoomPending {
			t.Fatalf("got %+v, %v", e, err)
		}
		rows := r.messages()
		if m := rows[2]; m.Author != "olga" || m.Text != "r1, really" || m.Seat != "" || m.Meta["arc_event"] != "seat_reply_edited" || m.Meta["turn_id"] != string(ids[0]) || m.Meta["replaces"] != "2" {
			t.Errorf("got %+v", m)
		}
		if rows[1].Stub == nil || rows[1].Text != "" {
			t.Errorf("the old row is %+v", rows[1])
		}
		if c := r.context(); !slices.Equal(c.PendingNotices, ids) || !c.Entries[0].Reply.Edited || c.Entries[0].Reply.EditedBy != "olga" {
			t.Errorf("got %+v", c)
		}
		r.send("p2")
		said := r.turns(say("r2"))[0].Messages()
		if said[1].Text != "r1, really" || !strings.Contains(said[2].Text, "rewrote your reply in turn "+string(ids[0])) {
			t.Errorf("got %q", said)
		}
		r.send("p3")
		if said := r.turns(say("r3"))[0].Messages(); strings.Contains(said[len(said)-1].Text, "rewrote") {
			t.Error("it is told twice")
		}
	})
	t.Run("the same text changes nothing", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(1)
		e, err := r.svc.EditReply(r.ctx(), r.op, seat.EditArgs{Ref: ref, TurnID: string(ids[0]), Content: "r1"})
		if err != nil || e.Changed || e.HistoryRevision != 2 || len(r.messages()) != 2 {
			t.Errorf("got %+v, %v", e, err)
		}
	})
	t.Run("what an attempt that crashed was told, it was told in vain", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(2)
		r.edit(ids[0], "one")
		r.send("go")
		r.dies(func(_ context.Context, x *seat.Turn) {
			if len(x.Notices) != 1 {
				t.Errorf("it is told %q", x.Notices)
			}
		})
		exclude := func(excluded bool) {
			if _, err := r.svc.Exclude(r.ctx(), r.op, seat.ExcludeArgs{Ref: ref, TurnID: string(ids[0]), Excluded: &excluded}); err != nil {
				t.Fatal(err)
			}
		}
		exclude(true)
		r.edit(ids[1], "two")
		r.turns(say("went on")) // is told of the second alone
		exclude(false)
		if got := r.context().PendingNotices; !slices.Equal(got, ids[:1]) {
			t.Errorf("pending are %q, want %q", got, ids[:1])
		}
	})
	t.Run("a notice that a forgotten turn was told is told again", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(2)
		if _, err := r.svc.EditReply(r.ctx(), r.op, seat.EditArgs{Ref: ref, TurnID: string(ids[0]), Content: "new"}); err != nil {
			t.Fatal(err)
		}
		last := r.exchange("p3", "r3")
		if _, err := r.retry(seat.RetryArgs{TurnID: string(last)}); err != nil {
			t.Fatal(err)
		}
		if list := r.turns(say("r3b")); len(list[0].Notices) != 1 {
			t.Errorf("got %q", list[0].Notices)
		}
	})
	t.Run("one notice stands, however often the reply is rewritten and its tellers forgotten", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(1)
		for i := range 3 {
			r.edit(ids[0], fmt.Sprint("version ", i))
			if got := r.context().PendingNotices; !slices.Equal(got, ids) {
				t.Errorf("pending are %q", got)
			}
			r.exchange(fmt.Sprint("told ", i), "I see")
		}
		r.edit(ids[0], "last version")
		first := r.context().Entries[1].TurnID
		if _, err := r.rewind(seat.RewindArgs{TurnID: string(first)}); err != nil {
			t.Fatal(err)
		}
		if got := r.context().PendingNotices; !slices.Equal(got, ids) {
			t.Errorf("pending are %q", got)
		}
		r.send("go on")
		if list := r.turns(say("ok")); len(list[0].Notices) != 1 {
			t.Errorf("it is told %q", list[0].Notices)
		}
	})
	t.Run("a turn without a reply has none to edit", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		one := r.exchange("p", "")
		_, err := r.svc.EditReply(r.ctx(), r.op, seat.EditArgs{Ref: ref, TurnID: string(one), Content: "x"})
		code(t, err, seat.NoReply)
	})
}

func TestExclude(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	ids := r.many(14)
	c := r.context()
	if c.BeyondTotal != 2 || !c.Entries[2].NextToFallOut || c.Entries[2].TurnID != ids[2] {
		t.Fatalf("got %+v", c.Entries[2])
	}
	e, err := r.svc.Exclude(r.ctx(), r.op, seat.ExcludeArgs{Ref: ref, TurnID: string(ids[5])})
	if err != nil || !e.Changed || !e.Excluded || !slices.Equal(e.Entered, ids[1:2]) || !slices.Equal(e.Left, ids[5:6]) || len(e.Window) != 12 {
		t.Fatalf("got %+v, %v", e, err)
	}
	if c := r.context(); c.ExcludedTotal != 1 || c.BeyondTotal != 1 || c.HistoryRevision != 16 {
		t.Errorf("got %+v", c)
	}
	if e, err = r.svc.Exclude(r.ctx(), r.op, seat.ExcludeArgs{Ref: ref, TurnID: string(ids[5])}); err != nil || e.Changed || e.HistoryRevision != 16 {
		t.Errorf("twice: got %+v, %v", e, err)
	}
	if e, err = r.svc.Exclude(r.ctx(), r.op, seat.ExcludeArgs{Ref: ref, TurnID: string(ids[5]), Excluded: new(false)}); err != nil || !slices.Equal(e.Entered, ids[5:6]) || e.Notes != nil {
		t.Errorf("restored: got %+v, %v", e, err)
	}
	if e, err = r.svc.Exclude(r.ctx(), r.op, seat.ExcludeArgs{Ref: ref, TurnID: string(ids[0]), Excluded: new(true)}); err != nil || !e.Changed || len(e.Entered)+len(e.Left) != 0 {
		t.Errorf("beyond the window: got %+v, %v", e, err)
	}
	for _, changed := range []bool{true, false} { // restored, it is still too old to be replayed
		if e, err = r.svc.Exclude(r.ctx(), r.op, seat.ExcludeArgs{Ref: ref, TurnID: string(ids[0]), Excluded: new(false)}); err != nil || e.Changed != changed || !slices.Equal(e.Notes, []string{"beyond_window"}) {
			t.Errorf("restored beyond the window: got %+v, %v", e, err)
		}
	}
}

func TestATurnThatEndsWhileReportersAreAsked(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	first, second := r.exchange("a", "A"), r.exchange("b", "B")
	var later arc.TurnID
	r.op.Reporters = []seat.Reporter{{Name: "ledger", Touched: func(context.Context, arc.SeatID, []arc.TurnID) ([]arc.Touch, error) {
		// There are as many turns to forget afterwards, and one is another.
		_, _, err := r.svc.Rewind(r.ctx(), seat.Operator{}, seat.RewindArgs{Ref: ref, TurnID: string(second)})
		later = r.exchange("c", "C")
		return nil, err
	}}}
	f, err := r.rewind(seat.RewindArgs{TurnID: string(first)})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.Superseded.Turns, []arc.TurnID{first, later}) || f.Stays.Complete || !slices.Equal(f.Stays.Unknown, []string{string(later)}) {
		t.Errorf("got %+v, what stays is %+v", f.Superseded, f.Stays)
	}
}
