package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A span is a range of a tree's elements: one of them and all below it.
type span struct{ start, end int32 }

// A renderer writes a tree's elements: those of the main part, then the others.
type renderer struct {
	*tree
	w       writer
	links   *resolver
	rests   bool      // writing the rest
	from    span      // the main part
	heading string    // text of the first h1
	counts  []counter // of the open lists

	alt    string          // text of the last image with a long one
	tail   int32           // code that the open row leaves for the lines below it; 0: none
	lines  bool            // line ends of the source stand
	worded map[string]bool // where links with words lead; nil: not asked yet
}

// main writes the main part.
func (r *renderer) main(m span) {
	r.from = m
	for _, i := range r.lifted {
		r.w.end(2)
		r.element(i)
		r.w.end(2)
	}
	r.element(m.start)
}

// rest writes everything that is not in the main part, and what was pruned from it.
func (r *renderer) rest() {
	r.rests = true
	r.w.lists, r.w.quotes, r.w.marker = 0, 0, ""
	r.w.end(2)
	r.element(0)
}

// extra writes text that stands in no element that a browser shows.
func (r *renderer) extra(s string) {
	for para := range strings.SplitSeq(s, "\n") {
		r.w.end(2)
		r.w.text(para)
	}
	r.w.end(2)
}

// finish is the text, which ends in one line end unless it is empty.
func (r *renderer) finish() string {
	w := &r.w
	w.closeInline()
	for i := w.waiting; i < len(w.anchors); i++ {
		w.anchors[i].Offset = len(w.out)
	}
	if len(w.out) > 0 {
		w.out = append(w.out, '\n')
	}
	return string(w.out)
}

// children writes what is below element i, except the elements that the phase leaves
// to the other one.
func (r *renderer) children(i int32) {
	next := i + 1
	for c := r.els[i].node.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			if r.lines {
				r.broken(c.Data)
			} else {
				r.w.text(c.Data)
			}
		case html.ElementNode:
			if next >= int32(len(r.els)) {
				return
			}
			r.element(next)
			next = r.els[next].end
		}
	}
}

// broken writes running text whose line ends stand.
func (r *renderer) broken(s string) {
	for k, l := range strings.Split(s, "\n") {
		if k > 0 {
			r.lineEnd()
		}
		r.w.text(l)
	}
}

func (r *renderer) lineEnd() {
	w := &r.w
	if w.flat > 0 {
		w.blank = true
		return
	}
	w.closeInline()
	w.end(min(w.owed+1, 2))
}

// element writes element i.
func (r *renderer) element(i int32) {
	e := &r.els[i]
	if e.is(covered) && !r.shown {
		if numbered(e.node) {
			r.ids(i)
		}
		return
	}
	if e.is(skipped) {
		if embeds(e.node) {
			r.embed(e.node)
		}
		return
	}
	if r.rests {
		if e.is(lifted) {
			return
		}
		if i == r.from.start {
			r.leftovers()
			return
		}
	} else if e.is(pruned) {
		return
	}
	n := e.node
	for k := range n.Attr {
		if a := &n.Attr[k]; a.Key == "id" || a.Key == "name" && n.DataAtom == atom.A {
			r.w.anchor(a.Val)
		}
	}
	if e.text == 0 && e.end == i+1 && n.FirstChild == nil && !void(n.DataAtom) {
		if e.is(block) {
			r.w.end(1)
		}
		return
	}
	if e.is(block) && !r.lines {
		if lines, blanks := spaced(n); blanks && !e.is(blocks) {
			r.preformatted(i, n)
			return
		} else if lines {
			r.lines = true
			defer func() { r.lines = false }()
		}
	}
	r.tag(i, n)
}

// leftovers writes what was pruned from the main part.
func (r *renderer) leftovers() {
	for i := r.from.start; i < r.from.end; {
		if r.els[i].is(pruned) {
			r.w.end(2)
			r.rests = true
			from := r.from
			r.from = span{-1, -1}
			r.element(i)
			r.from = from
			r.w.end(2)
			i = r.els[i].end
			continue
		}
		i++
	}
}

func void(a atom.Atom) bool {
	switch a {
	case atom.Br, atom.Frame, atom.Hr, atom.Img, atom.Input, atom.Math, atom.Object, atom.Progress, atom.Meter:
		return true
	}
	return false
}

