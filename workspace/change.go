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
	ChangeID string `json:"change_id"`               // for Undo
	Path     string `json:"path"`                    // as it was named
	Op       Op     `json:"op"`                      // what was done to it
	SHA256   SHA256 `json:"sha256,omitempty"`        // of the file now; empty: removed
	Before   SHA256 `json:"before_sha256,omitempty"` // empty: there was no file
	Size     int64  `json:"size"`                    // bytes
	// ResolvedPath is the file that was changed, if a link led to it.
	ResolvedPath string `json:"resolved_path,omitempty"`
	// HardLinks is how many names the old file had. The others keep the old
	// content: writing through a hard link damages shared stores.
	HardLinks int `json:"hard_links_broken,omitempty"`
	// Swap is "rename" where the file system cannot exchange two files: a version
	// saved in the moment before the rename would not have been noticed.
	Swap string `json:"swap,omitempty"`
	// Warnings: owner_changed, attributes_lost, mode_changed, not_synced, late_write
	// (somebody wrote to the old file while it was replaced; see
	// [Workspace.ConflictCopy]).
	Warnings []string `json:"warnings,omitempty"`
}

func (o *outcome) changed(p *place) Changed {
	c := Changed{
		ChangeID: o.change.id, Path: string(p.path), Op: o.change.Op,
		SHA256: o.change.afterHash(), Before: o.change.beforeHash(),
		ResolvedPath: p.linked(), Swap: o.swap, Warnings: o.warnings,
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

// begin takes the right to make a change and finds its place. Hash is what the
// caller believes of the file; empty is nothing. Done gives all back.
func (ws *Workspace) begin(ctx context.Context, by arc.Origin, path, hash string) (v view, done func(), err error) {
	v.seat = by.Seat
	if hash != "" {
		if v.expected, err = parseHash(hash); err != nil {
			return v, nil, err
		}
	}
	leave, err := ws.enterToChange(ctx)
	if err != nil {
		return v, nil, err
	}
	if v.place, err = ws.placeToChange(ctx, path); err != nil {
		leave()
		return v, nil, err
	}
	return v, func() { v.place.Close(); leave() }, nil
}

// asExpected reads the file that a change is to replace, if it is what the caller
// believes.
func (ws *Workspace) asExpected(ctx context.Context, v view) ([]byte, error) {
	content, err := ws.readToChange(ctx, v.place)
	if err != nil {
		return nil, err
	}
	switch now := hashOf(content); {
	case v.expected == "":
		return nil, ws.hashRequired(v, now, len(content))
	case v.expected != now:
		return nil, ws.stale(v, content)
	}
	return content, nil
}

// placeToChange finds the path that a change names, and refuses what no change
// may touch.
func (ws *Workspace) placeToChange(ctx context.Context, path string) (*place, error) {
	p, err := ws.find(ctx, path)
	if err != nil {
		return nil, err
	}
	if ws.isProtected(p) || isTempName(p.name) {
		p.Close()
		return nil, &arc.Error{
			Code:    ProtectedPath,
			Message: fmt.Sprintf("%s is protected from changes; work on another file.", p.path),
			Detail:  pathDetail{Path: string(p.path)},
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
// after are the same. It makes no list of lines: a file may be of nothing else.
func changedSpan(before, after []byte) (first, endBefore, endAfter int) {
	// What both begin with, up to the end of a line that both have whole.
	same := 0
	for same < len(before) && same < len(after) && before[same] == after[same] {
		same++
	}
	if same < len(before) || same < len(after) {
		same = bytes.LastIndexByte(before[:same], '\n') + 1
	}
	first = countLines(before[:same])
	a, b := before[same:], after[same:]
	// What both end with, from the beginning of a line of both.
	tail := 0
	for tail < len(a) && tail < len(b) && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 && !(startsLine(a, len(a)-tail) && startsLine(b, len(b)-tail)) {
		tail = len(a) - nextLine(a, len(a)-tail)
	}
	return first, first + countLines(a[:len(a)-tail]), first + countLines(b[:len(b)-tail])
}

// startsLine reports whether a line begins at i.
func startsLine(b []byte, i int) bool { return i == 0 || b[i-1] == '\n' }

// nextLine is where the line behind i begins.
func nextLine(b []byte, i int) int {
	if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(b)
}

var newline = []byte{'\n'}

// countLines counts as an editor does: a last line needs no newline.
func countLines(b []byte) int {
	n := bytes.Count(b, newline)
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}
