package seattest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// turn picks a turn: mostly the last, also any, a forgotten one, or none.
func (w *world) turn() arc.TurnID {
	m := w.m
	switch n := w.rnd.IntN(10); {
	case n == 0 && len(m.dead) > 0:
		return m.dead[w.rnd.IntN(len(m.dead))]
	case n == 1:
		return "turn_none"
	case n == 2 && m.running != nil:
		return m.running.id
	case n < 7 && len(m.history) > 0:
		return m.history[len(m.history)-1].id
	case len(m.history) > 0:
		return m.history[w.rnd.IntN(len(m.history))].id
	}
	return "turn_none"
}

// expected is a revision that the caller has read, now and then an old one.
func (w *world) expected() *int64 {
	switch w.rnd.IntN(6) {
	case 0:
		return new(w.m.revision - 1)
	case 1, 2:
		return new(w.m.revision)
	}
	return nil
}

func (w *world) request() string {
	if w.chance(2) {
		return ""
	}
	w.n++
	return fmt.Sprint("request ", w.n)
}

// agrees fails unless a write was refused as the model says, and reports whether it
// was done.
func (w *world) agrees(err error, want arc.Code) bool {
	switch {
	case want == "" && err != nil:
		w.t.Errorf("%s was refused: %v", w.last, err)
	case want != "" && !errors.Is(err, want):
		w.t.Errorf("%s: got %v, want %s", w.last, err, want)
	}
	return want == "" && err == nil
}

func (w *world) retry() {
	a := seat.RetryArgs{Ref: demo, TurnID: string(w.turn()), DropQueued: w.chance(2), ExpectedRevision: w.expected(), RequestID: w.request()}
	if w.chance(3) {
		a.Message = new(w.words("edited"))
	}
	want := w.m.refusal(arc.TurnID(a.TurnID), true, a.DropQueued, a.ExpectedRevision)
	w.dry(want, func() (*seat.DryRun, error) {
		dry := a
		dry.DryRun = true
		_, d, err := w.svc.Retry(w.ctx(), operator, dry)
		return d, err
	})
	f, _, err := w.svc.Retry(w.ctx(), operator, a)
	if !w.agrees(err, want) {
		return
	}
	i := w.m.index(arc.TurnID(a.TurnID))
	q := queued{kind: "retry", prompt: w.m.history[i].prompt, from: seat.FromRetry}
	if w.m.history[i].from == seat.FromWake {
		q.from = seat.FromWake
	}
	if a.Message != nil {
		q.prompt = *a.Message
	}
	w.m.forget(i, &q)
	w.remember(a.RequestID, f.HistoryRevision, func(id string) (int64, bool, error) {
		a.RequestID = id
		f, _, err := w.svc.Retry(w.ctx(), operator, a)
		if err != nil {
			return 0, false, err
		}
		return f.HistoryRevision, f.Replayed, nil
	})
}

func (w *world) rewind() {
	a := seat.RewindArgs{Ref: demo, TurnID: string(w.turn()), DropQueued: w.chance(2), ExpectedRevision: w.expected(), RequestID: w.request()}
	if w.chance(2) {
		a.Message = new(w.words("onward"))
	}
	want := w.m.refusal(arc.TurnID(a.TurnID), false, a.DropQueued, a.ExpectedRevision)
	w.dry(want, func() (*seat.DryRun, error) {
		dry := a
		dry.DryRun = true
		_, d, err := w.svc.Rewind(w.ctx(), operator, dry)
		return d, err
	})
	f, _, err := w.svc.Rewind(w.ctx(), operator, a)
	if !w.agrees(err, want) {
		return
	}
	var q *queued
	if a.Message != nil {
		q = &queued{kind: "rewind", prompt: *a.Message, from: seat.FromRewind}
	}
	w.m.forget(w.m.index(arc.TurnID(a.TurnID)), q)
	w.remember(a.RequestID, f.HistoryRevision, func(id string) (int64, bool, error) {
		a.RequestID = id
		f, _, err := w.svc.Rewind(w.ctx(), operator, a)
		if err != nil {
			return 0, false, err
		}
		return f.HistoryRevision, f.Replayed, nil
	})
}

