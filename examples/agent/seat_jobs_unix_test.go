//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/seat"
)

// A long build in the background: past its budget it becomes a job, other work is
// done, a wait on the job ends the turn, and the seat is resumed with its note and
// pages the whole log.
func TestALongBuildInTheBackground(t *testing.T) {
	t.Parallel()
	needBash(t)
	const size = logSize
	page := func(r *fakemodel.Request, pulled map[string]any) (string, []fakemodel.Call, error) {
		offset := "0"
		if last, ok := r.Last("shell_output"); ok {
			h := last.Header()
			if h["eof"] == true {
				return "The whole log is read.", nil, nil
			}
			next, ok := h["next_call"].(map[string]any)
			if !ok {
				return "", nil, fmt.Errorf("there is no next call: %.400s", last.Text)
			}
			return "", []fakemodel.Call{{Tool: next["tool"].(string), Args: next["arguments"]}}, nil
		}
		return "", []fakemodel.Call{{Tool: "shell_output", Args: json.RawMessage(`{"spool_id":"` + spoolIn(r) + `","offset":` + offset + `}`)}}, nil
	}
	pages := []fakemodel.Step{calls("tool_search", map[string]any{"query": "page a command's output"})}
	for range 200 {
		pages = append(pages, fakemodel.Step{Name: "page", Do: page})
	}
	g := newStage(t,
		fakemodel.Scene{Asked: "What you waited for", Script: fakemodel.Script{Steps: pages}},
		scene("Build it",
			calls("shell_exec", map[string]any{"command": fmt.Sprintf("sleep 3; yes 0123456789abcde | head -c %d; touch built", size), "block_budget_sec": 0.3}),
			fakemodel.Step{
				Name: "other work", When: fakemodel.Match{Fields: map[string]any{"status": "running"}},
				Pull:  map[string]fakemodel.Pull{"job": {Field: "job_id"}, "spool": {Field: "spool_id"}},
				Calls: []fakemodel.Call{{Tool: "workspace_write", Args: map[string]any{"path": "notes.txt", "content": "meanwhile\n"}}},
			},
			fakemodel.Step{Name: "wait", Calls: []fakemodel.Call{{Tool: "wait", Args: map[string]any{"job_id": "${job}", "note": "Page the log ${spool} to its end."}}}}),
	)
	p := g.start("-access", "full", "-serve", "Build it")
	p.sees("The whole log is read.")
	if code := p.interrupt(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	out := p.out.String()
	for _, want := range []string{"status waiting", "Wait for job:job_", "ended, completed", "Page the log sp_"} {
		if !strings.Contains(out, want) {
			t.Errorf("the screen does not show %q:\n%.4000s", want, out)
		}
	}
	r := g.newest()
	var log strings.Builder
	for _, turn := range r.Turns {
		for _, res := range turn.Results {
			if res.Name == "shell_output" {
				_, body, _ := strings.Cut(res.Text, "\n")
				log.WriteString(body)
			}
		}
	}
	if log.Len() != size || strings.Trim(log.String(), "0123456789abcde\n") != "" {
		t.Errorf("the pages have %d bytes together, want %d", log.Len(), size)
	}
	if r.Turns[0].Text != "Build it" {
		t.Errorf("the first turn is not remembered: %q", r.Turns[0].Text)
	}
	if g.read("notes.txt") != "meanwhile\n" {
		t.Error("the other work was not done")
	}
}

// spoolIn is the spool that the newest words name.
func spoolIn(r *fakemodel.Request) string {
	return regexp.MustCompile(`sp_\w+`).FindString(r.Turns[0].Text)
}

// Without -serve the program stays for a job that the seat waits for, because the job
// would end with it.
func TestAJobThatIsWaitedForKeepsTheProgram(t *testing.T) {
	t.Parallel()
	needBash(t)
	g := newStage(t,
		scene("What you waited for", says("It is built.")),
		scene("Build it",
			calls("shell_exec", map[string]any{"command": "sleep 1; touch built", "block_budget_sec": 0.1}),
			fakemodel.Step{
				Name: "wait", Pull: map[string]fakemodel.Pull{"job": {Field: "job_id"}},
				Calls: []fakemodel.Call{{Tool: "wait", Args: map[string]any{"job_id": "${job}", "note": "Look at it."}}},
			}))
	out := g.ask("-access", "full", "Build it")
	for _, want := range []string{"The seat waits for job_", "It is built.", "Ran 2 turns."} {
		if !strings.Contains(out, want) {
			t.Errorf("the screen does not show %q:\n%s", want, out)
		}
	}
	g.read("built")
}

// The operator retries a bad turn: context, a dry run that lists the files and jobs
// that stay, a retry with an edited prompt, a revision and a request id, sent twice:
// one replacement turn, and the old rows are stubs.
func TestTheOperatorRetriesABadTurn(t *testing.T) {
	t.Parallel()
	needBash(t)
	g := newStage(t,
		scene("Do it well", says("Done well.")),
		scene("Do it badly",
			calls("workspace_write", map[string]any{"path": "bad.txt", "content": "bad\n"}),
			calls("shell_exec", map[string]any{"command": "sleep 300", "block_budget_sec": 0.1}),
			says("Done badly.")),
	)
	p := g.start("-access", "full", "-serve", "Do it badly")
	p.sees("Done badly.")
	c := mustOperate[seat.Context](g, "context", seat.ContextArgs{Ref: demoRef})
	for range 200 { // the turn is committed a moment after its last words
		if c.LastTurnID != "" {
			break
		}
		time.Sleep(20 * time.Millisecond)
		c = mustOperate[seat.Context](g, "context", seat.ContextArgs{Ref: demoRef})
	}
	args := seat.RetryArgs{Ref: demoRef, TurnID: string(c.LastTurnID), Message: new("Do it well"), ExpectedRevision: &c.HistoryRevision, RequestID: "r1"}
	dry := args
	dry.DryRun = true
	d := mustOperate[seat.DryRun](g, "retry", dry)
	if len(d.Stays.Files) != 1 || d.Stays.Files[0].Path != "bad.txt" || d.Stays.Files[0].ChangeID == "" || !d.Stays.Files[0].Undoable {
		t.Errorf("the files that stay are %+v", d.Stays.Files)
	}
	if len(d.Stays.JobsRunning) != 1 || !strings.HasPrefix(d.Stays.JobsRunning[0].ID, "job_") {
		t.Errorf("the jobs that stay are %+v", d.Stays.JobsRunning)
	}
	if !d.Complete || d.Applied || len(d.WouldRefuse) > 0 {
		t.Errorf("the dry run is %+v", d)
	}
	if again := mustOperate[seat.Context](g, "context", seat.ContextArgs{Ref: demoRef}); again.HistoryRevision != c.HistoryRevision {
		t.Error("a dry run has changed the history")
	}
	first := mustOperate[seat.Forgotten](g, "retry", args)
	second := mustOperate[seat.Forgotten](g, "retry", args)
	if !first.Applied || first.Replayed || !second.Replayed || second.Replacement.QueueID != first.Replacement.QueueID {
		t.Errorf("the two are %+v and %+v", first, second)
	}
	p.sees("Done well.")
	if text := newestText(g.newest()); !strings.Contains(text, "job_") || !strings.Contains(text, "sleep 300") {
		t.Errorf("the model is not told of the job that runs: %q", text)
	}
	wrong := args
	wrong.RequestID, wrong.ExpectedRevision = "r2", new(c.HistoryRevision)
	if _, err := operate[seat.Forgotten](g, "retry", wrong); !errors.Is(err, seat.RevisionMismatch) {
		t.Errorf("an old revision: %v", err)
	}
	if code := p.interrupt(); code != exitDone {
		t.Errorf("exit code %d\n%s", code, p.out.String())
	}
	c = mustOperate[seat.Context](g, "context", seat.ContextArgs{Ref: demoRef})
	if len(c.Entries) != 1 || c.Entries[0].Prompt.Text != "Do it well" || c.Entries[0].Reply.Text != "Done well." {
		t.Errorf("what is remembered is %+v", c.Entries)
	}
	st := mustOperate[seat.Status](g, "status", seat.StatusArgs{Ref: demoRef})
	if len(st.Turns) != 2 || st.Turns[1].State != "superseded" {
		t.Errorf("the turns are %+v", st.Turns)
	}
}

// A reminder over a restart: the host is killed, and started again after the reminder
// was due. It comes once, with its note, and says how late it is.
func TestAReminderOverARestart(t *testing.T) {
	t.Parallel()
	g := newStage(t,
		scene("[reminder", says("I looked at the oven.")),
		scene("Remind yourself", calls("remind", map[string]any{"after": "2s", "note": "Look at the oven."}), says("I will.")),
	)
	p := g.start("-serve", "Remind yourself")
	p.sees("I will.")
	time.Sleep(200 * time.Millisecond) // the turn is committed a moment after its last words
	p.kill()
	time.Sleep(4 * time.Second)
	p = g.start("-serve")
	p.sees("I looked at the oven.")
	late := regexp.MustCompile(`Reminder \(([0-9.]+) s late\): Look at the oven\.`).FindStringSubmatch(p.out.String())
	if late == nil || late[1] < "1" {
		t.Errorf("the screen shows\n%s", p.out.String())
	}
	time.Sleep(time.Second)
	if code := p.interrupt(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	if n := strings.Count(p.out.String(), "Reminder ("); n != 1 {
		t.Errorf("it came %d times", n)
	}
	if text := newestText(g.newest()); !strings.Contains(text, "Your note: Look at the oven.") || !strings.Contains(text, "late") {
		t.Errorf("the model was told %q", text)
	}
	if out := g.ask(); strings.Contains(out, "Turn ") {
		t.Errorf("something runs again:\n%s", out)
	}
}

// A program without seats that comes between the agent's crash and its restart ends
// what the shell has left, and takes no notice from the seat.
func TestTheNoticeOfALostJobIsTheSeats(t *testing.T) {
	t.Parallel()
	needBash(t)
	g := newStage(t, scene("Build it", calls("shell_exec", map[string]any{"command": "sleep 300", "block_budget_sec": 0.1}), says("It builds.")))
	p := g.start("-access", "full", "-serve", "Build it")
	p.sees("It builds.")
	g.atRest(1)
	p.kill()
	for range 2 {
		h, err := local.Open(g.dir, &local.Options{State: g.state})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var told []seat.Message
	for range 2 {
		g.host(func(context.Context, *local.Host) {}) // closing waits for its notices
		g.host(func(ctx context.Context, h *local.Host) {
			all, err := h.Seats.Messages(ctx, "demo", 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			told = slices.DeleteFunc(all, func(m seat.Message) bool { return m.Kind != "notice" })
		})
	}
	if len(told) != 1 || !strings.Contains(told[0].Text, "killed (host_restart) (sleep 300)") {
		t.Errorf("the seat was told %+v", told)
	}
}

// A wait for a time, for a task and for a job is resumed with its note after the host
// was killed.
func TestAWaitOverARestart(t *testing.T) {
	t.Parallel()
	needBash(t)
	for name, tt := range map[string]struct {
		steps []fakemodel.Step
		end   func(g *stage) // what is waited for, once the host is back
		want  string
	}{
		"for a time": {[]fakemodel.Step{calls("wait", map[string]any{"after": "3s", "note": "Go on with the time."})}, nil, "Wait ended"},
		"for a task": {[]fakemodel.Step{calls("wait", map[string]any{"task_id": 3, "note": "Go on with the task."})}, func(g *stage) {
			mustOperate[desk.Task](g, "task-end", desk.EndTaskArgs{Ref: demoRef, TaskID: 3, State: seat.TaskDone})
		}, "Wait for task:3 ended, completed"},
		"for a job": {[]fakemodel.Step{
			calls("shell_exec", map[string]any{"command": "sleep 300", "block_budget_sec": 0.1}),
			{
				Name: "wait", Pull: map[string]fakemodel.Pull{"job": {Field: "job_id"}},
				Calls: []fakemodel.Call{{Tool: "wait", Args: map[string]any{"job_id": "${job}", "note": "Go on with the job."}}},
			},
		}, nil, "ended, killed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newStage(t,
				scene("Hello", says("Hello.")),
				scene("What you waited for", says("I go on.")),
				scene("Wait", tt.steps...),
			)
			g.ask("Hello")
			if task := mustOperate[desk.Task](g, "task-add", desk.AddTaskArgs{Ref: demoRef, Text: "Something for others"}); task.ID != 3 { // after a prompt and a reply
				t.Fatalf("the task is %+v", task)
			}
			p := g.start("-access", "full", "-serve", "Wait")
			p.sees("status waiting")
			time.Sleep(200 * time.Millisecond) // the turn is committed a moment later
			p.kill()
			p = g.start("-access", "full", "-serve")
			if tt.end != nil {
				p.sees("Serving")
				tt.end(g)
			}
			p.sees("I go on.")
			if out := p.out.String(); !strings.Contains(out, tt.want) || !strings.Contains(out, "Go on with the "+name[len("for a "):]) {
				t.Errorf("the screen shows\n%s", out)
			}
			p.interrupt()
		})
	}
}

// A turn whose host is killed goes on when the host is back, and is told what may
// have taken effect.
func TestAKilledTurnGoesOn(t *testing.T) {
	t.Parallel()
	needBash(t)
	g := newStage(t,
		scene("[resumed]", says("I see what was done.")),
		scene("Work", calls("workspace_write", map[string]any{"path": "a.txt", "content": "a\n"}),
			calls("shell_exec", map[string]any{"command": "echo $$ >pid; exec sleep 300"})),
	)
	p := g.start("-access", "full", "Work")
	waitForPID(t, filepath.Join(g.dir, "pid"))
	p.kill()
	out := g.ask("-access", "full")
	for _, want := range []string{"Turn 1, resumed after an interruption", "I see what was done."} {
		if !strings.Contains(out, want) {
			t.Errorf("the screen does not show %q:\n%s", want, out)
		}
	}
	text := newestText(g.newest())
	for _, want := range []string{"changed change_", "a.txt", "shell_exec (call call_2_1) had begun; it may have taken effect"} {
		if !strings.Contains(text, want) {
			t.Errorf("the model is not told %q: %s", want, text)
		}
	}
	c := mustOperate[seat.Context](g, "context", seat.ContextArgs{Ref: demoRef})
	d := mustOperate[seat.DryRun](g, "retry", seat.RetryArgs{Ref: demoRef, TurnID: string(c.LastTurnID), DryRun: true})
	if d.Complete || len(d.Stays.Unknown) != 1 || !strings.Contains(d.Stays.Unknown[0], "shell_exec") {
		t.Errorf("the dry run takes the call that was cut off for known: %+v", d.Stays)
	}
}

// A turn whose host is ended by Ctrl-C goes on as well, however often.
func TestAnInterruptedTurnGoesOn(t *testing.T) {
	t.Parallel()
	needBash(t)
	hang := calls("shell_exec", map[string]any{"command": "echo $$ >pid; exec sleep 300"})
	g := newStage(t, scene("Work", hang), scene("[resumed]", hang))
	for _, task := range [][]string{{"Work"}, nil, nil} {
		p := g.start(append([]string{"-access", "full"}, task...)...)
		waitForPID(t, filepath.Join(g.dir, "pid"))
		code := p.interrupt()
		if out := p.out.String(); code != exitInterrupted || !strings.Contains(out, "Interrupted; the room's next run goes on with the turn.\n") {
			t.Errorf("exit code %d, and the screen shows\n%s", code, out)
		}
		if err := os.Remove(filepath.Join(g.dir, "pid")); err != nil {
			t.Fatal(err)
		}
	}
	st := mustOperate[seat.Status](g, "status", seat.StatusArgs{Ref: demoRef})
	if st.Busy == nil || st.Busy.State != "interrupted" || st.LiveTotal != 0 || len(st.Turns) != 1 {
		t.Errorf("the seat is %+v", st)
	}
}

// A turn that fails without being run, because it was interrupted twice, is told too.
func TestATurnThatWasInterruptedTwiceIsTold(t *testing.T) {
	t.Parallel()
	needBash(t)
	hang := calls("shell_exec", map[string]any{"command": "echo $$ >pid; exec sleep 300"})
	g := newStage(t, scene("Work", hang), scene("[resumed]", hang))
	for _, task := range [][]string{{"Work"}, nil} {
		p := g.start(append([]string{"-access", "full"}, task...)...)
		waitForPID(t, filepath.Join(g.dir, "pid"))
		p.kill()
		if err := os.Remove(filepath.Join(g.dir, "pid")); err != nil {
			t.Fatal(err)
		}
	}
	code, out := g.run("-access", "full")
	if code != exitNotDone || !strings.Contains(out, "has failed; operator -room demo retry last") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// stop ends a turn that another process runs.
func TestTheOperatorStopsATurn(t *testing.T) {
	t.Parallel()
	needBash(t)
	g := newStage(t, scene("Hang", fakemodel.Step{
		Name: "hang", Text: "This will take a while.",
		Calls: []fakemodel.Call{{Tool: "shell_exec", Args: map[string]any{"command": "echo $$ >pid; exec sleep 300", "block_budget_sec": 60}}},
	}))
	p := g.start("-access", "full", "-serve", "Hang")
	waitForPID(t, filepath.Join(g.dir, "pid"))
	stopped := mustOperate[desk.Stopped](g, "stop", demoRef)
	p.sees("the operator stopped the turn")
	if code := p.interrupt(); code != exitDone && code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	st := mustOperate[seat.Status](g, "status", seat.StatusArgs{Ref: demoRef})
	if stopped.TurnID == "" || len(st.Turns) != 1 || st.Turns[0].TurnID != stopped.TurnID || st.Turns[0].State != seat.StatusFailed {
		t.Errorf("stopped %+v, the turns are %+v", stopped, st.Turns)
	}
}

// A planning turn: reading tools, submit_plan and answer_user alone; a plan of 13
// subtasks and one without target files are refused with every reason at once; a
// valid one ends the turn, and once approved it is the room's tasks.
func TestAPlanningTurn(t *testing.T) {
	t.Parallel()
	subtask := func(files ...string) map[string]any {
		return map[string]any{"title": "Mend", "instruction": "Mend it.", "target_files": files, "acceptance": "It works."}
	}
	thirteen := make([]any, 13)
	for i := range thirteen {
		thirteen[i] = subtask("a.txt")
	}
	plan := func(subtasks ...any) map[string]any {
		return map[string]any{"summary": "Mend it all.", "subtasks": subtasks}
	}
	submit := func(args map[string]any) fakemodel.Step { return calls("submit_plan", args) }
	planned := fakemodel.Step{
		Name: "look", When: fakemodel.Match{
			Listed:   []string{"workspace_read", "workspace_list", "workspace_search", "submit_plan", "answer_user", "save_notes"},
			Unlisted: []string{"workspace_write", "workspace_edit", "shell_exec", "finish", "remind", "wait"},
		},
		Calls: []fakemodel.Call{{Tool: "workspace_list", Args: map[string]any{}}},
	}
	g := newStage(t,
		scene("Plan it", planned,
			submit(plan(thirteen...)),
			when(`"code":"invalid_arguments"`, submit(plan(map[string]any{"title": "Mend", "instruction": "Mend it.", "acceptance": "It works."}))),
			when(`target_files`, submit(plan(subtask("sub"), subtask("../out.txt", "*.go")))),
			fakemodel.Step{
				Name: "a valid plan", When: fakemodel.Match{Regexp: `(?s)"code":"plan_invalid".*subtask 1.*is a directory; name the files in it.*subtask 2.*out of the project.*subtask 2.*is a pattern`},
				Calls: []fakemodel.Call{{Tool: "submit_plan", Args: plan(subtask("a.txt"), subtask("new/b.txt"))}},
			}),
		scene("Do it",
			calls("finish", map[string]any{"summary": "Done."}),
			when("2 subtasks of the approved plan are open", says("The operator has to mark them."))),
		scene("Now finish", calls("finish", map[string]any{"summary": "Done."})),
		scene("Just a question", calls("answer_user", map[string]any{"answer": "Forty-two."})),
	)
	g.put("a.txt", "a\n")
	if err := os.Mkdir(filepath.Join(g.dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out := g.ask("-access", "full", "-mode", "planning", "Plan it"); !strings.Contains(out, "Turn 1, planning") || !strings.Contains(out, "Planned.") {
		t.Errorf("the screen shows\n%s", out)
	}
	plans := mustOperate[[]desk.Plan](g, "plans", demoRef)
	if len(plans) != 1 || plans[0].State != seat.PlanSubmitted || len(plans[0].Subtasks) != 2 {
		t.Fatalf("the plans are %+v", plans)
	}
	approved := mustOperate[desk.Plan](g, "approve", desk.DecideArgs{Ref: demoRef, PlanID: plans[0].ID})
	if _, err := operate[desk.Plan](g, "reject", desk.DecideArgs{Ref: demoRef, PlanID: plans[0].ID}); !errors.Is(err, arc.InvalidArguments) {
		t.Errorf("an approved plan is rejected: %v", err)
	}
	g.ask("-access", "full", "Do it")
	if sys := g.newest().System; !strings.Contains(sys, fmt.Sprintf("Open task %d", approved.Task)) || !strings.Contains(sys, "Files: new/b.txt") {
		t.Errorf("the model is not told of the plan: %s", sys)
	}
	for _, task := range mustOperate[[]desk.Task](g, "tasks", demoRef) {
		if task.Parent == approved.Task {
			mustOperate[desk.Task](g, "task-end", desk.EndTaskArgs{Ref: demoRef, TaskID: task.ID, State: seat.TaskDone})
		}
	}
	for _, task := range mustOperate[[]desk.Task](g, "tasks", demoRef) {
		if task.State != seat.TaskDone {
			t.Errorf("the task %+v is not done with its parts", task)
		}
	}
	if out := g.ask("Now finish"); !strings.Contains(out, "Finished.") {
		t.Errorf("the screen shows\n%s", out)
	}
	if out := g.ask("-mode", "planning", "Just a question"); !strings.Contains(out, "Answered.") {
		t.Errorf("the screen shows\n%s", out)
	}
}
