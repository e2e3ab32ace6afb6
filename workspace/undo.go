package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/arcseat/arc"
)

// UndoArgs are what Undo takes.
type UndoArgs struct {
	ChangeID string `json:"change_id" jsonschema_description:"from the write, edit or undo"`
}

// UndoResult is what Undo did.
type UndoResult struct {
	Changed
	Undid string `json:"undid"` // the change_id that was undone
}

// Undo takes one change back: the content and the mode from before it, or no
// file if it created one, along with the directories that it made if they are
// empty. It refuses if the file is not as the change left it. It is a change
// itself, so an undo can be undone.
//
// Codes: not_found, changed_since, already_undone, not_undoable, and those of
// [Workspace.Write].
func (ws *Workspace) Undo(ctx context.Context, by arc.Origin, a UndoArgs) (*UndoResult, error) {
	leave, err := ws.enterToChange(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	c := ws.journal.byID[a.ChangeID]
	if c == nil {
		return nil, ws.unknownChange(a.ChangeID)
	}
	if err := ws.undoable(c); err != nil {
		return nil, err
	}
	p, err := ws.placeToChange(ctx, string(c.Real))
	if err != nil {
		return nil, err
	}
	defer p.Close()
	m := &mutation{op: Replace, tool: "workspace_undo", place: p, undoOf: c.id, origin: by}
	if m.before, err = ws.asLeft(ctx, p, c); err != nil {
		return nil, err
	}
	if c.Op == Remove {
		m.op = Create
	}
	if c.Before == nil {
		m.op, m.dirs = Remove, c.Dirs
	} else {
		if m.after, err = ws.journal.before(c); isLost(err) {
			ws.journal.spoiled(c, err)
			return nil, notUndoable(c, "image_missing", "the content from before it is no longer kept", err)
		} else if err != nil {
			return nil, ws.journalFault(err)
		}
		m.mode = fs.FileMode(c.Before.Mode)
	}
	m.added, m.lost = lineChanges(m.before, m.after)
	out, err := ws.commit(m)
	if err != nil {
		if r := (*raced)(nil); errors.As(err, &r) {
			return nil, ws.changedSince(c, r.now)
		}
		return nil, err
	}
	res := &UndoResult{Changed: out.changed(p), Undid: c.id}
	ws.seen.add(by.Seat, p.real, res.SHA256)
	return res, nil
}

// undoable refuses a change that is not in effect or whose before is lost.
func (ws *Workspace) undoable(c *change) error {
	switch {
	case c.undoneBy != "":
		return &arc.Error{
			Code:    AlreadyUndone,
			Message: fmt.Sprintf("%s was undone by %s; undo that one to have it back.", c.id, c.undoneBy),
			Next:    &arc.Next{Tool: "workspace_undo", Arguments: UndoArgs{c.undoneBy}},
			Detail:  map[string]string{"by": c.undoneBy},
		}
	case c.end == typeResolve:
		return notUndoable(c, "recovered_ambiguous", "a crash interrupted it and the operator settled its file", nil)
	case c.end != typeCommit:
		return notUndoable(c, "aborted", "it never took effect", nil)
	case ws.journal.lost[c.id]:
		return notUndoable(c, "image_missing", "the content from before it is no longer kept", nil)
	}
	return nil
}

func notUndoable(c *change, reason, why string, cause error) error {
	return &arc.Error{
		Code:    NotUndoable,
		Message: fmt.Sprintf("%s cannot be undone: %s; make the change by hand.", c.id, why),
		Detail:  map[string]string{"reason": reason, "path": string(c.Path)},
		Err:     cause,
	}
}

// asLeft reads the file if it still is as the change left it.
func (ws *Workspace) asLeft(ctx context.Context, p *place, c *change) ([]byte, error) {
	if p.real != c.Real {
		return nil, ws.changedSince(c, "") // a directory on the way became a link
	}
	if p.info == nil {
		if c.After == nil {
			return nil, nil
		}
		return nil, ws.changedSince(c, "")
	}
	if !p.info.Mode().IsRegular() {
		return nil, ws.changedSince(c, "")
	}
	content, err := ws.readToChange(ctx, p)
	if err != nil {
		return nil, err
	}
	if now := hashOf(content); now != c.afterHash() {
		return nil, ws.changedSince(c, now)
	}
	return content, nil
}

// changedSince names the later changes of the file, newest first: undone in that
// order, they lead back to this one.
func (ws *Workspace) changedSince(c *change, now SHA256) error {
	later := []string{}
	changes := ws.journal.changes
	for i := len(changes) - 1; i >= 0 && changes[i] != c; i-- {
		if l := changes[i]; l.Real == c.Real && l.applied() && l.undoneBy == "" && len(later) < maxLinesNamed {
			later = append(later, l.id)
		}
	}
	message := fmt.Sprintf("%s changed after %s, outside of these tools; edit it by hand instead.", c.Path, c.id)
	var next *arc.Next
	if len(later) > 0 {
		message = fmt.Sprintf("%s changed after %s; undo later_changes first, in their order.", c.Path, c.id)
		next = &arc.Next{Tool: "workspace_undo", Arguments: UndoArgs{later[0]}}
	}
	return &arc.Error{Code: ChangedSince, Message: message, Next: next, Detail: struct {
		Path     string   `json:"path"`
		Expected SHA256   `json:"expected_sha256"`
		Current  SHA256   `json:"current_sha256"`
		Later    []string `json:"later_changes"`
	}{string(c.Path), c.afterHash(), now, later}}
}

func (ws *Workspace) unknownChange(id string) error {
	recent := []string{}
	changes := ws.journal.changes
	for i := len(changes) - 1; i >= 0 && len(recent) < 5; i-- {
		recent = append(recent, changes[i].id)
	}
	detail := struct {
		Kind   string   `json:"kind"`
		Recent []string `json:"recent"`
	}{"change", recent}
	if ws.journal.mayHavePruned(id) {
		return &arc.Error{Code: arc.Expired, Message: fmt.Sprintf("%s is older than the journal keeps; make the change by hand.", clip(id, 60)), Detail: detail}
	}
	return &arc.Error{
		Code:    arc.NotFound,
		Message: fmt.Sprintf("there is no change %q; workspace_history lists them.", clip(id, 60)),
		Next:    &arc.Next{Tool: "workspace_history", Arguments: struct{}{}},
		Detail:  detail,
	}
}

// mayHavePruned reports whether id is the name of a change from before what the
// journal still holds.
func (j *journal) mayHavePruned(id string) bool {
	var seq uint64
	var letters string
	n, err := fmt.Sscanf(id, "change_%d_%4s", &seq, &letters)
	return err == nil && n == 2 && seq <= j.pruned.Last
}