// dry holds a dry run to what the write itself is about to say. What it changes is
// seen by the comparison that follows.
func (w *world) dry(want arc.Code, do func() (*seat.DryRun, error)) {
	d, err := do()
	if err != nil {
		w.t.Errorf("a dry run is refused: %v", err)
		return
	}
	var first arc.Code
	if len(d.WouldRefuse) > 0 {
		first = d.WouldRefuse[0].Code
	}
	if first != want || d.Applied {
		w.t.Errorf("a dry run says %q, want %q", first, want)
	}
}

func (w *world) edit() {
	a := seat.EditArgs{Ref: demo, TurnID: string(w.turn()), Content: w.words("edited reply"), ExpectedRevision: w.expected(), RequestID: w.request()}
	i := w.m.index(arc.TurnID(a.TurnID))
	if i >= 0 && w.chance(5) && w.m.history[i].reply != "" {
		a.Content = w.m.history[i].reply
	}
	want := w.committed(a.TurnID, a.ExpectedRevision)
	if want == "" && w.m.history[i].reply == "" {
		want = seat.NoReply
	}
	e, err := w.svc.EditReply(w.ctx(), operator, a)
	if !w.agrees(err, want) {
		return
	}
	if x := &w.m.history[i]; x.reply != a.Content {
		x.reply = a.Content
		w.m.revision++
		w.m.notices = slices.DeleteFunc(w.m.notices, func(n notice) bool { return n.about == x.id })
		w.m.notices = append(w.m.notices, notice{about: x.id})
	}
	w.remember(a.RequestID, e.HistoryRevision, func(id string) (int64, bool, error) {
		a.RequestID = id
		e, err := w.svc.EditReply(w.ctx(), operator, a)
		if err != nil {
			return 0, false, err
		}
		return e.HistoryRevision, e.Replayed, nil
	})
}

// committed is why a turn cannot be changed, empty if it can.
func (w *world) committed(turn string, expected *int64) arc.Code {
	switch code := w.m.refusal(arc.TurnID(turn), false, true, expected); code {
	case seat.Busy: // keeps no edit away
		return ""
	default:
		return code
	}
}

func (w *world) exclude() {
	a := seat.ExcludeArgs{Ref: demo, TurnID: string(w.turn()), ExpectedRevision: w.expected(), RequestID: w.request()}
	if w.chance(2) {
		a.Excluded = new(w.chance(2))
	}
	want := w.committed(a.TurnID, a.ExpectedRevision)
	e, err := w.svc.Exclude(w.ctx(), operator, a)
	if !w.agrees(err, want) {
		return
	}
	x := &w.m.history[w.m.index(arc.TurnID(a.TurnID))]
	if to := a.Excluded == nil || *a.Excluded; x.excluded != to {
		x.excluded = to
		w.m.revision++
	}
	w.remember(a.RequestID, e.HistoryRevision, func(id string) (int64, bool, error) {
		a.RequestID = id
		e, err := w.svc.Exclude(w.ctx(), operator, a)
		if err != nil {
			return 0, false, err
		}
		return e.HistoryRevision, e.Replayed, nil
	})
}

func (w *world) remember(id string, revision int64, do func(string) (int64, bool, error)) {
	if id != "" {
		w.m.answers = append(w.m.answers, answer{do, id, revision})
	}
}

// again sends a write once more that was done before.
func (w *world) again() {
	if len(w.m.answers) == 0 {
		return
	}
	a := w.m.answers[w.rnd.IntN(len(w.m.answers))]
	if revision, replayed, err := a.do(a.id); err != nil || !replayed || revision != a.was {
		w.t.Errorf("sent again: got %d, %v, %v, want %d", revision, replayed, err, a.was)
	}
}
