package main

import (
	"fmt"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/seat"
)

// drawStatus draws how a seat stands and a page of its turns, newest first.
func (o *operator) drawStatus(s seat.Status) {
	run := "the run " + s.Seat.RunID + " goes on"
	if s.RunFinished {
		run = "the run " + s.Seat.RunID + " has finished"
	}
	o.heading("room %s, seat %s · revision %d · %s", o.room, s.Seat.MembershipID, s.HistoryRevision, run)
	if s.Busy == nil {
		o.say("No turn runs.")
	}
	o.surroundings(s.Busy, s.Queued, s.QueuedTotal, s.PendingWakes)
	if len(s.Turns) == 0 {
		return
	}
	o.say("")
	const keep = 5 + 2 + 10 + 2 + 21
	o.paper.Row(paint.Bold, o.turnRow("#", "state", "turn", "prompt"), keep)
	for _, t := range s.Turns {
		st := paint.Plain
		switch t.State {
		case "superseded", seat.Excluded:
			st = paint.Faint
		case seat.StatusFailed:
			st = paint.Red
		case seat.StatusRunning:
			st = paint.Green
		}
		o.paper.Row(st, o.turnRow(fmt.Sprint(t.Seq), t.State, string(t.TurnID), strings.Join(strings.Fields(t.Head), " ")), keep)
	}
	o.say("")
	in := min(s.LiveTotal-s.ExcludedTotal, seat.Window)
	o.faint("%d kept, %d in the window, %d excluded", s.LiveTotal, in, s.ExcludedTotal)
	if last := s.Turns[len(s.Turns)-1].Seq; last > 1 {
		o.faint("older turns: -before %d", last)
	}
}

func (o *operator) turnRow(number, state, turn, prompt string) string {
	return fmt.Sprintf("%5s  %-10s  %-21s  %s", number, state, turn, prompt)
}

// drawDryRun draws what a retry or a rewind would do.
func (o *operator) drawDryRun(d seat.DryRun) {
	o.heading("Nothing was changed. This would happen at revision %d:", d.HistoryRevision)
	for _, e := range d.WouldRefuse {
		o.paper.Para(paint.Red, "✗ it would be refused: "+e.Error())
	}
	o.superseded("To be forgotten", d.WouldSupersede)
	dropped := "to be dropped from the queue"
	if !o.dropQueued {
		dropped = "would have to be dropped from the queue, with -drop-queued"
	}
	o.queue(dropped, d.WouldDropQueued)
	o.queue("kept in the queue", d.WouldKeepQueued)
	o.shared(d.WouldKeepSharedRequests)
	o.wakes("would be cancelled", d.WouldCancelWakes)
	o.wakes("would be armed again", d.WouldRearmWakes)
	o.plansOf("would be withdrawn", d.WouldWithdrawPlans)
	o.run("would be open again", d.WouldReopenRun)
	o.notes("would go back", d.NotesWouldRevertTo)
	entered := 0
	for _, w := range d.WindowAfter {
		if w.Is == "entered" {
			entered++
		}
	}
	then := paint.Count(len(d.WindowAfter), "exchange") + " in the window"
	if entered > 0 {
		then += fmt.Sprintf(", %d of them not in it now", entered)
	}
	o.say("Then: %s.", then)
	o.stays(d.Stays)
}

// drawForgotten draws what a retry or a rewind has done.
func (o *operator) drawForgotten(f seat.Forgotten) {
	if f.Replayed {
		o.heading("This was done before, with the same request id. Revision %d then.", f.HistoryRevision)
	} else {
		o.heading("Done. Revision %d.", f.HistoryRevision)
	}
	o.superseded("Forgotten", f.Superseded)
	o.queue("dropped from the queue", f.DroppedQueued)
	o.queue("kept in the queue", f.KeptQueued)
	o.shared(f.KeptSharedRequests)
	o.wakes("are cancelled", f.CancelledWakes)
	o.wakes("are armed again", f.RearmedWakes)
	o.plansOf("are withdrawn", f.WithdrawnPlans)
	o.run("is open again", f.ReopenedRun)
	o.notes("went back", f.NotesRevertedTo)
	if f.Replacement != nil {
		o.say("In their place: %s, queued.", f.Replacement.QueueID)
	}
	o.stays(f.Stays)
}

func (o *operator) superseded(what string, s seat.Superseded) {
	o.say("%s: %s; stubs in the room: %s", what, paint.Count(len(s.Turns), "turn"), paint.Count(len(s.MessageIDs), "message"))
	for _, id := range s.Turns {
		o.say("  %s", id)
	}
}

func (o *operator) queue(what string, list []seat.Queued) {
	for _, q := range list {
		o.say("  %s: %s %s: %s", what, q.Kind, q.ID, q.Preview)
	}
}

func (o *operator) shared(ids []int64) {
	if len(ids) > 0 {
		o.say("  no stubs, because another seat remembers them: messages %s", strings.Trim(fmt.Sprint(ids), "[]"))
	}
}

func (o *operator) wakes(verb string, ids []string) {
	if len(ids) > 0 {
		o.say("  reminders and waits that %s: %s", verb, strings.Join(ids, ", "))
	}
}

func (o *operator) plansOf(verb string, ids []string) {
	if len(ids) > 0 {
		o.say("  plans that %s: %s", verb, strings.Join(ids, ", "))
	}
}

// run tells of a run that had finished.
func (o *operator) run(verb, id string) {
	if id != "" {
		o.say("  the run %s %s", id, verb)
	}
}

