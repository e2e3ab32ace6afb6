package seattest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// world is a store beside its model.
type world struct {
	t     *testing.T
	rnd   *rand.Rand
	open  opens
	all   []host // of which one does each operation
	at    int    // that one
	svc   host
	clock *Clock
	m     *model
	n     int // names what is made up
	last  string
}

// opens makes a host of the store that a check is about.
type opens func(clock *Clock, maxChars int) (host, error)

var operator = seat.Operator{Name: "olga"}

// check makes random operations in a store and in the model, and compares what the
// seat remembers after each.
func check(t *testing.T, open opens, ops int, seed uint64, hosts int) {
	w := &world{t: t, rnd: rand.New(rand.NewPCG(seed, 1)), open: open, clock: NewClock(), m: &model{budget: 900, revision: 1}}
	w.all = make([]host, max(hosts, 1))
	defer func() {
		for _, h := range w.all {
			if h != nil {
				h.close()
			}
		}
	}()
	for i := range w.all {
		w.pick(i)
		w.restart()
	}
	kinds := []struct {
		name   string
		weight int
		do     func()
	}{
		{"send", 20, w.send}, {"run", 20, w.run}, {"crash", 4, w.crash}, {"leave", 3, w.leave}, {"restart", 2, w.reopen},
		{"retry", 10, w.retry}, {"rewind", 6, w.rewind}, {"edit", 8, w.edit}, {"exclude", 8, w.exclude},
		{"pass", 8, w.pass}, {"jump", 4, w.jump}, {"again", 4, w.again}, {"stop", 2, w.stop}, {"ring", 6, w.ring},
	}
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	for n := range ops {
		if len(w.all) > 1 {
			w.pick(w.rnd.IntN(len(w.all)))
		}
		pick := w.rnd.IntN(total)
		for _, k := range kinds {
			if pick -= k.weight; pick < 0 {
				w.last = k.name
				k.do()
				break
			}
		}
		if why := w.m.differs(w.context()); why != "" || t.Failed() {
			t.Fatalf("seed %d, operation %d (%s):\n%s", seed, n, w.last, why)
		}
	}
}

func (w *world) ctx() context.Context { return w.t.Context() }

// pick lets one of the hosts do what comes.
func (w *world) pick(i int) {
	w.at, w.m.at, w.svc = i, i, w.all[i]
}

func (w *world) restart() {
	if w.svc != nil {
		if err := w.svc.close(); err != nil {
			w.t.Error(err)
		}
	}
	svc, err := w.open(w.clock, w.m.budget)
	if err != nil {
		w.t.Fatal(err)
	}
	w.svc, w.all[w.at] = svc, svc
	for i := range w.m.wakes { // a new process goes by the wall clock
		if w.m.wakes[i].by == w.at {
			w.m.wakes[i].by = nobody
		}
	}
}

func (w *world) context() *seat.Context {
	c, err := w.svc.Context(w.ctx(), operator, seat.ContextArgs{Ref: demo})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) chance(in int) bool { return w.rnd.IntN(in) == 0 }

// words are a text of its own, now and then a long one with wide characters.
func (w *world) words(what string) string {
	w.n++
	text := fmt.Sprint(what, " ", w.n)
	if w.chance(6) {
		text += strings.Repeat(" é漢", w.rnd.IntN(200))
	}
	return text
}

func (w *world) send() {
	text := w.words("prompt")
	if _, err := w.svc.Send(w.ctx(), seat.Prompt{Ref: demo, Text: text}); err != nil {
		w.t.Fatal(err)
	}
	w.m.queue = append(w.m.queue, queued{kind: "prompt", prompt: text, from: seat.FromOperator})
}

