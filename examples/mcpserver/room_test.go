package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
)

// turns are those of the room's seat, newest first.
func (p project) turns(t *testing.T, room string) []seat.TurnLine {
	t.Helper()
	v, err := local.Look(p.dir, &local.Options{State: p.state})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	st, err := v.Seats.Status(context.Background(), v.Operator("test"), seat.StatusArgs{Ref: seat.Ref{RunID: room}})
	if err != nil {
		return nil // nobody has been there
	}
	if st.Busy != nil {
		t.Errorf("the seat is still in a turn: %+v", st.Busy)
	}
	return st.Turns
}

func TestAClientSitsInARoom(t *testing.T) {
	t.Parallel()
	p := newProject(t, "a.txt", "hello\n")

	c, _ := p.client(t, "-room", "work")
	list := strings.Join(names(t, c), " ")
	if !strings.Contains(list, "save_notes") || !strings.Contains(list, "finish") || strings.Contains(list, "submit_plan") {
		t.Errorf("listed are %s", list)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(p.turns(t, "work")); n != 0 {
		t.Fatalf("a client that only looked left %d turns", n)
	}

	c, _ = p.client(t, "-room", "work")
	if text, isError := call(t, c, "save_notes", `{"notes":"Mind the gap."}`); isError || strings.Contains(text, "notices") {
		t.Errorf("notes: %s", text)
	}
	if text, isError := call(t, c, "remind", `{"after":"24h","note":"Look again."}`); isError {
		t.Errorf("a reminder: %s", text)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if all := p.turns(t, "work"); len(all) != 1 || all[0].State != "completed" {
		t.Fatalf("the client left %+v", all)
	}

	c, _ = p.client(t, "-room", "work")
	if text, _ := call(t, c, "workspace_read", `{"path":"a.txt"}`); !strings.Contains(text, `"notices":["Your saved notes: Mind the gap."]`) {
		t.Errorf("the first result of the next client does not tell its notes: %s", text)
	}
	if text, _ := call(t, c, "workspace_read", `{"path":"a.txt"}`); strings.Contains(text, "gap") {
		t.Errorf("they are told again: %s", text)
	}
	if text, isError := call(t, c, "wait", `{"after":"24h","note":"Go on."}`); isError || !strings.Contains(text, "make no more calls") {
		t.Errorf("a wait does not tell the client to stop: %s", text)
	}
	if text, isError := call(t, c, "save_notes", `{"notes":"x"}`); !isError || !strings.Contains(text, `"code":"terminal_conflict"`) {
		t.Errorf("a call after it: %s", text)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if all := p.turns(t, "work"); len(all) != 2 || all[0].State != "waiting" {
		t.Fatalf("the client left %+v", all)
	}
}

func TestAClientFinishesOnceTheOperatorsChecksPass(t *testing.T) {
	t.Parallel()
	p := newProject(t, "a.txt", "hello\n")
	c, _ := p.client(t, "-room", "work", "-check", "grep -q done a.txt", "-check", "true")
	if text, isError := call(t, c, "finish", `{"summary":"Done."}`); isError || !strings.Contains(text, `"not_finished"`) || !strings.Contains(text, "grep -q done a.txt failed") {
		t.Errorf("before: %s", text)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "a.txt"), []byte("done\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, isError := call(t, c, "finish", `{"summary":"Done."}`); isError || !strings.Contains(text, `"finished"`) {
		t.Errorf("after: %s", text)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAPlanningClientSubmitsAPlan(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	c, _ := p.client(t, "-room", "work", "-mode", "planning")
	if list := strings.Join(names(t, c), " "); !strings.Contains(list, "answer_user") || strings.Contains(list, "workspace_write") {
		t.Errorf("listed are %s", list)
	}
	if text, isError := call(t, c, "workspace_list", `{}`); isError {
		t.Errorf("a look: %s", text)
	}
	plan := `{"summary":"One step","subtasks":[{"title":"Write","instruction":"Write c.txt.","target_files":["c.txt"],"acceptance":"It is there."}]}`
	if text, isError := call(t, c, "submit_plan", plan); isError || !strings.Contains(text, "make no more calls") {
		t.Errorf("the plan: %s", text)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if all := p.turns(t, "work"); len(all) != 1 || all[0].State != "planned" {
		t.Errorf("the client left %+v", all)
	}
}

func TestAnOperatorsClient(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	ctx := t.Context()
	open := func() *local.Host {
		t.Helper()
		host, err := local.Open(p.dir, &local.Options{State: p.state, Seats: true})
		if err != nil {
			t.Fatal(err)
		}
		return host
	}
	c, _ := p.client(t, "-operator", "-room", "work") // before anybody has sat here
	if list := names(t, c); len(list) != 6 {
		t.Errorf("listed are %q", list)
	}

	host := open() // beside the client
	defer func() { host.Close(context.Background()) }()
	for _, room := range []string{"work", "other"} {
		err := host.OneTurn(ctx, room, "Say hello.", 0, func(context.Context, *seat.Turn) (string, error) { return "hello", nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	exclude := func(room string) string {
		st, err := host.Seats.Status(ctx, host.Operator("test"), seat.StatusArgs{Ref: seat.Ref{RunID: room}})
		if err != nil {
			t.Fatal(err)
		}
		return `{"run_id":"` + room + `","turn_id":"` + string(st.LastTurnID) + `"}`
	}
	work, other := exclude("work"), exclude("other")
	if text, isError := call(t, c, "arc_seat_context", `{"run_id":"work"}`); isError || !strings.Contains(text, "Say hello.") {
		t.Errorf("a look beside the owner: %s", text)
	}
	if text, isError := call(t, c, "arc_seat_context", `{"run_id":"other"}`); !isError || !strings.Contains(text, `"code":"forbidden"`) {
		t.Errorf("a look at another room: %s", text)
	}
	if text, isError := call(t, c, "arc_seat_exclude_context", work); !isError || !strings.Contains(text, `"code":"locked"`) {
		t.Errorf("a change beside an owner that lets nobody in: %s", text)
	}

	door, err := desk.Open(host, desk.Serving{})
	if err != nil {
		t.Fatal(err)
	}
	if text, isError := call(t, c, "arc_seat_exclude_context", work); isError || !strings.Contains(text, `"excluded":true,"changed":true`) {
		t.Errorf("a change that the owner is asked for: %s", text)
	}
	if text, isError := call(t, c, "arc_seat_exclude_context", other); !isError || !strings.Contains(text, `"code":"forbidden"`) {
		t.Errorf("one of another room: %s", text)
	}
	for _, more := range []string{`"dry_run":true,"DRY_RUN":false`, `"excluded":"maybe"`} { // a bug of its kind: what was refused acted
		before, _ := call(t, c, "arc_seat_context", `{"run_id":"work"}`)
		if text, isError := call(t, c, "arc_seat_rewind", strings.Replace(work, "}", ","+more+"}", 1)); !isError || !strings.Contains(text, `"code":"invalid_arguments"`) {
			t.Errorf("arguments that the tool does not take, %s: %s", more, text)
		}
		if after, _ := call(t, c, "arc_seat_context", `{"run_id":"work"}`); after != before {
			t.Errorf("a call that was refused has made of\n%s\nthis\n%s", before, after)
		}
	}
	if err := door.Close(); err != nil {
		t.Fatal(err)
	}

	if err := host.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if text, isError := call(t, c, "arc_seat_exclude_context", strings.Replace(work, "}", `,"excluded":false}`, 1)); isError || !strings.Contains(text, `"changed":true`) {
		t.Errorf("a change without an owner: %s", text)
	}
	if text, isError := call(t, c, "arc_seat_exclude_context", other); !isError || !strings.Contains(text, `"code":"forbidden"`) {
		t.Errorf("one of another room: %s", text)
	}
	if text, isError := call(t, c, "arc_seat_exclude_context", `{"run_id":"work"}`); !isError || !strings.Contains(text, `"code":"invalid_arguments"`) {
		t.Errorf("a change of nothing: %s", text)
	}
	host = open() // the store was let go
}
