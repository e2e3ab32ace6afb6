package docs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/arcseat/arc"
)

// SearchArgs are the arguments of [Library.Search].
type SearchArgs struct {
	Path      string `json:"path" jsonschema_description:"relative path to a PDF"`
	Query     string `json:"query" jsonschema_description:"literal text, any case"`
	StartPage int    `json:"start_page,omitempty" jsonschema:"default=1" check:"minimum=1" jsonschema_description:"first page to search"`                   // zero: 1
	Limit     int    `json:"limit,omitempty" jsonschema:"default=20,maximum=50" check:"minimum=1" jsonschema_description:"most matches; no page is parted"` // zero: 20
}

// SearchResult is where a text stands in a document.
type SearchResult struct {
	Path             string    `json:"path,omitempty"`             // left out of a tool's result if it is longer than 1 KiB as JSON
	SHA256           string    `json:"sha256"`                     // of the whole file that was parsed
	Query            string    `json:"query,omitempty"`            // the same
	PageCount        int       `json:"page_count"`                 // of the document
	Searched         PageRange `json:"pages_searched"`             // all of these; EndPage < StartPage: none
	Matches          []Match   `json:"-"`                          // in the document's order
	MatchCount       int       `json:"match_count"`                // of Matches
	PagesWithMatches int       `json:"pages_with_matches"`         // of those that were searched
	MatchesOmitted   int       `json:"matches_omitted,omitempty"`  // of the one page that has more than are shown; see Also
	WithoutText      PageList  `json:"pages_without_text"`         // fewer than 10 printing characters, or few on a picture: there is nothing to search, or hardly anything
	Garbled          PageList  `json:"pages_garbled"`              // the same: their characters have no known meaning
	Failed           PageList  `json:"pages_failed"`               // they could not be read
	Truncated        bool      `json:"truncated"`                  // there may be more matches than these
	TruncatedReason  string    `json:"truncated_reason,omitempty"` // limit, page_matches or time_budget
	Also             *arc.Next `json:"also,omitempty"`             // reads the page behind the last match that is shown of it; a path over 4 KiB has a notice in its place
	SourceChanged    bool      `json:"source_changed,omitempty"`   // since this seat last looked at the path
	PreviousSHA256   string    `json:"previous_sha256,omitempty"`  // of the file that it saw there
	Warnings         []string  `json:"warnings,omitempty"`         // as WarnRepaired and the others say
	Untrusted        bool      `json:"untrusted"`                  // always: the excerpts are a stranger's

	Next    *arc.Next `json:"-"` // the call that goes on, if pages are left
	Notices []string  `json:"-"` // for the model: what could not be searched
}

// Match is one place. Offsets are characters of the page's text as Read shows it, so
// they do for StartCharacter.
type Match struct {
	Page      int    `json:"page"`                    // counted from 1
	Number    int    `json:"n"`                       // on its page, from 1
	Excerpt   string `json:"excerpt"`                 // also of the matches behind it that it shows
	Start     int    `json:"match_start"`             // its first character
	End       int    `json:"match_end"`               // behind its last one
	LineBreak bool   `json:"line_break,omitempty"`    // it goes over the end of a line
	Joined    bool   `json:"hyphen_joined,omitempty"` // over a hyphen there, which the query does not have
}

const (
	defaultLimit = 20
	maxLimit     = 50
	maxQuery     = 200  // characters, folded
	maxRawQuery  = 1000 // characters as they come, many of which may fold to nothing
)

// Search finds a text in the pages from StartPage on; the package comment says which
// differences it passes over. A page's matches are shown together or not at all, so
// that the next call begins at a page; of a page that alone has more than Limit, up
// to 50 are shown, and Also reads the rest of it. Matches do not overlap.
//
// A text that is not found may stand on a page that could not be searched: those are
// counted in WithoutText, Garbled and Failed.
//
// Codes: as [Library.Read]; invalid_arguments also for a query of white space or of
// more than 200 characters, or of 2 KiB as JSON.
func (l *Library) Search(ctx context.Context, seat arc.SeatID, a SearchArgs) (*SearchResult, error) {
	if err := a.fill(); err != nil {
		return nil, err
	}
	f := newFolder()
	if n := utf8.RuneCountInString(a.Query); n > maxRawQuery {
		return nil, invalid("query", "the query has %d characters; give at most %d.", n, maxRawQuery)
	}
	if n := len(quoted(a.Query)); n > maxAsked {
		return nil, invalid("query", "the query takes %d bytes; give at most %d.", n, maxAsked)
	}
	n := newNeedle(f, a.Query)
	if len(n.runes) == 0 || len(n.runes) > maxQuery {
		return nil, invalid("query", "the query has %d characters that count; give 1 to %d.", len(n.runes), maxQuery)
	}
	ctx, end, err := l.begin(ctx, l.opts.SearchTimeout)
	if err != nil {
		return nil, err
	}
	defer end()
	var res *SearchResult
	err = l.again(ctx, a.Path, func(v *view) error {
		s := &searching{v: v, args: a, needle: n, folder: f}
		var err error
		res, err = s.run(ctx, seat)
		return err
	})
	if err != nil {
		return nil, err
	}
	return res, nil
}

