package workspace

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/workspace/internal/fold"
	"golang.org/x/text/unicode/norm"
)

// Limits of Search.
const (
	searchLimit    = 50
	maxSearchLimit = 500
	maxQuery       = 1000 // characters
	maxLineText    = 200  // characters of a line that are shown
	searchBudget   = 20 * time.Second
)

// SearchArgs are the arguments of [Workspace.Search].
type SearchArgs struct {
	Query string `json:"query" check:"minLength=1" jsonschema_description:"text of one line"`
	Path  string `json:"path,omitempty" jsonschema_description:"file or directory"`
	Limit int    `json:"limit,omitempty" jsonschema:"default=50" check:"minimum=1" jsonschema_description:"at most 500"` // zero: 50
	After string `json:"after,omitempty" additive:"true" jsonschema_description:"next_after of the page before"`
}

// SearchResult is one page of matching lines.
type SearchResult struct {
	Query        string  `json:"-"`                       // as it was asked for
	Path         string  `json:"-"`                       // that was searched
	ResolvedPath string  `json:"resolved_path,omitempty"` // where a link led
	Matches      int     `json:"matches"`                 // lines of this page
	FilesMatched int     `json:"files_matched"`           // files that those lines are of
	Searched     int     `json:"searched"`                // text files of this page, up to its last line
	Skipped      Skipped `json:"skipped"`                 // files that were not searched
	Truncated    bool    `json:"truncated"`               // there may be more behind this page
	TimedOut     bool    `json:"timed_out,omitempty"`     // 20 seconds were not enough for the rest, without NextAfter not even to get any further
	NextAfter    string  `json:"next_after,omitempty"`    // where the next page begins, as "path:line"
	Limit        int     `json:"limit,omitempty"`         // the limit in force, if a larger one was asked for
	// Notes: matched_nfc or matched_nfd (only that Unicode form of the query is
	// there), repaired_text (a line shown is not UTF-8; U+FFFD stands for its
	// other bytes).
	Notes []string `json:"notes,omitempty"`

	Files []FileMatches `json:"-"` // the lines, by file
	Text  string        `json:"-"` // the same as a model sees it
	Next  *arc.Next     `json:"-"` // the call for the next page
}

// Skipped counts what a search passed over.
type Skipped struct {
	Binary     int `json:"binary"`     // files with a NUL in the first 8 KiB
	NotUTF8    int `json:"not_utf8"`   // files in UTF-16
	Ignored    int `json:"ignored"`    // files and directories left out by ignore rules, what is below them not counted
	Unreadable int `json:"unreadable"` // files and directories
}

// FileMatches are the matching lines of one file.
type FileMatches struct {
	Path  string      // of the file
	Lines []MatchLine // in order
}

// A MatchLine is one matching line: all of it, or the 200 characters around its
// first match, with "…" where something is left out.
type MatchLine struct {
	Line int    // counted from 1
	Text string // without its end
}

// Search finds the lines that hold a text, literally and without regard to case,
// as Unicode's simple folding has it (K, k and the Kelvin sign are one; ß is not
// ss, i is not İ). It goes through a file or a directory in path order, then by
// line, and stops at Limit lines, or when their text would pass 64 KiB; NextAfter
// and Next go on exactly there. Files have no size limit; after 20 seconds the
// page ends where it stands. If it stands where it began, as in a line of many
// gigabytes, there is no next page: what is behind is found by naming its Path.
//
// Like a recursive list it passes over what ignore rules say, and counts it; a
// path that is named is searched, ignored or not. If nothing is found and the
// query has another Unicode form (NFC or NFD), that one is tried, and Notes says
// so.
//
// Codes: invalid_arguments, invalid_path, path_escape, protected_path (the host's
// state), not_found, not_a_directory, not_regular_file, permission_denied,
// io_error.
func (ws *Workspace) Search(ctx context.Context, a SearchArgs) (*SearchResult, error) {
	return ws.search(ctx, a, searchBudget)
}

func (ws *Workspace) search(ctx context.Context, a SearchArgs, budget time.Duration) (*SearchResult, error) {
	path, err := ws.parsePath(a.Path, true)
	if err != nil {
		return nil, err
	}
	after, err := parseAfter(a.After)
	if err != nil {
		return nil, err
	}
	if err := checkQuery(a); err != nil {
		return nil, err
	}
	p, err := ws.resolve(ctx, path)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if p.info == nil {
		return nil, ws.notFound(ctx, path)
	}
	if !p.info.IsDir() {
		if err := wantRegular(p); err != nil {
			return nil, err
		}
	}
	timed, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	res, err := ws.searchFor(ctx, timed, a, p, after, a.Query)
	if err != nil || res.Matches > 0 || res.TimedOut || a.After != "" {
		return res, err
	}
	for _, form := range []struct {
		norm.Form
		note string
	}{{norm.NFC, "matched_nfc"}, {norm.NFD, "matched_nfd"}} {
		other := form.String(a.Query)
		if other == a.Query {
			continue
		}
		again, err := ws.searchFor(ctx, timed, a, p, after, other)
		if err != nil {
			return nil, err
		}
		if again.TimedOut && again.Matches == 0 {
			res.TimedOut, res.Truncated = true, true
		}
		if again.Matches > 0 {
			again.Notes = append(again.Notes, form.note)
			// The next page is asked for in the form that is there.
			if again.Next != nil {
				next := again.Next.Arguments.(SearchArgs)
				next.Query = other
				again.Next.Arguments = next
			}
			return again, nil
		}
	}
	return res, nil
}

