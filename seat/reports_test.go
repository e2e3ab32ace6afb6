package seat_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
)

// Each test here is a bug that users of other agents met, in the words of its kind.

// breaking is a context that ends when it has been looked at so many times: a
// transaction looks before each statement.
type breaking struct {
	context.Context
	left atomic.Int64
}

func (b *breaking) Err() error {
	if b.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Reported elsewhere: a crash between two writes of one step, after which no turn can
// be built any more. Here every write of the service is broken off before each of its
// statements, and nothing of it is left; then it is done, and done once.
func TestAWriteThatIsBrokenOffLeavesNothing(t *testing.T) {
	t.Parallel()
	type write func(ctx context.Context, r *room, last arc.TurnID) error
	for name, do := range map[string]write{
		"send": func(ctx context.Context, r *room, _ arc.TurnID) error {
			_, err := r.svc.Send(ctx, seat.Prompt{Ref: ref, Text: "more"})
			return err
		},
		"retry": func(ctx context.Context, r *room, last arc.TurnID) error {
			_, _, err := r.svc.Retry(ctx, r.op, seat.RetryArgs{Ref: ref, TurnID: string(last), Message: new("new"), RequestID: "x", DropQueued: true})
			return err
		},
		"rewind": func(ctx context.Context, r *room, last arc.TurnID) error {
			_, _, err := r.svc.Rewind(ctx, r.op, seat.RewindArgs{Ref: ref, TurnID: string(last), RequestID: "x", DropQueued: true})
			return err
		},
		"edit": func(ctx context.Context, r *room, last arc.TurnID) error {
			_, err := r.svc.EditReply(ctx, r.op, seat.EditArgs{Ref: ref, TurnID: string(last), Content: "new", RequestID: "x"})
			return err
		},
		"exclude": func(ctx context.Context, r *room, last arc.TurnID) error {
			_, err := r.svc.Exclude(ctx, r.op, seat.ExcludeArgs{Ref: ref, TurnID: string(last), RequestID: "x"})
			return err
		},
		"claim": func(ctx context.Context, r *room, _ arc.TurnID) error {
			_, err := r.svc.Claim(ctx, seat.Info{ID: id})
			return err
		},
		"step": func(ctx context.Context, r *room, _ arc.TurnID) error {
			_, err := r.turn.Step(ctx)
			return err
		},
		"call": func(ctx context.Context, r *room, _ arc.TurnID) error {
			x := r.turn.Record(func(context.Context, arc.Call) *arc.Result { return &arc.Result{} })(ctx, arc.Call{ID: "c", Name: "do"})
			if x.Err != nil {
				return x.Err
			}
			return nil
		},
		"commit": func(ctx context.Context, r *room, _ arc.TurnID) error {
			return r.turn.Commit(ctx, "reply")
		},
		"wake": func(ctx context.Context, r *room, _ arc.TurnID) error {
			_, err := r.svc.Wake(ctx, r.wakes[0].ID)
			return err
		},
		"notify": func(ctx context.Context, r *room, _ arc.TurnID) error {
			return r.svc.Notify(ctx, id, "job_1", "completed", "ended")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRoom(t)
			r.exchange("p1", "r1")
			r.arms(call("save_notes", `{"notes":"n"}`), remind("1h", "n"))
			r.send("queued")
			last := r.context().LastTurnID
			switch name {
			case "step", "call", "commit":
				var err error
				if r.turn, err = r.svc.Claim(r.ctx(), seat.Info{ID: id}); err != nil {
					t.Fatal(err)
				}
			case "wake":
				var err error
				if r.wakes, err = r.svc.Wakes(r.ctx(), id); err != nil {
					t.Fatal(err)
				}
				r.clock.Advance(time.Hour)
			}
			before := dump(t, r)
			for statements := int64(0); ; statements++ {
				ctx := &breaking{Context: r.ctx()}
				ctx.left.Store(statements)
				err := do(ctx, r, last)
				after := dump(t, r)
				if err == nil {
					if after == before || statements < 4 {
						t.Errorf("it did nothing with %d looks", statements)
					}
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("broken off at %d: %v", statements, err)
				}
				if after != before {
					t.Fatalf("broken off at %d it left something", statements)
				}
			}
		})
	}
}