func (a *SearchArgs) fill() error {
	switch {
	case a.StartPage < 0 || a.Limit < 0:
		return invalid("range", "pages count from 1, and so do matches; start there or later.")
	case a.Limit > maxLimit:
		return invalid("limit", "limit is %d; %d is the most.", a.Limit, maxLimit)
	}
	a.StartPage = max(a.StartPage, 1)
	if a.Limit == 0 {
		a.Limit = defaultLimit
	}
	return nil
}

// A searching is a Search on its way.
type searching struct {
	v      *view
	args   SearchArgs
	needle needle
	folder *folder
	res    *SearchResult

	withoutText, garbled, failed []int

	few               []*pageText // they have few words, and may be pictures for all that
	stamped, unlooked []int       // of those, the ones that are, and the ones that nobody looked at
	form              bool        // a page is the placeholder of a form
}

func (s *searching) run(ctx context.Context, seat arc.SeatID) (*SearchResult, error) {
	about, err := s.v.about(ctx)
	if err != nil {
		return nil, err
	}
	if s.args.StartPage > about.pages {
		return nil, s.v.outOfRange(about)
	}
	s.res = &SearchResult{
		Path: s.v.path, SHA256: s.v.d.sha256, Query: s.args.Query, PageCount: about.pages,
		Searched: PageRange{s.args.StartPage, s.args.StartPage - 1},
		Matches:  []Match{}, Warnings: slices.Clone(about.warnings), Untrusted: true,
	}
	gone := func() bool { return ctx.Err() != nil && !spent(ctx) }
	s.folder.stop = gone
	if err := s.pages(ctx, about.pages); err != nil {
		return nil, err
	}
	if err := s.look(ctx); err != nil {
		return nil, err
	}
	if gone() { // in the midst of a page
		return nil, ended(ctx, s.v.path)
	}
	if previous := s.v.l.seen.see(seat, s.v.path, s.v.d.sha256); previous != "" {
		s.res.SourceChanged, s.res.PreviousSHA256 = true, previous
	}
	s.summarise()
	return s.res, nil
}

func (s *searching) pages(ctx context.Context, count int) error {
	for next := s.args.StartPage; next <= count; {
		got, err := s.v.pages(ctx, next, count, wantText)
		for _, p := range got {
			if ctx.Err() != nil && !spent(ctx) {
				return ended(ctx, s.v.path)
			}
			if s.late(ctx) && p.number > s.args.StartPage {
				s.timeUp(p.number)
				return nil
			}
			if more := s.page(p); !more {
				if s.res.Truncated && s.res.Searched.EndPage < count {
					s.goOn(s.res.Searched.EndPage + 1)
				}
				return nil
			}
		}
		next += len(got)
		if err != nil {
			if !spent(ctx) || next == s.args.StartPage {
				return err
			}
			s.timeUp(next)
			return nil
		}
	}
	return nil
}

// late reports whether the call's time has been over for so long that not even the
// pages that came within it are searched any more.
func (s *searching) late(ctx context.Context) bool {
	end, ok := ctx.Deadline()
	return ok && spent(ctx) && time.Since(end) > s.v.l.opts.SearchTimeout/10
}

func (s *searching) timeUp(page int) {
	s.res.Truncated, s.res.TruncatedReason = true, "time_budget"
	s.goOn(page)
}

func (s *searching) goOn(page int) {
	s.res.Next = &arc.Next{Tool: searchName, Arguments: SearchArgs{
		Path: s.v.path, Query: s.args.Query, StartPage: page, Limit: s.args.Limit,
	}}
}

// page searches one page, and reports whether there is room for more.
func (s *searching) page(p *pageText) (more bool) {
	found, count := s.find(p)
	if n := len(s.res.Matches); n > 0 && n+count > s.args.Limit {
		s.res.Truncated, s.res.TruncatedReason = true, "limit"
		return false
	}
	s.res.Searched.EndPage = p.number
	s.res.Warnings = addWarnings(s.res.Warnings, p.warnings)
	switch {
	case p.status() == StatusFailed:
		s.failed = append(s.failed, p.number)
	case p.printing < sparseFrom:
		s.withoutText = append(s.withoutText, p.number)
	case p.status() == StatusGarbled:
		s.garbled = append(s.garbled, p.number)
	case p.printing < textFrom:
		s.few = append(s.few, p)
	}
	s.form = s.form || isPlaceholder(p.text)
	if count == 0 {
		return true
	}
	s.add(p, found)
	if count <= s.args.Limit {
		return true
	}
	last := s.res.Matches[len(s.res.Matches)-1]
	s.res.MatchesOmitted = count - len(found)
	switch {
	case s.res.MatchesOmitted == 0:
	case len(quoted(s.v.path)) > maxTwice:
		s.res.Notices = append(s.res.Notices, fmt.Sprintf("To see the rest of page %d, read it from start_character %d on.", p.number, last.End))
	default:
		s.res.Also = &arc.Next{Tool: readName, Arguments: ReadArgs{
			Path: s.v.path, StartPage: p.number, EndPage: p.number, StartCharacter: last.End,
		}}
	}
	if s.res.MatchesOmitted > 0 || p.number < s.res.PageCount {
		s.res.Truncated, s.res.TruncatedReason = true, "page_matches"
	}
	return false
}

