package workspace

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/arcseat/arc"
)

// WriteArgs are what Write takes.
type WriteArgs struct {
	Path           string `json:"path" jsonschema_description:"relative path"`
	Content        string `json:"content" jsonschema_description:"the whole text"`
	ExpectedSHA256 string `json:"expected_sha256,omitempty" jsonschema_description:"of the file to replace, from your last read"`
}

// WriteResult is what Write did.
type WriteResult struct {
	Changed
	Lines int `json:"lines"` // of the file now
	// EOL is "crlf" if line ends were written as the file had them.
	EOL string `json:"eol,omitempty"`
}

// Write creates a file, or replaces one whose hash the caller names. Missing
// directories are made. Content is UTF-8, at most 8 MiB. A file that is uniformly
// CRLF stays so, and a byte order mark stays, unless content differs from the
// file in nothing else or [Options.ExactContent] is set.
//
// Codes: invalid_arguments, invalid_path, path_escape, protected_path,
// is_directory, not_a_directory, not_regular_file, expected_sha256_required,
// stale, already_exists, no_change, read_only_file, too_large, permission_denied,
// no_space, io_error, locked, recovery_blocked, forbidden.
func (ws *Workspace) Write(ctx context.Context, by arc.Origin, a WriteArgs) (*WriteResult, error) {
	if err := checkText("content", a.Content, maxContent); err != nil {
		return nil, err
	}
	v, done, err := ws.begin(ctx, by, a.Path, a.ExpectedSHA256)
	if err != nil {
		return nil, err
	}
	defer done()
	p := v.place
	m := &mutation{op: Create, tool: "workspace_write", place: p, after: []byte(a.Content), origin: by}
	res := &WriteResult{}
	switch {
	case p.info == nil && v.expected != "":
		return nil, ws.staleMissing(v)
	case p.info != nil:
		if m.before, err = ws.asExpected(ctx, v); err != nil {
			return nil, err
		}
		m.op, m.mode = Replace, p.info.Mode()
		if !ws.opts.ExactContent {
			m.after, res.EOL = dressed(m.before, m.after)
		}
		if bytes.Equal(m.before, m.after) {
			return nil, noChange(p.path)
		}
	}
	m.added, m.lost = lineChanges(m.before, m.after)
	out, err := ws.commit(m)
	if err != nil {
		return nil, ws.raceFault(ctx, err, v)
	}
	res.Changed, res.Lines = out.changed(p), countLines(m.after)
	ws.seen.add(by.Seat, p.real, res.SHA256)
	return res, nil
}

// checkText refuses text that no file should get.
func checkText(name, text string, limit int) error {
	switch {
	case len(text) > limit:
		return &arc.Error{
			Code:    arc.TooLarge,
			Message: fmt.Sprintf("%s has %d bytes and may have %d; write the file in parts, or make it with a program in the shell.", name, len(text), limit),
			Detail:  map[string]int{"size": len(text), "limit": limit},
		}
	case !utf8.ValidString(text):
		return &arc.Error{
			Code:    arc.InvalidArguments,
			Message: name + " is not valid UTF-8; send text only.",
			Detail:  map[string]string{"reason": name},
		}
	}
	return nil
}

var (
	bom  = []byte("\xef\xbb\xbf")
	crlf = []byte("\r\n")
)

// dressed gives content the line ends and the byte order mark of the file that
// it replaces. Content that differs from the file in nothing else is meant so.
func dressed(file, content []byte) (as []byte, eol string) {
	if bytes.Equal(plainText(file), plainText(content)) {
		return content, ""
	}
	if len(file) > 0 && uniformCRLF(file) && !bytes.Contains(content, []byte{'\r'}) && bytes.Contains(content, newline) {
		content, eol = bytes.ReplaceAll(content, newline, crlf), "crlf"
	}
	if bytes.HasPrefix(file, bom) && !bytes.HasPrefix(content, bom) {
		content = append(bytes.Clone(bom), content...)
	}
	return content, eol
}

// plainText is text without its byte order mark and with LF line ends.
func plainText(b []byte) []byte {
	return bytes.ReplaceAll(bytes.TrimPrefix(b, bom), crlf, newline)
}

func uniformCRLF(b []byte) bool {
	n := bytes.Count(b, newline)
	return n > 0 && n == bytes.Count(b, crlf)
}
