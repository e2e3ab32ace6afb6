package seat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
)

// reader is a workspace that can be read.
type reader struct{}

func (reader) Tools() []arc.Tool {
	return []arc.Tool{
		tools.Func(arc.Definition{Name: "workspace_list", Effects: arc.Effects{ReadOnly: true}}, func(context.Context, struct{}) (string, error) { return "a.go", nil }),
		tools.Func(arc.Definition{Name: "workspace_write"}, func(context.Context, struct{}) (string, error) { return "", errors.New("written") }),
	}
}

func planning(t *testing.T) *room {
	r := newRoom(t)
	set, err := tools.NewSet([]arc.Provider{seat.Tools(), reader{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.set = set
	r.run.Env.Project = true
	return r
}

// plans runs a planning turn.
func (r *room) plans(calls ...arc.Call) []*arc.Result {
	r.t.Helper()
	if _, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: ref, Text: "plan", Mode: arc.Planning}); err != nil {
		r.t.Fatal(err)
	}
	var results []*arc.Result
	r.turns(r.calling(&results, "", calls...))
	return results
}

func submit(t *testing.T, files ...string) arc.Call {
	t.Helper()
	args, err := json.Marshal(map[string]any{"summary": "do it", "subtasks": []any{
		map[string]any{"title": "one", "instruction": "write", "target_files": files, "acceptance": "it is there"},
		map[string]any{"title": "two", "instruction": "test", "target_files": []string{"b.go"}, "acceptance": "green"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return call("submit_plan", string(args))
}

var list = call("workspace_list", `{}`)

type planAnswer struct {
	Status   string
	PlanID   string `json:"plan_id"`
	Revision int64
	Subtasks []struct{ ID int }
}

func TestPlans(t *testing.T) {
	t.Parallel()
	t.Run("a plan is recorded and ends the turn; approved, it is tasks in order", func(t *testing.T) {
		t.Parallel()
		r := planning(t)
		results := r.plans(list, submit(t, "a.go"))
		p := data[planAnswer](t, results[1])
		if p.Status != "planned" || p.Revision != 1 || len(p.Subtasks) != 2 || results[1].End != arc.Planned {
			t.Fatalf("got %+v", p)
		}
		got, err := r.svc.Approve(r.ctx(), r.op, p.PlanID, 1)
		if err != nil || got.State != seat.PlanApproved {
			t.Fatalf("got %+v, %v", got, err)
		}
		if again, err := r.svc.Approve(r.ctx(), r.op, p.PlanID, 1); err != nil || again.Task != got.Task {
			t.Errorf("twice: got %+v, %v", again, err)
		}
		tasks, err := r.svc.Tasks(r.ctx(), "demo")
		if err != nil || len(tasks) != 3 || tasks[1].Parent != got.Task || !strings.HasPrefix(tasks[1].Text, "one") || !strings.HasPrefix(tasks[2].Text, "two") {
			t.Fatalf("got %+v, %v", tasks, err)
		}
		if f := r.finishes(`{"summary":"s"}`); f.Status != "not_finished" || f.Missing[0].Gate != "plan" {
			t.Errorf("got %+v", f)
		}
		for _, m := range tasks[1:] {
			if err := r.svc.EndTask(r.ctx(), m.ID, seat.TaskDone); err != nil {
				t.Fatal(err)
			}
		}
		if f := r.finishes(`{"summary":"s"}`); f.Status != "finished" {
			t.Errorf("got %+v", f)
		}
	})
	t.Run("the tasks of an operator without a name are the operator's", func(t *testing.T) {
		t.Parallel()
		r := planning(t)
		p := data[planAnswer](t, r.plans(list, submit(t, "a.go"))[1])
		if _, err := r.svc.Approve(r.ctx(), seat.Operator{}, p.PlanID, 1); err != nil {
			t.Fatal(err)
		}
		tasks, err := r.svc.Tasks(r.ctx(), "demo")
		if err != nil || len(tasks) != 3 || tasks[0].Author != "operator" || tasks[2].Author != "operator" {
			t.Errorf("got %+v, %v", tasks, err)
		}
	})
	t.Run("a plan whose task was cancelled keeps no run from finishing", func(t *testing.T) {
		t.Parallel()
		r := planning(t)
		p := data[planAnswer](t, r.plans(list, submit(t, "a.go"))[1])
		approved, err := r.svc.Approve(r.ctx(), r.op, p.PlanID, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.svc.EndTask(r.ctx(), approved.Task, seat.TaskCancelled); err != nil {
			t.Fatal(err)
		}
		if f := r.finishes(`{"summary":"s"}`); f.Status != "finished" {
			t.Errorf("got %+v", f)
		}
	})
	t.Run("a plan whose shape and whose content are wrong is told all of it at once", func(t *testing.T) {
		t.Parallel()
		r := planning(t)
		shapeless := call("submit_plan", `{"summary":" ","subtasks":[{"title":"one","target_files":["../x","*.go"],"acceptance":""}]}`)
		text := r.plans(shapeless)[0].String()
		for _, want := range []string{
			`"code":"invalid_arguments"`, `subtasks[0].instruction`, `"summary is blank"`, `"subtask 1: acceptance is blank"`,
			`leads out of the project`, `is a pattern`, `workspace_not_inspected`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing in %s", want, text)
			}
		}
		if strings.Contains(text, "instruction is blank") {
			t.Errorf("one problem is told twice: %s", text)
		}
	})
	t.Run("an approved plan is not rejected, and the task to cancel is named", func(t *testing.T) {
		t.Parallel()
		r := planning(t)
		p := data[planAnswer](t, r.plans(list, submit(t, "a.go"))[1])
		approved, err := r.svc.Approve(r.ctx(), r.op, p.PlanID, 1)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.svc.Reject(r.ctx(), r.op, p.PlanID, 1)
		code(t, err, arc.InvalidArguments)
		if want := fmt.Sprintf("the plan was approved already and is task %d; cancel that task instead.", approved.Task); !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	})
	t.Run("a later plan supersedes one that nobody decided on, and the old cannot be enacted", func(t *testing.T) {
		t.Parallel()
		r := planning(t)
		one := data[planAnswer](t, r.plans(list, submit(t, "a.go"))[1])
		two := data[planAnswer](t, r.plans(list, submit(t, "c.go"))[1])
		_, err := r.svc.Approve(r.ctx(), r.op, one.PlanID, 1)
		code(t, err, seat.RevisionMismatch)
		_, err = r.svc.Approve(r.ctx(), r.op, two.PlanID, 1)
		code(t, err, seat.RevisionMismatch)
		if _, err := r.svc.Reject(r.ctx(), r.op, two.PlanID, 2); err != nil {
			t.Error(err)
		}
		_, err = r.svc.Approve(r.ctx(), seat.Operator{Rooms: []string{"other"}}, two.PlanID, 2)
		code(t, err, arc.Forbidden)
	})
	t.Run("rewinding withdraws a plan that was not approved", func(t *testing.T) {
		t.Parallel()
		r := planning(t)
		p := data[planAnswer](t, r.plans(list, submit(t, "a.go"))[1])
		a := seat.RewindArgs{Ref: ref, TurnID: string(r.context().LastTurnID), DryRun: true}
		_, d, err := r.svc.Rewind(r.ctx(), r.op, a)
		if err != nil || !slices.Equal(d.WouldWithdrawPlans, []string{p.PlanID}) {
			t.Errorf("a dry run tells %+v, %v", d, err)
		}
		f, err := r.rewind(seat.RewindArgs{TurnID: a.TurnID})
		if err != nil || !slices.Equal(f.WithdrawnPlans, []string{p.PlanID}) {
			t.Errorf("got %+v, %v", f, err)
		}
		_, err = r.svc.Approve(r.ctx(), r.op, p.PlanID, 1)
		code(t, err, seat.TurnSuperseded)
	})
	t.Run("a path may have letters of patterns in its name, and no wildcard", func(t *testing.T) {
		t.Parallel()
		r := planning(t)
		for file, want := range map[string]arc.Code{
			"app/blog/[id].tsx": "", "app/{slug}/page.tsx": "", "src/*.go": seat.PlanInvalid, "src/a?.go": seat.PlanInvalid, "a\nb.go": seat.PlanInvalid,
		} {
			x := r.plans(list, submit(t, file))[1]
			if want == "" && x.Err != nil || want != "" && !errors.Is(x.Err, want) {
				t.Errorf("%q: got %v", file, x.Err)
			}
		}
	})
	t.Run("all that is wrong is told at once, and the turn goes on", func(t *testing.T) {
		t.Parallel()
		r := planning(t)
		r.run.Paths = paths{"gone/x.go": "is in a folder that does not exist"}
		x := r.plans(call("submit_plan", `{"summary":" ","subtasks":[{"title":"","instruction":"i","acceptance":"\t","target_files":["*.go","../x","/etc/passwd","gone/x.go"]}]}`))[0]
		code(t, x.Err, seat.PlanInvalid)
		for _, want := range []string{"summary is blank", "title is blank", "acceptance is blank", `is a pattern`, "leads out of the project", "not a relative path", "folder that does not exist", "workspace_not_inspected"} {
			if !strings.Contains(x.String(), want) {
				t.Errorf("%s is not told: %s", want, x)
			}
		}
		if x.End != arc.Continue {
			t.Error("the turn ended")
		}
	})
	t.Run("thirteen subtasks, and one without files, are refused", func(t *testing.T) {
		t.Parallel()
		r := planning(t)
		one := `{"title":"t","instruction":"i","acceptance":"a","target_files":["a.go"]}`
		thirteen := `{"summary":"s","subtasks":[` + strings.Repeat(one+",", 12) + one + `]}`
		none := `{"summary":"s","subtasks":[{"title":"t","instruction":"i","acceptance":"a","target_files":[]}]}`
		for _, x := range r.plans(list, call("submit_plan", thirteen), call("submit_plan", none))[1:] {
			code(t, x.Err, arc.InvalidArguments)
		}
	})
	t.Run("nothing that changes something can be called, also after a restart", func(t *testing.T) {
		t.Parallel()
		r := planning(t)
		if _, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: ref, Text: "plan", Mode: arc.Planning}); err != nil {
			t.Fatal(err)
		}
		r.restart()
		var results []*arc.Result
		r.turns(r.calling(&results, "text alone",
			call("workspace_write", `{}`), remind("1m", "n"), call("wait", `{"after":"1m","note":"n"}`), finish(`{"summary":"s"}`), call("save_notes", `{"notes":"ok"}`)))
		for _, x := range results[:4] {
			code(t, x.Err, arc.Unavailable)
		}
		if results[4].Err != nil {
			t.Error(results[4].Err)
		}
		if c := r.context(); c.Entries[0].Status != seat.StatusAnswered {
			t.Errorf("text alone ends as %s", c.Entries[0].Status)
		}
	})
	t.Run("an answer is the reply and ends the turn", func(t *testing.T) {
		t.Parallel()
		r := planning(t)
		results := r.plans(call("answer_user", `{"answer":" "}`), call("answer_user", `{"answer":"It depends."}`))
		code(t, results[0].Err, arc.InvalidArguments)
		if c := r.context(); results[1].End != arc.Answered || c.Entries[0].Reply.Text != "It depends." {
			t.Errorf("got %v, %+v", results[1], c.Entries)
		}
	})
}

// paths are those that a plan cannot name, and why.
type paths map[string]string

func (p paths) CheckTarget(_ context.Context, path string) error {
	if why, ok := p[path]; ok {
		return errors.New(why)
	}
	return nil
}
