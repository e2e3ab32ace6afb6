package seat

import (
	"context"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// The names of the operator's verbs.
const (
	ContextTool = "arc_seat_context"
	StatusTool  = "arc_seat_status"
	RetryTool   = "arc_seat_retry"
	RewindTool  = "arc_seat_rewind"
	EditTool    = "arc_seat_edit_reply"
	ExcludeTool = "arc_seat_exclude_context"
)

// OperatorTools are the five verbs and arc_seat_status as tools for an operator's
// agent, who acts as op. They are never part of a seat's own set. Arguments that the
// schemas don't name are refused: a misspelt dry_run would act.
func OperatorTools(s *Service, op Operator) arc.Provider { return tools.Of(operatorTools(s, op)...) }

func operatorTools(s *Service, op Operator) []arc.Tool {
	reads := arc.Effects{ReadOnly: true}
	return []arc.Tool{
		tools.Func(arc.Definition{
			Name: ContextTool,
			Description: "Read exactly what a seat's next turn will replay: the window of the newest 12 non-excluded exchanges, older and excluded ones, " +
				"the next to fall out, and history_revision for expected_history_revision. Tool calls, results and images are never replayed.",
			Effects: reads,
		}, func(ctx context.Context, a ContextArgs) (*arc.Result, error) {
			c, err := s.Context(ctx, op, a)
			if err != nil {
				return nil, err
			}
			return &arc.Result{Data: c, Next: c.Next}, nil
		}),
		tools.Func(arc.Definition{
			Name:        StatusTool,
			Description: "Read how a seat stands: last turn, busy, queued turns, pending wakes, and its turns, newest first.",
			Effects:     reads,
		}, func(ctx context.Context, a StatusArgs) (*arc.Result, error) {
			st, err := s.Status(ctx, op, a)
			if err != nil {
				return nil, err
			}
			return &arc.Result{Data: st, Next: st.Next}, nil
		}),
		tools.Func(arc.Definition{
			Name: RetryTool,
			Description: "Drop a seat's last exchange and run it again with the same or an edited prompt. Conversation only: files, tasks, decisions stay, " +
				"and dry_run lists them. Refused while the seat is busy; queued turns block unless drop_queued, which keeps wakes of surviving turns. Old rows stay as stubs.",
			Effects: arc.Effects{Destructive: true},
		}, func(ctx context.Context, a RetryArgs) (*arc.Result, error) {
			return forgotten(s.Retry(ctx, op, a))
		}),
		tools.Func(arc.Definition{
			Name: RewindTool,
			Description: "Forget an exchange and everything after it, and go on with message or leave the seat ready. Conversation only: dry_run lists what stays. " +
				"Refused while the seat is busy; queued turns block unless drop_queued, which keeps wakes of surviving turns. Replies and requests become stubs.",
			Effects: arc.Effects{Destructive: true},
		}, func(ctx context.Context, a RewindArgs) (*arc.Result, error) {
			return forgotten(s.Rewind(ctx, op, a))
		}),
		tools.Func(arc.Definition{
			Name: EditTool,
			Description: "Rewrite the reply that a seat will remember for one exchange. The old row is superseded, the text is posted by you, never as the seat, " +
				"and the seat is told at its next turn.",
			Effects: arc.Effects{Destructive: true},
		}, func(ctx context.Context, a EditArgs) (*Edited, error) { return s.EditReply(ctx, op, a) }),
		tools.Func(arc.Definition{
			Name:        ExcludeTool,
			Description: "Exclude one exchange from what a seat replays, or restore it, without touching the room. Excluding pulls an older exchange into the window.",
			Effects:     arc.Effects{Undoable: true},
		}, func(ctx context.Context, a ExcludeArgs) (*Exclusion, error) { return s.Exclude(ctx, op, a) }),
	}
}

// forgotten is whichever of the two there is.
func forgotten(f *Forgotten, d *DryRun, err error) (*arc.Result, error) {
	switch {
	case err != nil:
		return nil, err
	case d != nil:
		return &arc.Result{Data: d}, nil
	}
	return &arc.Result{Data: f}, nil
}
