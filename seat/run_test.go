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
	"github.com/arcseat/arc/seat/seattest"
	"github.com/arcseat/arc/tools"
)

// stops stops the host within its next turn, in good order, after h.
func (r *room) stops(h func(ctx context.Context, x *seat.Turn)) {
	r.t.Helper()
	ctx, stop := context.WithCancel(r.ctx())
	defer stop()
	err := r.svc.Run(ctx, func(ctx context.Context, x *seat.Turn) (string, error) {
		h(ctx, x)
		stop()
		<-ctx.Done()
		return "", fmt.Errorf("the model was asked: %w", ctx.Err())
	}, &r.run)
	if !errors.Is(err, context.Canceled) {
		r.t.Errorf("Run returned %v", err)
	}
}

func TestAHostThatIsStopped(t *testing.T) {
	t.Parallel()
	t.Run("leaves its turn to be resumed, however often, and that is no crash", func(t *testing.T) {
		t.Parallel()
		r, _ := withDoer(t)
		r.send("long work")
		for n := range 3 {
			r.stops(func(ctx context.Context, x *seat.Turn) {
				if x.Attempt != n+1 {
					t.Errorf("it is attempt %d, want %d", x.Attempt, n+1)
				}
				if n == 0 {
					r.calls(ctx, x, call("do", `{}`))
				}
			})
			if c := r.context(); c.Busy == nil || c.Busy.State != "interrupted" || len(c.Entries) != 0 {
				t.Fatalf("got %+v", c)
			}
			r.restart()
		}
		r.dies(func(context.Context, *seat.Turn) {}) // and a crash is resumed once still
		list := r.turns(say("done"))
		if len(list) != 1 || list[0].Attempt != 5 {
			t.Fatalf("got %+v", list)
		}
		said := list[0].Messages()
		if text := said[len(said)-1].Text; !strings.Contains(text, "[resumed]") || !strings.Contains(text, "changed change_1 a.go write") {
			t.Errorf("it is told %q", text)
		}
		if c := r.context(); len(c.Entries) != 1 || c.Entries[0].Reply.Text != "done" || len(r.messages()) != 2 {
			t.Errorf("got %+v", c.Entries)
		}
	})
	t.Run("commits what a tool had ended", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.send("work")
		r.stops(func(ctx context.Context, x *seat.Turn) {
			r.calls(ctx, x, call("wait", `{"after":"1h","note":"go on"}`))
		})
		if c := r.context(); c.Busy != nil || len(c.Entries) != 1 || c.Entries[0].Status != seat.StatusWaiting {
			t.Errorf("got %+v", c)
		}
	})
	t.Run("commits a turn that failed by itself, and one that the operator stopped, as failed", func(t *testing.T) {
		t.Parallel()
		for name, end := range map[string]func(*room, context.Context) error{
			"by itself": func(*room, context.Context) error { return errors.New("the model is gone") },
			"by the operator": func(r *room, ctx context.Context) error {
				_, err := r.svc.Stop(ctx, id)
				<-ctx.Done()
				return errors.Join(err, ctx.Err())
			},
		} {
			r := newRoom(t)
			r.send("work")
			ctx, stop := context.WithCancel(r.ctx())
			err := r.svc.Run(ctx, func(ctx context.Context, x *seat.Turn) (string, error) {
				defer stop()
				return "", end(r, ctx)
			}, &r.run)
			if c := r.context(); !errors.Is(err, context.Canceled) && err != nil || c.Busy != nil || len(c.Entries) != 1 || c.Entries[0].Status != seat.StatusFailed {
				t.Errorf("%s: got %+v, %v", name, c, err)
			}
		}
	})
}

// hanging answers nothing until it is let go, whatever becomes of the question.
type hanging struct {
	jobs
	hangs bool
	free  chan struct{}
}

func (h *hanging) JobStatus(ctx context.Context, seat arc.SeatID, job string) (string, bool, error) {
	if h.hangs {
		<-h.free
	}
	return h.jobs.JobStatus(ctx, seat, job)
}

func TestAJobWhoseStatusHangs(t *testing.T) {
	t.Parallel()
	t.Run("holds up no other seat", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		h := &hanging{jobs: jobs{"job_1": "running"}, free: make(chan struct{})}
		r.run.Jobs = h
		r.send("wait")
		var results []*arc.Result
		r.turns(r.calling(&results, "", call("wait", `{"job_id":"job_1","note":"n"}`)))
		if _, err := r.svc.Join(r.ctx(), seat.Spec{Room: "other"}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: seat.Ref{RunID: "other"}, Text: "hello"}); err != nil {
			t.Fatal(err)
		}
		h.hangs = true
		list := r.turns(func(context.Context, *seat.Turn) (string, error) {
			close(h.free) // were Run held up, nobody would come here
			return "ok", nil
		})
		if len(list) != 1 || list[0].Prompt != "hello" {
			t.Errorf("got %+v", list)
		}
	})
	t.Run("is not waited for by its seat's next turn for long", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		set, err := tools.NewSet([]arc.Provider{starter{}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.set = set
		h := &hanging{jobs: jobs{"job_1": "running", "job_2": "running", "job_3": "running"}, free: make(chan struct{})}
		r.run.Jobs = h
		r.send("start them")
		var results []*arc.Result
		r.turns(r.calling(&results, "started", call("start", `{}`)))
		r.send("and now?")
		h.hangs = true
		list := r.turns(func(context.Context, *seat.Turn) (string, error) { close(h.free); return "ok", nil })
		if len(list) != 1 {
			t.Errorf("got %+v", list)
		}
	})
}

