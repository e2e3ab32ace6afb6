package main

import (
	"context"
	"fmt"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/wire"
)

// An agent is a model and its tools. The screen shows what the model says; that it
// also shows the calls is the set's doing, whose middleware it is.
type agent struct {
	model   *model
	set     *tools.Set
	screen  *screen
	turn    arc.Turn // of a turn without a seat
	steps   int      // requests to the model in it, at most
	context budget   // of a seat's conversation
}

// An ending is how a turn was left: by a tool that ends it, or by an answer
// without calls (arc.Continue).
type ending struct {
	how  arc.End
	text string // the model's last words
}

// run is one turn: the model is asked, what it calls is run, the results go
// back to it, until a tool ends the turn or there is nothing left to call.
func (a *agent) run(ctx context.Context, task string) (ending, error) {
	session := a.set.Session(a.turn)
	if err := a.model.begin(a.turn.Env, system); err != nil {
		return ending{}, err
	}
	a.model.say(task)
	for range a.steps {
		end, more, err := a.round(ctx, session)
		if err != nil || !more {
			return end, err
		}
	}
	return ending{}, fmt.Errorf("the model is not done after %d steps; -steps allows more", a.steps)
}

// handle is one turn of a seat. The loop is the same; but the seat says what the
// model is to know, keeps each call so that a crash is survived, and after a number
// of requests, or when the model's context is full, makes a checkpoint, at which the
// conversation begins anew.
func (a *agent) handle(ctx context.Context, t *seat.Turn, system string) (ending, error) {
	session := a.set.Session(t.Turn, t.Record)
	session.Reserve(t.CallIDs...)
	said := ""
	for fresh := true; ; fresh = false {
		checkpoint, err := t.Step(ctx)
		if err != nil {
			return ending{}, err
		}
		if checkpoint {
			a.screen.digest(t.Messages(), t.Prompt)
		}
		if fresh || checkpoint {
			if err := a.recall(t, system); err != nil {
				return ending{}, err
			}
		}
		end, more, err := a.round(ctx, session)
		if err != nil || !more {
			return end, err
		}
		if a.context.spent {
			t.Compact()
		}
		if end.text != "" { // what is left of the turn if it fails
			said += end.text + "\n\n"
			if err := t.Say(ctx, said); err != nil {
				return ending{}, err
			}
		}
	}
}

// recall begins the model's conversation with what the seat remembers and is asked.
func (a *agent) recall(t *seat.Turn, system string) error {
	a.context.begin()
	if err := a.model.begin(t.Env, system); err != nil {
		return err
	}
	for _, m := range t.Messages() {
		if m.Role == "user" {
			a.model.say(m.Text)
		} else {
			a.model.said(m.Text)
		}
	}
	return nil
}

// round asks the model once and runs what it calls. Without more there is nothing
// left to do.
//
// This is the whole of what a host does. The session lists the tools of this
// moment (those that a search has found included), repairs and checks what the
// model sends, runs what may run side by side, and answers every call, whatever
// happens: the loop never sees a call that failed to get a result.
func (a *agent) round(ctx context.Context, session *tools.Session) (end ending, more bool, err error) {
	said, err := a.model.ask(ctx, session, &speech{screen: a.screen})
	if err != nil {
		return ending{}, false, err
	}
	end.text = said.Text
	if len(said.Calls) == 0 {
		return end, said.Stop == wire.Paused, nil // paused: it goes on when it is asked again
	}
	results := session.Run(ctx, said.Calls)
	a.context.grow(a.model.size, results)
	if err := a.model.answer(said.Calls, results); err != nil {
		return ending{}, false, err
	}
	for _, r := range results {
		if r.End != arc.Continue {
			end.how = r.End
			return end, false, nil
		}
	}
	return end, true, ctx.Err()
}
