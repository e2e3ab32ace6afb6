package workspace

import (
	"context"
	"errors"
	"io/fs"
	"maps"

	"github.com/arcseat/arc"
)

const (
	reasonRecovered = "recovered"
	unreadable      = "unreadable" // why an [Ambiguous] change cannot be judged
)

// Recovered is a change that a crash interrupted and recovery settled.
type Recovered struct {
	ChangeID string `json:"change_id"` // the change
	Path     string `json:"path"`      // the file that it is of
	Action   string `json:"action"`    // completed or rolled_back
}

// Ambiguous is a change that a crash interrupted and that only the host can
// settle.
type Ambiguous struct {
	ChangeID string `json:"change_id"` // for Resolve
	Path     string `json:"path"`      // the file that it is of
	// Reason: displaced_changed, target_changed, target_missing, not_regular or
	// unreadable.
	Reason  string `json:"reason"`
	Before  SHA256 `json:"before_sha256,omitempty"`  // what stood there before the change; empty: nothing
	After   SHA256 `json:"after_sha256,omitempty"`   // what the change was to leave; empty: nothing
	Current SHA256 `json:"current_sha256,omitempty"` // what stands there; empty: nothing
	Kept    string `json:"kept,omitempty"`           // the file beside the target that is kept
}

// recover settles each intent that has no end: it happened or it did not, as the
// files say. The lock is held, so none of them is under way. It may be stopped
// and repeated at any point.
func (ws *Workspace) recover(ctx context.Context) error {
	maps.DeleteFunc(ws.ambiguous, func(id string, a Ambiguous) bool {
		c := ws.journal.byID[id]
		return c == nil || c.end != "" || // another process's host has resolved it
			a.Reason == unreadable // which may pass, as a want of descriptors does
	})
	for _, c := range ws.journal.changes {
		if _, known := ws.ambiguous[c.id]; c.end != "" || known {
			continue
		}
		if err := ws.recoverChange(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (ws *Workspace) recoverChange(ctx context.Context, c *change) error {
	p, err := ws.resolve(ctx, c.Real)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return ws.keepAmbiguous(c, unreadable, observed{}, observed{})
	}
	defer p.Close()
	cur, tmp := look(ctx, p, p.name), look(ctx, p, c.Tmp)
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.real != c.Real {
		return ws.keepAmbiguous(c, "target_changed", cur, tmp) // a directory became a link
	}
	end, why := judge(c, cur, tmp)
	if end == "" {
		return ws.keepAmbiguous(c, why, cur, tmp)
	}
	if tmp.there {
		if err := p.dir.remove(c.Tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
			ws.log.Error("workspace: what an interrupted change left beside its file cannot be removed", "change", c.id, "name", c.Tmp, "err", err)
			return ws.keepAmbiguous(c, unreadable, cur, tmp)
		}
	}
	action := "completed"
	if end == typeAbort {
		action = "rolled_back"
	}
	if end == typeAbort || c.Op == Remove {
		ws.removeDirs(ctx, c)
	}
	if err := ws.syncRecovered(ctx, p, c); err != nil {
		return err
	}
	if err := ws.journal.append(&record{Type: end, ID: c.id, Now: cur.hash, Reason: reasonRecovered}); err != nil {
		return err
	}
	ws.recovered = append(ws.recovered, Recovered{c.id, string(c.Path), action})
	ws.log.Info("workspace: settled an interrupted change", "change", c.id, "path", string(c.Path), "action", action)
	return nil
}

// syncRecovered makes durable what the end of c is about to say of its file and of
// the directories made for it: the record must not outlive that.
func (ws *Workspace) syncRecovered(ctx context.Context, p *place, c *change) error {
	if !ws.journal.durable {
		return nil
	}
	err := p.dir.sync()
	for _, dir := range c.Dirs {
		above, rerr := ws.resolve(ctx, relPath(dir))
		if rerr != nil {
			return rerr
		}
		err = errors.Join(err, above.dir.sync(), above.dir.Close())
	}
	return err
}

// judge decides by what stands at the target and at the temporary name. An empty
// end means that it cannot.
func judge(c *change, cur, tmp observed) (end recordType, why string) {
	before, after := c.beforeHash(), c.afterHash()
	switch {
	case cur.trouble != "":
		return "", cur.trouble
	case cur.hash == before:
		return typeAbort, ""
	case cur.hash == after && (!tmp.there || tmp.trouble == "" && (tmp.hash == before || tmp.hash == after)):
		return typeCommit, ""
	case cur.hash == after:
		return "", "displaced_changed"
	case c.Op == Create && tmp.there && tmp.hash == after:
		return typeAbort, "" // the name was taken, and a create never replaces
	case cur.hash == "":
		return "", "target_missing"
	}
	return "", "target_changed"
}

// observed is what stands at a name.
type observed struct {
	there   bool
	hash    SHA256 // of a regular file
	trouble string // not_regular, unreadable
	err     error  // why it is unreadable
}

func look(ctx context.Context, p *place, name string) observed {
	if len(p.missing) > 0 {
		return observed{}
	}
	info, err := p.dir.lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return observed{}
	case err != nil:
		return observed{there: true, trouble: unreadable, err: err}
	case !info.Mode().IsRegular():
		return observed{there: true, trouble: "not_regular"}
	}
	f, err := p.dir.open(name)
	if err != nil {
		return observed{there: true, trouble: unreadable, err: err}
	}
	defer f.Close()
	hash, _, err := hashFile(ctx, f)
	if err != nil {
		return observed{there: true, trouble: unreadable, err: err}
	}
	return observed{there: true, hash: hash}
}

func (ws *Workspace) keepAmbiguous(c *change, why string, cur, tmp observed) error {
	a := Ambiguous{ChangeID: c.id, Path: string(c.Path), Reason: why, Before: c.beforeHash(), After: c.afterHash(), Current: cur.hash}
	if tmp.there {
		a.Kept = c.Tmp
	}
	ws.ambiguous[c.id] = a
	ws.log.Warn("workspace: an interrupted change needs the host", "change", c.id, "path", string(c.Path), "reason", why)
	return nil
}

// removeDirs takes away the directories that a change made, or whose only file it
// removed, if they are empty.
func (ws *Workspace) removeDirs(ctx context.Context, c *change) {
	for i := len(c.Dirs) - 1; i >= 0; i-- {
		p, err := ws.resolve(ctx, relPath(c.Dirs[i]))
		if err != nil {
			return
		}
		gone := p.info == nil || p.info.IsDir() && p.real == relPath(c.Dirs[i]) && p.dir.remove(p.name) == nil
		p.Close()
		if !gone {
			return
		}
	}
}

// Resolution is how a host settles an ambiguous change.
type Resolution uint8

const (
	// KeepCurrent leaves the file as it is.
	KeepCurrent Resolution = iota
	// RestoreBefore writes the content from before the change.
	RestoreBefore
	// RestoreAfter writes the content that the change was to leave. It needs the
	// temporary file that the change made.
	RestoreAfter
)

// Resolve settles an ambiguous change. It is the host's: no tool reaches it. What
// the file held is journaled, so a restore can be undone.
//
// Codes: not_found, expired, not_undoable (the content is not kept), and those of
// [Workspace.Write].
func (ws *Workspace) Resolve(ctx context.Context, changeID string, how Resolution) error {
	leave, err := ws.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	a, ok := ws.ambiguous[changeID]
	if !ok {
		return ws.unknownChange(changeID)
	}
	c := ws.journal.byID[changeID]
	p, err := ws.resolve(ctx, c.Real)
	if err != nil {
		return err
	}
	defer p.Close()
	now := look(ctx, p, p.name)
	if how != KeepCurrent {
		content, mode, err := ws.wanted(p, c, how)
		if err != nil {
			return err
		}
		if content == nil && now.there || content != nil && now.hash != hashOf(content) {
			if _, err := ws.restore(ctx, p, c, content, mode); err != nil {
				return err
			}
			now = look(ctx, p, p.name)
		}
	}
	r := &record{Type: typeResolve, ID: c.id, Now: now.hash, Reason: a.Reason}
	// What the change kept beside its file moves to the journal: first the copy, then
	// the record, then the removal, so that no failure leaves neither.
	if left := look(ctx, p, c.Tmp); left.there && left.trouble == "" {
		if err := ws.keepConflict(c, p); err != nil {
			return ws.fault(err, c.Real)
		}
		r.Kept = c.id
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := ws.journal.append(r); err != nil {
		return ws.journalFault(err)
	}
	if err := ws.journal.sync(); err != nil {
		return ws.journalFault(err)
	}
	delete(ws.ambiguous, c.id)
	if r.Kept == "" {
		return nil
	}
	return ws.fault(p.dir.remove(c.Tmp), c.Real)
}

// wanted is the content that a resolution asks for; nil is no file.
func (ws *Workspace) wanted(p *place, c *change, how Resolution) ([]byte, fs.FileMode, error) {
	v := c.Before
	if how == RestoreAfter {
		v = c.After
	}
	if v == nil {
		return nil, 0, nil
	}
	var content []byte
	var err error
	if how == RestoreBefore {
		content, err = ws.journal.before(c)
	} else {
		content, err = readWhole(p.dir, c.Tmp)
		if err == nil && hashOf(content) != v.Hash {
			err = errImage
		}
	}
	if err != nil && !isLost(err) {
		return nil, 0, ws.journalFault(err)
	}
	if err != nil {
		return nil, 0, &arc.Error{
			Code:    NotUndoable,
			Message: "the content for this resolution is not kept; settle the file by hand and keep it as it is.",
			Detail:  map[string]string{"reason": "image_missing"},
			Err:     err,
		}
	}
	return content, fs.FileMode(v.Mode), nil
}
