package workspace

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/arcseat/arc"
)

// Limits of List.
const (
	listLimit    = 200
	maxListLimit = 2000
	maxWalk      = 1_000_000 // entries of one listing
	walkBudget   = 20 * time.Second
	maxBody      = 64 << 10 // bytes of text in one result, here as everywhere
)

// ListArgs are the arguments of [Workspace.List].
type ListArgs struct {
	Path      string `json:"path,omitempty" jsonschema_description:"default: the project"`
	Recursive *bool  `json:"recursive,omitempty" jsonschema:"default=true" jsonschema_description:"false: one level, ignored too"` // nil: true
	Limit     int    `json:"limit,omitempty" jsonschema:"default=200" check:"minimum=1" jsonschema_description:"at most 2000"`     // zero: 200
	Offset    int    `json:"offset,omitempty" jsonschema:"default=0" check:"minimum=0" jsonschema_description:"to skip"`
	Snapshot  string `json:"snapshot,omitempty" additive:"true" jsonschema_description:"of the list to go on in"` // empty: the newest of this path
}

// ListResult is one page of a directory's entries.
type ListResult struct {
	Path            string `json:"path"`                       // of the directory
	ResolvedPath    string `json:"resolved_path,omitempty"`    // where a link led
	Count           int    `json:"count"`                      // entries of this page
	Total           int    `json:"total"`                      // entries of all pages
	TotalExact      *bool  `json:"total_exact,omitempty"`      // false: the listing stopped at 1,000,000 entries or after 20 seconds
	Truncated       bool   `json:"truncated"`                  // there is more behind this page
	NextOffset      int    `json:"next_offset,omitempty"`      // 0: the list ends here
	Ignored         int    `json:"ignored,omitempty"`          // files and directories left out by ignore rules, what is below them not counted
	Unreadable      int    `json:"unreadable,omitempty"`       // directories that could not be read, or that are too deep
	Limit           int    `json:"limit,omitempty"`            // the limit in force, if a larger one was asked for
	SnapshotExpired bool   `json:"snapshot_expired,omitempty"` // the tree was walked anew, so this page may not join the one before

	Entries []string  `json:"-"` // paths relative to the project, with "/", "@" or "!" behind what is no regular file
	Text    string    `json:"-"` // the same, by directory, as a model sees it
	Next    *arc.Next `json:"-"` // the call for the next page
}

// List lists a directory in path order: by name, byte for byte, and what is in a
// directory before its next sibling.
//
// A recursive list leaves out what .gitignore, .git/info/exclude and .arcignore
// say, counts it, and names ignored directories, marked "(ignored)"; other
// directories are named only if nothing in them is. A list of one level, and one
// below a directory that is itself ignored, leaves out nothing but .git, the
// journal and temporary files of changes. Directories end in "/", links in "@" and
// are not followed, pipes, sockets and devices in "!".
//
// A page has Limit entries, fewer if their text would pass 64 KiB. Next goes on in
// the same walk, so that pages neither skip nor repeat an entry, whatever changes
// and whoever else lists meanwhile. A walk is kept for 10 minutes, and the newest
// 32 of 64 MiB in all; SnapshotExpired says that a page is of a new one. An Offset
// without a Snapshot goes on in the newest walk.
//
// Codes: invalid_arguments, invalid_path, path_escape, protected_path (the host's
// state), not_found, not_a_directory, permission_denied, io_error, out_of_range
// (offset is past the end; total says where that is).
func (ws *Workspace) List(ctx context.Context, a ListArgs) (*ListResult, error) {
	at, err := ws.parsePath(a.Path, true)
	if err != nil {
		return nil, err
	}
	res := &ListResult{Path: string(at)}
	limit := listLimit
	switch {
	case a.Limit < 0 || a.Offset < 0:
		return nil, &arc.Error{Code: arc.InvalidArguments, Message: "limit must be at least 1 and offset at least 0.", Detail: map[string]string{"reason": "range"}}
	case a.Limit > maxListLimit:
		limit, res.Limit = maxListLimit, maxListLimit
	case a.Limit > 0:
		limit = a.Limit
	}
	key := listKey{at, a.Recursive == nil || *a.Recursive}
	later := a.Offset > 0 || a.Snapshot != ""
	var l *listing
	if later {
		l = ws.snapshots.get(key, a.Snapshot)
	}
	if l == nil {
		res.SnapshotExpired = later
		if l, err = ws.listing(ctx, key, maxWalk); err != nil {
			return nil, err
		}
	}
	if a.Offset > len(l.entries) {
		return nil, &arc.Error{
			Code:    arc.OutOfRange,
			Message: fmt.Sprintf("the list has %d entries; give an offset up to there.", len(l.entries)),
			Detail:  map[string]int{"total": len(l.entries)},
		}
	}
	res.page(l, a.Offset, limit)
	if res.NextOffset > 0 {
		a.Snapshot = ws.snapshots.put(key, l)
		a.Offset = res.NextOffset
		res.Next = &arc.Next{Tool: "workspace_list", Arguments: a}
	}
	return res, nil
}

// page fills res with the entries of l from offset on.
func (res *ListResult) page(l *listing, offset, limit int) {
	var text listText
	for i := offset; i < min(len(l.entries), offset+limit); i++ {
		dir, name, m := l.at(i)
		if !text.add(dir, name, m) {
			break
		}
		res.Entries = append(res.Entries, string(dir.join(name))+m.String())
	}
	res.Text = text.String()
	res.Count, res.Total = len(res.Entries), len(l.entries)
	res.Ignored, res.Unreadable, res.ResolvedPath = l.ignored, l.unreadable, l.resolved
	if end := offset + res.Count; end < res.Total {
		res.NextOffset = end
	}
	if l.capped {
		res.TotalExact = new(false)
	}
	res.Truncated = l.capped || res.NextOffset > 0
}

// listText writes entries by directory: a directory's path on a line of its own
// and what is in it below, indented by a space. What is in the project itself
// stands at the margin.
type listText struct {
	strings.Builder
	dir string
}

// add appends an entry, unless the text would become too large for one result.
func (t *listText) add(at relPath, name string, m mark) bool {
	dir := ""
	if at != "." {
		dir = string(at) + "/"
	}
	var line strings.Builder
	if dir != t.dir && dir != "" {
		line.WriteString(printable(dir) + "\n")
	}
	if dir != "" {
		line.WriteByte(' ')
	}
	line.WriteString(printable(name) + m.String() + "\n")
	if t.Len()+line.Len() > maxBody+1 {
		return false
	}
	t.WriteString(line.String())
	t.dir = dir
	return true
}

func (t *listText) String() string { return strings.TrimSuffix(t.Builder.String(), "\n") }

// printable is a path as it stands in a text for the model: as it is, or quoted
// as in Go if it could be taken for more than a name, or is not UTF-8.
func printable(s string) string {
	marked := strings.HasSuffix(s, ")") && strings.Contains(s, " (ignored)") || strings.HasSuffix(s, "@") || strings.HasSuffix(s, "!")
	odd := func(r rune) bool {
		return r == utf8.RuneError || r != ' ' && !unicode.IsPrint(r) && !unicode.IsSpace(r) || r < ' '
	}
	if s == "" || s[0] == ' ' || s[0] == '"' || marked || strings.ContainsFunc(s, odd) {
		return strconv.Quote(s)
	}
	return s
}
