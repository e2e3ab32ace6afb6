package render

import (
	"context"
	"path"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// embeds reports whether n shows something of another address in its place.
func embeds(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Iframe, atom.Embed, atom.Video, atom.Audio, atom.Object:
		return true
	}
	return false
}

// embed writes a frame, a film, a sound or another file as a link to it, and what the
// page says instead if there is no address. What an <object> holds stands below it.
func (r *renderer) embed(n *html.Node) {
	if concealed(n) || tiny(n) {
		return
	}
	w := &r.w
	if n.DataAtom == atom.Iframe && hasAttr(n, "srcdoc") { // a page in the page, whatever its address is
		w.end(2)
		r.extra(Fragment(context.Background(), []byte(attr(n, "srcdoc")), Options{}))
		return
	}
	kind := n.Data
	if n.DataAtom == atom.Iframe {
		kind = "frame"
	}
	src := attr(n, "src")
	if n.DataAtom == atom.Object {
		src = attr(n, "data")
	}
	if src == "" || src == "about:blank" {
		src = attr(n, "data-src") // until it is scrolled to
	}
	if src == "" && n.DataAtom != atom.Object {
		if s := findDown(n, atom.Source); s != nil {
			src = attr(s, "src")
		}
	}
	target := r.links.target(src)
	if target == "" {
		if n.DataAtom == atom.Video || n.DataAtom == atom.Audio {
			w.text(textOf(n))
		}
		return
	}
	name := label(n)
	if name == "" {
		name = attr(n, "name")
	}
	if n.DataAtom == atom.Iframe && (hintOfWords(name) >= unlikely || hintOf(n) >= unlikely) {
		return // an advertisement, or a button
	}
	if strings.TrimSpace(name) == "" {
		name = fileName(src)
	}
	w.closeInline()
	w.href = ""
	w.end(1)
	if r.rests {
		w.token("[" + kind + ": ")
		w.text(name)
		w.out = append(w.out, ']')
	} else {
		w.token("[" + kind + ": ")
		w.text(name)
		w.out = append(append(append(w.out, "]("...), target...), ')')
	}
	w.end(1)
}

// tiny reports whether a frame is too small to be seen: it counts visitors.
func tiny(n *html.Node) bool {
	for _, key := range []string{"width", "height"} {
		if v := attr(n, key); v == "0" || v == "1" || v == "0px" || v == "1px" {
			return true
		}
	}
	return false
}

// label is what an element calls itself for those who don't see it.
func label(n *html.Node) string {
	for _, key := range []string{"aria-label", "title"} {
		if s := strings.TrimSpace(attr(n, key)); s != "" {
			return s
		}
	}
	return ""
}

// fileName is the last part of an address's path, or its host: "link" if that is the
// key of something, not a name.
func fileName(address string) string {
	address, _, _ = strings.Cut(address, "?")
	address, _, _ = strings.Cut(address, "#")
	name := path.Base(strings.TrimRight(address, "/"))
	digits := 0
	for i := range len(name) {
		if name[i] >= '0' && name[i] <= '9' {
			digits++
		}
	}
	if name == "." || name == "/" || len(name) > 60 || digits > 8 {
		return "link"
	}
	return name
}

// findDown is the first element of that tag below n.
func findDown(n *html.Node, a atom.Atom) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		if c.DataAtom == a {
			return c
		}
		if f := findDown(c, a); f != nil {
			return f
		}
	}
	return nil
}