func checkQuery(a SearchArgs) error {
	var why string
	switch n := utf8.RuneCountInString(a.Query); {
	case n == 0:
		why = "query is empty; give the text to look for"
	case n > maxQuery:
		why = fmt.Sprintf("query has %d characters; give at most %d", n, maxQuery)
	case strings.ContainsAny(a.Query, "\n"):
		why = "query holds a newline; search for one line of it"
	case !utf8.ValidString(a.Query):
		why = "query is not UTF-8; give text"
	case a.Limit < 0:
		why = "limit must be at least 1"
	default:
		return nil
	}
	return &arc.Error{Code: arc.InvalidArguments, Message: why + ".", Detail: map[string]string{"reason": "query"}}
}

// A spot is a place in the order of a search: behind this line of this file. The
// zero value is before everything.
type spot struct {
	path relPath
	line int
}

// String writes "path:line". A path that JSON would not carry as it is, or that
// begins with a quote, is quoted as in Go.
func (s spot) String() string {
	path := string(s.path)
	if !utf8.ValidString(path) || strings.HasPrefix(path, `"`) {
		path = strconv.Quote(path)
	}
	return path + ":" + strconv.Itoa(s.line)
}

// before reports whether s comes earlier in a search than t.
func (s spot) before(t spot) bool {
	switch {
	case s.path == t.path:
		return s.line < t.line
	case s.path == "" || t.path == "":
		return s.path == ""
	}
	return comparePaths(s.path, t.path) < 0
}

// parseAfter reads a spot as String writes it.
func parseAfter(s string) (spot, error) {
	if s == "" {
		return spot{}, nil
	}
	i := strings.LastIndexByte(s, ':')
	if i > 0 {
		path := s[:i]
		line, err := strconv.Atoi(s[i+1:])
		if err == nil && path[0] == '"' {
			path, err = strconv.Unquote(path)
		}
		if err == nil && line >= 0 {
			return spot{relPath(path), line}, nil
		}
	}
	return spot{}, &arc.Error{
		Code:    arc.InvalidArguments,
		Message: "after is not path:line; give next_after as it was returned.",
		Detail:  map[string]string{"reason": "after"},
	}
}

// searchFor searches once. ctx is the caller's, timed ends earlier.
func (ws *Workspace) searchFor(ctx, timed context.Context, a SearchArgs, p *place, after spot, query string) (*SearchResult, error) {
	res := &SearchResult{Query: a.Query, Path: string(p.path), ResolvedPath: p.linked()}
	limit := searchLimit
	switch {
	case a.Limit > maxSearchLimit:
		limit, res.Limit = maxSearchLimit, maxSearchLimit
	case a.Limit > 0:
		limit = a.Limit
	}
	if !p.info.IsDir() && after.path == "" {
		after.path = p.path // so that nothing is gained by coming to line 0
	}
	c := collector{res: res, limit: limit, first: after, last: reached{at: ".", name: string(after.path), line: after.line}}
	s := searchRun{ws: ws, matcher: fold.New(query), after: after, limit: limit + 1}
	err := s.run(timed, p, c.take)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	last := c.last.spot()
	switch {
	case err != nil && timed.Err() != nil:
		res.TimedOut, c.more = true, true
		if walked := (spot{path: s.walked}); last.before(walked) {
			c.last, last = reached{}, walked
		}
	case err != nil && !errors.Is(err, errEnough):
		return nil, ws.fault(err, p.path)
	}
	if c.more && c.last.uncounted {
		last.line = max(last.line, ws.countLines(ctx, last.path))
	}
	c.finish(a, last)
	return res, nil
}

// countLines counts the lines of a file; one that cannot be read has none.
func (ws *Workspace) countLines(ctx context.Context, path relPath) int {
	p, err := ws.resolve(ctx, path)
	if err != nil {
		return 0
	}
	defer p.Close()
	f, info, err := ws.openFile(ctx, p)
	if err != nil {
		return 0
	}
	defer f.Close()
	var found finding
	// What stops the count is no matter: where a page ends is a line that was read.
	_ = newScanner(fold.New("\n")).file(ctx, bounded(f, info), &found, math.MaxInt, 1)
	return found.scanned
}
