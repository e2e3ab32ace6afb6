package seat_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// busyRoom has something for every call to do: a room with a history, a task, a plan
// to decide on and a wake that is due, and another with a turn that was interrupted
// and one that waits.
type busyRoom struct {
	*room
	last   arc.TurnID
	task   int64
	plan   string
	wake   string
	queued string
}

var otherRef = seat.Ref{RunID: "other"}

func newBusyRoom(t *testing.T, path string) *busyRoom {
	t.Helper()
	b := &busyRoom{room: newRoomAt(t, path)}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := b.svc.Join(b.ctx(), seat.Spec{Room: "other"})
	must(err)
	_, err = b.svc.Send(b.ctx(), seat.Prompt{Ref: otherRef, Text: "to be interrupted"})
	must(err)
	b.dies(func(context.Context, *seat.Turn) {})
	b.run.Seats = []arc.SeatID{id}
	b.task, err = b.svc.AddTask(b.ctx(), seat.Message{Room: "demo", Text: "task"})
	must(err)
	b.wake = data[armed](t, b.arms(remind("1m", "n"))[0]).ID
	_, err = b.svc.Send(b.ctx(), seat.Prompt{Ref: ref, Text: "plan", Mode: arc.Planning})
	must(err)
	var results []*arc.Result
	b.turns(b.calling(&results, "", submit(t, "a.go")))
	b.plan = data[planAnswer](t, results[0]).PlanID
	b.last = b.exchange("last", "reply")
	q, err := b.svc.Send(b.ctx(), seat.Prompt{Ref: otherRef, Text: "to come"})
	must(err)
	b.queued = q.ID
	b.clock.Advance(time.Minute)
	return b
}

