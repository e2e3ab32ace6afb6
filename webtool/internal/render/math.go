package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A formula stands on a page in up to three forms: MathML, which many sites hide and
// keep for readers like this one, a picture with its source as the alternative text,
// and glyphs that a script has set. It is written once, as its TeX source where the
// page has that.

// formula reports whether an image is one of a formula, whose alternative text is its
// source.
func formula(n *html.Node) bool {
	class := attr(n, "class")
	return strings.Contains(class, "math") || strings.Contains(class, "latex") || class == "tex"
}

// pictured reports whether n is a picture of a formula that its alternative text
// tells. Such a picture is hidden from those who hear the page, and shown.
func pictured(n *html.Node) bool {
	return n.DataAtom == atom.Img && formula(n) && strings.TrimSpace(attr(n, "alt")) != "" && !hides(attr(n, "style")) && !hasAttr(n, "hidden")
}

// kept reports whether n holds nothing but a formula's MathML, hidden because the page
// shows it in another form, and nothing that can be read stands in for it.
func kept(n *html.Node) bool {
	if n.DataAtom != atom.Span && n.DataAtom != atom.Div && n.DataAtom != atom.Math && n.Data != "mjx-assistive-mml" {
		return false
	}
	m := n
	if n.DataAtom != atom.Math {
		if m = only(n); m == nil || m.DataAtom != atom.Math {
			return false
		}
	}
	for s := n.NextSibling; s != nil; s = s.NextSibling {
		if s.Type == html.ElementNode {
			return !pictured(s)
		}
	}
	return true
}

// only is the single element below n; nil if there is text beside it, or more.
func only(n *html.Node) *html.Node {
	var one *html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) == "", c.Type == html.CommentNode:
		case c.Type == html.ElementNode && one == nil:
			one = c
		default:
			return nil
		}
	}
	return one
}

// tex reports whether n is a script that holds the source of a formula.
func tex(n *html.Node) bool {
	return n.DataAtom == atom.Script && strings.HasPrefix(strings.ToLower(attr(n, "type")), "math/tex")
}

// typeset reports whether n is what a script has made of the formula whose source
// follows it, or what stands there until it has.
func typeset(n *html.Node) bool {
	if !strings.HasPrefix(attr(n, "class"), "MathJax") {
		return false
	}
	near := 4 // a line end, the formula itself
	for s := n.NextSibling; s != nil && near > 0; s, near = s.NextSibling, near-1 {
		if s.Type == html.ElementNode && !strings.HasPrefix(attr(s, "class"), "MathJax") {
			return tex(s)
		}
	}
	return false
}

// source writes a formula that a script holds.
func (r *renderer) source(n *html.Node) {
	mark := "$"
	if strings.Contains(attr(n, "type"), "display") {
		mark = "$$"
	}
	if s := strings.TrimSpace(textOf(n)); s != "" {
		r.w.text(mark + s + mark)
	}
}

// math writes MathML: its source where the page has it.
func (r *renderer) math(n *html.Node) {
	source := attr(n, "alttext")
	if strings.TrimSpace(source) == "" {
		if a := findWith(n, "annotation", "encoding", "application/x-tex"); a != nil {
			source = textOf(a)
		}
	}
	if strings.TrimSpace(source) == "" {
		f := formulator{room: maxFormula}
		f.row(n, 0)
		source = f.out.String()
	}
	r.w.text(source)
}

// Limits of a formula that is written from its elements. What is beyond them is
// written as it stands.
const (
	maxFormula      = 64 << 10 // bytes
	maxFormulaDepth = 64
)

// A formulator writes MathML in one line, as one would type it: (a)/(b), sqrt(x),
// x^2, x_i.
type formulator struct {
	out  strings.Builder
	room int
}

// row writes what is below n, side by side.
func (f *formulator) row(n *html.Node, depth int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			f.word(c.Data)
		case c.Type == html.ElementNode:
			f.element(c, depth+1)
		}
	}
}

func (f *formulator) element(n *html.Node, depth int) {
	if depth > maxFormulaDepth {
		f.word(textOf(n))
		return
	}
	switch n.Data {
	case "annotation", "annotation-xml", "maligngroup", "malignmark", "none", "mprescripts", "mphantom":
	case "mspace":
		if before, _ := utf8.DecodeLastRuneInString(f.out.String()); wordly(before) {
			f.put(" ")
		}
	case "mfrac":
		a := parts(n)
		f.group(at(a, 0), depth)
		f.put("/")
		f.group(at(a, 1), depth)
	case "msqrt":
		f.word("sqrt")
		f.put("(")
		f.row(n, depth)
		f.put(")")
	case "mroot":
		a := parts(n)
		f.group(at(a, 0), depth)
		f.put("^(1/")
		f.item(at(a, 1), depth)
		f.put(")")
	case "msup", "mover":
		f.scripts(n, depth, "^")
	case "msub", "munder":
		f.scripts(n, depth, "_")
	case "msubsup", "munderover":
		f.scripts(n, depth, "_", "^")
	case "mtable":
		f.put("[")
		for i, tr := range parts(n) {
			if i > 0 {
				f.put("; ")
			}
			for j, td := range parts(tr) {
				if j > 0 {
					f.put(", ")
				}
				f.row(td, depth+1)
			}
		}
		f.put("]")
	case "mtext", "ms":
		f.put(textOf(n))
	default:
		f.row(n, depth)
	}
}

// scripts writes a base with what stands above and below it.
func (f *formulator) scripts(n *html.Node, depth int, marks ...string) {
	for i, p := range parts(n) {
		if i == 0 {
			f.item(p, depth)
			continue
		}
		if i > len(marks) {
			return
		}
		f.put(marks[i-1])
		if letters := strings.TrimSpace(textOf(p)); utf8.RuneCountInString(letters) <= 1 || token(p) {
			f.item(p, depth)
		} else {
			f.group(p, depth)
		}
	}
}

func (f *formulator) group(n *html.Node, depth int) {
	f.put("(")
	f.item(n, depth)
	f.put(")")
}

func (f *formulator) item(n *html.Node, depth int) {
	if n != nil {
		f.element(n, depth+1)
	}
}

// word writes a name, a number or an operator. Two names do not run into each other.
func (f *formulator) word(s string) {
	s = strings.Join(strings.Fields(strings.Map(shownInFormula, s)), " ")
	if s == "" {
		return
	}
	before, _ := utf8.DecodeLastRuneInString(f.out.String())
	if after, _ := utf8.DecodeRuneInString(s); wordly(before) && wordly(after) {
		f.put(" ")
	}
	f.put(s)
}

func (f *formulator) put(s string) {
	if f.room -= len(s); f.room >= 0 {
		f.out.WriteString(s)
	}
}

// shownInFormula drops the operators that are not seen: an applied function, a
// product, a sum, a separator.
func shownInFormula(r rune) rune {
	if r >= '\u2061' && r <= '\u2064' {
		return -1
	}
	return r
}

func wordly(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// token reports whether n is one name, number or operator.
func token(n *html.Node) bool { return n.Data == "mi" || n.Data == "mn" || n.Data == "mo" }

// parts are the elements below n.
func parts(n *html.Node) []*html.Node {
	var all []*html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			all = append(all, c)
		}
	}
	return all
}

func at(nodes []*html.Node, i int) *html.Node {
	if i < len(nodes) {
		return nodes[i]
	}
	return nil
}
