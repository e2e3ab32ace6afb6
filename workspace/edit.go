package workspace

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/arcseat/arc"
)

// EditArgs are what Edit takes.
type EditArgs struct {
	Path           string `json:"path" jsonschema_description:"relative path"`
	OldString      string `json:"old_string" jsonschema_description:"must occur once unless replace_all"`
	NewString      string `json:"new_string" jsonschema_description:"its replacement"`
	ExpectedSHA256 string `json:"expected_sha256,omitempty" jsonschema_description:"from your last read or change"`
	ReplaceAll     bool   `json:"replace_all,omitempty" jsonschema:"default=false" jsonschema_description:"every occurrence"`
}

// EditResult is what Edit did.
type EditResult struct {
	Changed
	Replacements int      `json:"replacements"` // how many matches were replaced
	Lines        []string `json:"lines"`        // where the new text stands now; at most 20
}

// Edit replaces exact text in a file whose hash the caller names. Only the
// matched bytes change: line ends, byte order mark, invalid bytes and a missing
// last newline elsewhere stay. Text that does not match is never guessed at; the
// error shows the closest lines. LF in OldString also matches CRLF if the text as
// it is matches nowhere, and new lines take the line end of where they go. The
// file has at most 64 MiB.
//
// Codes: those of [Workspace.Write], and no_match, multiple_matches, binary_file,
// not_utf8.
func (ws *Workspace) Edit(ctx context.Context, by arc.Origin, a EditArgs) (*EditResult, error) {
	if err := checkEdit(a); err != nil {
		return nil, err
	}
	v, done, err := ws.begin(ctx, by, a.Path, a.ExpectedSHA256)
	if err != nil {
		return nil, err
	}
	defer done()
	p := v.place
	if p.info == nil {
		return nil, ws.notFound(ctx, p.path)
	}
	v.old = a.OldString
	file, err := ws.asExpected(ctx, v)
	if err != nil {
		return nil, err
	}
	m, err := editMatches(p, file, a)
	if err != nil {
		return nil, err
	}
	after := splice(file, m.spans, a.OldString, a.NewString)
	if bytes.Equal(file, after) {
		return nil, noChange(p.path)
	}
	mu := &mutation{op: Replace, tool: "workspace_edit", place: p, before: file, after: after, mode: p.info.Mode(), origin: by}
	mu.added, mu.lost = lineChanges(file, after)
	out, err := ws.commit(mu)
	if err != nil {
		return nil, ws.raceFault(ctx, err, v)
	}
	res := &EditResult{Changed: out.changed(p), Replacements: len(m.spans), Lines: newLines(file, m.spans, a)}
	ws.seen.add(by.Seat, p.real, res.SHA256)
	return res, nil
}

func noChange(path relPath) error {
	return &arc.Error{Code: NoChange, Message: fmt.Sprintf("%s would stay exactly as it is; go on.", path), Detail: pathDetail{Path: string(path)}}
}

// checkEdit refuses what no file could make right.
func checkEdit(a EditArgs) error {
	switch {
	case a.OldString == "":
		return &arc.Error{
			Code:    arc.InvalidArguments,
			Message: "old_string is empty; give the text to replace, or use workspace_write for a new file.",
			Detail:  map[string]string{"reason": "empty_old_string"},
		}
	case a.OldString == a.NewString:
		return &arc.Error{Code: NoChange, Message: "old_string and new_string are the same; send the text that you want instead."}
	}
	if err := checkText("old_string", a.OldString, maxContent); err != nil {
		return err
	}
	return checkText("new_string", a.NewString, maxContent)
}