// begins is what the model has to say of a turn that begins, and what the turn says.
func (w *world) begins(x *seat.Turn) *running {
	m := w.m
	r := m.running
	if r == nil {
		if len(m.queue) == 0 {
			w.t.Errorf("a turn runs of which the model knows nothing: %q", x.Prompt)
			return &running{id: x.Origin.Turn}
		}
		took := m.take()
		r = &running{id: x.Origin.Turn, queued: took[0], attempt: 1}
		if took[0].kind == "wake" {
			if len(x.Wakes) != len(took) {
				w.t.Errorf("it delivers %d wakes, want %d", len(x.Wakes), len(took))
			}
			for _, q := range took {
				if !strings.Contains(x.Prompt, q.wake.note) {
					w.t.Errorf("the note %q is not in %q", q.wake.note, x.Prompt)
				}
			}
		} else if x.Prompt != took[0].prompt {
			w.t.Errorf("the prompt is %q, want %q", x.Prompt, took[0].prompt)
		}
		r.prompt = x.Prompt
		m.running = r
	} else {
		r.attempt++
	}
	if x.Origin.Turn != r.id || x.Attempt != r.attempt || x.From != r.queued.from {
		w.t.Errorf("it is attempt %d of %s from %s, want %d of %s from %s", x.Attempt, x.Origin.Turn, x.From, r.attempt, r.id, r.queued.from)
	}
	prompts, replies := m.shown()
	for i, e := range x.Replay {
		if i >= len(prompts) || e.Prompt.Text != prompts[i] || e.Reply.Text != replies[i] {
			w.t.Errorf("entry %d of the replay is %+v", i, e)
		}
	}
	if len(x.Replay) != len(prompts) || x.Notes != m.noted() {
		w.t.Errorf("%d entries, want %d; notes %q, want %q", len(x.Replay), len(prompts), x.Notes, m.noted())
	}
	for i := range m.notices { // what an attempt that crashed was told, it was told in vain
		if n := &m.notices[i]; n.told == r.id && !n.done {
			n.told = ""
		}
	}
	told := m.pending()
	if len(told) != len(x.Notices) {
		w.t.Errorf("it is told %q, want %d notices", x.Notices, len(told))
	}
	for _, n := range told {
		n.told = r.id
	}
	return r
}

// acts lets a turn do this and that, in the store and in the model.
func (w *world) acts(ctx context.Context, x *seat.Turn, say func(context.Context, string) error, r *running) {
	for i := range w.rnd.IntN(4) {
		call := fmt.Sprintf("call_%d_%d", r.attempt, i)
		switch w.rnd.IntN(3) {
		case 0:
			text := w.words("notes")
			res, err := x.Seat.SaveNotes(ctx, call, text)
			if err != nil {
				w.t.Error(err)
			}
			again, err := x.Seat.SaveNotes(ctx, call, text)
			if err != nil || again.String() != res.String() {
				w.t.Errorf("the same call again: %v, %v", again, err)
			}
			w.m.notes = append(w.m.notes, note{by: r.id, text: text})
		case 1:
			w.arm(ctx, x, r, call)
		case 2:
			r.draft = w.words("draft")
			if err := say(ctx, r.draft); err != nil {
				w.t.Error(err)
			}
		}
	}
}

func (w *world) arm(ctx context.Context, x *seat.Turn, r *running, call string) {
	if len(w.m.wakes) > 50 {
		return
	}
	after := time.Duration(1+w.rnd.IntN(600)) * time.Second
	text := w.words("reminder") + "."
	if len([]rune(text)) > seat.MaxNote {
		text = "reminder."
	}
	res, err := x.Seat.Remind(ctx, call, arc.Reminder{After: after, Note: text})
	if err != nil {
		w.t.Error(err)
		return
	}
	id := strings.Split(res.String(), `"`)[3]
	w.m.wakes = append(w.m.wakes, wake{id, text, r.id, w.clock.Elapsed() + after, w.at, w.clock.Now().Add(after)})
}

