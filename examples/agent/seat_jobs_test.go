package main

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
)

// Two seats, one file: both read, both edit; the second is refused as stale, with the
// current hash and the lines around, and succeeds with them.
func TestTwoSeatsOneFile(t *testing.T) {
	t.Parallel()
	edit := func(old, new string) fakemodel.Step {
		st := calls("workspace_edit", map[string]any{"path": "shared.txt", "old_string": old, "new_string": new, "expected_sha256": "${sha256}"})
		st.Pull = map[string]fakemodel.Pull{"sha256": {Of: "workspace_read", Field: "sha256"}}
		return st
	}
	stale := calls("workspace_edit", map[string]any{"path": "shared.txt", "old_string": "two", "new_string": "TWO", "expected_sha256": "${current}"})
	stale.When = fakemodel.Match{Contains: `"code":"stale"`, Regexp: `ONE`}
	stale.Pull = map[string]fakemodel.Pull{"current": {Field: "error.current_sha256"}}
	g := newStage(t,
		scene("Change one", calls("workspace_read", map[string]any{"path": "shared.txt"}), edit("one", "ONE"), says("Changed one.")),
		scene("Change two", calls("workspace_read", map[string]any{"path": "shared.txt"}), edit("two", "TWO"), stale, says("Changed two.")),
	)
	g.put("shared.txt", "one\ntwo\nthree\n")
	// Each seat reads before the first edits, and the first edits before the second.
	var read sync.WaitGroup
	read.Add(2)
	edited := make(chan struct{})
	order := func(room string) tools.Middleware {
		return func(next tools.Handler) tools.Handler {
			return func(ctx context.Context, c arc.Call) *arc.Result {
				if c.Name == "workspace_edit" && room == "two" {
					<-edited
				}
				r := next(ctx, c)
				switch {
				case c.Name == "workspace_read":
					read.Done()
					read.Wait()
				case c.Name == "workspace_edit" && room == "one":
					close(edited)
				}
				return r
			}
		}
	}
	g.host(func(ctx context.Context, h *local.Host) {
		sittings := map[arc.SeatID]*sitting{}
		for _, room := range []string{"one", "two"} {
			info, err := h.Seats.Join(ctx, seat.Spec{Room: room})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := h.Seats.Send(ctx, seat.Prompt{Ref: seat.Ref{RunID: room}, Text: "Change " + room}); err != nil {
				t.Fatal(err)
			}
			set, err := h.Set(&tools.Options{Middleware: []tools.Middleware{order(room)}})
			if err != nil {
				t.Fatal(err)
			}
			sc := &screen{Paper: paint.Paper{Out: &bytes.Buffer{}, Width: 80}}
			sittings[info.ID] = &sitting{agent: &agent{model: g.dialect.model(g.srv.URL()), set: set, screen: sc}, host: h, room: room, ids: []arc.SeatID{info.ID}}
		}
		o := h.RunOptions()
		o.Idle = true
		err := h.Seats.Run(ctx, func(ctx context.Context, turn *seat.Turn) (string, error) {
			return sittings[turn.Origin.Seat].turn(ctx, turn)
		}, o)
		if err != nil {
			t.Fatal(err)
		}
	})
	if got, want := g.read("shared.txt"), "ONE\nTWO\nthree\n"; got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
}

// A long conversation: 60 turns, notes that are replaced three times, a checkpoint that
// drops the text of a file, an exchange excluded and a reply edited: each turn is told the
// newest 12 that are not excluded, the notes, and the jobs that run.
func TestALongConversation(t *testing.T) {
	t.Parallel()
	const reads = 30 // the turn that reads a file and comes to a checkpoint
	scenes := []fakemodel.Scene{scene("[checkpoint]", says(fmt.Sprintf("Reply %d.", reads)))}
	for i := 60; i > 0; i-- {
		steps := []fakemodel.Step{says(fmt.Sprintf("Reply %d.", i))}
		switch {
		case i == reads:
			steps = []fakemodel.Step{
				calls("workspace_read", map[string]any{"path": "whales.txt"}),
				when("the text of the file", calls("workspace_list", nil)),
			}
		case i%20 == 0:
			steps = append([]fakemodel.Step{calls("save_notes", map[string]any{"notes": fmt.Sprintf("Notes of turn %d.", i)})}, steps...)
		}
		scenes = append(scenes, scene(fmt.Sprintf("Turn number %d.", i), steps...))
	}
	scenes = append(scenes, scene("last", says("The end.")),
		scene("Begin the job", calls("shell_exec", map[string]any{"command": "sleep 300", "block_budget_sec": 0.1}), says("It runs.")),
		scene("Is it there", says("It is.")))
	g := newStage(t, scenes...)
	g.put("whales.txt", "the text of the file\n")
	for i := 1; i <= 60; i++ {
		if i != reads {
			g.ask(fmt.Sprintf("Turn number %d.", i))
			continue
		}
		g.ask("-steps", "2", fmt.Sprintf("Turn number %d.", i))
		if raw := string(g.newest().Raw); strings.Contains(raw, "the text of the file") || !containsHash(raw) || !strings.Contains(raw, "Notes of turn 20.") {
			t.Errorf("after the checkpoint the model is told %s", raw)
		}
	}
	told := func() (numbers []int) {
		g.ask("The last")
		for _, p := range said(g.newest()) {
			n := 0
			fmt.Sscanf(p[0], "Turn number %d.", &n)
			numbers = append(numbers, n)
		}
		return numbers
	}
	if got, want := told(), []int{49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60}; !slices.Equal(got, want) {
		t.Errorf("the turns that are told are %v, want %v", got, want)
	}
	text := newestText(g.newest())
	if !strings.Contains(text, "Notes of turn 60.") || strings.Contains(text, "Notes of turn 40.") {
		t.Errorf("the notes that are told are in %q", text)
	}
	c := mustOperate[seat.Context](g, "context", seat.ContextArgs{Ref: demoRef})
	var edit, exclude arc.TurnID
	for _, e := range c.Entries {
		switch e.Seq {
		case 58:
			edit = e.TurnID
		case 59:
			exclude = e.TurnID
		}
	}
	x := mustOperate[seat.Exclusion](g, "exclude", seat.ExcludeArgs{Ref: demoRef, TurnID: string(exclude)})
	if len(x.Entered) != 1 {
		t.Errorf("excluding one lets in %v", x.Entered)
	}
	mustOperate[seat.Edited](g, "edit-reply", seat.EditArgs{Ref: demoRef, TurnID: string(edit), Content: "The operator's words."})
	// The turn before was told 49 to 60; it is itself one of the twelve now.
	if got, want := told(), []int{49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 60, 0}; !slices.Equal(got, want) {
		t.Errorf("the turns that are told are %v, want %v", got, want)
	}
	if got := said(g.newest())[9]; got[1] != "The operator's words." {
		t.Errorf("the edited exchange is told as %v", got)
	}
	if text := newestText(g.newest()); !strings.Contains(text, "The operator rewrote your reply in turn "+string(edit)) {
		t.Errorf("the seat is not told of the edit: %q", text)
	}

	needBash(t)
	p := g.start("-access", "full", "-serve", "Begin the job")
	p.sees("It runs.")
	g.ask("-access", "full", "Is it there?") // is handed over
	p.sees("It is.")
	if text := newestText(g.newest()); !regexp.MustCompile(`(?m)^\[your background jobs\]\n- job job_\w+ sleep 300: running$`).MatchString(text) {
		t.Errorf("the model is not told of the job that runs: %q", text)
	}
	p.interrupt()
}
