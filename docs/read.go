package docs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// ReadArgs are the arguments of [Library.Read].
type ReadArgs struct {
	Path           string `json:"path" jsonschema_description:"relative path to a PDF"`
	StartPage      int    `json:"start_page,omitempty" jsonschema:"default=1" check:"minimum=1" jsonschema_description:"first page, from 1"`                    // zero: 1
	EndPage        int    `json:"end_page,omitempty" check:"minimum=1" jsonschema_description:"last page, included; default: start_page + 4"`                   // zero: StartPage + 4
	StartCharacter int    `json:"start_character,omitempty" jsonschema:"default=0" check:"minimum=0" jsonschema_description:"where in the first page to go on"` // characters to skip
}

// ReadResult is the text of some pages.
type ReadResult struct {
	Path            string     `json:"path,omitempty"`             // left out of a tool's result if it is longer than 1 KiB as JSON
	SHA256          string     `json:"sha256"`                     // of the whole file that was parsed
	PageCount       int        `json:"page_count"`                 // of the document
	Requested       PageRange  `json:"requested"`                  // as it was understood
	Pages           []PageText `json:"pages"`                      // in order
	Truncated       bool       `json:"truncated"`                  // more was asked for than is here; Next goes on
	TruncatedReason string     `json:"truncated_reason,omitempty"` // page_limit, character_budget or time_budget
	SourceChanged   bool       `json:"source_changed,omitempty"`   // since this seat last looked at the path
	PreviousSHA256  string     `json:"previous_sha256,omitempty"`  // of the file that it saw there
	Warnings        []string   `json:"warnings,omitempty"`         // as WarnRepaired and the others say
	Untrusted       bool       `json:"untrusted"`                  // always: the text is a stranger's

	Next    *arc.Next `json:"-"` // the call that goes on: if Truncated, in what was requested; else behind it, if EndPage was not given
	Notices []string  `json:"-"` // for the model: what has no text
}

// PageRange is a range of pages, both included.
type PageRange struct {
	StartPage int `json:"start_page"` // counted from 1
	EndPage   int `json:"end_page"`   // included
}

// PageText is one page, or a part of it.
type PageText struct {
	Page           int    `json:"page"`             // counted from 1
	Label          string `json:"label,omitempty"`  // the printed number, if it is another
	Characters     int    `json:"characters"`       // of the whole page
	StartCharacter int    `json:"start_character"`  // of the page: where Text begins
	EndCharacter   int    `json:"end_character"`    // behind the last one in Text
	Status         Status `json:"status"`           // whether the page has text
	Reason         string `json:"reason,omitempty"` // why it failed: timed_out, memory_limit, engine_crashed or unreadable

	Text string `json:"-"` // from StartCharacter to EndCharacter
}

const (
	maxPages     = 12 // of a Read
	defaultPages = 5
	// headRoom is what the header of a result takes at most, beside the path: what is
	// left of 64 KiB is for text.
	headRoom = 8 << 10
)

// Read shows the text of up to 12 pages, and of at most as many characters as
// Options.MaxCharacters says. Pages are whole; one is parted only if it is too long
// to be shown in one piece, and then behind a line if it can be. What is left is the
// next call, which always goes on: the texts of all pages, joined, are the whole. A
// call that names no EndPage, and shows all five pages, has one for those behind them.
//
// If the seat saw another version of the file before, SourceChanged says so, and a
// StartCharacter, which counted in that version, is ignored. A page without text is
// shown as such and is no error.
//
// Codes: invalid_arguments, invalid_path (longer than 8 KiB as JSON), out_of_range
// (page_count, or characters of the page), those of the files, not_regular_file,
// is_directory, too_large, not_pdf, encrypted, damaged, changed_during_read,
// engine_crashed, memory_limit, timed_out, unavailable, no_space, io_error,
// shutting_down, internal.
func (l *Library) Read(ctx context.Context, seat arc.SeatID, a ReadArgs) (*ReadResult, error) {
	if err := a.fill(); err != nil {
		return nil, err
	}
	ctx, end, err := l.begin(ctx, l.opts.ReadTimeout)
	if err != nil {
		return nil, err
	}
	defer end()
	var res *ReadResult
	err = l.again(ctx, a.Path, func(v *view) error {
		var err error
		res, err = v.read(ctx, seat, a)
		return err
	})
	if err != nil {
		return nil, err
	}
	return res, nil
}