// tag writes element i as its tag asks.
func (r *renderer) tag(i int32, n *html.Node) {
	w := &r.w
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		r.head(i, int(n.Data[1]-'0'))
	case atom.P, atom.Section, atom.Article, atom.Main, atom.Figure, atom.Header, atom.Footer, atom.Nav, atom.Aside, atom.Details, atom.Dl,
		atom.Fieldset, atom.Form, atom.Caption, atom.Hgroup:
		w.end(2)
		r.children(i)
		w.end(2)
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		r.list(i, n)
	case atom.Li:
		r.item(i, n)
	case atom.Dt:
		if p := previous(n); p != nil && p.DataAtom == atom.Dt {
			w.end(1)
		} else {
			w.end(2)
		}
		r.children(i)
		w.end(1)
	case atom.Dd:
		w.end(1)
		r.marked(i, ": ")
		w.end(1)
	case atom.Blockquote:
		w.end(2)
		w.quotes++
		r.children(i)
		r.cited(n)
		w.end(2)
		w.quotes--
	case atom.Pre, atom.Listing, atom.Xmp, atom.Plaintext, atom.Textarea:
		r.preformatted(i, n)
	case atom.Code, atom.Tt, atom.Kbd, atom.Samp:
		r.code(i, n)
	case atom.Table:
		r.table(i)
	case atom.Tr:
		w.end(1)
		r.children(i)
		w.end(1)
	case atom.A:
		r.anchor(i, n)
	case atom.Br:
		r.lineEnd()
	case atom.Hr:
		if !r.rests && w.flat == 0 {
			w.end(2)
			w.token("---")
			w.end(2)
		}
	case atom.Img:
		r.image(n)
	case atom.Frame:
		r.frame(n)
	case atom.Input:
		r.input(n)
	case atom.Progress, atom.Meter:
		r.gauge(i, n)
	case atom.Del, atom.S, atom.Strike:
		r.strike(i)
	case atom.Select:
		r.options(i)
	case atom.Object:
		r.embed(n)
		r.children(i)
	case atom.Math:
		r.math(n)
	case atom.Script: // of those, only formulas come here
		r.source(n)
	case atom.Svg:
		w.flat++
		r.children(i)
		w.flat--
		w.blank = true
	case atom.Q:
		w.token("\"")
		r.children(i)
		w.out = append(w.out, '"')
	case atom.Sup:
		if raises(n) && w.owed == 0 && !w.blank && len(w.out) > 0 && (unicode.IsLetter(lastRune(w.out)) || unicode.IsDigit(lastRune(w.out)) || lastRune(w.out) == ')') {
			w.out = append(w.out, '^')
		}
		r.children(i)
	case atom.Rt:
		r.reading(i, n)
	case atom.Button, atom.Label:
		w.blank = true
		r.children(i)
		w.blank = true
	default:
		if n.Namespace == "svg" && n.Data == "text" {
			w.blank = true
		}
		if role := attr(n, "role"); role != "" && r.role(i, n, role) {
			return
		}
		if !r.els[i].is(block) {
			if struckOut(n) {
				r.strike(i)
			} else {
				r.children(i)
			}
			return
		}
		w.end(1)
		r.children(i)
		w.end(1)
	}
}

// marked writes element i with a marker before its first line.
func (r *renderer) marked(i int32, marker string) {
	w := &r.w
	if w.flat > 0 {
		r.children(i)
		return
	}
	before := w.marker
	w.marker += marker
	r.children(i)
	if w.marker == before+marker { // nothing came
		w.marker = before
	}
}

func (r *renderer) head(i int32, level int) {
	w := &r.w
	w.end(2)
	if w.flat > 0 {
		r.children(i)
		w.end(1)
		return
	}
	before, start := w.marker, len(w.out)
	w.marker += "###### "[6-level:]
	w.flat++
	w.plain++
	r.children(i)
	w.closeInline()
	w.flat--
	w.plain--
	if len(w.out) == start {
		w.marker = before
	} else if level == 1 && r.heading == "" {
		r.heading = strings.TrimLeft(strings.TrimSpace(string(w.out[start:])), "# ->")
	}
	w.blank = false
	w.end(2)
}

// longAlt is the size of an image's text, in bytes, that is not repeated for the next
// image: the pictures of one article often share it.
const longAlt = 24

func (r *renderer) image(n *html.Node) {
	w := &r.w
	alt := strings.TrimSpace(attr(n, "alt"))
	if alt == "" {
		alt = label(n)
	}
	if alt == "" {
		return
	}
	if formula(n) {
		w.text(alt)
		return
	}
	if w.cells == 0 && len(alt) >= longAlt { // a word may be the value of something
		if alt == r.alt {
			return
		}
		r.alt = alt
	}
	// In a link whose text it is, the image's brackets are the link's.
	if w.href != "" && w.linkAt == 0 && !w.inCode {
		href := w.href
		w.href = ""
		w.token("[image: ")
		w.text(alt)
		w.token("](" + href + ")")
		return
	}
	w.token("[image: ")
	w.text(alt)
	w.out = append(w.out, ']')
}

// frame writes a frame as a link: a page of frames has no other text.
func (r *renderer) frame(n *html.Node) {
	w := &r.w
	name := attr(n, "title")
	if name == "" {
		name = attr(n, "name")
	}
	if strings.TrimSpace(name) == "" {
		name = "frame"
	}
	w.end(1)
	w.href = r.links.target(attr(n, "src"))
	w.text(name)
	w.closeInline()
	w.href = ""
	w.end(1)
}

// raises reports whether a superscript is a number, which must not run into the one
// before it: ten to the sixth is not 106.
func raises(n *html.Node) bool {
	c := n.FirstChild
	if c == nil || c != n.LastChild || c.Type != html.TextNode || len(c.Data) > 8 || c.Data == "" {
		return false
	}
	for _, r := range c.Data {
		if !unicode.IsDigit(r) && r != '-' && r != '+' && r != '−' && r != '.' {
			return false
		}
	}
	return true
}

// previous is the element before n among its siblings.
func previous(n *html.Node) *html.Node {
	for p := n.PrevSibling; p != nil; p = p.PrevSibling {
		if p.Type == html.ElementNode {
			return p
		}
	}
	return nil
}

// symbol reports whether s is nothing but marks, as the text of a link to the heading
// that it stands in.
func symbol(s string) bool {
	s = strings.TrimSpace(s)
	if utf8.RuneCountInString(s) > 3 {
		return false
	}
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return false
		}
	}
	return true
}
