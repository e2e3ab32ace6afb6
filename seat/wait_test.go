package seat_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// jobs is a host's background jobs: their status by id.
type jobs map[string]string

func (j jobs) JobStatus(_ context.Context, _ arc.SeatID, job string) (string, bool, error) {
	status, ok := j[job]
	if !ok {
		return "", false, &arc.Error{Code: arc.NotFound, Message: "no such job."}
	}
	return status, status != "running", nil
}

func TestWait(t *testing.T) {
	t.Parallel()
	waits := func(r *room, args string) *arc.Result {
		r.t.Helper()
		r.send("wait")
		var results []*arc.Result
		r.turns(r.calling(&results, "", call("wait", args)))
		return results[0]
	}
	last := func(r *room) string { c := r.context(); return c.Entries[len(c.Entries)-1].Status }

	t.Run("for a time ends as waiting, and is resumed with its note after a restart", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		x := waits(r, `{"after":"30s","note":"then go on"}`)
		if x.End != arc.Waiting || last(r) != seat.StatusWaiting || !strings.Contains(x.String(), `"status":"waiting"`) || !strings.Contains(x.String(), `"target":"time"`) {
			t.Fatalf("got %s", x)
		}
		if c := r.context(); c.Entries[0].Reply.Text != "then go on" || c.Busy != nil || len(c.PendingWakes) != 1 {
			t.Errorf("got %+v", c)
		}
		r.clock.Advance(time.Minute)
		r.restart()
		if list := r.turns(say("on")); len(list) != 1 || !strings.Contains(list[0].Prompt, "then go on") {
			t.Errorf("got %+v", list)
		}
	})
	t.Run("for a task is resumed when it is done, after a restart too", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		task, err := r.svc.AddTask(r.ctx(), seat.Message{Room: "demo", Text: "review"})
		if err != nil {
			t.Fatal(err)
		}
		if x := waits(r, fmt.Sprintf(`{"task_id":%d,"note":"reviewed?","after":null}`, task)); x.End != arc.Waiting {
			t.Fatalf("got %s", x)
		}
		r.restart()
		if err := r.svc.EndTask(r.ctx(), task, seat.TaskDone); err != nil {
			t.Fatal(err)
		}
		list := r.turns(say("on"))
		if len(list) != 1 || list[0].Wakes[0].Outcome != "completed" || !strings.Contains(list[0].Prompt, "reviewed?") {
			t.Errorf("got %+v", list)
		}
		if x := waits(r, fmt.Sprintf(`{"task_id":%d,"note":"n"}`, task)); x.End != arc.Continue || !strings.Contains(x.String(), `"status":"satisfied"`) {
			t.Errorf("a task that is done: got %s", x)
		}
	})
	t.Run("for a job is resumed by its notice, by a poll, or because nobody knows it any more", func(t *testing.T) {
		t.Parallel()
		for outcome, end := range map[string]func(*room, jobs){
			"failed": func(r *room, j jobs) {
				if err := r.svc.Notify(r.ctx(), id, "job_1", "failed", "[shell-job] job_1 failed"); err != nil {
					r.t.Fatal(err)
				}
			},
			"killed": func(r *room, j jobs) { j["job_1"] = "killed"; r.restart() },
			"lost":   func(r *room, j jobs) { delete(j, "job_1"); r.restart() },
		} {
			r := newRoom(t)
			j := jobs{"job_1": "running"}
			r.run.Jobs = j
			if x := waits(r, `{"job_id":"job_1","note":"built?"}`); x.End != arc.Waiting {
				t.Fatalf("got %s", x)
			}
			end(r, j)
			list := r.turns(say("on"))
			if len(list) != 1 || list[0].Wakes[0].Outcome != outcome || !strings.Contains(list[0].Prompt, "built?") {
				t.Errorf("%s: got %+v", outcome, list)
			}
			if list := r.turns(say("twice")); len(list) != 0 {
				t.Errorf("%s: woken twice", outcome)
			}
		}
	})
	t.Run("for a job that ends at any moment around the call is satisfied or woken once", func(t *testing.T) {
		t.Parallel()
		for step := range 4 {
			r := newRoom(t)
			j := &endingJob{room: r, at: step}
			r.run.Jobs = j
			x := waits(r, `{"job_id":"job_1","note":"n"}`)
			if step == 3 { // after the call
				j.end()
			}
			woken := len(r.turns(say("on")))
			if satisfied := x.End == arc.Continue; x.Err != nil || satisfied == (woken == 1) || woken > 1 {
				t.Errorf("at step %d: satisfied %v, woken %d, %v", step, satisfied, woken, x.Err)
			}
		}
	})
	t.Run("times out", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.run.Jobs = jobs{"job_1": "running"}
		waits(r, `{"job_id":"job_1","timeout":"2m","note":"n"}`)
		r.clock.Advance(2 * time.Minute)
		if list := r.turns(say("on")); len(list) != 1 || list[0].Wakes[0].Outcome != "timed_out" {
			t.Errorf("got %+v", list)
		}
	})
	t.Run("stays armed when a prompt resumes the seat earlier", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		waits(r, `{"after":"30s","note":"n"}`)
		r.exchange("hello", "hi")
		if c := r.context(); len(c.PendingWakes) != 1 {
			t.Errorf("got %+v", c.PendingWakes)
		}
	})
	t.Run("wants exactly one target, its own jobs, and tasks of its room", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		r.run.Jobs = jobs{}
		mine, err := r.svc.AddTask(r.ctx(), seat.Message{Room: "demo", Text: "mine", Assignee: "main"})
		if err != nil {
			t.Fatal(err)
		}
		for args, want := range map[string]arc.Code{
			`{"note":"n"}`:                                      arc.InvalidArguments,
			`{"after":"1m","job_id":"j","note":"n"}`:            arc.InvalidArguments,
			`{"after":"1m","timeout":"1m","note":"n"}`:          arc.InvalidArguments,
			`{"after":"1m","note":" "}`:                         arc.InvalidArguments,
			`{"job_id":"job_x","note":"n"}`:                     arc.NotFound,
			`{"task_id":99,"note":"n"}`:                         arc.NotFound,
			`{"task_id":0,"note":"n"}`:                          arc.InvalidArguments,
			fmt.Sprintf(`{"task_id":%d,"note":"n"}`, mine):      seat.WaitCycle,
			`{"after":"1m","note":"n","until":"tomorrow noon"}`: arc.InvalidArguments,
		} {
			code(t, waits(r, args).Err, want)
		}
	})
}

