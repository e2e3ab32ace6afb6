package workspace

import (
	"context"
	"errors"
	"fmt"

	"github.com/arcseat/arc"
)

// enter takes the right to change the project, in this process and among all of
// them, and settles what a process that died left behind. The caller leaves.
func (ws *Workspace) enter(ctx context.Context) (leave func(), err error) {
	select {
	case ws.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	free := func() { <-ws.turn }
	unlock, err := ws.journal.lock(ctx)
	if err != nil {
		free()
		return nil, ws.journalFault(err)
	}
	leave = func() { unlock(); free() }
	if err := ws.journal.refresh(); err != nil {
		leave()
		return nil, ws.journalFault(err)
	}
	if len(ws.journal.damage) == 0 {
		if err := ws.recover(ctx); err != nil {
			leave()
			return nil, ws.journalFault(err)
		}
	}
	return leave, nil
}

// enterToChange is enter for a change, which recovery or the host may refuse.
func (ws *Workspace) enterToChange(ctx context.Context) (leave func(), err error) {
	if ws.opts.ReadOnly {
		return nil, &arc.Error{Code: arc.Forbidden, Message: "this workspace is read-only by the host's policy; report what you would change instead."}
	}
	leave, err = ws.enter(ctx)
	if err != nil {
		return nil, err
	}
	if err := ws.blocked(); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// blocked is nil unless the journal waits for the host.
func (ws *Workspace) blocked() error {
	if len(ws.ambiguous) == 0 && len(ws.journal.damage) == 0 {
		return nil
	}
	var ids []string
	for _, c := range ws.journal.changes {
		if _, ok := ws.ambiguous[c.id]; ok && len(ids) < 20 {
			ids = append(ids, c.id)
		}
	}
	return &arc.Error{
		Code:    RecoveryBlocked,
		Message: "changes are blocked until the operator settles what workspace_recovery_status reports; reading goes on.",
		Next:    &arc.Next{Tool: "workspace_recovery_status", Arguments: struct{}{}},
		Detail: struct {
			Changes []string `json:"changes"`
			Damaged int      `json:"damaged,omitempty"`
		}{append([]string{}, ids...), len(ws.journal.damage)},
	}
}

// journalFault is a fault of the journal's own files: the project was not touched,
// and a model can neither see nor mend what it is about.
func (ws *Workspace) journalFault(err error) error {
	var known *arc.Error
	if errors.As(err, &known) {
		return err
	}
	if !errors.As(ws.fault(err, "the journal"), &known) {
		return err // none, or ctx's
	}
	e := &arc.Error{Code: arc.IOError, Message: fmt.Sprintf("the host's journal cannot be used (%s), so nothing was changed; tell the operator. Files can still be read.", reason(err)), Err: err}
	switch known.Code {
	case arc.NoSpace:
		e.Code, e.Message = known.Code, "the disk of the host's journal is full, so nothing was changed; tell the operator. Files can still be read."
	case arc.PermissionDenied:
		e.Code = known.Code
	}
	return e
}