// panicking is a host that cannot be asked about jobs at all.
type panicking struct{}

func (panicking) JobStatus(context.Context, arc.SeatID, string) (string, bool, error) {
	panic("no jobs here")
}

// nameless are jobs whose processes cannot be asked for.
type nameless struct{ jobs }

func (nameless) JobPID(arc.SeatID, string) int { panic("no processes here") }

func TestAHostThatPanicsOverAJob(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.run.Jobs = jobs{"job_1": "running"}
	r.send("wait")
	var results []*arc.Result
	r.turns(r.calling(&results, "", call("wait", `{"job_id":"job_1","note":"n"}`)))
	r.run.Jobs = panicking{}
	r.send("and now?")
	if list := r.turns(say("ok")); len(list) != 1 {
		t.Errorf("got %+v", list)
	}
	if c := r.context(); len(c.PendingWakes) != 1 {
		t.Errorf("the wait is gone: %+v", c)
	}
	set, err := tools.NewSet([]arc.Provider{seat.Tools(), starter{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.set, r.run.Jobs = set, nameless{jobs{"job_1": "running", "job_2": "completed", "job_3": "completed"}}
	for range 2 { // a job that was left is looked at when the next turn begins
		r.send("start one")
		if list := r.turns(r.calling(&results, "ok", call("start", `{}`))); len(list) != 1 {
			t.Errorf("got %+v", list)
		}
	}
}

func TestAnEndedWakeHasNoTimer(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.run.Jobs = jobs{"job_1": "running", "job_2": "running"}
	timers := func(after string, want int) {
		t.Helper()
		if got := r.svc.Timers(); got != want {
			t.Errorf("after %s there are %d timers, want %d", after, got, want)
		}
	}
	wait := func(args string) {
		t.Helper()
		r.send("wait")
		var results []*arc.Result
		r.turns(r.calling(&results, "", call("wait", args)))
		if results[0].Err != nil {
			t.Fatal(results[0].Err)
		}
	}
	wait(`{"job_id":"job_1","note":"n"}`)
	timers("a wait", 1)
	wait(`{"job_id":"job_1","note":"again"}`)
	timers("its replacement", 1)
	if err := r.svc.Notify(r.ctx(), id, "job_1", "completed", "ended"); err != nil {
		t.Fatal(err)
	}
	timers("its end", 0)
	r.turns(say("ok"))
	r.run.Jobs = jobs{"job_2": "completed"}
	wait(`{"job_id":"job_2","note":"n"}`)
	timers("a wait that is over at once", 0)
	r.arms(remind("1h", "n"))
	timers("a reminder", 1)
	if _, err := r.rewind(seat.RewindArgs{TurnID: string(r.context().LastTurnID)}); err != nil {
		t.Fatal(err)
	}
	timers("its turn was forgotten", 0)
	r.arms(remind("1h", "n"), remind("1m", "n"))
	r.clock.Advance(time.Minute)
	r.turns(say("ok"))
	timers("one of two has come", 1)
	r.finishes(`{"summary":"s"}`)
	timers("the run has finished", 0)
}

// watched is a clock that tells when somebody begins to wait.
type watched struct {
	*seattest.Clock
	waits chan struct{}
}

func (w watched) After(d time.Duration) <-chan time.Time {
	c := w.Clock.After(d)
	select {
	case w.waits <- struct{}{}:
	default:
	}
	return c
}

func TestWhoWaitsIsToldOfATurnThatIsGivenUp(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	q := r.send("work")
	for range 2 {
		r.dies(func(context.Context, *seat.Turn) {})
	}
	clock := watched{r.clock, make(chan struct{}, 1)}
	r.o.Clock = clock
	r.restart()
	ended := make(chan string, 1)
	go func() {
		status, _, err := r.svc.Await(r.ctx(), q.ID)
		ended <- fmt.Sprint(status, err)
	}()
	<-clock.waits
	r.turns(say("nobody runs it"))
	if got := <-ended; got != "failed<nil>" {
		t.Errorf("got %s", got)
	}
}
