package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/arcseat/arc"
)

// Changed is what every change reports.
type Changed struct {
	ChangeID string `json:"change_id"` // for Undo
	Path     string `json:"path"`
	Op       Op     `json:"op"`
	SHA256   SHA256 `json:"sha256,omitempty"`        // of the file now; empty: removed
	Before   SHA256 `json:"before_sha256,omitempty"` // empty: there was no file
	Size     int64  `json:"size"`                    // bytes
	// Resolved is the file that was changed, if a link led to it.
	Resolved string `json:"resolved_path,omitempty"`
	// HardLinks is how many names the old file had. The others keep the old
	// content: writing through a hard link damages shared stores.
	HardLinks int `json:"hard_links_broken,omitempty"`
	// Swap is "rename" where the file system cannot exchange two files: a version
	// saved in the moment before the rename would not have been noticed.
	Swap string `json:"swap,omitempty"`
	// Warnings: owner_changed, attributes_lost, mode_changed, not_synced.
	Warnings []string `json:"warnings,omitempty"`
}

func (o *outcome) changed(p *place) Changed {
	c := Changed{
		ChangeID: o.change.id, Path: string(p.path), Op: o.change.Op,
		SHA256: o.change.afterHash(), Before: o.change.beforeHash(),
		Resolved: p.linked(), Swap: o.swap, Warnings: o.warnings,
	}
	if a := o.change.After; a != nil {
		c.Size = a.Size
	}
	if p.info != nil {
		if n := hardLinks(p.info); n > 1 {
			c.HardLinks = n
		}
	}
	return c
}

// placeToChange resolves a path that a change names, and refuses what no change
// may touch.
func (ws *Workspace) placeToChange(ctx context.Context, path string) (*place, error) {
	rel, err := ws.parsePath(path, false)
	if err != nil {
		return nil, err
	}
	p, err := ws.resolve(ctx, rel)
	if err != nil {
		return nil, err
	}
	if ws.isProtected(p) || isTempName(p.name) {
		p.Close()
		return nil, &arc.Error{
			Code:    ProtectedPath,
			Message: fmt.Sprintf("%s is protected from changes; work on another file.", rel),
			Detail:  pathDetail{Path: string(rel)},
		}
	}
	return p, nil
}

// readToChange reads the file that a change is to replace: a regular one that
// its owner may write to.
func (ws *Workspace) readToChange(ctx context.Context, p *place) ([]byte, error) {
	info, content, err := ws.readAll(ctx, p)
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return nil, &arc.Error{
			Code:    ReadOnlyFile,
			Message: fmt.Sprintf("%s is read-only by its mode %#o; leave it, or ask the operator.", p.path, info.Mode().Perm()),
			Detail:  pathDetail{Path: string(p.path)},
		}
	}
	p.info = info
	return content, nil
}

// raceFault explains that somebody else's version came in between look and swap.
func (ws *Workspace) raceFault(ctx context.Context, err error, v view) error {
	var r *raced
	if !errors.As(err, &r) {
		return err
	}
	v.kept = r.kept
	if r.now == "" {
		return ws.staleMissing(v)
	}
	p, err := ws.resolve(ctx, v.place.path)
	if err != nil {
		return err
	}
	defer p.Close()
	_, content, err := ws.readAll(ctx, p)
	if err != nil {
		return err
	}
	v.place = p
	if v.expected == "" {
		return &arc.Error{
			Code:    arc.AlreadyExists,
			Message: fmt.Sprintf("%s was created by somebody else at the same moment; read it before you replace it.", p.path),
			Next:    readCall(p.path, 0),
			Detail:  pathDetail{Path: string(p.path)},
		}
	}
	return ws.stale(v, content)
}

func readCall(path relPath, line int) *arc.Next {
	return &arc.Next{Tool: "workspace_read", Arguments: ReadArgs{Path: string(path), StartLine: line}}
}

// lineChanges counts the lines that differ between the common beginning and the
// common end.
func lineChanges(before, after []byte) (added, removed int) {
	first, lastBefore, lastAfter := changedSpan(before, after)
	return lastAfter - first, lastBefore - first
}

// changedSpan is the run of lines, numbered from 0, outside of which before and
// after are the same.
func changedSpan(before, after []byte) (first, endBefore, endAfter int) {
	a, b := bytes.SplitAfter(before, newline), bytes.SplitAfter(after, newline)
	a, b = trimLast(a), trimLast(b)
	for first < len(a) && first < len(b) && bytes.Equal(a[first], b[first]) {
		first++
	}
	endBefore, endAfter = len(a), len(b)
	for endBefore > first && endAfter > first && bytes.Equal(a[endBefore-1], b[endAfter-1]) {
		endBefore--
		endAfter--
	}
	return first, endBefore, endAfter
}

var newline = []byte{'\n'}

// trimLast drops the empty piece behind a last newline.
func trimLast(lines [][]byte) [][]byte {
	if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
		return lines[:n-1]
	}
	return lines
}

// countLines counts as an editor does: a last line needs no newline.
func countLines(b []byte) int {
	n := bytes.Count(b, newline)
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}
