package workspace

import (
	"context"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

var _ arc.Provider = (*Workspace)(nil)

// Tools are the eight tools of the workspace.
func (ws *Workspace) Tools() []arc.Tool { return append(ws.readTools(), ws.changeTools()...) }

// Denied names the tools that the workspace's options withhold: what a host puts
// in arc.Env.Deny, so that they are not listed either.
func (ws *Workspace) Denied() []string {
	if !ws.opts.ReadOnly {
		return nil
	}
	var names []string
	for _, t := range ws.changeTools() {
		if d := t.Definition(arc.Env{}); !d.Effects.ReadOnly {
			names = append(names, d.Name)
		}
	}
	return names
}

func (ws *Workspace) changeTools() []arc.Tool {
	project := arc.Needs{Project: true}
	undoable := arc.Effects{Undoable: true}
	return []arc.Tool{
		tools.New(arc.Definition{
			Name:        "workspace_write",
			Description: "Create a UTF-8 file, or replace one: that requires its hash. Undoable.",
			Needs:       project,
			Effects:     undoable,
		}, func(ctx context.Context, c arc.Call, a WriteArgs) (*arc.Result, error) {
			r, err := ws.Write(ctx, c.Origin, a)
			if err != nil {
				return nil, err
			}
			return changeResult(r, r.Changed), nil
		}),
		tools.New(arc.Definition{
			Name:        "workspace_edit",
			Description: "Replace exact text in a file you have read; requires its hash. Undoable.",
			Needs:       project,
			Effects:     undoable,
		}, func(ctx context.Context, c arc.Call, a EditArgs) (*arc.Result, error) {
			r, err := ws.Edit(ctx, c.Origin, a)
			if err != nil {
				return nil, err
			}
			return changeResult(r, r.Changed), nil
		}),
		tools.New(arc.Definition{
			Name:        "workspace_undo",
			Description: "Undo one change (also an undo) by its change_id: revert the file to before it. Refused if the file changed since.",
			Listing:     arc.Discover,
			Needs:       project,
			Effects:     undoable,
		}, func(ctx context.Context, c arc.Call, a UndoArgs) (*arc.Result, error) {
			r, err := ws.Undo(ctx, c.Origin, a)
			if err != nil {
				return nil, err
			}
			return changeResult(r, r.Changed), nil
		}),
		tools.Func(arc.Definition{
			Name:        "workspace_history",
			Description: "List recent changes to project files, newest first: change_id, path and status.",
			Listing:     arc.Discover,
			Needs:       project,
			Effects:     arc.Effects{ReadOnly: true},
		}, func(ctx context.Context, a HistoryArgs) (*arc.Result, error) {
			r, err := ws.History(ctx, a)
			if err != nil {
				return nil, err
			}
			r.fit(a)
			return &arc.Result{Data: r, Next: r.Next}, nil
		}),
		tools.Func(arc.Definition{
			Name:        "workspace_recovery_status",
			Description: "Report what a crash left behind and was recovered, and whether changes to files are blocked and why.",
			Listing:     arc.Discover,
			Needs:       project,
			Effects:     arc.Effects{ReadOnly: true},
		}, func(ctx context.Context, _ struct{}) (*RecoveryResult, error) {
			r, err := ws.RecoveryStatus(ctx)
			if err != nil {
				return nil, err
			}
			r.fit()
			return r, nil
		}),
	}
}

func changeResult(data any, c Changed) *arc.Result {
	return &arc.Result{Data: data, Touched: []arc.Touch{{
		Kind: "changed", ID: c.ChangeID, Path: c.Path, SHA256: string(c.SHA256), Note: string(c.Op), Undoable: true,
	}}}
}
