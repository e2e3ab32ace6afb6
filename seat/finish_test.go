package seat_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
)

type finishAnswer struct {
	Status         string
	RunID          string   `json:"run_id"`
	CancelledWakes []string `json:"cancelled_wakes"`
	Missing        []seat.Missing
	Unavailable    []struct{ Gate, Reason string }
	Warnings       []string
	Escalated      bool
}

func finish(args string) arc.Call { return call("finish", args) }

// finishes runs one turn that calls finish and tells the answer.
func (r *room) finishes(args string) finishAnswer {
	r.t.Helper()
	r.send("finish")
	var results []*arc.Result
	r.turns(r.calling(&results, "", finish(args)))
	return data[finishAnswer](r.t, results[0])
}

func TestFinish(t *testing.T) {
	t.Parallel()
	t.Run("ends the run, and a new prompt opens the next with the same memory", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.arms(remind("1h", "n"))
		got := r.finishes(`{"summary":"all done"}`)
		if got.Status != "finished" || got.RunID != "demo" || len(got.CancelledWakes) != 1 {
			t.Fatalf("got %+v", got)
		}
		if rows := r.messages(); rows[len(rows)-1].Text != "all done" {
			t.Errorf("the reply is %q", rows[len(rows)-1].Text)
		}
		r.clock.Advance(2 * 3600e9)
		if list := r.turns(say("x")); len(list) != 0 {
			t.Error("a reminder of a finished run came")
		}
		r.send("more")
		list := r.turns(say("ok"))
		if list[0].Origin.Run != "demo#2" || len(list[0].Replay) != 2 {
			t.Errorf("got %+v", list[0])
		}
	})
	t.Run("tells all that is missing at once, and what to do", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.run.Jobs = numbered{jobs{"job_1": "running", "job_2": "running", "job_3": "completed"}}
		r.run.Keep = func(job string) bool { return job == "job_2" }
		r.run.Gates = []seat.Gate{
			gate("tests", seat.Verdict{Missing: "a test is red", Next: "mend it"}, nil),
			gate("recovery", seat.Verdict{Warning: "one change is unclear"}, nil),
			gate("lint", seat.Verdict{}, errors.New("no linter here")),
		}
		set, err := tools.NewSet([]arc.Provider{seat.Tools(), starter{}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.set = set
		r.send("first")
		r.send("second")
		var results []*arc.Result
		n := 0
		r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
			if n++; n == 1 {
				results = r.calls(ctx, x, call("start", `{}`), finish(`{"summary":"s","reply_message_id":1}`))
			}
			return "ok", nil
		})
		got := data[finishAnswer](t, results[1])
		var gates []string
		for _, m := range got.Missing {
			gates = append(gates, m.Gate)
			if m.Detail == "" || m.Next == "" {
				t.Errorf("%s says %+v", m.Gate, m)
			}
		}
		if got.Status != "not_finished" || fmt.Sprint(gates) != "[reply operator_messages jobs tests]" || results[1].End != arc.Continue {
			t.Errorf("got %+v", got)
		}
		if next := got.Missing[2].Next; next != "wait for job_1, or end it: its pid is 4711, and kill -- -4711 ends all of its processes" {
			t.Errorf("of the job it says %q", next)
		}
		if len(got.Unavailable) != 1 || got.Unavailable[0].Gate != "lint" || strings.Contains(got.Unavailable[0].Reason, "no linter") || len(got.Warnings) != 1 {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a reply has to be this seat's, of this run, and not superseded", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.finishes(`{"summary":"first run"}`) // messages 1 and 2
		ids := r.exchange("p", "r")           // 3 and 4
		if _, err := r.retry(seat.RetryArgs{TurnID: string(ids)}); err != nil {
			t.Fatal(err)
		}
		r.turns(say("r2")) // 5
		for message, why := range map[int]string{99: "there is no message", 3: "not this seat's", 2: "another run", 4: "superseded"} {
			got := r.finishes(fmt.Sprintf(`{"summary":"s","reply_message_id":%d}`, message))
			if got.Status != "not_finished" || !strings.Contains(got.Missing[0].Detail, why) || got.Missing[0].Next == "" {
				t.Errorf("%d: got %+v", message, got)
			}
		}
		if got := r.finishes(`{"summary":"s","reply_message_id":5}`); got.Status != "finished" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a gate that panics could not be asked, and holds nothing up", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.run.Gates = []seat.Gate{{Name: "tests", Check: func(context.Context, arc.Origin, arc.Finish) (seat.Verdict, error) { panic("no") }}}
		r.send("x")
		var results []*arc.Result
		r.turns(r.calling(&results, "ok", finish(`{"summary":"s"}`)))
		if results[0].End != arc.Finished || !strings.Contains(results[0].String(), `"unavailable":[{"gate":"tests"`) {
			t.Errorf("got %s", results[0])
		}
	})
	t.Run("the same answer three times is the host's business", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		told := 0
		r.run.Gates = []seat.Gate{gate("tests", seat.Verdict{Missing: "red", Next: "mend"}, nil)}
		r.run.Escalate = func(o arc.Origin, m []seat.Missing) { told++ }
		r.send("x")
		var results []*arc.Result
		again := finish(`{"summary":"s"}`)
		r.turns(r.calling(&results, "ok", again, again, again, again))
		if told != 1 || data[finishAnswer](t, results[1]).Escalated || !data[finishAnswer](t, results[2]).Escalated {
			t.Errorf("told %d times", told)
		}
	})
	t.Run("after it every tool of the seat answers run_finished", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.send("x")
		r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
			one, err := x.Seat.Finish(ctx, "c1", arc.Finish{Summary: "s"})
			if err != nil {
				t.Error(err)
			}
			two, err := x.Seat.Finish(ctx, "c2", arc.Finish{Summary: "s"})
			if err != nil || one.String() != two.String() {
				t.Errorf("the second time: %v, %v", two, err)
			}
			_, err = x.Seat.SaveNotes(ctx, "c3", "n")
			code(t, err, seat.RunFinished)
			_, err = x.Seat.Remind(ctx, "c4", arc.Reminder{After: 1e9, Note: "n"})
			code(t, err, seat.RunFinished)
			return "", nil
		})
	})
	t.Run("rewinding over it opens the run again", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.exchange("p1", "r1")
		r.finishes(`{"summary":"done"}`)
		last := r.context().LastTurnID
		if _, err := r.rewind(seat.RewindArgs{TurnID: string(last)}); err != nil {
			t.Fatal(err)
		}
		r.send("more")
		if list := r.turns(say("ok")); list[0].Origin.Run != "demo" {
			t.Errorf("the run is %s", list[0].Origin.Run)
		}
	})
	t.Run("rewinding over it arms again what it had cancelled, of turns that stand", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		task, err := r.svc.AddTask(r.ctx(), seat.Message{Room: "demo", Text: "review"})
		if err != nil {
			t.Fatal(err)
		}
		r.arms(remind("1h", "stays"))
		r.send("wait")
		var results []*arc.Result
		r.turns(r.calling(&results, "", call("wait", fmt.Sprintf(`{"task_id":%d,"note":"reviewed"}`, task))))
		forgotten := r.arms(remind("1h", "goes"))
		first := r.context().LastTurnID
		r.finishes(`{"summary":"done"}`)
		if c := r.context(); len(c.PendingWakes) != 0 {
			t.Fatalf("armed: %+v", c.PendingWakes)
		}
		if err := r.svc.EndTask(r.ctx(), task, seat.TaskDone); err != nil { // nobody is woken
			t.Fatal(err)
		}
		_, d, err := r.svc.Rewind(r.ctx(), r.op, seat.RewindArgs{Ref: ref, TurnID: string(first), DryRun: true})
		if err != nil || len(d.WouldRearmWakes) != 2 || d.WouldReopenRun != "demo" {
			t.Errorf("a dry run tells %+v, %v", d, err)
		}
		f, err := r.rewind(seat.RewindArgs{TurnID: string(first)})
		if err != nil || !slices.Equal(f.RearmedWakes, d.WouldRearmWakes) || f.ReopenedRun != "demo" || slices.Contains(f.RearmedWakes, data[armed](t, forgotten[0]).ID) {
			t.Errorf("got %+v, %v", f, err)
		}
		list := r.turns(say("woken"))
		if len(list) != 1 || list[0].Wakes[0].Outcome != "completed" || list[0].Origin.Run != "demo" {
			t.Errorf("the task's end brings %+v", list)
		}
		r.clock.Advance(2 * time.Hour)
		if list := r.turns(say("reminded")); len(list) != 1 || !strings.Contains(list[0].Prompt, "stays") {
			t.Errorf("the reminder brings %+v", list)
		}
	})
	t.Run("a later call that would end the turn is a conflict", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.send("x")
		var results []*arc.Result
		r.turns(r.calling(&results, "", finish(`{"summary":"s"}`), call("save_notes", `{"notes":"kept"}`), call("wait", `{"after":"1m","note":"n"}`)))
		if results[0].End != arc.Finished || results[1].Err != nil {
			t.Errorf("got %v, %v", results[0], results[1])
		}
		code(t, results[2].Err, arc.TerminalConflict)
	})
}

