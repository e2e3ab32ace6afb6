package seat_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
)

// dies runs a turn up to where its host dies: h is called, and then the host is gone
// without having committed anything.
func (r *room) dies(h func(ctx context.Context, x *seat.Turn)) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.ctx())
	defer cancel()
	started := make(chan struct{})
	ended := make(chan error, 1)
	svc, store := r.svc, r.store
	die := make(chan struct{})
	go func() {
		ended <- svc.Run(ctx, func(ctx context.Context, x *seat.Turn) (string, error) {
			h(ctx, x)
			close(started)
			<-die
			return "from the grave", nil
		}, &r.run)
	}()
	<-started
	// The store closes under the handler, as when the process ends; what it says then
	// reaches nobody.
	if err := store.Close(); err != nil {
		r.t.Fatal(err)
	}
	close(die)
	<-ended
	r.open()
}

// doer is a tool that works, one that never ends for the host, and one that reads.
type doer struct {
	done []string
	die  func()
}

func (d *doer) Tools() []arc.Tool {
	return []arc.Tool{
		tools.New(arc.Definition{Name: "do"}, func(_ context.Context, c arc.Call, _ struct{}) (*arc.Result, error) {
			d.done = append(d.done, c.ID)
			return &arc.Result{Body: "done", Touched: []arc.Touch{{Kind: "changed", ID: "change_1", Path: "a.go", SHA256: "aa", Note: "write"}}}, nil
		}),
		tools.New(arc.Definition{Name: "read"}, func(context.Context, arc.Call, struct{}) (*arc.Result, error) {
			return &arc.Result{Body: "SECRET FILE TEXT", Touched: []arc.Touch{{Kind: "read", Path: "b.go", SHA256: "bb", Note: "lines 1-9 of 20"}}}, nil
		}),
		tools.New(arc.Definition{Name: "die"}, func(context.Context, arc.Call, struct{}) (string, error) {
			d.die()
			return "", errors.New("nobody hears this")
		}),
	}
}

