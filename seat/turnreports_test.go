package seat_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
)

// Reported elsewhere: what was deferred to the end of a batch was never kept, and its
// output had no call. Here a call that ends the turn leaves the others of its batch
// kept, with what they touched.
func TestABatchThatEndsTheTurnIsKeptWhole(t *testing.T) {
	t.Parallel()
	for name, ending := range map[string]arc.Call{
		"finish":      finish(`{"summary":"s"}`),
		"wait":        call("wait", `{"after":"1h","note":"n"}`),
		"submit_plan": submit(t, "a.go"),
		"answer_user": call("answer_user", `{"answer":"a"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRoom(t)
			reads := tools.Of(tools.Func(arc.Definition{Name: "look", Effects: arc.Effects{ReadOnly: true}}, func(context.Context, struct{}) (*arc.Result, error) {
				return &arc.Result{Touched: []arc.Touch{{Kind: "artifact", ID: "seen"}}}, nil
			}))
			set, err := tools.NewSet([]arc.Provider{seat.Tools(), reads}, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.set = set
			p := seat.Prompt{Ref: ref, Text: "work"}
			if name == "submit_plan" || name == "answer_user" {
				p.Mode = arc.Planning
			}
			if _, err := r.svc.Send(r.ctx(), p); err != nil {
				t.Fatal(err)
			}
			var results []*arc.Result
			r.turns(r.calling(&results, "", ending, call("look", `{}`), call("save_notes", `{"notes":"kept"}`), call("look", `{}`)))
			for _, x := range results {
				if x.Err != nil {
					t.Error(x.Err)
				}
			}
			c := r.context()
			_, d, err := r.svc.Rewind(r.ctx(), r.op, seat.RewindArgs{Ref: ref, TurnID: string(c.LastTurnID), DryRun: true})
			if err != nil || !d.Complete || len(d.Stays.Artifacts) != 1 || c.Notes == nil || c.Notes.Chars != 4 {
				t.Errorf("got %+v and %+v, %v", d, c.Notes, err)
			}
			if steps := strings.Count(dump(t, r), "|look|1|"); steps != 2 {
				t.Errorf("%d calls are kept as ended", steps)
			}
		})
	}
}

// Reported elsewhere: each resume appends the call of before once more.
func TestACallIsOneStepHoweverOftenItsTurnIsResumed(t *testing.T) {
	t.Parallel()
	r, d := withDoer(t)
	r.send("work")
	again := func(ctx context.Context, x *seat.Turn) {
		s := r.set.Session(x.Turn, x.Record)
		s.Run(ctx, []arc.Call{{ID: "c1", Name: "do", Args: []byte(`{}`)}})
	}
	r.stops(again)
	r.dies(again)
	list := r.turns(func(ctx context.Context, x *seat.Turn) (string, error) { again(ctx, x); return "done", nil })
	if got := dump(t, r); strings.Count(got, "|c1|") != 1 || len(d.done) != 3 || !slices.Equal(list[0].CallIDs, []string{"c1"}) {
		t.Errorf("the steps are %q:\n%s", list[0].CallIDs, got)
	}
}

// Reported elsewhere: a message or a wake that comes during a turn kills it, and its
// work is lost.
func TestAPromptAndAWakeDuringATurnWaitForItsEnd(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.arms(remind("1m", "look at the build"))
	r.send("work")
	var during *seat.Context
	list := r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
		if x.Prompt != "work" {
			return "later", nil
		}
		r.clock.Advance(time.Minute)
		for during = r.context(); len(during.Queued) == 0; during = r.context() { // Run fires it beside the turn
			time.Sleep(time.Millisecond)
		}
		r.send("hello")
		during = r.context()
		return "done", ctx.Err()
	})
	var kinds []string
	for _, q := range during.Queued {
		kinds = append(kinds, q.Kind)
	}
	if !slices.Equal(kinds, []string{"wake", "prompt"}) {
		t.Errorf("queued were %q", kinds)
	}
	if len(list) != 3 || list[1].From != seat.FromWake || list[2].Prompt != "hello" {
		t.Fatalf("%d turns ran", len(list))
	}
	if e := r.context().Entries; e[1].Reply.Text != "done" || e[1].Status != seat.StatusCompleted {
		t.Errorf("got %+v", e[1])
	}
}

// Reported elsewhere: a large result is kept in the log twice, and the log grows with
// it. Here a step keeps what its call touched, and nothing of what it said.
func TestALargeResultLeavesASmallStep(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	text := strings.Repeat("x", 60<<10)
	set, err := tools.NewSet([]arc.Provider{tools.Of(tools.Func(arc.Definition{Name: "big"}, func(context.Context, struct{}) (string, error) { return text, nil }))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.set = set
	r.send("work")
	before := len(dump(t, r))
	var results []*arc.Result
	calls := slices.Repeat([]arc.Call{call("big", `{}`)}, 84) // 5 MB
	r.turns(r.calling(&results, "ok", calls...))
	if len(results) != 84 || results[83].Body != text {
		t.Fatalf("%d results", len(results))
	}
	if grown := len(dump(t, r)) - before; grown > 84*200 {
		t.Errorf("84 results of %d bytes grew the store by %d", len(text), grown)
	}
}

// Reported elsewhere: the database is away while interrupted work is taken up, and it
// is stranded, or taken up twice.
func TestAStoreThatGoesAwayDuringRecoveryStrandsNothing(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.send("work")
	r.dies(func(context.Context, *seat.Turn) {})
	f := &faulty{Store: r.store}
	svc, err := seat.Open(r.ctx(), f, &r.o)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // it cannot even be begun
		f.fail(&arc.Error{Code: arc.IOError, Message: "the disk is away."}, nil)
		if err := svc.Run(r.ctx(), say("x"), &r.run); !errors.Is(err, arc.IOError) {
			t.Fatalf("got %v", err)
		}
		f.fail(nil, nil)
	}
	// Two take it up at once, and one of them has it.
	var mu sync.Mutex
	var attempts []int
	var wg sync.WaitGroup
	for _, one := range []*seat.Service{svc, r.svc} {
		wg.Go(func() {
			err := one.Run(r.ctx(), func(_ context.Context, x *seat.Turn) (string, error) {
				mu.Lock()
				defer mu.Unlock()
				attempts = append(attempts, x.Attempt)
				return "done", nil
			}, &r.run)
			if err != nil {
				t.Error(err)
			}
		})
	}
	r.ticking(&wg)
	if c := r.context(); fmt.Sprint(attempts) != "[2]" || c.Busy != nil || len(c.Entries) != 1 || c.Entries[0].Reply.Text != "done" {
		t.Errorf("attempts %v, %+v", attempts, c)
	}
}

// ticking lets time pass until everybody has ended: one service hears of what another
// has done when it looks.
func (r *room) ticking(wg *sync.WaitGroup) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		wg.Wait()
	}()
	for {
		select {
		case <-ended:
			return
		case <-time.After(time.Millisecond):
			r.clock.Advance(time.Second)
		}
	}
}