func gate(name string, v seat.Verdict, err error) seat.Gate {
	return seat.Gate{Name: name, Check: func(context.Context, arc.Origin, arc.Finish) (seat.Verdict, error) { return v, err }}
}

// numbered are jobs whose processes are known.
type numbered struct{ jobs }

func (numbered) JobPID(arc.SeatID, string) int { return 4711 }

// starter is a tool that leaves background jobs.
type starter struct{}

func (starter) Tools() []arc.Tool {
	return []arc.Tool{tools.Func(arc.Definition{Name: "start"}, func(context.Context, struct{}) (*arc.Result, error) {
		return &arc.Result{Touched: []arc.Touch{{Kind: "job", ID: "job_1"}, {Kind: "job", ID: "job_2"}, {Kind: "job", ID: "job_3"}}}, nil
	})}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.send("x")
	var results []*arc.Result
	long := strings.Repeat("é", 4001)
	r.turns(r.calling(&results, "ok",
		call("save_notes", `{"notes":"one"}`), call("save_notes", `{"notes":"`+long+`"}`), call("save_notes", `{"notes":"`+long[2:]+`"}`), call("save_notes", `{"notes":""}`)))
	if got := results[0].String(); got != `{"chars":3,"sha256":"7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed","version":1}` {
		t.Errorf("got %s", got)
	}
	code(t, results[1].Err, arc.InvalidArguments)
	if !strings.Contains(results[1].String(), `"chars":4001`) || !strings.Contains(results[2].String(), `"version":2`) || !strings.Contains(results[3].String(), `"chars":0`) {
		t.Errorf("got %s and %s", results[1], results[3])
	}
	r.send("y")
	list := r.turns(func(ctx context.Context, x *seat.Turn) (string, error) {
		one, err := x.Seat.SaveNotes(ctx, "c", "one")
		if err != nil {
			return "", err
		}
		if again, err := x.Seat.SaveNotes(ctx, "c", "two"); err != nil || again.String() != one.String() {
			t.Errorf("the call that saved %s says of other notes: %v, %v", one, again, err)
		}
		return "ok", nil
	})
	if list[0].Notes != "" {
		t.Errorf("got %q", list[0].Notes)
	}
}
