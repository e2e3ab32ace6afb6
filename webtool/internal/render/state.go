package render

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// input writes what a control shows: its mark, or the value in it. What is typed into
// it unseen stays so.
func (r *renderer) input(n *html.Node) {
	w := &r.w
	value := attr(n, "value")
	switch strings.ToLower(attr(n, "type")) {
	case "hidden", "password", "file", "color", "image":
		return
	case "checkbox":
		w.blank = w.blank || w.owed == 0
		w.token(mark(n, "checked", "[x]", "[ ]"))
	case "radio":
		w.blank = w.blank || w.owed == 0
		w.token(mark(n, "checked", "(x)", "( )"))
	case "submit", "button", "reset":
		w.blank = true
		w.text(value)
	default:
		if strings.TrimSpace(value) == "" {
			return
		}
		w.blank = w.blank || w.owed == 0
		w.token("[")
		w.text(value)
		w.out = append(w.out, ']')
	}
	w.blank = true
}

func mark(n *html.Node, key, on, off string) string {
	if hasAttr(n, key) {
		return on
	}
	return off
}

// gauge writes how far something is, as the page has it in numbers.
func (r *renderer) gauge(i int32, n *html.Node) {
	value, most := strings.TrimSpace(attr(n, "value")), strings.TrimSpace(attr(n, "max"))
	if value == "" {
		r.children(i)
		return
	}
	if most == "" {
		most = "1"
	}
	w := &r.w
	w.blank = true
	w.text(value + " of " + most)
	w.blank = true
}

// options writes the choices of a form in one line, with a mark at those that are
// chosen.
func (r *renderer) options(i int32) {
	w := &r.w
	w.end(1)
	first := true
	for j := i + 1; j < r.els[i].end; j++ {
		n := r.els[j].node
		if n.DataAtom != atom.Option || r.els[j].text == 0 {
			continue
		}
		if !first {
			w.token(",")
			w.blank = true
		}
		first = false
		if hasAttr(n, "selected") {
			w.token("[x]")
			w.blank = true
		}
		w.flat++
		r.children(j)
		w.flat--
	}
	w.end(1)
}

// A strike is where the mark of text that is struck out stands, seen from a link that
// begins with the same text.
type strike uint8

const (
	notStruck strike = iota
	aroundLink
	withinLink
)

// strike writes element i as text that no longer holds, such as an old price.
func (r *renderer) strike(i int32) {
	w := &r.w
	if r.els[i].is(blocks) || r.els[i].text == 0 || w.struck != notStruck || w.inCode || w.code {
		r.children(i)
		return
	}
	w.struck = aroundLink
	if w.href != "" && w.linkAt == 0 {
		w.struck = withinLink
	}
	r.children(i)
	if w.struck == notStruck {
		w.closeCode()
		w.out = append(w.out, "~~"...)
	}
	w.struck = notStruck
}

// struckOut reports whether an element looks struck out, by its style or by what its
// classes call it.
func struckOut(n *html.Node) bool {
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "style":
			if strings.Contains(a.Val, "line-through") {
				return true
			}
		case "class":
			for c := range strings.FieldsSeq(a.Val) {
				switch c {
				case "line-through", "strikethrough", "strike", "old-price", "price-old", "was-price", "price-was", "a-text-strike", "compare-at-price":
					return true
				}
			}
		}
	}
	return false
}