func withDoer(t *testing.T) (*room, *doer) {
	r, d := newRoom(t), &doer{}
	set, err := tools.NewSet([]arc.Provider{seat.Tools(), d}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.set = set
	return r, d
}

func TestInterruptedTurns(t *testing.T) {
	t.Parallel()
	t.Run("is resumed once, and told what was recorded and what may have been", func(t *testing.T) {
		t.Parallel()
		r, d := withDoer(t)
		r.send("work")
		r.dies(func(ctx context.Context, x *seat.Turn) {
			r.calls(ctx, x, call("do", `{}`), call("read", `{}`))
			d.die = func() { r.store.Close() } // between the call and its end
			r.calls(ctx, x, arc.Call{ID: "c9", Name: "die", Args: []byte(`{}`)})
		})
		if c := r.context(); c.Busy == nil || c.Busy.State != "interrupted" {
			t.Errorf("got %+v", c.Busy)
		}
		list := r.turns(say("went on"))
		if len(list) != 1 || list[0].Attempt != 2 || !slices.Equal(list[0].CallIDs, []string{"call_1", "call_2", "c9"}) {
			t.Fatalf("got %+v", list)
		}
		last := list[0].Messages()
		text := last[len(last)-1].Text
		for _, want := range []string{"[resumed]", "a.go aa", "b.go bb", "changed change_1 a.go write", "die (call c9) had begun", "work"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not told: %s", want, text)
			}
		}
		if c := r.context(); c.Entries[0].Reply.Text != "went on" || len(r.messages()) != 2 {
			t.Errorf("got %+v", c.Entries)
		}
		_, dry, err := r.svc.Retry(r.ctx(), r.op, seat.RetryArgs{Ref: ref, TurnID: string(list[0].Origin.Turn), DryRun: true})
		if err != nil || dry.Complete || !slices.Equal(dry.Stays.Unknown, []string{"die (call c9)"}) || len(dry.Stays.Files) != 1 {
			t.Errorf("what stays is %+v, %v", dry.Stays, err)
		}
	})
	t.Run("interrupted twice has failed, with what it had said, and posts nothing else", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.send("work")
		for n := range 2 {
			r.dies(func(ctx context.Context, x *seat.Turn) {
				if said := x.Messages(); n == 1 && !strings.Contains(said[0].Text, "You had said: half 0") {
					t.Errorf("it is told %q", said)
				}
				if err := x.Say(ctx, fmt.Sprint("half ", n)); err != nil {
					t.Error(err)
				}
			})
		}
		if list := r.turns(say("third")); len(list) != 0 {
			t.Fatal("it is resumed a second time")
		}
		c := r.context()
		if c.Busy != nil || c.Entries[0].Status != seat.StatusFailed || c.Entries[0].Reply.Text != "half 1" {
			t.Errorf("got %+v", c)
		}
		if _, err := r.retry(seat.RetryArgs{TurnID: string(c.LastTurnID)}); err != nil {
			t.Error(err)
		}
	})
	t.Run("a turn that a tool had ended is committed as that", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.send("work")
		r.dies(func(ctx context.Context, x *seat.Turn) {
			r.calls(ctx, x, call("wait", `{"after":"1h","note":"go on"}`))
		})
		if list := r.turns(say("x")); len(list) != 0 {
			t.Fatal("it ran again")
		}
		if c := r.context(); c.Entries[0].Status != seat.StatusWaiting || len(c.PendingWakes) != 1 {
			t.Errorf("got %+v", c)
		}
	})
	t.Run("queued prompts stay, each a turn of its own, in order", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.send("one")
		r.dies(func(context.Context, *seat.Turn) {})
		r.send("two")
		r.send("three")
		r.restart()
		var prompts []string
		for _, x := range r.turns(say("ok")) {
			prompts = append(prompts, x.Prompt)
		}
		if !slices.Equal(prompts, []string{"one", "two", "three"}) {
			t.Errorf("got %q", prompts)
		}
	})
	t.Run("the operator may stop it instead", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.send("one")
		r.dies(func(context.Context, *seat.Turn) {})
		_, err := r.retry(seat.RetryArgs{TurnID: string(r.context().Busy.ActiveTurnID)})
		code(t, err, seat.TurnNotCommitted)
		turn, err := r.svc.Stop(r.ctx(), id)
		if c := r.context(); err != nil || c.Busy != nil || c.LastTurnID != turn || c.Entries[0].Status != seat.StatusFailed {
			t.Errorf("got %+v, %v", c, err)
		}
	})
	t.Run("a handler that comes back from the dead writes nothing", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.send("one")
		list := r.turns(say("done"))
		_, err := list[0].Seat.SaveNotes(r.ctx(), "c", "late")
		code(t, err, seat.LeaseLost)
		code(t, list[0].Say(r.ctx(), "late"), seat.LeaseLost)
		results := r.calls(r.ctx(), list[0], call("save_notes", `{"notes":"late"}`))
		code(t, results[0].Err, seat.LeaseLost)
		if c := r.context(); c.Notes != nil || c.HistoryRevision != 2 {
			t.Errorf("got %+v", c)
		}
	})
	t.Run("stopped while it runs, it ends soon and keeps what it said", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.send("one")
		r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
			if err := x.Say(ctx, "half"); err != nil {
				return "", err
			}
			_, err := r.retry(seat.RetryArgs{TurnID: "turn_x"})
			code(t, err, arc.NotFound)
			if _, err := r.svc.Stop(ctx, id); err != nil {
				return "", err
			}
			<-ctx.Done()
			return "", ctx.Err()
		})
		if c := r.context(); c.Entries[0].Status != seat.StatusFailed || c.Entries[0].Reply.Text != "half" {
			t.Errorf("got %+v", c.Entries)
		}
	})
}

