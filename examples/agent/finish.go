package main

import (
	"context"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// A gate is what has to hold before the run may end.
type gate struct {
	name string

	// missing says what is not as it should be and what to do about it, or "".
	missing func(context.Context, arc.Call) (detail, next string, err error)
}

// finish is the tool that ends the run: a plain one of this program's own, for
// hosts without seats.
type finish struct{ gates []gate }

type finishArgs struct {
	Summary string `json:"summary" jsonschema_description:"What was done, in a sentence or two"`
}

type finishResult struct {
	Status  string    `json:"status"` // finished, not_finished
	Missing []missing `json:"missing,omitempty"`
}

type missing struct {
	Gate   string `json:"gate"`
	Detail string `json:"detail"`
	Next   string `json:"next"`
}

// finishing provides the one tool.
func finishing(gates ...gate) arc.Provider {
	def := arc.Definition{
		Name:        "finish",
		Description: "End the run when the task is done. Answers not_finished, with what is missing, while a check of the operator's fails.",
		Effects:     arc.Effects{EndsTurn: true},
	}
	return tools.Of(tools.New(def, finish{gates}.call))
}

// call asks every gate, so that the model hears of all that is missing at once.
func (f finish) call(ctx context.Context, c arc.Call, args finishArgs) (*arc.Result, error) {
	if strings.TrimSpace(args.Summary) == "" {
		return nil, &arc.Error{Code: arc.InvalidArguments, Message: "the summary is blank; say what was done."}
	}
	out := finishResult{Status: "finished"}
	for _, g := range f.gates {
		detail, next, err := g.missing(ctx, c)
		if err != nil {
			return nil, err
		}
		if detail != "" {
			out.Status = "not_finished"
			out.Missing = append(out.Missing, missing{g.name, detail, next})
		}
	}
	if out.Missing != nil {
		return &arc.Result{Data: out}, nil
	}
	return &arc.Result{Data: out, End: arc.Finished}, nil
}