// Reported elsewhere: a record that is no message stands last, and resume sees an
// empty history.
func TestWhatComesAfterTheLastTurnHidesNothing(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.exchange("p1", "r1")
	if err := r.svc.Notify(r.ctx(), id, "job_1", "completed", "ended"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.svc.Post(r.ctx(), seat.Message{Room: "demo", Author: "bob", Kind: "sticker", Text: ":)"}); err != nil {
		t.Fatal(err)
	}
	r.restart()
	r.send("p2")
	if list := r.turns(say("r2")); len(list[0].Replay) != 1 || list[0].Replay[0].Prompt.Text != "p1" {
		t.Errorf("got %+v", list[0].Replay)
	}
}

// Reported elsewhere: a tool ran, its output could not be saved, and the retry skipped
// the saving. Here the end is kept with the next write, and the tool runs once.
func TestAnEndThatCouldNotBeKeptIsKeptLater(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	ran := 0
	script := func(s string) {
		if err := r.store.Update(r.ctx(), func(tx *seat.Tx) error { return tx.Script(s) }); err != nil {
			t.Error(err)
		}
	}
	set, err := tools.NewSet([]arc.Provider{seat.Tools(), tools.Of(tools.Func(arc.Definition{Name: "do"}, func(context.Context, struct{}) (*arc.Result, error) {
		if ran++; ran == 1 {
			script(`ALTER TABLE step RENAME TO away`)
		}
		return &arc.Result{Body: "done", Touched: []arc.Touch{{Kind: "changed", ID: "change_1", Path: "a.go"}}}, nil
	}))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.set = set
	r.send("work")
	list := r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
		s := r.set.Session(x.Turn, x.Record)
		if res := s.Call(ctx, call("do", `{}`)); res.Err != nil || res.Body != "done" {
			t.Errorf("got %v", res)
		}
		if res := s.Call(ctx, call("do", `{}`)); !errors.Is(res.Err, seat.StoreUnavailable) {
			t.Errorf("a call whose beginning was not kept was made: %v", res)
		}
		script(`ALTER TABLE away RENAME TO step`)
		return "ok", nil
	})
	_, d, err := r.svc.Retry(r.ctx(), r.op, seat.RetryArgs{Ref: ref, TurnID: string(list[0].Origin.Turn), DryRun: true})
	if err != nil || ran != 1 || !d.Complete || len(d.Stays.Files) != 1 {
		t.Errorf("it ran %d times, and what stays is %+v, %v", ran, d.Stays, err)
	}
}

// Reported elsewhere: the newest time wins at resume, although it is on a branch that
// was left.
func TestAForgottenTurnWithALaterTimeStaysForgotten(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.exchange("p1", "r1")
	r.clock.Advance(time.Hour)
	gone := r.exchange("gone", "gone")
	if _, err := r.rewind(seat.RewindArgs{TurnID: string(gone)}); err != nil {
		t.Fatal(err)
	}
	r.clock.Jump(-2 * time.Hour) // what comes now has an earlier time than all before
	r.restart()
	r.exchange("p2", "r2")
	if got := r.window(); !slices.Equal(got, []string{"p1", "p2"}) {
		t.Errorf("the window is %q", got)
	}
}

// Reported elsewhere: after a rewind an id is given again, and rewinding fails for ever.
func TestIDsAreNeverGivenAgain(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	seen := map[arc.TurnID]bool{}
	for i := range 5 {
		turn := r.exchange(fmt.Sprint("p", i), "r")
		if seen[turn] {
			t.Fatalf("%s was given twice", turn)
		}
		seen[turn] = true
		if _, err := r.rewind(seat.RewindArgs{TurnID: string(turn)}); err != nil {
			t.Fatal(err)
		}
		r.restart()
	}
	if rows := r.messages(); len(rows) != 10 || rows[9].ID != 10 {
		t.Errorf("the room has %d messages", len(rows))
	}
}

var races = flag.Int("races", 25, "how often an operator and something else come to a seat at the same moment")

// Reported elsewhere: the seat is asked whether it is idle, and a prompt slips in
// before the answer is used.
func TestARetryAndAPromptAtTheSameMoment(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for i := range *races {
		last := r.exchange(fmt.Sprint("p", i), "r")
		var wg sync.WaitGroup
		var retried error
		wg.Go(func() { _, retried = r.retry(seat.RetryArgs{TurnID: string(last)}) })
		wg.Go(func() {
			if _, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: ref, Text: fmt.Sprint("slipped in ", i)}); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		prompts := promptsOf(r.turns(say("r")))
		want := []string{fmt.Sprint("slipped in ", i)}
		if retried == nil {
			want = []string{fmt.Sprint("p", i), want[0]}
		} else if !errors.Is(retried, seat.TurnsQueued) {
			t.Errorf("got %v", retried)
		}
		if !slices.Equal(prompts, want) {
			t.Fatalf("the turns were %q, want %q", prompts, want)
		}
	}
}

// The same with a turn that begins: it runs and the retry is refused, or it was dropped.
func TestARetryAndATurnThatBeginsAtTheSameMoment(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for i := range *races {
		last := r.exchange(fmt.Sprint("p", i), "r")
		next := r.send(fmt.Sprint("next ", i))
		var wg sync.WaitGroup
		var retried error
		wg.Go(func() { _, retried = r.retry(seat.RetryArgs{TurnID: string(last), DropQueued: true}) })
		var list []*seat.Turn
		wg.Go(func() { list = r.turns(say("r")) })
		wg.Wait()
		prompts, want, status := promptsOf(list), fmt.Sprint("next ", i), seat.StatusCompleted
		switch {
		case retried == nil:
			want, status = fmt.Sprint("p", i), "dropped"
		case !errors.Is(retried, seat.Busy) && !errors.Is(retried, seat.NotLastTurn):
			t.Errorf("got %v", retried)
		}
		got, _, err := r.svc.Await(r.ctx(), next.ID)
		if !slices.Equal(prompts, []string{want}) || got != status || err != nil {
			t.Fatalf("the turns were %q, want %q; what was queued is %s, want %s, %v", prompts, want, got, status, err)
		}
	}
}

func promptsOf(list []*seat.Turn) (prompts []string) {
	for _, x := range list {
		prompts = append(prompts, x.Prompt)
	}
	return prompts
}

// Reported elsewhere: everything that was typed while the context was compacted is
// lost.
func TestAPromptDuringACheckpointIsKept(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.send("one")
	n := 0
	list := r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
		if n++; n > 1 {
			return "second", nil
		}
		x.Compact()
		var wg sync.WaitGroup
		wg.Go(func() { r.send("typed meanwhile") })
		again, err := x.Step(ctx)
		wg.Wait()
		if !again {
			t.Error("no checkpoint was made")
		}
		return "first", err
	})
	if len(list) != 2 || list[1].Prompt != "typed meanwhile" {
		t.Errorf("%d turns ran", len(list))
	}
}

