package main

import (
	"context"
	"fmt"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// An agent is a model and its tools. The screen shows what the model says; that it
// also shows the calls is the set's doing, whose middleware it is.
type agent struct {
	model  model
	set    *tools.Set
	turn   arc.Turn
	screen *screen
	steps  int // requests to the model, at most
}

// An ending is how a turn was left: by a tool that ends it, or by an answer
// without calls (arc.Continue).
type ending struct {
	how  arc.End
	text string // the model's last words
}

// run is one turn: the model is asked, what it calls is run, the results go
// back to it, until a tool ends the turn or there is nothing left to call.
//
// This is the whole of what a host does. The session lists the tools of this
// moment (those that a search has found included), repairs and checks what the
// model sends, runs what may run side by side, and answers every call, whatever
// happens: the loop never sees a call that failed to get a result.
func (a *agent) run(ctx context.Context, task string) (ending, error) {
	session := a.set.Session(a.turn)
	a.model.say(task)
	for range a.steps {
		said, err := a.model.ask(ctx, session.List())
		if err != nil {
			return ending{}, err
		}
		a.screen.words(said.text)
		if len(said.calls) == 0 {
			return ending{text: said.text}, nil
		}
		results := session.Run(ctx, said.calls)
		if err := a.model.answer(said.calls, results); err != nil {
			return ending{}, err
		}
		for _, r := range results {
			if r.End != arc.Continue {
				return ending{how: r.End, text: said.text}, nil
			}
		}
		if err := ctx.Err(); err != nil {
			return ending{}, err
		}
	}
	return ending{}, fmt.Errorf("the model is not done after %d steps; -steps allows more", a.steps)
}
