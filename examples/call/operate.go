package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/arcseat/arc/workspace"
)

// An operation is what only the operator can do to a journal that blocks changes.
type operation struct {
	resolve string // change_id=keep|before|after
	accept  string // a reason
}

func (o operation) asked() bool { return o.resolve != "" || o.accept != "" }

var resolutions = map[string]workspace.Resolution{
	"keep": workspace.KeepCurrent, "before": workspace.RestoreBefore, "after": workspace.RestoreAfter,
}

// run settles what workspace_recovery_status reports and says how things stand.
func (o operation) run(ctx context.Context, ws *workspace.Workspace, out io.Writer) error {
	if o.resolve != "" {
		id, word, _ := strings.Cut(o.resolve, "=")
		how, ok := resolutions[word]
		if !ok {
			return fmt.Errorf("-resolve wants CHANGE=keep, CHANGE=before or CHANGE=after")
		}
		if err := ws.Resolve(ctx, id, how); err != nil {
			return err
		}
	}
	if o.accept != "" {
		if err := ws.AcceptJournal(ctx, o.accept); err != nil {
			return err
		}
	}
	r, err := ws.RecoveryStatus(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %d changes in the journal, %d ambiguous, %d damaged\n", r.Status, r.Journal.Changes, len(r.Ambiguous), len(r.Tampered))
	return err
}
