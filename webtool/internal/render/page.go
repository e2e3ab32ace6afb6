package render

import (
	"context"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// Options says what is known of a page beside its markup.
type Options struct {
	URL string // where it came from; empty: relative links stay relative
	XML bool   // it is XHTML: any element may be closed where it is opened
}

// A Page is a page as text.
type Page struct {
	Title   string   // one line; empty: none
	Text    string   // lines end in \n
	MainEnd int      // byte offset in Text where the main part ends; len(Text) if nothing follows
	Anchors []Anchor // in document order of the main part, then of the rest
	Refresh string   // absolute URL of a <meta refresh> of at most one second; empty: none

	Scripted  bool // it shows little text and has scripts
	Revealed  bool // text that a browser does not show at first is in it
	Challenge bool // it reads like a check for robots
	Login     bool // it is little but a form that asks for a password
	Deep      bool // its markup was too deep for a tree: no main part is told apart
}

// An Anchor is a place that a #fragment can point at.
type Anchor struct {
	ID     string // of the element, or its name
	Offset int    // byte offset in the text
}

// little is how much visible text a page has, in bytes without blanks, for which
// other sources of its content are looked at.
const little = 200

// HTML renders a page. Its bytes are UTF-8.
func HTML(page []byte, o Options) *Page {
	p, _ := HTMLContext(context.Background(), page, o) // which does not end
	return p
}

// HTMLContext is HTML, and soon gives up with the error of ctx once that has ended.
func HTMLContext(ctx context.Context, page []byte, o Options) (*Page, error) {
	at, _ := url.Parse(o.URL)
	root, styles, deep := parse(ctx, page, o.XML)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := readMeta(root, at)
	p := &Page{Title: m.title, Refresh: m.refresh, Deep: deep}
	body := find(root, "body")
	if body == nil {
		body = root
	}
	t := newTree(body, len(page), false, styles)
	f := fallback(t, body, len(page), m)
	p.Scripted, p.Revealed = f.scripted, f.revealed
	t = f.tree
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	main := span{0, int32(len(t.els))}
	if !deep {
		main = t.together(t.choose())
		t.prune(main)
		t.lift(main, m.title, m.product)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &renderer{tree: t, links: newResolver(at, m.base, 2*len(page)+4096)}
	r.w.out = make([]byte, 0, len(page)/4+64)
	r.main(main)
	r.extra(f.extra)
	r.w.closeInline()
	end := len(r.w.out)
	r.rest()
	rest := len(r.w.out) > end
	p.Text = r.finish()
	p.MainEnd = len(p.Text)
	if rest { // what divides the two is the main part's
		p.MainEnd = end + len(p.Text[end:]) - len(strings.TrimLeft(p.Text[end:], "\n"))
	}
	p.Anchors = r.w.anchors
	if p.Title == "" {
		p.Title = r.heading
	}
	p.Challenge = challenges(p)
	p.Login = t.login && t.els[0].text < 4*little
	return p, nil
}

// Fragment renders a piece of a page, such as the text of an entry of a feed: all of
// it in its order. Its last line has no end.
func Fragment(ctx context.Context, markup []byte, o Options) string {
	at, _ := url.Parse(o.URL)
	root, styles, _ := parse(ctx, markup, o.XML)
	body := find(root, "body")
	if body == nil {
		body = root
	}
	t := newTree(body, len(markup), false, styles)
	r := &renderer{tree: t, links: newResolver(at, "", 2*len(markup))}
	r.main(span{0, int32(len(t.els))})
	return strings.TrimSuffix(r.finish(), "\n")
}

// parse makes a tree of a page: of few levels, and deep, where its own has too many.
// Once ctx has ended it is a tree of the beginning.
func parse(ctx context.Context, page []byte, xml bool) (root *html.Node, styles *sheet, deep bool) {
	tamed, styles, steep := tame(page, xml)
	if !steep {
		if root, err := html.Parse(&reader{ctx, tamed}); err == nil {
			return root, styles, false
		}
	}
	return flatten(&reader{ctx, tamed}), styles, true
}

// A reader hands a page to a parser, which cannot be told to stop, piece by piece for
// as long as ctx lasts.
type reader struct {
	ctx  context.Context
	page []byte
}

const piece = 4 << 10 // bytes

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if len(r.page) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), piece)], r.page)
	r.page = r.page[n:]
	return n, nil
}