// Every call that writes, and every one that reads alone.
var (
	writes = map[string]func(*busyRoom) error{
		"Join": func(b *busyRoom) error { _, err := b.svc.Join(b.ctx(), seat.Spec{Room: "new"}); return err },
		"Send": func(b *busyRoom) error {
			_, err := b.svc.Send(b.ctx(), seat.Prompt{Ref: otherRef, Text: "more"})
			return err
		},
		"Run": func(b *busyRoom) error {
			return b.svc.Run(b.ctx(), say("x"), &seat.RunOptions{Idle: true})
		},
		"Stop":   func(b *busyRoom) error { _, err := b.svc.Stop(b.ctx(), "other/main"); return err },
		"Bind":   func(b *busyRoom) error { return b.svc.Bind(b.ctx(), id, "elsewhere") },
		"Wake":   func(b *busyRoom) error { _, err := b.svc.Wake(b.ctx(), b.wake); return err },
		"Notify": func(b *busyRoom) error { return b.svc.Notify(b.ctx(), id, "job_1", "completed", "ended") },
		"Post": func(b *busyRoom) error {
			_, err := b.svc.Post(b.ctx(), seat.Message{Room: "demo", Author: "bob", Text: "x"})
			return err
		},
		"AddTask": func(b *busyRoom) error {
			_, err := b.svc.AddTask(b.ctx(), seat.Message{Room: "demo", Text: "x"})
			return err
		},
		"EndTask": func(b *busyRoom) error { return b.svc.EndTask(b.ctx(), b.task, seat.TaskDone) },
		"Approve": func(b *busyRoom) error { _, err := b.svc.Approve(b.ctx(), b.op, b.plan, 1); return err },
		"Reject":  func(b *busyRoom) error { _, err := b.svc.Reject(b.ctx(), b.op, b.plan, 1); return err },
		"Retry": func(b *busyRoom) error {
			_, err := b.retry(seat.RetryArgs{TurnID: string(b.last), RequestID: "retry"})
			return err
		},
		"Rewind": func(b *busyRoom) error {
			_, err := b.rewind(seat.RewindArgs{TurnID: string(b.last), RequestID: "rewind"})
			return err
		},
		"EditReply": func(b *busyRoom) error {
			_, err := b.svc.EditReply(b.ctx(), b.op, seat.EditArgs{Ref: ref, TurnID: string(b.last), Content: "new"})
			return err
		},
		"Exclude": func(b *busyRoom) error {
			_, err := b.svc.Exclude(b.ctx(), b.op, seat.ExcludeArgs{Ref: ref, TurnID: string(b.last)})
			return err
		},
	}
	views = map[string]func(*busyRoom) error{
		"Seat":     func(b *busyRoom) error { _, err := b.svc.Seat(b.ctx(), b.op, ref); return err },
		"Seats":    func(b *busyRoom) error { _, err := b.svc.Seats(b.ctx(), ""); return err },
		"Wakes":    func(b *busyRoom) error { _, err := b.svc.Wakes(b.ctx(), id); return err },
		"Messages": func(b *busyRoom) error { _, err := b.svc.Messages(b.ctx(), "demo", 0, 0); return err },
		"Audit":    func(b *busyRoom) error { _, err := b.svc.Audit(b.ctx(), 1); return err },
		"Asked":    func(b *busyRoom) error { _, err := b.svc.Asked(b.ctx(), b.last); return err },
		"Tasks":    func(b *busyRoom) error { _, err := b.svc.Tasks(b.ctx(), "demo"); return err },
		"Plans":    func(b *busyRoom) error { _, err := b.svc.Plans(b.ctx(), id); return err },
		"Context": func(b *busyRoom) error {
			_, err := b.svc.Context(b.ctx(), b.op, seat.ContextArgs{Ref: ref})
			return err
		},
		"Status": func(b *busyRoom) error { _, err := b.svc.Status(b.ctx(), b.op, seat.StatusArgs{Ref: ref}); return err },
		"a dry run": func(b *busyRoom) error {
			_, _, err := b.svc.Rewind(b.ctx(), b.op, seat.RewindArgs{Ref: ref, TurnID: string(b.last), DryRun: true})
			return err
		},
		"Await": func(b *busyRoom) error {
			ctx, cancel := context.WithCancel(b.ctx())
			cancel() // what it waits for does not come here
			if _, _, err := b.svc.Await(ctx, b.queued); !errors.Is(err, context.Canceled) {
				return err
			}
			return nil
		},
	}
	// What a turn's handler and its tools call.
	within = map[string]func(context.Context, *busyRoom, *seat.Turn) error{
		"Step": func(ctx context.Context, _ *busyRoom, x *seat.Turn) error { _, err := x.Step(ctx); return err },
		"Say":  func(ctx context.Context, _ *busyRoom, x *seat.Turn) error { return x.Say(ctx, "so far") },
		"Record": func(ctx context.Context, b *busyRoom, x *seat.Turn) error {
			if r := b.calls(ctx, x, call("save_notes", `{"notes":"n"}`))[0]; r.Err != nil {
				return r.Err
			}
			return nil
		},
		"SaveNotes": func(ctx context.Context, _ *busyRoom, x *seat.Turn) error {
			_, err := x.Seat.SaveNotes(ctx, "c1", "n")
			return err
		},
		"Remind": func(ctx context.Context, _ *busyRoom, x *seat.Turn) error {
			_, err := x.Seat.Remind(ctx, "c2", arc.Reminder{After: time.Minute, Note: "n"})
			return err
		},
		"Wait": func(ctx context.Context, _ *busyRoom, x *seat.Turn) error {
			_, err := x.Seat.Wait(ctx, "c3", arc.Wait{After: time.Minute, Note: "n"})
			return err
		},
		"Finish": func(ctx context.Context, _ *busyRoom, x *seat.Turn) error {
			_, err := x.Seat.Finish(ctx, "c4", arc.Finish{Summary: "s"})
			return err
		},
		"SubmitPlan": func(ctx context.Context, _ *busyRoom, x *seat.Turn) error {
			_, err := x.Seat.SubmitPlan(ctx, "c5", arc.Plan{Summary: "s", Subtasks: []arc.Subtask{{Title: "t", Instruction: "i", Acceptance: "a", TargetFiles: []string{"f"}}}})
			return err
		},
		"Answer": func(ctx context.Context, _ *busyRoom, x *seat.Turn) error {
			_, err := x.Seat.Answer(ctx, "c6", "a")
			return err
		},
	}
)