// Reported elsewhere: an interrupted call without a result kills the conversation for
// good. Here each call has an answer, and the next turn runs.
func TestATurnThatIsCanceledWithinItsCalls(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	started := make(chan struct{}, 3)
	set, err := tools.NewSet([]arc.Provider{tools.Of(tools.Func(arc.Definition{Name: "hang", Effects: arc.Effects{ReadOnly: true}}, func(ctx context.Context, _ struct{}) (string, error) {
		started <- struct{}{}
		<-ctx.Done()
		return "", ctx.Err()
	}))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.set = set
	r.send("work")
	var results []*arc.Result
	r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
		go func() {
			for range 3 {
				<-started
			}
			_, _ = r.svc.Stop(context.Background(), id)
		}()
		results = r.calls(ctx, x, call("hang", `{}`), call("hang", `{}`), call("hang", `{}`))
		return "", ctx.Err()
	})
	if len(results) != 3 {
		t.Fatalf("%d answers", len(results))
	}
	for _, x := range results {
		code(t, x.Err, arc.Canceled)
	}
	last := r.exchange("go on", "fine")
	_, d, err := r.svc.Retry(r.ctx(), r.op, seat.RetryArgs{Ref: ref, TurnID: string(last), DryRun: true})
	if err != nil || !d.Complete || len(r.window()) != 2 || !strings.HasPrefix(r.window()[1], "go on") {
		t.Errorf("got %+v, %v", d, err)
	}
}