func (o *operator) notes(verb string, to *int64) {
	if to != nil && *to == 0 {
		o.say("  the notes %s to none", verb)
	} else if to != nil {
		o.say("  the notes %s to version %d", verb, *to)
	}
}

// stays lists what forgetting leaves as it is.
func (o *operator) stays(s *seat.Stays) {
	if s == nil {
		return
	}
	var lines []string
	add := func(format string, args ...any) {
		lines = append(lines, strings.TrimRight(fmt.Sprintf(format, args...), " ·"))
	}
	for _, f := range s.Files {
		undo := "cannot be undone"
		if f.Undoable {
			undo = "can be undone"
		}
		add("file      %s · %s · %s · %s", f.Path, f.Kind, f.ChangeID, undo)
	}
	for _, c := range s.ShellCommands {
		exit := "" // it runs, or nobody knows
		if c.Exit != nil {
			exit = fmt.Sprint("ended with ", *c.Exit)
		}
		add("command   %s · %s · %s", c.SpoolID, c.Command, exit)
	}
	for _, kind := range []struct {
		name string
		list []seat.StaysThing
	}{
		{"job", s.JobsRunning}, {"task", s.Tasks}, {"claim", s.Claims}, {"artifact", s.Artifacts},
		{"decision", s.Decisions}, {"call", s.MCPCalls},
	} {
		for _, t := range kind.list {
			add("%-8s  %s · %s", kind.name, t.ID, t.Note)
		}
	}
	for _, t := range s.Other {
		add("%-8s  %s · %s", t.Kind, t.ID, t.Note)
	}
	o.say("")
	if len(lines) == 0 {
		o.say("Nothing else came of it.")
	} else {
		o.say("What stays as it is:")
	}
	for _, l := range lines {
		o.say("  %s", l)
	}
	if !s.Complete {
		o.paper.Para(paint.Red, "This may not be all; nobody could tell of: "+strings.Join(s.Unknown, ", "))
	}
}

// done heads what came of a verb, and reports whether it changed something just now.
func (o *operator) done(replayed, changed bool, already string, revision int64) bool {
	switch {
	case replayed:
		o.heading("This was done before, with the same request id. Revision %d then.", revision)
	case !changed:
		o.heading("%s Revision %d.", already, revision)
	default:
		o.heading("Done. Revision %d.", revision)
		return true
	}
	return false
}

func (o *operator) drawEdited(e seat.Edited) {
	if o.done(e.Replayed, e.Changed, "It says that already.", e.HistoryRevision) {
		o.say("The seat remembers your text, and is told so at its next turn. It is message %d of the room.", e.PostedMessageID)
	}
}

func (o *operator) drawExclusion(e seat.Exclusion) {
	o.done(e.Replayed, e.Changed, "It is so already.", e.HistoryRevision)
	for _, list := range []struct {
		is  string
		ids []arc.TurnID
	}{{"came into the window", e.Entered}, {"left the window", e.Left}} {
		for _, id := range list.ids {
			o.say("  %s: %s", list.is, id)
		}
	}
	if len(e.Notes) > 0 {
		o.say("It is too old to be in the window: the next turn does not remember it.")
	}
	o.say("Now: %s in the window.", paint.Count(len(e.Window), "exchange"))
}

// drawPlans draws the newest plan, and the heads of those before it.
func (o *operator) drawPlans(list []desk.Plan) {
	if len(list) == 0 {
		o.say("There is no plan.")
		return
	}
	p := list[0]
	o.heading("%s · revision %d · %s", p.ID, p.Revision, p.State)
	o.text("", p.Summary)
	for i, t := range p.Subtasks {
		o.say("")
		o.paper.Line(paint.Bold, "", fmt.Sprintf("%d. %s", i+1, t.Title))
		o.text("   ", t.Instruction)
		o.text("   ", "Done when: "+t.Acceptance)
		o.text("   ", "Files: "+strings.Join(t.TargetFiles, ", "))
	}
	o.say("")
	if p.State == seat.PlanSubmitted {
		o.faint("approve %s, or reject it", p.ID)
	}
	for _, old := range list[1:] {
		o.faint("before it: %s · revision %d · %s · %s", old.ID, old.Revision, old.State, old.Summary)
	}
}

// text writes a text in full, wrapped.
func (o *operator) text(indent, s string) {
	for l := range strings.Lines(s) {
		for _, part := range paint.Wrap(l, o.paper.Width-len(indent)) {
			o.paper.Line(paint.Plain, indent, part)
		}
	}
}

func (o *operator) drawDecided(p desk.Plan) {
	o.heading("%s is %s.", p.ID, p.State)
	if p.Task != 0 {
		o.say("Its subtasks are parts of the task %d; the agent is told of them at its next turn.", p.Task)
	}
}

func (o *operator) drawTasks(list []desk.Task) {
	if len(list) == 0 {
		o.say("The room has no tasks.")
	}
	for _, t := range list {
		indent := ""
		if t.Parent != 0 {
			indent = "  "
		}
		st, mark := paint.Plain, "○"
		if t.State != seat.TaskOpen {
			st, mark = paint.Faint, map[string]string{seat.TaskDone: "✓", seat.TaskCancelled: "✗"}[t.State]
		}
		head, _, _ := strings.Cut(t.Text, "\n")
		o.paper.Line(st, indent, fmt.Sprintf("%s %d  %s", mark, t.ID, head))
	}
}

func (o *operator) drawTask(t desk.Task) {
	o.drawTasks([]desk.Task{t})
	if t.NewRoom {
		o.say("The room %s is new; examples/agent -room %s runs its seat.", o.room, o.room)
	}
}