func (a *ReadArgs) fill() error {
	if a.StartPage < 0 || a.EndPage < 0 || a.StartCharacter < 0 {
		return invalid("range", "pages count from 1 and characters from 0; start there or later.")
	}
	a.StartPage = max(a.StartPage, 1)
	if a.EndPage > 0 && a.EndPage < a.StartPage {
		return invalid("range", "end_page %d is before start_page %d; name the later page as the end.", a.EndPage, a.StartPage)
	}
	return nil
}

func (v *view) read(ctx context.Context, seat arc.SeatID, a ReadArgs) (*ReadResult, error) {
	about, err := v.about(ctx)
	if err != nil {
		return nil, err
	}
	endless := a.EndPage == 0
	if endless {
		a.EndPage = a.StartPage + defaultPages - 1
	}
	if a.StartPage > about.pages {
		return nil, v.outOfRange(about)
	}
	a.EndPage = min(a.EndPage, about.pages)
	r := &reading{v: v, args: a, endless: endless, room: v.l.opts.MaxCharacters, bytes: v.bodyRoom(), unseen: map[cause][]int{}, res: &ReadResult{
		Path: v.path, SHA256: v.d.sha256, PageCount: about.pages,
		Requested: PageRange{a.StartPage, a.EndPage}, Pages: []PageText{}, Warnings: slices.Clone(about.warnings), Untrusted: true,
	}}
	if previous := v.l.seen.before(seat, v.path, v.d.sha256); previous != "" {
		r.res.SourceChanged, r.res.PreviousSHA256 = true, previous
		if a.StartCharacter > 0 {
			r.args.StartCharacter = 0
			r.res.Notices = append(r.res.Notices, fmt.Sprintf("The file changed since it was last read, so page %d is shown from its beginning.", a.StartPage))
		}
	}
	if err := r.run(ctx); err != nil {
		return nil, err
	}
	v.l.seen.see(seat, v.path, v.d.sha256) // now that there is something to show
	r.summarise()
	return r.res, nil
}

func (v *view) outOfRange(about *about) error {
	return &arc.Error{
		Code:    arc.OutOfRange,
		Message: fmt.Sprintf("%s has %d pages; start at one of them.", v.path, about.pages),
		Detail: struct {
			Path      string `json:"path"`
			PageCount int    `json:"page_count"`
		}{v.path, about.pages},
	}
}

// bodyRoom is how many bytes of text go into a result whose header names the path
// twice.
func (v *view) bodyRoom() int { return tools.MaxBody - headRoom - 2*len(quoted(v.path)) }

// A reading is a Read on its way.
type reading struct {
	v     *view
	args  ReadArgs
	room  int // characters that may still be shown
	bytes int // the same in bytes
	res   *ReadResult

	endless bool // no end was named

	unseen map[cause][]int // pages of which not all is shown
	form   bool            // one is the placeholder of a form
}

func (r *reading) run(ctx context.Context) error {
	last := min(r.args.EndPage, r.args.StartPage+maxPages-1)
	pages, err := r.v.pages(ctx, r.args.StartPage, last, wantText)
	if err != nil && (len(pages) == 0 || !spent(ctx)) {
		return err
	}
	for i, p := range pages {
		if p.printing < textFrom && p.failed == "" {
			if p, err = r.v.inked(ctx, p); err != nil && !spent(ctx) {
				return err
			}
		}
		start := 0
		if i == 0 {
			start = r.args.StartCharacter
		}
		more, err := r.show(p, start)
		if err != nil || !more {
			return err
		}
	}
	next := r.args.StartPage + len(pages)
	switch {
	case next <= last:
		r.stop("time_budget", next, 0)
	case next <= r.args.EndPage:
		r.stop("page_limit", next, 0)
	case r.endless && next <= r.res.PageCount:
		r.res.Next = &arc.Next{Tool: readName, Arguments: ReadArgs{Path: r.v.path, StartPage: next}}
	}
	return nil
}