// find finds the needle on a page, whose folded form is kept.
func (s *searching) find(p *pageText) ([]found, int) {
	if p.text == "" {
		return nil, 0
	}
	if !p.folded {
		c := *p
		c.bare, c.hasBare = s.folder.bare(p.text, maxBare*len(p.text))
		c.folded = true
		if s.folder.stopped() {
			return nil, 0
		}
		s.v.l.cache.put(s.v.d.sha256, &c)
		p = &c
	}
	if p.hasBare && !strings.Contains(p.bare, s.needle.bare) {
		return nil, 0
	}
	return s.needle.findAll(s.folder, p.text, maxLimit)
}

func (s *searching) add(p *pageText, all []found) {
	s.res.PagesWithMatches++
	at := &pointer{text: p.text}
	first, shared := 0, "" // where the last excerpt's first match begins, and the excerpt
	for i, f := range all {
		start := at.to(f.start)
		end := at.to(f.end)
		if shared == "" || !shows(shared, p.text[first:end]) {
			first, shared = start, excerpt(p.text, start, end)
		}
		s.res.Matches = append(s.res.Matches, Match{
			Page: p.number, Number: i + 1, Excerpt: shared, Start: f.start, End: f.end,
			LineBreak: strings.Contains(p.text[start:end], "\n"), Joined: f.joined,
		})
	}
	s.res.MatchCount = len(s.res.Matches)
}

// look sorts out which of the pages with few words are pictures.
func (s *searching) look(ctx context.Context) error {
	pages, err := s.v.looked(ctx, s.few)
	if err != nil {
		return err
	}
	for _, p := range pages {
		switch {
		case p.isStamped():
			s.stamped = append(s.stamped, p.number)
		case !p.askedInk:
			s.unlooked = append(s.unlooked, p.number)
		}
	}
	return nil
}

// summarise says in words what the search could not see.
func (s *searching) summarise() {
	without := slices.Concat(s.withoutText, s.stamped)
	slices.Sort(without)
	s.res.WithoutText, s.res.Garbled, s.res.Failed = pagesOf(without), pagesOf(s.garbled), pagesOf(s.failed)
	if s.form {
		s.res.Warnings = addWarnings(s.res.Warnings, []string{WarnXFA})
		s.res.Notices = append(s.res.Notices, formNotice)
	}
	unseen, clauses := 0, []string(nil)
	for _, c := range []struct {
		cause
		pages []int
	}{
		{causeNoText, s.withoutText}, {causeStamped, s.stamped}, {causeUnlooked, s.unlooked}, {causeGarbled, s.garbled}, {causeFailed, s.failed},
	} {
		if len(c.pages) > 0 {
			unseen += len(c.pages)
			clauses = append(clauses, c.of(c.pages))
		}
	}
	searched := s.res.Searched.EndPage - s.res.Searched.StartPage + 1
	if unseen == 0 || s.res.MatchCount > 0 && unseen*10 < searched {
		return
	}
	s.res.Notices = append(s.res.Notices, fmt.Sprintf(
		"The query may also stand where no search sees it, on %d of the %d pages searched: %s.", unseen, searched, strings.Join(clauses, "; ")))
}

// body is the matches, a line for those that share an excerpt. One that a Read of its
// page would not reach at once also says where to start.
func (r *SearchResult) body(reach int) string {
	var b strings.Builder
	for i := 0; i < len(r.Matches); {
		if i > 0 {
			b.WriteByte('\n')
		}
		m, more := r.Matches[i], i+1
		for more < len(r.Matches) && r.Matches[more].Page == m.Page && r.Matches[more].Excerpt == m.Excerpt {
			more++
		}
		fmt.Fprintf(&b, "page %d", m.Page)
		if n := more - i; n > 1 {
			fmt.Fprintf(&b, ", %d matches", n)
		}
		i = more
		if m.End > reach {
			fmt.Fprintf(&b, ", start_character %d", m.Start)
		}
		b.WriteString(": ")
		b.WriteString(m.Excerpt)
	}
	return b.String()
}
