package render

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/PuerkitoBio/goquery"
)

// A found is what a page that shows next to nothing holds instead.
type found struct {
	tree     *tree
	extra    string // text that no element shows
	scripted bool
	revealed bool
}

// fallback looks for other sources of a page's content if it shows little text: text
// that a browser hides at first, a <noscript>, JSON-LD, a description. Pages that
// stream their parts into hidden boxes show those anyway.
func fallback(t *tree, body *html.Node, size int, m meta) found {
	f := found{tree: t, revealed: t.veiled > 0}
	for i := range t.els {
		if e := &t.els[i]; e.is(waited) || e.is(behind) && e.text > 0 {
			f.revealed = true
		}
	}
	e := t.els[0]
	if e.text >= little {
		return f
	}
	noscript := noscripts(m.root)
	f.scripted = (t.scripts || m.scripts || noscript != "") && t.shell(noscript)
	if e.hidden >= 3*e.text && e.hidden >= passage {
		f.tree, f.revealed = newTree(body, size, true, nil), true
		if f.tree.els[0].text >= little {
			return f
		}
	}
	if !f.scripted && e.text > 0 {
		return f
	}
	for _, s := range []string{noscript, Line(m.article()), m.description} {
		if s != "" && !strings.Contains(f.extra, s) {
			f.extra += s + "\n"
		}
	}
	return f
}

// shell reports whether a page with little text looks like one that scripts fill, and
// not like a short page that a script counts the visitors of.
func (t *tree) shell(noscript string) bool {
	if t.els[0].text == 0 || strings.Contains(strings.ToLower(noscript), "script") {
		return true
	}
	for i := range t.els {
		e := &t.els[i]
		if e.text == 0 && e.hidden == 0 && mount(e.node) {
			return true
		}
	}
	words := strings.ToLower(line(textOf(t.els[0].node)))
	for _, w := range []string{"loading", "please wait", "javascript", "enable", "redirect"} {
		if strings.Contains(words, w) {
			return true
		}
	}
	return t.els[0].hidden >= 3*t.els[0].text && t.els[0].hidden >= passage
}

// mount reports whether an element without text is one that scripts are known to fill.
func mount(n *html.Node) bool {
	if strings.Contains(n.Data, "-") && n.Namespace == "" { // a custom element
		return true
	}
	switch id := attr(n, "id"); id {
	case "root", "app", "app-root", "react-root", "application", "__next", "__nuxt", "___gatsby", "q-app", "svelte", "main", "content", "container", "wrapper", "page":
		return true
	}
	return false
}

// noscripts is the text of a page's <noscript> elements. With scripts on, which is
// how a page is parsed, their content is raw text.
func noscripts(root *html.Node) string {
	var all []string
	goquery.NewDocumentFromNode(root).Find("noscript").Each(func(_ int, s *goquery.Selection) {
		if l := Line(s.Text()); l != "" {
			all = append(all, l)
		}
	})
	return strings.Join(all, "\n")
}