// run runs all that is queued and due.
func (w *world) run() {
	w.giveUp()
	w.m.fire(w.clock.Now(), w.clock.Elapsed())
	err := w.svc.turns(w.ctx(), func(ctx context.Context, x *seat.Turn, say func(context.Context, string) error) outcome {
		r := w.begins(x)
		w.acts(ctx, x, say, r)
		done := exchange{id: r.id, prompt: r.prompt, status: seat.StatusCompleted, from: r.queued.from}
		var o outcome
		switch w.rnd.IntN(8) {
		case 0:
			o.Failed, done.status, done.reply = true, seat.StatusFailed, r.draft
		case 1: // without a word
		default:
			o.Reply = w.words("reply")
			done.reply = o.Reply
		}
		w.m.commit(done)
		return o
	})
	if err != nil {
		w.t.Error(err)
	}
	if len(w.m.queue) > 0 || w.m.running != nil {
		w.t.Errorf("Run left %d queued turns", len(w.m.queue))
	}
}

// giveUp is what a Run does first with a turn that was interrupted twice.
func (w *world) giveUp() {
	if r := w.m.running; r != nil && r.attempt-r.parked > 1 {
		w.m.commit(exchange{id: r.id, prompt: r.prompt, reply: r.draft, status: seat.StatusFailed, from: r.queued.from})
	}
}

// crash kills the host within the next turn.
func (w *world) crash() {
	w.giveUp()
	w.m.fire(w.clock.Now(), w.clock.Elapsed())
	if len(w.m.queue) == 0 && w.m.running == nil {
		w.run() // there may have been one to give up
		return
	}
	_ = w.svc.turns(context.Background(), func(ctx context.Context, x *seat.Turn, say func(context.Context, string) error) outcome {
		w.acts(ctx, x, say, w.begins(x))
		return outcome{Dies: true}
	})
	shared := w.svc.shared()
	w.restart()
	if shared { // others, who don't know of the crash, wait for the lease's end
		w.clock.Advance(time.Minute)
	}
}

// leave stops the host in good order within the next turn.
func (w *world) leave() {
	w.giveUp()
	w.m.fire(w.clock.Now(), w.clock.Elapsed())
	if len(w.m.queue) == 0 && w.m.running == nil {
		w.run()
		return
	}
	err := w.svc.turns(w.ctx(), func(ctx context.Context, x *seat.Turn, say func(context.Context, string) error) outcome {
		r := w.begins(x)
		w.acts(ctx, x, say, r)
		r.parked++
		return outcome{Leaves: true}
	})
	if !errors.Is(err, context.Canceled) {
		w.t.Errorf("Run returned %v", err)
	}
}

func (w *world) reopen() { w.restart() }

func (w *world) pass() { w.clock.Advance(time.Duration(w.rnd.IntN(400)) * time.Second) }

// jump sets the wall clock. Not while a lease runs in a store that is shared: leases go by
// the clock of its server, which is not set back.
func (w *world) jump() {
	by := time.Duration(w.rnd.IntN(7200)-3600) * time.Second
	if !w.svc.shared() || w.m.running == nil {
		w.clock.Jump(by)
	}
}

// ring tells the service that a wake is due, as an engine of the host's does, whether
// it is or not. Its turn is queued and does not begin yet.
func (w *world) ring() {
	m := w.m
	if len(m.wakes) == 0 {
		return
	}
	i := w.rnd.IntN(len(m.wakes))
	x := m.wakes[i]
	if left, err := w.svc.Wake(w.ctx(), x.id); err != nil || left > 0 != x.due.After(w.clock.Now()) {
		w.t.Errorf("%v remain, %v", left, err)
	}
	if !x.due.After(w.clock.Now()) {
		m.wakes = slices.Delete(m.wakes, i, i+1)
		m.queue = append(m.queue, queued{kind: "wake", prompt: x.note, from: seat.FromWake, wake: x})
	}
}

func (w *world) stop() {
	turn, err := w.svc.Stop(w.ctx(), demoSeat)
	if err != nil {
		w.t.Error(err)
	}
	r := w.m.running
	if (r == nil) != (turn == "") {
		w.t.Errorf("stopped %q", turn)
	}
	if r != nil {
		w.m.commit(exchange{id: r.id, prompt: r.prompt, reply: r.draft, status: seat.StatusFailed, from: r.queued.from})
	}
}
