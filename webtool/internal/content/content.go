// Package content turns what a server sent into text for a model: it decides the
// kind and the charset, renders pages, lists feeds, indents JSON and passes other
// text through. Images, PDF files and binary data have a kind and no text.
//
// Every function is pure, bounded in time and memory by the size of its input (the
// text is at most six times the body), and safe for concurrent use.
package content

import (
	"bytes"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/arcseat/arc/webtool/internal/charset"
	"github.com/arcseat/arc/webtool/internal/render"
	"github.com/arcseat/arc/webtool/internal/visible"
)

// Options says what is known of a body beside its bytes.
type Options struct {
	URL         string // where it came from in the end: relative links are resolved against it
	ContentType string // the header as the server sent it; empty: unknown
	Truncated   bool   // the body was cut: its last line may be half a tag or half a character
}

// A Document is a body as text.
type Document struct {
	Kind    Kind     // what the body is
	Media   string   // the media type that was decided, without parameters
	Charset string   // canonical name of the encoding that was decoded; empty for a kind without text
	Title   string   // one line; empty: none
	Text    string   // valid UTF-8, lines end in \n, no invisible or control characters
	MainEnd int      // byte offset in Text where the main part ends; len(Text) when nothing follows it, 0 for kinds other than Page
	Notes   []string // codes of what was odd
	Refresh string   // absolute URL of a <meta refresh> of at most one second; empty: none

	anchors []render.Anchor
}

// Notes that a Document may carry.
const (
	ScriptRendered     = "script_rendered"      // the page shows little without its scripts
	HiddenTextIncluded = "hidden_text_included" // text that a browser does not show at first is in it
	CharsetGuessed     = "charset_guessed"      // nothing declared the charset, or the bytes proved the declaration wrong
	DecodeErrors       = "decode_errors"        // some bytes did not fit the charset and became U+FFFD
	PossibleChallenge  = "possible_challenge"   // reads like a check for robots
	PossibleLogin      = "possible_login"       // little but a form that asks for a password
	DeepMarkup         = "deep_markup"          // too deep for a tree: all of it in document order, no main part told apart
)

// Anchor is the byte offset in Text that a URL's fragment points at, given as it
// stands in the URL with or without the "#"; false if the page has no such place.
func (d *Document) Anchor(fragment string) (offset int, ok bool) {
	raw := strings.TrimPrefix(fragment, "#")
	raw, _, _ = strings.Cut(raw, ":~:") // a text directive is the browser's
	if raw == "" {
		return 0, false
	}
	plain, err := url.PathUnescape(raw)
	if err != nil {
		plain = raw
	}
	for _, id := range []string{raw, plain} {
		if i := slices.IndexFunc(d.anchors, func(a render.Anchor) bool { return a.ID == id }); i >= 0 {
			return min(d.anchors[i].Offset, len(d.Text)), true
		}
	}
	return 0, false
}

// Weight is about how many bytes of memory d takes: its text, and the places in it
// that fragments point at.
func (d *Document) Weight() int {
	n := len(d.Text) + len(d.Title) + len(d.Media) + len(d.Refresh)
	for _, a := range d.anchors {
		n += 32 + len(a.ID) // with the string's header and the offset
	}
	return n
}

// Convert makes a Document of body. What has no text has a kind: the only error is that
// of ctx, soon after that has ended.
func Convert(ctx context.Context, body []byte, o Options) (*Document, error) {
	d := &Document{}
	d.Kind, d.Media = kindOf(body, o)
	switch d.Kind {
	case PDF, Image, Binary:
		return d, ctx.Err()
	}
	t := charset.Decode(body, o.ContentType, d.Kind == Page || d.Kind == XML || d.Kind == Feed)
	d.Charset = t.Name
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch d.Kind {
	case Page:
		if err := d.page(ctx, t.Bytes, o); err != nil {
			return nil, err
		}
	case JSON:
		d.json(ctx, t.Bytes, o)
	case XML, Feed:
		d.xml(ctx, t.Bytes, o)
	default:
		d.Text = visible.Strip(string(t.Bytes))
		if d.Kind == Markdown {
			d.Title = heading(d.Text)
		}
	}
	if t.Guessed {
		d.Notes = append(d.Notes, CharsetGuessed)
	}
	if t.Errors {
		d.Notes = append(d.Notes, DecodeErrors)
	}
	return d, ctx.Err()
}

func (d *Document) page(ctx context.Context, body []byte, o Options) error {
	p, err := render.HTMLContext(ctx, body, render.Options{URL: o.URL, XML: xhtml(d.Media, body, o)})
	if err != nil {
		return err
	}
	d.Title, d.Text, d.MainEnd, d.Refresh, d.anchors = p.Title, p.Text, p.MainEnd, p.Refresh, p.Anchors
	for _, n := range []struct {
		set  bool
		note string
	}{
		{p.Scripted, ScriptRendered}, {p.Revealed, HiddenTextIncluded}, {p.Challenge, PossibleChallenge},
		{p.Login, PossibleLogin}, {p.Deep, DeepMarkup},
	} {
		if n.set {
			d.Notes = append(d.Notes, n.note)
		}
	}
	return nil
}

// xhtml reports whether a page is XML: by its type, or by its first bytes where nothing
// declared one.
func xhtml(media string, body []byte, o Options) bool {
	return strings.HasSuffix(media, "+xml") || o.ContentType == "" && bytes.HasPrefix(body, []byte("<?xml"))
}

// heading is the first heading of a markdown text, empty if it has none.
func heading(text string) string {
	for l := range strings.SplitSeq(text, "\n") {
		if t := strings.TrimLeft(l, "#"); len(t) < len(l) && strings.HasPrefix(t, " ") {
			return strings.TrimSpace(t)
		}
	}
	return ""
}
