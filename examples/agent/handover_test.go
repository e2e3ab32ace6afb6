package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/seat"
)

// unlisted is st once the model is offered none of the tools.
func unlisted(st fakemodel.Step, tools ...string) fakemodel.Step {
	st.When.Unlisted = tools
	return st
}

// to runs the program with a task for another room than the stage's.
func (g *stage) to(room string, args ...string) (int, string) {
	g.t.Helper()
	return g.run(append([]string{"-room", room}, args...)...)
}

// A task that is handed to an agent which runs commands and changes files is done with
// what its sender allows: also what it is reminded of, and a retry.
func TestATaskIsHandedOverWithWhatItMayDo(t *testing.T) {
	t.Parallel()
	needBash(t)
	withheld := []string{"shell_exec", "workspace_write", "workspace_edit", "web_search"}
	g := newStage(t,
		scene("[reminder", unlisted(says("I only looked."), withheld...)),
		scene("Look at it",
			unlisted(calls("finish", map[string]any{"summary": "Seen."}), withheld...),
			when("test -f seen.txt failed", calls("remind", map[string]any{"after": "1s", "note": "Look again."})),
			says("It is not seen yet.")),
		scene("Do it", fakemodel.Step{
			Name: "all", When: fakemodel.Match{Listed: []string{"shell_exec", "workspace_write"}},
			Calls: []fakemodel.Call{{Tool: "workspace_write", Args: map[string]any{"path": "a.txt", "content": "a\n"}}},
		}, says("Done.")),
	)
	p := g.start("-access", "full", "-serve")
	p.sees("Serving")
	code, out := g.run("-read-only", "-no-search", "-check", "test -f seen.txt", "Look at it")
	for _, want := range []string{
		"For this task: Safe: files alone, no commands; without workspace_write, workspace_edit, workspace_undo, web_search; finished only once this succeeds: test -f seen.txt.",
		"Queued in the room demo as q_",
	} {
		if joined := strings.Join(strings.Fields(out), " "); code != exitDone || !strings.Contains(joined, want) {
			t.Errorf("exit code %d, and the screen does not show %q:\n%s", code, want, out)
		}
	}
	p.sees("It is not seen yet.")
	p.sees("I only looked.")
	p.sees("asked for with: Safe")
	g.atRest(2)

	if code, out := g.run("-access", "full", "Do it"); code != exitDone || !strings.Contains(out, "Full Access: files and commands.") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	p.sees("Done.")
	g.atRest(3)
	if code := p.interrupt(); code != exitDone {
		t.Errorf("exit code %d\n%s", code, p.out.String())
	}

	// It is kept with the prompt, not with the process that it was handed to.
	mustOperate[seat.Forgotten](g, "rewind", seat.RewindArgs{Ref: demoRef, TurnID: string(g.turns()[1].TurnID)})
	mustOperate[seat.Forgotten](g, "retry", seat.RetryArgs{Ref: demoRef, TurnID: string(g.turns()[2].TurnID)})
	if out := g.ask("-access", "full"); strings.Count(out, "asked for with: Safe") == 0 || !strings.Contains(out, "Retried: Look at it") {
		t.Errorf("the screen shows\n%s", out)
	}
}

// turns are the seat's, newest first.
func (g *stage) turns() []seat.TurnLine {
	g.t.Helper()
	return mustOperate[seat.Status](g, "status", seat.StatusArgs{Ref: demoRef}).Turns
}