// A wait for a time, a task or a job is resumed once, with its note, whether its target
// ends before the host does, while there is none, or once it is back.
func TestAWaitIsResumedOnWhicheverSideOfARestartItsTargetEnds(t *testing.T) {
	t.Parallel()
	targets := []struct {
		name, args, outcome string
		end                 func(r *room, j jobs, away bool) error
	}{
		{"a time", `{"after":"30s","note":"Then go on."}`, "due", func(r *room, _ jobs, away bool) error {
			r.clock.Advance(time.Minute)
			if away {
				return nil
			}
			wakes, err := r.svc.Wakes(r.ctx(), id)
			if err != nil || len(wakes) != 1 {
				return fmt.Errorf("%d wakes, %w", len(wakes), err)
			}
			_, err = r.svc.Wake(r.ctx(), wakes[0].ID)
			return err
		}},
		{"a task", `{"task_id":1,"note":"Then go on."}`, "completed", func(r *room, _ jobs, away bool) error {
			if away { // an operator comes by
				r.open()
				defer r.store.Close()
			}
			return r.svc.EndTask(r.ctx(), 1, seat.TaskDone)
		}},
		{"a job", `{"job_id":"job_1","note":"Then go on."}`, "killed", func(r *room, j jobs, away bool) error {
			j["job_1"] = "killed"
			if away {
				return nil
			}
			return r.svc.Notify(r.ctx(), id, "job_1", "killed", "[shell-job] job_1 was killed")
		}},
	}
	moments := []struct {
		name string
		do   func(r *room, end func(away bool))
	}{
		{"before the host ends", func(r *room, end func(bool)) { end(false); r.restart() }},
		{"while there is no host", func(r *room, end func(bool)) { r.store.Close(); end(true); r.open() }},
		{"once the host is back", func(r *room, end func(bool)) {
			r.restart()
			if list := r.turns(say("too early")); len(list) != 0 {
				r.t.Errorf("it is resumed by the restart: %+v", list)
			}
			end(false)
		}},
	}
	for _, target := range targets {
		for _, moment := range moments {
			t.Run(target.name+" that ends "+moment.name, func(t *testing.T) {
				t.Parallel()
				r, j := newRoom(t), jobs{"job_1": "running"}
				r.run.Jobs = j
				if _, err := r.svc.AddTask(r.ctx(), seat.Message{Room: "demo", Text: "review"}); err != nil {
					t.Fatal(err)
				}
				r.send("work")
				var results []*arc.Result
				r.turns(r.calling(&results, "", call("wait", target.args)))
				if results[0].End != arc.Waiting {
					t.Fatalf("got %s", results[0])
				}
				moment.do(r, func(away bool) {
					if err := target.end(r, j, away); err != nil {
						t.Fatal(err)
					}
				})
				list := r.turns(say("on"))
				if len(list) != 1 || list[0].From != seat.FromWake || len(list[0].Wakes) != 1 || list[0].Wakes[0].Outcome != target.outcome || !strings.Contains(list[0].Prompt, "Your note: Then go on.") {
					t.Fatalf("got %+v", list)
				}
				if list := r.turns(say("twice")); len(list) != 0 {
					t.Errorf("it is resumed twice: %+v", list)
				}
				if c := r.context(); len(c.Entries) != 2 || c.Entries[0].Status != seat.StatusWaiting || c.Entries[1].Reply.Text != "on" || len(c.PendingWakes) != 0 {
					t.Errorf("got %+v", c)
				}
			})
		}
	}
}