func TestAPromptDuringATurnNeitherEndsItNorIsLost(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.send("one")
	n := 0
	list := r.turns(func(context.Context, *seat.Turn) (string, error) {
		if n++; n == 1 {
			last := r.exchangeBusy(t)
			if last == "" {
				return "", errors.New("not busy")
			}
			r.send("two")
		}
		return fmt.Sprint("reply ", n), nil
	})
	if len(list) != 2 || !slices.Equal(r.window(), []string{"one", "two"}) {
		t.Errorf("got %d turns, %q", len(list), r.window())
	}
}

// exchangeBusy is the turn that the seat is in, after checking that it keeps retry
// and rewind away and lets edits pass.
func (r *room) exchangeBusy(t *testing.T) arc.TurnID {
	c := r.context()
	if c.Busy == nil {
		return ""
	}
	_, err := r.rewind(seat.RewindArgs{TurnID: string(c.Busy.ActiveTurnID)})
	code(t, err, seat.TurnNotCommitted)
	return c.Busy.ActiveTurnID
}

func TestCheckpoints(t *testing.T) {
	t.Parallel()
	t.Run("after max_steps requests the context holds notes and hashes, and no file text", func(t *testing.T) {
		t.Parallel()
		r, _ := withDoer(t)
		if _, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: ref, Text: "long work", MaxSteps: 4}); err != nil {
			t.Fatal(err)
		}
		var made []int
		var notices []string
		r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
			s := r.set.Session(x.Turn, x.Record)
			for step := range 6 {
				again, err := x.Step(ctx)
				if err != nil {
					return "", err
				}
				if again {
					made = append(made, step)
					said := x.Messages()
					text := said[len(said)-1].Text
					for _, want := range []string{"[checkpoint]", "b.go bb (read: lines 1-9 of 20)\n", "a.go aa", "remember", "long work"} {
						if !strings.Contains(text, want) {
							t.Errorf("%q is missing in %s", want, text)
						}
					}
					if strings.Contains(text, "SECRET") {
						t.Error("file text is kept")
					}
				}
				results := s.Run(ctx, []arc.Call{call("read", `{}`), call("do", `{}`), call("save_notes", `{"notes":"remember"}`)})
				notices = append(notices, strings.Join(results[0].Notices, ""))
			}
			return "ok", nil
		})
		if !slices.Equal(made, []int{4}) {
			t.Errorf("checkpoints before the requests %v", made)
		}
		// A checkpoint is made before the fifth request.
		for i, want := range []string{"", "checkpoint_in_steps 3:", "checkpoint_in_steps 2:", "checkpoint_in_steps 1:", ""} {
			if (want == "") != (notices[i] == "") || !strings.Contains(notices[i], want) {
				t.Errorf("after request %d it is announced as %q, want %q", i+1, notices[i], want)
			}
		}
	})
	t.Run("what was said last goes on, in a checkpoint and after a crash", func(t *testing.T) {
		t.Parallel()
		r, _ := withDoer(t)
		r.send("work")
		last := func(x *seat.Turn) string {
			said := x.Messages()
			return said[len(said)-1].Text
		}
		const cut, whole = "\nYou had said: […]é", "\nYou had said: Nearly there.\n"
		r.dies(func(ctx context.Context, x *seat.Turn) {
			for _, draft := range []string{"Nearly there.", "older" + strings.Repeat("é", seat.MaxNotes)} {
				if err := x.Say(ctx, draft); err != nil {
					t.Error(err)
				}
				x.Compact()
				if _, err := x.Step(ctx); err != nil {
					t.Error(err)
				}
				if want := map[bool]string{true: cut, false: whole}[len(draft) > 100]; !strings.Contains(last(x), want) || strings.Contains(last(x), "older") {
					t.Errorf("after a checkpoint: got %.200q, want %q", last(x), want)
				}
			}
		})
		if text := last(r.turns(say("ok"))[0]); !strings.Contains(text, cut) || strings.Contains(text, "older") {
			t.Errorf("after a crash: got %.200q", text)
		}
	})
	t.Run("the host asks for one, and a crash resumes after it", func(t *testing.T) {
		t.Parallel()
		r, _ := withDoer(t)
		r.send("work")
		r.dies(func(ctx context.Context, x *seat.Turn) {
			r.calls(ctx, x, call("do", `{}`))
			x.Compact()
			if again, err := x.Step(ctx); err != nil || !again {
				t.Errorf("got %v, %v", again, err)
			}
			if again, err := x.Step(ctx); err != nil || again {
				t.Errorf("another one: %v, %v", again, err)
			}
		})
		list := r.turns(say("ok"))
		if said := list[0].Messages(); !strings.Contains(said[0].Text, "a.go aa") {
			t.Errorf("got %q", said)
		}
	})
}

