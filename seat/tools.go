package seat

import (
	"context"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// Tools are the six tools with which a seat controls its own turn: finish, remind,
// wait, save_notes, submit_plan and answer_user. They act on the Seat of the turn
// that a session is opened for, so that one provider serves every seat.
func Tools() arc.Provider { return tools.Of(turnTools()...) }

type remindArgs struct {
	_     tools.Closed
	After any    `json:"after" jsonschema_extras:"type=string,type=number" jsonschema_description:"Positive seconds, or a duration such as 90s, 10m, 1h"`
	Note  string `json:"note" jsonschema:"maxLength=1500" jsonschema_description:"What you will want to know then"`
}

type waitArgs struct {
	_       tools.Closed
	After   any     `json:"after,omitempty" jsonschema_extras:"type=string,type=number,type=null" jsonschema_description:"A time: positive seconds, or 90s, 10m, 1h"`
	TaskID  *int64  `json:"task_id,omitempty" jsonschema:"minimum=1" jsonschema_extras:"type=integer,type=null" jsonschema_description:"A task of the room"`
	JobID   *string `json:"job_id,omitempty" jsonschema_extras:"type=string,type=null" jsonschema_description:"Your shell job"`
	Timeout any     `json:"timeout,omitempty" jsonschema_extras:"type=string,type=number,type=null" jsonschema_description:"Longest wait for a task or job; 24h if left out"`
	Note    string  `json:"note" jsonschema:"maxLength=1500" jsonschema_description:"What you will want to know then"`
}

type notesArgs struct {
	Notes string `json:"notes" jsonschema_description:"The full set, at most 4,000 characters"`
}

type finishArgs struct {
	Summary        string `json:"summary" jsonschema_description:"What was done"`
	ReplyMessageID int64  `json:"reply_message_id,omitempty" check:"minimum=1" jsonschema_description:"Your reply in the room, if the run asks for one"`
}

type planArgs struct {
	_        tools.Closed
	Summary  string        `json:"summary" jsonschema_description:"The whole plan in one line"`
	Subtasks []subtaskArgs `json:"subtasks" jsonschema:"minItems=1,maxItems=12" jsonschema_description:"In order"`
}

type subtaskArgs struct {
	Title       string   `json:"title" jsonschema_description:"A few words"`
	Instruction string   `json:"instruction" jsonschema_description:"What to do"`
	TargetFiles []string `json:"target_files" jsonschema:"minItems=1" jsonschema_description:"Exact project paths"`
	Acceptance  string   `json:"acceptance" jsonschema_description:"How it will be seen that it is done"`
}

type answerArgs struct {
	_      tools.Closed
	Answer string `json:"answer" jsonschema_description:"The complete answer, as it is shown"`
}

const planTool = "submit_plan"

func turnTools() []arc.Tool {
	needs := arc.Needs{Seat: true}
	planning := arc.Needs{Seat: true, Planning: arc.Required}
	ends := arc.Effects{EndsTurn: true}
	return []arc.Tool{
		tools.New(arc.Definition{
			Name:        "save_notes",
			Description: "Keep notes over automatic checkpoints, which drop file text you have read. Replaces the saved notes: send the full set.",
			Needs:       arc.Needs{Seat: true, Planning: arc.Allowed},
		}, func(ctx context.Context, c arc.Call, a notesArgs) (*arc.Result, error) {
			return c.Seat.SaveNotes(ctx, c.ID, a.Notes)
		}),
		tools.New(arc.Definition{
			Name:        "finish",
			Description: "Finish the assigned run. Its completion gates are checked first; the result says what is missing and what to do.",
			Needs:       needs,
			Effects:     ends,
		}, func(ctx context.Context, c arc.Call, a finishArgs) (*arc.Result, error) {
			return c.Seat.Finish(ctx, c.ID, arc.Finish{Summary: a.Summary, ReplyMessageID: a.ReplyMessageID})
		}),
		tools.New(arc.Definition{
			Name:        planTool,
			Description: "Submit the complete ordered plan; ends the planning turn. Inspect the workspace first: name exact files and observable acceptance.",
			Needs:       planning,
			Effects:     ends,
		}, func(ctx context.Context, c arc.Call, a planArgs) (*arc.Result, error) {
			return c.Seat.SubmitPlan(ctx, c.ID, a.plan())
		}),
		tools.New(arc.Definition{
			Name:        "answer_user",
			Description: "Answer in words and change nothing: questions, ideas, critique, or whatever does not clearly ask for file changes. Ends the planning turn.",
			Needs:       planning,
			Effects:     ends,
		}, func(ctx context.Context, c arc.Call, a answerArgs) (*arc.Result, error) {
			return c.Seat.Answer(ctx, c.ID, a.Answer)
		}),
		tools.New(arc.Definition{
			Name:        "remind",
			Description: "Set a durable reminder for yourself and keep working. Your seat is resumed when it is due, with your note.",
			Listing:     arc.Hosted,
			Needs:       needs,
		}, func(ctx context.Context, c arc.Call, a remindArgs) (*arc.Result, error) {
			after, err := parseDuration("after", a.After)
			if err != nil {
				return nil, err
			}
			return c.Seat.Remind(ctx, c.ID, arc.Reminder{After: after, Note: a.Note})
		}),
		tools.New(arc.Definition{
			Name: "wait",
			Description: "Yield the turn for exactly one of after, task_id, job_id. Ends as waiting, without claiming completion; " +
				"a target already there returns at once. Your seat is resumed with your note.",
			Listing: arc.Hosted,
			Needs:   needs,
			Effects: ends,
		}, func(ctx context.Context, c arc.Call, a waitArgs) (*arc.Result, error) {
			w, err := a.wait()
			if err != nil {
				return nil, err
			}
			return c.Seat.Wait(ctx, c.ID, w)
		}),
	}
}

func (a planArgs) plan() arc.Plan {
	p := arc.Plan{Summary: a.Summary}
	for _, t := range a.Subtasks {
		p.Subtasks = append(p.Subtasks, arc.Subtask{Title: t.Title, Instruction: t.Instruction, Acceptance: t.Acceptance, TargetFiles: t.TargetFiles})
	}
	return p
}

func (a waitArgs) wait() (arc.Wait, error) {
	w := arc.Wait{Note: a.Note}
	if a.TaskID != nil {
		w.TaskID = *a.TaskID
	}
	if a.JobID != nil {
		w.JobID = *a.JobID
	}
	for _, d := range []struct {
		name string
		from any
		to   *time.Duration
	}{{"after", a.After, &w.After}, {"timeout", a.Timeout, &w.Timeout}} {
		if d.from == nil {
			continue
		}
		var err error
		if *d.to, err = parseDuration(d.name, d.from); err != nil {
			return w, err
		}
	}
	return w, nil
}