// show adds p from a character on, and reports whether there is room for more.
func (r *reading) show(p *pageText, start int) (more bool, err error) {
	offset, ok := skip(p.text, start)
	if !ok {
		return false, &arc.Error{
			Code:    arc.OutOfRange,
			Message: fmt.Sprintf("page %d of %s has %d characters; start at one of them.", p.number, r.v.path, p.chars),
			Detail: struct {
				Path       string `json:"path"`
				Page       int    `json:"page"`
				Characters int    `json:"characters"`
			}{r.v.path, p.number, p.chars},
		}
	}
	rest := p.text[offset:]
	size, chars := len(rest), p.chars-start
	if chars > r.room || size > r.bytes {
		fits := chars <= r.v.l.opts.MaxCharacters && size <= r.v.bodyRoom()
		if n := len(r.res.Pages); n > 0 && (fits || r.room < r.v.l.opts.MaxCharacters/10 || r.bytes < r.v.bodyRoom()/10) {
			r.stop("character_budget", p.number, 0)
			return false, nil
		}
		size, chars = cut(rest, r.room, r.bytes)
	}
	page := PageText{
		Page: p.number, Characters: p.chars, StartCharacter: start, EndCharacter: start + chars,
		Status: p.status(), Reason: p.reason(), Text: rest[:size],
	}
	if p.label != fmt.Sprint(p.number) {
		page.Label = p.label
	}
	r.res.Pages = append(r.res.Pages, page)
	r.res.Warnings = addWarnings(r.res.Warnings, p.warnings)
	r.note(p)
	r.room -= chars
	r.bytes -= size
	if page.EndCharacter < p.chars {
		r.stop("character_budget", p.number, page.EndCharacter)
		return false, nil
	}
	return true, nil
}

// stop ends the result before a character of a page.
func (r *reading) stop(reason string, page, character int) {
	r.res.Truncated, r.res.TruncatedReason = true, reason
	r.res.Next = &arc.Next{Tool: readName, Arguments: ReadArgs{
		Path: r.v.path, StartPage: page, EndPage: r.args.EndPage, StartCharacter: character,
	}}
}

// note remembers what of p is not in its text.
func (r *reading) note(p *pageText) {
	switch p.status() {
	case StatusImageOnly:
		r.unseen[causePicture] = append(r.unseen[causePicture], p.number)
	case StatusSparse:
		if p.isStamped() {
			r.unseen[causeStamped] = append(r.unseen[causeStamped], p.number)
		}
	case StatusNoText:
		r.unseen[causeNoText] = append(r.unseen[causeNoText], p.number)
	case StatusEmpty:
		r.unseen[causeEmpty] = append(r.unseen[causeEmpty], p.number)
	case StatusGarbled:
		r.unseen[causeGarbled] = append(r.unseen[causeGarbled], p.number)
	case StatusFailed:
		r.unseen[causeFailed] = append(r.unseen[causeFailed], p.number)
	}
	if isPlaceholder(p.text) {
		r.res.Warnings = addWarnings(r.res.Warnings, []string{WarnXFA})
		r.form = true
	}
}

// summarise says in words what there is to know of the pages beside their text.
func (r *reading) summarise() {
	var clauses []string
	for _, c := range []cause{causePicture, causeStamped, causeNoText, causeEmpty, causeGarbled, causeFailed} {
		if pages := r.unseen[c]; len(pages) > 0 {
			clauses = append(clauses, c.of(pages))
		}
	}
	if len(clauses) > 0 {
		r.res.Notices = append(r.res.Notices, "Not all is text here: "+strings.Join(clauses, "; ")+".")
	}
	if r.form {
		r.res.Notices = append(r.res.Notices, formNotice)
	}
}

// body is the pages as text, each behind a line that names it.
func (r *ReadResult) body() string {
	var b strings.Builder
	for i, p := range r.Pages {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[page %d]\n%s", p.Page, p.Text)
	}
	return b.String()
}
