package render

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// role writes element i as what its role says that it is, where its tag says nothing;
// false if the role asks for nothing.
func (r *renderer) role(i int32, n *html.Node, role string) bool {
	w := &r.w
	switch strings.ToLower(role) {
	case "heading":
		level, ok := number(attr(n, "aria-level"))
		if !ok {
			level = 2
		}
		r.head(i, min(max(level, 1), 6))
	case "row":
		if w.flat > 0 {
			return false
		}
		x := r.roleCells(i)
		if len(x.cells) < 2 {
			return false
		}
		r.row(x, newGrid([]row{x}))
	case "cell", "gridcell", "columnheader", "rowheader", "tab", "option", "menuitem", "listitem", "button":
		if r.els[i].is(block) {
			return false
		}
		w.blank = w.blank || w.owed == 0
		r.children(i)
		w.blank = w.blank || w.owed == 0
	default:
		return false
	}
	return true
}

// roleCells are the cells of a row that is one by its role; none if it has text beside
// them.
func (r *renderer) roleCells(i int32) row {
	x := row{node: r.els[i].node}
	var text int32
	for j := i + 1; j < r.els[i].end; {
		switch strings.ToLower(attr(r.els[j].node, "role")) {
		case "cell", "gridcell", "columnheader", "rowheader":
			x.cells = append(x.cells, j)
			text += r.els[j].text
			j = r.els[j].end
		default:
			j++
		}
	}
	if text != r.els[i].text {
		x.cells = nil
	}
	return x
}

// reading writes how the characters of a ruby are read, in brackets if the page has
// none.
func (r *renderer) reading(i int32, n *html.Node) {
	w := &r.w
	if r.els[i].text == 0 {
		return
	}
	if p := previous(n); p != nil && p.DataAtom == atom.Rp || w.owed > 0 {
		r.children(i)
		return
	}
	w.blank = false
	w.token("(")
	r.children(i)
	w.blank = false
	w.out = append(w.out, ')')
}

// cited writes where a quote is from, if it says so and no link does.
func (r *renderer) cited(n *html.Node) {
	cite := strings.TrimSpace(attr(n, "cite"))
	if cite == "" || r.rests || r.led(cite) || r.w.flat > 0 {
		return
	}
	r.w.end(1)
	r.w.href = r.links.target(cite)
	if r.w.href != "" {
		r.w.text("Source: " + fileName(cite))
		r.w.closeInline()
	}
	r.w.href = ""
}
