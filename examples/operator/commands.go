package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/seat"
)

// A command is a verb of the command line.
type command struct {
	least, most int    // words after it
	wants       string // what they are; empty: it has none
	do          func(*operator, context.Context) error
}

// commands are the verbs.
var commands = map[string]command{
	"context":    {0, 0, "", (*operator).context},
	"status":     {0, 0, "", (*operator).status},
	"retry":      {1, 2, "a turn and, if it is another, a prompt", (*operator).retry},
	"rewind":     {1, 2, "a turn and, to go on with, a prompt", (*operator).rewind},
	"edit-reply": {2, 2, "a turn and a text", (*operator).editReply},
	"exclude":    {1, 1, "a turn", func(o *operator, ctx context.Context) error { return o.exclude(ctx, true) }},
	"restore":    {1, 1, "a turn", func(o *operator, ctx context.Context) error { return o.exclude(ctx, false) }},
	"plan":       {0, 0, "", (*operator).plan},
	"approve":    {1, 1, "a plan", func(o *operator, ctx context.Context) error { return o.decide(ctx, "approve") }},
	"reject":     {1, 1, "a plan", func(o *operator, ctx context.Context) error { return o.decide(ctx, "reject") }},
	"task":       {0, 2, "nothing, add TEXT, done ID or cancel ID", (*operator).task},
	"stop":       {0, 0, "", (*operator).stop},
}

// do asks, and prints the answer as JSON or draws it.
func do[R any](ctx context.Context, o *operator, verb string, args any, draw func(R)) error {
	r, raw, err := ask[R](ctx, o, verb, args)
	if err != nil {
		return err
	}
	if o.json {
		_, err = fmt.Fprintf(o.paper.Out, "%s\n", raw)
		return err
	}
	draw(r)
	return nil
}

func (o *operator) context(ctx context.Context) error {
	return do(ctx, o, "context", seat.ContextArgs{Ref: o.ref(), MaxChars: o.maxChars}, o.drawContext)
}

func (o *operator) status(ctx context.Context) error {
	before := ""
	if o.before != "" {
		var err error
		if before, err = o.turn(ctx, o.before); err != nil {
			return err
		}
	}
	return do(ctx, o, "status", seat.StatusArgs{Ref: o.ref(), Before: before, Limit: o.limit}, o.drawStatus)
}

// message is the prompt that stands after the turn, if one does.
func (o *operator) message() *string {
	if len(o.words) < 3 {
		return nil
	}
	return &o.words[2]
}

func (o *operator) retry(ctx context.Context) error {
	turn, err := o.turn(ctx, o.words[1])
	if err != nil {
		return err
	}
	return o.forget(ctx, "retry", seat.RetryArgs{
		Ref: o.ref(), TurnID: turn, Message: o.message(), DryRun: o.dryRun, DropQueued: o.dropQueued, ExpectedRevision: o.revision,
		SupersedeRequest: o.supersedeRequest, SourceMessageID: o.source, MaxSteps: o.maxSteps, OriginID: o.originID, RequestID: o.requestID,
	})
}

func (o *operator) rewind(ctx context.Context) error {
	turn, err := o.turn(ctx, o.words[1])
	if err != nil {
		return err
	}
	return o.forget(ctx, "rewind", seat.RewindArgs{
		Ref: o.ref(), TurnID: turn, Message: o.message(), DryRun: o.dryRun, DropQueued: o.dropQueued, ExpectedRevision: o.revision,
		SourceMessageID: o.source, MaxSteps: o.maxSteps, OriginID: o.originID, RequestID: o.requestID,
	})
}

// forget is a retry or a rewind, dry or not.
func (o *operator) forget(ctx context.Context, verb string, args any) error {
	if o.dryRun {
		return do(ctx, o, verb, args, o.drawDryRun)
	}
	return do(ctx, o, verb, args, o.drawForgotten)
}

func (o *operator) editReply(ctx context.Context) error {
	turn, err := o.turn(ctx, o.words[1])
	if err != nil {
		return err
	}
	return do(ctx, o, "edit-reply", seat.EditArgs{
		Ref: o.ref(), TurnID: turn, Content: o.words[2], ExpectedRevision: o.revision, RequestID: o.requestID,
	}, o.drawEdited)
}

func (o *operator) exclude(ctx context.Context, excluded bool) error {
	turn, err := o.turn(ctx, o.words[1])
	if err != nil {
		return err
	}
	return do(ctx, o, "exclude", seat.ExcludeArgs{
		Ref: o.ref(), TurnID: turn, Excluded: &excluded, ExpectedRevision: o.revision, RequestID: o.requestID,
	}, o.drawExclusion)
}

func (o *operator) plan(ctx context.Context) error {
	return do(ctx, o, "plans", o.ref(), o.drawPlans)
}

func (o *operator) decide(ctx context.Context, verb string) error {
	plan := int64(0) // its own
	if o.revision != nil {
		plan = *o.revision
	}
	return do(ctx, o, verb, desk.DecideArgs{Ref: o.ref(), PlanID: o.words[1], Revision: plan}, o.drawDecided)
}

func (o *operator) task(ctx context.Context) error {
	rest := o.words[1:]
	if len(rest) == 0 {
		return do(ctx, o, "tasks", o.ref(), o.drawTasks)
	}
	if rest[0] == "add" {
		return do(ctx, o, "task-add", desk.AddTaskArgs{Ref: o.ref(), Text: rest[1], Parent: o.parent}, o.drawTask)
	}
	states := map[string]string{"done": seat.TaskDone, "cancel": seat.TaskCancelled}
	id, err := strconv.ParseInt(rest[1], 10, 64)
	if err != nil {
		return &arc.Error{Code: arc.InvalidArguments, Message: "a task is named by its number; the verb task lists them."}
	}
	return do(ctx, o, "task-end", desk.EndTaskArgs{Ref: o.ref(), TaskID: id, State: states[rest[0]]}, o.drawTask)
}

func (o *operator) stop(ctx context.Context) error {
	return do(ctx, o, "stop", o.ref(), func(s desk.Stopped) {
		if s.TurnID == "" {
			o.say("No turn runs.")
			return
		}
		o.say("The turn %s is ended; it can be retried or rewound.", s.TurnID)
	})
}