func TestALaterTurnSeesTheJobsThatRun(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	set, err := tools.NewSet([]arc.Provider{starter{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.set = set
	j := jobs{"job_1": "running", "job_2": "completed", "job_3": "running"}
	r.run.Jobs = j
	r.send("start them")
	var results []*arc.Result
	r.turns(r.calling(&results, "started", call("start", `{}`)))
	told := func() string {
		r.send("and now?")
		said := r.turns(say("x"))[0].Messages()
		return said[len(said)-1].Text
	}
	if got := told(); got != "[your background jobs]\n- job job_1: running\n- job job_3: running\n\nand now?" {
		t.Errorf("got %q", got)
	}
	j["job_1"], j["job_3"] = "failed", "killed"
	if got := told(); got != "and now?" {
		t.Errorf("got %q", got)
	}
	j["job_1"] = "running" // it is not asked for again
	if got := told(); got != "and now?" {
		t.Errorf("got %q", got)
	}
}

func TestJobNotices(t *testing.T) {
	t.Parallel()
	r, _ := withDoer(t)
	r.send("one")
	var results []*arc.Result
	r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
		s := r.set.Session(x.Turn, x.Record)
		if err := r.svc.Notify(ctx, id, "job_1", "completed", "[shell-job] job_1 completed"); err != nil {
			return "", err
		}
		results = append(s.Run(ctx, []arc.Call{call("do", `{}`)}), s.Run(ctx, []arc.Call{call("do", `{}`)})...)
		return "ok", nil
	})
	if !slices.Equal(results[0].Notices, []string{"[shell-job] job_1 completed"}) || results[1].Notices != nil {
		t.Errorf("a running turn is told %q, then %q", results[0].Notices, results[1].Notices)
	}
	if err := r.svc.Notify(r.ctx(), id, "job_2", "failed", "[shell-job] job_2 failed"); err != nil {
		t.Fatal(err)
	}
	if list := r.turns(say("x")); len(list) != 0 {
		t.Error("a notice woke the seat")
	}
	r.send("two")
	if list := r.turns(say("x")); !slices.Equal(list[0].Notices, []string{"[shell-job] job_2 failed"}) {
		t.Errorf("an idle seat is told %q", list[0].Notices)
	}
}

// A host that is killed while it tells of a job's end is followed by one that tells it
// again.
func TestAJobsNoticeIsToldOnceThoughItComesTwice(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	notify := func(job string) {
		t.Helper()
		if err := r.svc.Notify(r.ctx(), id, job, "completed", "[shell-job] "+job+" completed"); err != nil {
			t.Fatal(err)
		}
	}
	notify("job_1")
	r.restart()
	notify("job_1")
	r.send("one")
	if list := r.turns(say("x")); !slices.Equal(list[0].Notices, []string{"[shell-job] job_1 completed"}) {
		t.Errorf("the seat is told %q", list[0].Notices)
	}
	notify("job_1") // also when it has been told
	notify("job_2")
	r.send("two")
	if list := r.turns(say("x")); !slices.Equal(list[0].Notices, []string{"[shell-job] job_2 completed"}) {
		t.Errorf("the seat is told %q then", list[0].Notices)
	}
	posted := 0
	messages, err := r.svc.Messages(r.ctx(), "demo", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		if m.Kind == "notice" {
			posted++
		}
	}
	if posted != 2 {
		t.Errorf("the room shows %d notices of 2 jobs", posted)
	}
}
