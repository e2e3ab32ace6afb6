package render

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// prune marks what stands inside the main part and beside its point. It is shown
// after the main part, so a mistake costs order. A reference is pruned gently: only
// what its author's tags set aside.
func (t *tree) prune(m span) {
	gentle := t.reference(m.start)
	total := t.els[m.start].text
	for i := m.start + 1; i < m.end; {
		e := &t.els[i]
		if e.is(skipped) || e.text == 0 {
			i = e.end
			continue
		}
		if e.is(behind|veil) || t.aside(i, gentle, total) {
			e.flags |= pruned
			i = e.end
			continue
		}
		i++
	}
}

// nameMost is the size of what may be the name of somebody who wrote a post, with the
// time, in bytes.
const nameMost = 60

// aside reports whether element i of a main part with total bytes of text belongs
// after it.
func (t *tree) aside(i int32, gentle bool, total int32) bool {
	e := &t.els[i]
	n := e.node
	small := float64(e.text) < 0.2*float64(total)
	part, within := t.member(i)
	switch {
	case within && t.talk.kind == unnamed && e.text >= nameMost: // perhaps no posts, but sections
	case within:
		switch n.DataAtom {
		case atom.Nav, atom.Search, atom.Form, atom.Button, atom.Select, atom.Textarea, atom.Dialog:
			return small
		}
		return false
	case part:
		return false
	}
	switch n.DataAtom {
	case atom.Nav, atom.Aside, atom.Footer, atom.Search:
		return float64(e.text) < 0.5*float64(total)
	case atom.Form, atom.Button, atom.Select, atom.Textarea, atom.Dialog:
		return small && (!gentle || n.DataAtom != atom.Form)
	}
	switch strings.ToLower(attr(n, "role")) {
	case "navigation", "complementary", "contentinfo", "search", "banner", "dialog", "alertdialog":
		return small
	}
	if gentle || !e.is(block) {
		return false
	}
	switch hintOf(n) {
	case apart:
		if small || float64(e.text) < 0.8*float64(total) && total-e.text > 4*mainLeast {
			return true
		}
	case unlikely:
		if small && (n.DataAtom != atom.P || e.text < 200) {
			return true
		}
	}
	switch n.DataAtom {
	case atom.Ul, atom.Ol, atom.Div, atom.Section, atom.Table, atom.Dl:
		return float64(e.link) > 0.6*float64(e.text) && e.own() < 300 && small
	}
	return false
}
