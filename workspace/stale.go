package workspace

import (
	"bytes"
	"fmt"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// A view is what a caller believed of a file when it asked for a change.
type view struct {
	place    *place
	seat     arc.SeatID
	expected SHA256
	old      string // what an edit looks for
	kept     string // the change whose conflict copy the journal keeps
}

// staleDetail has what is needed to try again without reading again.
type staleDetail struct {
	Path    string  `json:"path"`
	Current *SHA256 `json:"current_sha256"` // null: the file is gone
	// ChangedBy is the change that left the file as it is, or "external".
	ChangedBy string `json:"changed_by,omitempty"`
	// ChangedLines are the lines of the file that differ from the version that the
	// caller named, if the journal still has it: "10-14".
	ChangedLines string `json:"changed_lines,omitempty"`
	// Matches is how often an edit's old_string is in the file now, and AtLine
	// where, if it is there once.
	Matches *int `json:"old_string_matches_now,omitempty"`
	AtLine  int  `json:"at_line,omitempty"`
	// Near is the file now, three lines around the match or the changed lines.
	Near string `json:"near,omitempty"`
	// Conflict is the change whose conflict copy the journal keeps.
	Conflict string `json:"conflict,omitempty"`
}

const (
	nearLines = 3
	nearBytes = 600
)

// stale says that the file is not what the caller's hash names. The journal's
// lock is held.
func (ws *Workspace) stale(v view, content []byte) error {
	p, now := v.place, hashOf(content)
	d := staleDetail{Path: string(p.path), Current: &now, ChangedBy: ws.changedBy(p.real, now), Conflict: v.kept}
	first, end := -1, -1 // lines from 0
	if was, ok := ws.journal.find(p.real, v.expected); ok {
		first, _, end = changedSpan(was, content)
		d.ChangedLines = lineRange(first, end)
	}
	message := fmt.Sprintf("%s changed since you read it; look at near and at what changed, then send the change again with the current hash.", p.path)
	var next *arc.Next
	if v.old != "" {
		m := findMatches(content, v.old, false)
		d.Matches = &m.count
		if m.count == 1 {
			first = bytes.Count(content[:m.spans[0].start], newline)
			end = first + countLines(content[m.spans[0].start:m.spans[0].end])
			d.AtLine = first + 1
			message = fmt.Sprintf("%s changed since you read it, but old_string is still there once, at line %d; send the same edit with the current hash.", p.path, d.AtLine)
		}
	}
	if first >= 0 {
		d.Near = near(content, first, end)
	} else {
		message = fmt.Sprintf("%s changed since you read it; read it again and redo the change on what is there now.", p.path)
		next = readCall(p.path, 0)
	}
	return &arc.Error{Code: arc.Stale, Message: message, Next: next, Detail: d}
}

// staleMissing says that the file is gone.
func (ws *Workspace) staleMissing(v view) error {
	return &arc.Error{
		Code:    arc.Stale,
		Message: fmt.Sprintf("%s does not exist (any more); to create it, write it without expected_sha256.", v.place.path),
		Detail:  staleDetail{Path: string(v.place.path), Conflict: v.kept},
	}
}

// hashRequired asks for the hash of the file that a change would replace. It
// tells it only to a seat that has read that very version.
func (ws *Workspace) hashRequired(v view, now SHA256, size int) error {
	p := v.place
	d := struct {
		Path    string `json:"path"`
		Current SHA256 `json:"current_sha256,omitempty"`
		Size    int    `json:"size"`
	}{Path: string(p.path), Size: size}
	if ws.seen.has(v.seat, p.real, now) {
		d.Current = now
		return &arc.Error{Code: ExpectedSHA256Required, Message: fmt.Sprintf("%s exists and is as you last saw it; send the change again with expected_sha256 set to current_sha256.", p.path), Detail: d}
	}
	return &arc.Error{
		Code:    ExpectedSHA256Required,
		Message: fmt.Sprintf("%s exists; read it, then send the change with expected_sha256 set to the hash that the read returns.", p.path),
		Next:    readCall(p.path, 0),
		Detail:  d,
	}
}

// changedBy names the change that left the file with this content.
func (ws *Workspace) changedBy(path relPath, now SHA256) string {
	changes := ws.journal.changes
	for i := len(changes) - 1; i >= 0; i-- {
		if c := changes[i]; c.Real == path && c.applied() {
			if c.afterHash() == now {
				return c.id
			}
			break
		}
	}
	return "external"
}

// find returns a version of a file that the journal has kept.
func (j *journal) find(path relPath, h SHA256) ([]byte, bool) {
	for i := len(j.changes) - 1; i >= 0; i-- {
		if c := j.changes[i]; c.Real == path && h != "" && c.beforeHash() == h {
			b, err := j.before(c)
			return b, err == nil
		}
	}
	return nil, false
}

// lineRange names lines first to end, counted from 0 and end not included, as a
// person does.
func lineRange(first, end int) string {
	if end <= first+1 {
		return fmt.Sprint(first + 1)
	}
	return fmt.Sprintf("%d-%d", first+1, end)
}

// near is lines first to end with a few more on either side, as a read shows
// them.
func near(content []byte, first, end int) string {
	from, to := max(0, first-nearLines), max(end, first+1)+nearLines
	lines := linesOf(plainText(content), from, to)
	text := bytes.ToValidUTF8(lines, []byte("\uFFFD"))
	return string(text[:page.Cut(text, nearBytes)])
}

// linesOf is lines from to to of b, numbered from 0, to not included, as far as
// there are.
func linesOf(b []byte, from, to int) []byte {
	start := 0
	for range from {
		start = nextLine(b, start)
	}
	end := start
	for range to - from {
		end = nextLine(b, end)
	}
	return b[start:end]
}