// What the process that owns the seats does not run, it does not take.
func TestATaskThatCannotBeHandedOverIsRefused(t *testing.T) {
	t.Parallel()
	g := newStage(t, scene("Small", says("Small it is.")))
	p := g.start("-read-only", "-serve")
	p.sees("Serving")
	for name, tt := range map[string]struct {
		room string
		args []string
		want string
	}{
		"more than it may do itself": {"demo", []string{"-access", "full", "Big"}, "agent: unavailable: the process that owns the seats runs no commands; leave -access full out, or end it and start it with -access full."},
		"another room":               {"other", []string{"Elsewhere"}, `agent: unavailable: the process that owns the seats serves the room "demo" alone; end it and run examples/agent -serve without -room, which serves every room, or give the task to -room demo.`},
	} {
		code, out := g.to(tt.room, tt.args...)
		if code != exitNotDone || !strings.Contains(out, tt.want) || strings.Contains(out, "Queued") {
			t.Errorf("%s: exit code %d\n%s", name, code, out)
		}
	}
	// Nor does it where the sender did not ask first.
	if _, err := operate[seat.Queued](g, "send", desk.SendArgs{Ref: seat.Ref{RunID: "other"}, Text: "Elsewhere"}); err == nil || !strings.Contains(err.Error(), "serves the room") {
		t.Errorf("sent to another room: %v", err)
	}
	if code, out := g.run("Small"); code != exitDone || !strings.Contains(strings.Join(strings.Fields(out), " "), "without workspace_write") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	p.sees("Small it is.")
	if code := p.interrupt(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	if all := mustOperate[[]desk.Seat](g, "seats", desk.None{}); len(all) != 1 {
		t.Errorf("the rooms are %+v", all)
	}
}

// Without -room every room is served, one that is made by a task as well.
func TestServingEveryRoom(t *testing.T) {
	t.Parallel()
	g := newStage(t, scene("of one", says("I am in one.")), scene("of two", says("I am in two.")))
	g.ask("The task of one")
	p := g.start("-room", "", "-serve")
	p.sees("Room: all of them")
	p.sees("Serving")
	if code, out := g.to("two", "The task of two"); code != exitDone || !strings.Contains(out, "Queued in the room two as") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	p.sees("Turn 1 of the room two")
	p.sees("I am in two.")
	if code := p.interrupt(); code != exitDone {
		t.Errorf("exit code %d\n%s", code, p.out.String())
	}
	var rooms []string
	for _, s := range mustOperate[[]desk.Seat](g, "seats", desk.None{}) {
		rooms = append(rooms, s.Room)
	}
	if !slices.Equal(rooms, []string{"demo", "two"}) {
		t.Errorf("the rooms are %v", rooms)
	}
}

// A turn that nobody asked for at this moment and that fails makes the program fail,
// and it says what runs it again.
func TestAReminderThatFails(t *testing.T) {
	t.Parallel()
	g := newStage(t,
		scene("Remind", calls("remind", map[string]any{"after": "1s", "note": "Look."}), says("I will.")),
		scene("[reminder", says("I looked.")))
	g.ask("Remind")
	srv := g.srv
	broken, err := fakemodel.Start(fakemodel.Script{}, &fakemodel.Options{Refuse: slices.Repeat([]fakemodel.Refusal{{Status: 400}}, 40)})
	if err != nil {
		t.Fatal(err)
	}
	defer broken.Close()
	g.srv = broken
	code, out := exitDone, ""
	for range 200 { // until it is due
		if code, out = g.run(); strings.Contains(out, "Reminder (") {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if code != exitNotDone || !strings.Contains(out, "has failed; operator -room demo retry last, and then this program, run it again\n") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	g.srv = srv
	if code, out := g.operator("retry", "last"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	if out := g.ask(); !strings.Contains(out, "Retried, once woken: [reminder") || !strings.Contains(out, "I looked.") {
		t.Errorf("the screen shows\n%s", out)
	}
}

// What a task may do is written as it is read.
func TestTermsAreWhatBothAllow(t *testing.T) {
	t.Parallel()
	a := desk.Terms{Access: 1, Deny: []string{"x", "y"}, Checks: []string{"c"}}
	b := desk.Terms{Deny: []string{"y", "z"}, Checks: []string{"c", "d"}}
	got, err := json.Marshal([]desk.Terms{a.Narrower(b), b.Narrower(a), a.Narrower(a)})
	want := `[{"deny":["x","y","z"],"checks":["c","d"]},{"deny":["y","z","x"],"checks":["c","d"]},{"access":1,"deny":["x","y"],"checks":["c"]}]`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
