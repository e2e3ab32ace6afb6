package workspace

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/arcseat/arc"
)

// A collector makes a page of what a search finds.
type collector struct {
	res      *SearchResult
	limit    int
	text     searchText
	first    spot    // where the page begins
	last     reached // all before it, and it itself, is on this page or before
	more     bool
	repaired bool
}

// reached is a spot as a search comes to it: its path is put together only for the
// one where the page ends.
type reached struct {
	at        relPath
	name      string // empty: before everything
	line      int
	uncounted bool // it is behind all lines of the file, however many there are
}

func (r reached) spot() spot {
	if r.name == "" {
		return spot{}
	}
	return spot{r.at.join(r.name), r.line}
}

// take adds what was found next, and returns errEnough when the page is full.
func (c *collector) take(f *finding) error {
	res := c.res
	if f.name == "" {
		c.pass(f)
		return nil
	}
	switch f.what {
	case isBinary:
		res.Skipped.Binary++
	case isUTF16:
		res.Skipped.NotUTF8++
	case isUnreadable:
		res.Skipped.Unreadable++
	case isText:
		res.Searched++
	}
	var path relPath
	for i, m := range f.hits.at {
		if i == 0 {
			path = f.path()
		}
		text, repaired := shown(f.hits.text(i))
		line := MatchLine{m.line, text}
		if res.Matches == c.limit || !c.text.add(path, line) {
			c.more = true
			return errEnough
		}
		if i == 0 {
			c.pass(f)
			res.FilesMatched++
			res.Files = append(res.Files, FileMatches{Path: string(path)})
		}
		file := &res.Files[len(res.Files)-1]
		file.Lines = append(file.Lines, line)
		res.Matches++
		c.repaired = c.repaired || repaired
		c.last = reached{at: f.at, name: f.name, line: m.line}
	}
	if len(f.hits.at) == 0 {
		c.pass(f)
	}
	// Only the file where the page begins may have been looked at further before.
	if c.first.path != "" && c.first.path == f.path() {
		f.scanned = max(f.scanned, c.first.line)
	}
	c.last = reached{f.at, f.name, f.scanned, f.uncounted}
	return nil
}

// pass counts what lay before f, once the page has come past it.
func (c *collector) pass(f *finding) {
	c.res.Skipped.Ignored += f.ignored
	c.res.Skipped.Unreadable += f.unreadable
}

// finish ends the page; last is where.
func (c *collector) finish(a SearchArgs, last spot) {
	res := c.res
	res.Text = c.text.String()
	if c.repaired {
		res.Notes = append(res.Notes, "repaired_text")
	}
	if !c.more {
		return
	}
	res.Truncated = true
	if !c.first.before(last) {
		return // the next page would stand here too
	}
	if res.Limit > 0 {
		a.Limit = res.Limit
	}
	res.NextAfter = last.String()
	a.After = res.NextAfter
	res.Next = &arc.Next{Tool: "workspace_search", Arguments: a}
}

// shown is a line's text, repaired if it is not UTF-8.
func shown(text []byte) (_ string, repaired bool) {
	if utf8.Valid(text) {
		return string(text), false
	}
	return string(bytes.ToValidUTF8(text, []byte(string(utf8.RuneError)))), true
}

// searchText writes each file's path on a line of its own, and below it
// "line: text".
type searchText struct {
	strings.Builder
	path relPath
}

// add appends m, unless the text would become too large for one result.
func (t *searchText) add(path relPath, m MatchLine) bool {
	var line strings.Builder
	if path != t.path {
		line.WriteString(printable(string(path)) + "\n")
	}
	line.WriteString(strconv.Itoa(m.Line) + ": " + m.Text + "\n")
	if t.Len()+line.Len() > maxBody+1 {
		return false
	}
	t.WriteString(line.String())
	t.path = path
	return true
}

func (t *searchText) String() string { return strings.TrimSuffix(t.Builder.String(), "\n") }