// editMatches finds what to replace: once, or everywhere if asked to.
func editMatches(p *place, file []byte, a EditArgs) (matches, error) {
	if bytes.IndexByte(file[:min(len(file), 8<<10)], 0) >= 0 {
		return matches{}, &arc.Error{Code: arc.BinaryFile, Message: fmt.Sprintf("%s is binary, which no edit can change; use a program in the shell.", p.path), Detail: pathDetail{Path: string(p.path)}}
	}
	m := findMatches(file, a.OldString, a.ReplaceAll)
	switch {
	case m.count == 0:
		return m, noMatch(p.path, file, a)
	case m.count > 1 && !a.ReplaceAll:
		times := fmt.Sprint(m.count)
		if m.count >= maxCounted {
			times = "at least " + times
		}
		return m, &arc.Error{
			Code:    MultipleMatches,
			Message: fmt.Sprintf("old_string is in %s %s times; add the lines around the one you mean, or set replace_all.", p.path, times),
			Detail: struct {
				Path  string `json:"path"`
				Count int    `json:"count"` // at most maxCounted
				Lines []int  `json:"lines"`
			}{string(p.path), m.count, startLines(file, a.OldString)},
		}
	}
	grown := len(a.NewString) - len(a.OldString)
	if grown > 0 && len(m.spans) > (maxEdit-len(file))/grown {
		return m, &arc.Error{
			Code:    arc.TooLarge,
			Message: fmt.Sprintf("with %d replacements %s would be too large to change again; replace fewer, or use a program in the shell.", len(m.spans), p.path),
			Detail:  sizeDetail{string(p.path), int64(len(file)) + int64(grown)*int64(len(m.spans)), maxEdit},
		}
	}
	checked := 0
	for _, s := range m.spans {
		bad := -1
		if bad, checked = invalidInLines(file, s, checked); bad >= 0 {
			return m, &arc.Error{
				Code:    arc.NotUTF8,
				Message: fmt.Sprintf("the lines of %s that you want to edit are not UTF-8; use a program in the shell.", p.path),
				Detail: struct {
					Path   string `json:"path"`
					Offset int    `json:"offset"`
					Byte   string `json:"byte"`
				}{string(p.path), bad, fmt.Sprintf("0x%02x", file[bad])},
			}
		}
	}
	return m, nil
}

// startLines are the lines, from 1, on which old starts, overlapping ones too.
func startLines(file []byte, old string) []int {
	text, find := file, []byte(old)
	if !bytes.Contains(file, find) {
		text, find = plainText(file), bytes.ReplaceAll(find, crlf, newline)
	}
	lines, line, done := []int{}, 1, 0
	for at := 0; len(lines) < maxLinesNamed; {
		i := bytes.Index(text[at:], find)
		if i < 0 {
			break
		}
		at += i
		line += bytes.Count(text[done:at], newline)
		lines, done = append(lines, line), at
		end := bytes.IndexByte(text[at:], '\n') // each line is named once
		if end < 0 {
			break
		}
		at += end + 1
	}
	return lines
}

// invalidInLines is the offset of the first byte that is not UTF-8 in the lines
// that s touches, or -1, and how far these go. The lines before from are known to
// be valid: many spans of one long line must not each look at all of it.
func invalidInLines(file []byte, s span, from int) (bad, to int) {
	if s.end <= from {
		return -1, from
	}
	start := from
	if s.start > from {
		start += bytes.LastIndexByte(file[from:s.start], '\n') + 1
	}
	end := len(file)
	if s.end > 0 && file[s.end-1] == '\n' {
		end = s.end
	} else if i := bytes.IndexByte(file[s.end:], '\n'); i >= 0 {
		end = s.end + i
	}
	for i := start; i < end; {
		r, n := utf8.DecodeRune(file[i:end])
		if r == utf8.RuneError && n == 1 {
			return i, end
		}
		i += n
	}
	return -1, end
}

// newLines are the lines on which each replacement stands now.
func newLines(file []byte, spans []span, a EditArgs) []string {
	lines, line, done := []string{}, 0, 0
	for _, s := range spans {
		line += bytes.Count(file[done:s.start], newline)
		n := bytes.Count([]byte(a.NewString), newline)
		end := line + n + 1
		if n > 0 && a.NewString[len(a.NewString)-1] == '\n' {
			end-- // the text behind a last newline is not new
		}
		if len(lines) == maxLinesNamed {
			break
		}
		lines = append(lines, lineRange(line, end))
		line, done = line+n, s.end
	}
	return lines
}