// No call of a Service is missing above.
func TestFaultsAreTriedWithEveryCall(t *testing.T) {
	t.Parallel()
	of := reflect.TypeFor[*seat.Service]()
	for i := range of.NumMethod() {
		name := of.Method(i).Name
		if name == "Claim" || name == "Timers" { // of the tests alone
			continue
		}
		if writes[name] == nil && views[name] == nil {
			t.Errorf("%s is not tried", name)
		}
	}
}

// told fails unless err has the code, is a sentence for a model, and names no path.
func told(t *testing.T, what string, err error, want arc.Code) {
	t.Helper()
	var e *arc.Error
	if !errors.As(err, &e) || e.Code != want || strings.Contains(e.Message, "/") || !strings.HasSuffix(e.Message, ".") {
		t.Errorf("%s: got %v, want %s", what, err, want)
	}
}

// faulty is a store whose disk fails.
type faulty struct {
	seat.Store
	mu            sync.Mutex
	write, always error
	refused       int // updates
}

func (f *faulty) fail(write, always error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.write, f.always = write, always
}

func (f *faulty) Update(ctx context.Context, fn func(*seat.Tx) error) error {
	f.mu.Lock()
	err := errors.Join(f.always, f.write)
	if err != nil {
		f.refused++
	}
	f.mu.Unlock()
	if err != nil {
		return err
	}
	return f.Store.Update(ctx, fn)
}

func (f *faulty) View(ctx context.Context, fn func(*seat.Tx) error) error {
	f.mu.Lock()
	err := f.always
	f.mu.Unlock()
	if err != nil {
		return err
	}
	return f.Store.View(ctx, fn)
}

func TestWhatTheStoreCannotDoIsToldByEveryCall(t *testing.T) {
	t.Parallel()
	for _, c := range []arc.Code{arc.IOError, arc.NoSpace, arc.PermissionDenied, arc.Locked} {
		t.Run(string(c), func(t *testing.T) {
			t.Parallel()
			b := newBusyRoom(t, "")
			f := &faulty{Store: b.store}
			svc, err := seat.Open(t.Context(), f, &b.o)
			if err != nil {
				t.Fatal(err)
			}
			b.svc = svc
			before := dump(t, b.room)
			fault := &arc.Error{Code: c, Message: "the disk of the seats cannot do that now; try again."}
			f.fail(fault, nil)
			for name, do := range writes {
				told(t, name, do(b), c)
			}
			for name, do := range views {
				if err := do(b); err != nil {
					t.Errorf("%s needs to write: %v", name, err)
				}
			}
			f.fail(nil, fault)
			for name, do := range writes {
				told(t, name, do(b), c)
			}
			for name, do := range views {
				if name != "Await" { // which has seen that its caller is gone
					told(t, name, do(b), c)
				}
			}
			_, err = seat.Open(t.Context(), f, nil)
			told(t, "Open", err, c)
			if dump(t, b.room) != before {
				t.Error("something was written")
			}
			f.fail(nil, nil)
			for name, do := range within {
				b.inTurn(t, name, func(ctx context.Context, x *seat.Turn) {
					f.fail(nil, fault)
					told(t, name, do(ctx, b, x), c)
					f.fail(nil, nil)
				})
			}
		})
	}
}

// inTurn runs one turn of the first room, of a mode that has what is called.
func (b *busyRoom) inTurn(t *testing.T, what string, fn func(context.Context, *seat.Turn)) {
	t.Helper()
	p := seat.Prompt{Ref: ref, Text: what}
	if what == "SubmitPlan" || what == "Answer" {
		p.Mode = arc.Planning
	}
	if _, err := b.svc.Send(b.ctx(), p); err != nil {
		t.Fatal(err)
	}
	ran := false
	b.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
		if x.Prompt == what {
			ran = true
			fn(ctx, x)
		}
		return "ok", nil
	})
	if !ran {
		t.Errorf("no turn ran for %s", what)
	}
}