// endingJob ends at a step of a wait: before it is asked for the first time, after,
// or after the second. At step 3 its test ends it.
type endingJob struct {
	room *room
	at   int

	mu    sync.Mutex // Run asks as well
	asked int
	ended bool
}

func (j *endingJob) JobStatus(context.Context, arc.SeatID, string) (string, bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.asked++
	if j.asked == 1 && j.at == 0 {
		j.end()
	}
	ended := j.ended
	if j.asked == j.at && j.at < 3 { // told after this look
		j.end()
	}
	if ended {
		return "completed", true, nil
	}
	return "running", false, nil
}

func (j *endingJob) end() {
	j.ended = true
	err := j.room.svc.Notify(context.Background(), id, "job_1", "completed", "[shell-job] job_1 completed")
	if err != nil && !errors.Is(err, arc.NotFound) {
		j.room.t.Error(err)
	}
}

func TestTasksEndWithTheirParts(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	add := func(text string, parent int64) int64 {
		n, err := r.svc.AddTask(r.ctx(), seat.Message{Room: "demo", Text: text, Parent: parent})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	whole := add("whole", 0)
	parts := []int64{add("a", whole), add("b", whole)}
	state := func() (s []string) {
		list, err := r.svc.Tasks(r.ctx(), "demo")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			s = append(s, m.State)
		}
		return s
	}
	for i, want := range []string{"[open done open]", "[done done cancelled]"} {
		if err := r.svc.EndTask(r.ctx(), parts[i], []string{seat.TaskDone, seat.TaskCancelled}[i]); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(state()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	// What is said of the whole is said of its open parts, and theirs.
	big := add("big", 0)
	middle := add("middle", big)
	leaf := add("leaf", middle)
	if err := r.svc.EndTask(r.ctx(), add("early", big), seat.TaskCancelled); err != nil {
		t.Fatal(err)
	}
	r.send("wait for the leaf")
	var results []*arc.Result
	r.turns(r.calling(&results, "", call("wait", fmt.Sprintf(`{"task_id":%d,"note":"n"}`, leaf))))
	if err := r.svc.EndTask(r.ctx(), big, seat.TaskDone); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(state()[3:]); got != "[done done done cancelled]" {
		t.Errorf("got %s", got)
	}
	if list := r.turns(say("woken")); len(list) != 1 || list[0].Wakes[0].Outcome != "completed" {
		t.Errorf("who waited for a part: %+v", list)
	}
	_, err := r.svc.AddTask(r.ctx(), seat.Message{Room: "demo", Text: "late", Parent: whole})
	code(t, err, arc.InvalidArguments)
	code(t, r.svc.EndTask(r.ctx(), 999, seat.TaskDone), arc.NotFound)
}
