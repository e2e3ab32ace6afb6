package render

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// preformatted writes element i with its line ends and blanks as they stand.
func (r *renderer) preformatted(i int32, n *html.Node) {
	if i == r.tail {
		return
	}
	var b strings.Builder
	r.raw(i, &b)
	s := b.String()
	if r.w.flat > 0 {
		r.w.blank = true
		r.w.folded(s)
		r.w.blank = true
		return
	}
	r.w.lines(s, language(n))
	r.listLinks(i, len(s))
}

// lined reports whether preformatted text has more than one line, by line ends or by tags.
func lined(n *html.Node) bool {
	lines, fresh := 0, true
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil && lines < 2; c = c.NextSibling {
			if c.Type != html.TextNode {
				fresh = fresh || c.DataAtom == atom.Br || isBlock(c.DataAtom)
				walk(c)
				continue
			}
			first := true
			for l := range strings.SplitSeq(c.Data, "\n") {
				fresh = fresh || !first
				first = false
				if fresh && strings.TrimSpace(l) != "" {
					fresh = false
					lines++
				}
			}
		}
	}
	walk(n)
	return lines > 1
}

// spaced reports whether an element's own style makes of it text whose line ends stand,
// and whether its blanks do too and matter, as those of code do.
func spaced(n *html.Node) (lines, blanks bool) {
	declarations := attr(n, "style")
	_, value, ok := strings.Cut(declarations, "white-space")
	if !ok || !strings.HasPrefix(value, ":") && !strings.HasPrefix(value, " ") {
		return false, false
	}
	value, _, _ = strings.Cut(strings.TrimLeft(value, ": "), ";")
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "pre":
		return true, true
	case "pre-wrap", "break-spaces", "pre-line":
	default:
		return false, false
	}
	text := strings.Trim(textOf(n), "\n")
	return true, !strings.Contains(value, "line") && (strings.Contains(text, "\n  ") || strings.Contains(text, "\n\t"))
}

// raw appends the text below element i as it stands, and notes the places that
// fragments point at. Blocks in it, which editors make of lines, end a line.
func (r *renderer) raw(i int32, b *strings.Builder) {
	next := i + 1
	for c := r.els[i].node.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
			continue
		}
		if c.Type != html.ElementNode {
			continue
		}
		e := &r.els[next]
		at := next
		next = e.end
		if e.is(covered) && !r.shown && numbered(c) {
			r.ids(at)
		}
		if e.is(skipped) || e.is(covered) && !r.shown || !r.rests && e.is(pruned) {
			continue
		}
		r.w.anchor(attr(c, "id"))
		switch {
		case c.DataAtom == atom.Br:
			b.WriteByte('\n')
		case c.DataAtom == atom.Img:
			if alt := attr(c, "alt"); alt != "" {
				b.WriteString("[image: " + alt + "]")
			}
		case e.is(block):
			lineEnd(b)
			r.raw(at, b)
			lineEnd(b)
		default:
			r.raw(at, b)
		}
	}
}

func lineEnd(b *strings.Builder) {
	if s := b.String(); s != "" && s[len(s)-1] != '\n' {
		b.WriteByte('\n')
	}
}

// gutter reports whether n, which has the attribute a, holds the numbers of lines of
// code beside it. They are no part of the code.
func gutter(n *html.Node, a *html.Attribute) bool {
	if a.Key == "class" {
		named := false
		for c := range strings.FieldsSeq(a.Val) {
			switch c {
			case "ln", "lnum", "lineno", "linenos", "linenodiv", "linenumber", "linenumbers", "lineNumber", "line-number", "line-numbers", "line-numbers-rows",
				"gutter", "blob-num", "hljs-ln-numbers", "react-line-number":
				named = true
			}
		}
		if !named {
			return false
		}
	}
	return numbers(n)
}

// numbers reports whether the text below n is numbers alone.
func numbers(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			if strings.Trim(c.Data, "0123456789 \t\n\u00a0.:|") != "" {
				return false
			}
		case html.ElementNode:
			if !numbers(c) {
				return false
			}
		}
	}
	return true
}

// numbered reports whether an element is the numbers of lines.
func numbered(n *html.Node) bool {
	for i := range n.Attr {
		if a := &n.Attr[i]; (a.Key == "class" || a.Key == "data-line-number") && gutter(n, a) {
			return true
		}
	}
	return false
}

// ids notes the places in what is not written, which stands before the next text.
func (r *renderer) ids(i int32) {
	for j := i; j < r.els[i].end; j++ {
		r.w.anchor(attr(r.els[j].node, "id"))
	}
}

// listing writes a table whose rows are lines of code behind their numbers as the code;
// false if it is none.
func (r *renderer) listing(n *html.Node, rows []row) bool {
	if len(rows) == 0 {
		return false
	}
	lines := make([]int32, 0, len(rows))
	for _, x := range rows {
		code := int32(-1)
		for _, c := range x.cells {
			switch {
			case numbered(r.els[c].node):
			case code >= 0:
				return false
			default:
				code = c
			}
		}
		if code < 0 || len(x.cells) < 2 || findDown(r.els[code].node, atom.Pre) != nil {
			return false
		}
		lines = append(lines, code)
	}
	var b strings.Builder
	for k, c := range lines {
		r.w.anchor(attr(rows[k].node, "id"))
		for _, cell := range rows[k].cells {
			if cell != c {
				r.ids(cell)
			}
		}
		r.w.anchor(attr(r.els[c].node, "id"))
		var line strings.Builder
		r.raw(c, &line)
		b.WriteString(strings.Trim(line.String(), "\n"))
		b.WriteByte('\n')
	}
	r.w.lines(b.String(), language(n))
	return true
}

// code writes element i between backquotes, as a block if it has lines.
func (r *renderer) code(i int32, n *html.Node) {
	w := &r.w
	e := &r.els[i]
	if w.flat == 0 && e.is(blocks) && n.DataAtom != atom.Kbd {
		for j := i + 1; j < e.end; j++ {
			if r.els[j].node.DataAtom == atom.Br {
				r.preformatted(i, n)
				return
			}
		}
	}
	if w.plain > 0 || w.inCode || w.code || e.is(blocks) || strings.Contains(textOf(n), "`") {
		r.children(i)
		return
	}
	w.code = true
	r.children(i)
	w.closeCode()
	w.code = false
}

// maxClasses is the length of the longest class that may name a language, in bytes.
const maxClasses = 256

// language is the language of a block of code as its class, or that of the code in
// it or of the box around it, names it; empty if none does.
func language(n *html.Node) string {
	nodes := []*html.Node{n}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Code {
			nodes = append(nodes, c)
			break
		}
	}
	for p := n.Parent; p != nil && len(nodes) < 5; p = p.Parent {
		nodes = append(nodes, p)
	}
	for _, n := range nodes {
		for _, key := range []string{"data-lang", "data-language"} {
			if l := attr(n, key); l != "" && plainWord(l) {
				return strings.ToLower(l)
			}
		}
		classes := attr(n, "class")
		if len(classes) > maxClasses { // a box around many blocks is read for each of them
			continue
		}
		for class := range strings.FieldsSeq(classes) {
			for _, prefix := range []string{"language-", "lang-", "highlight-source-", "highlight-", "brush:"} {
				if l, ok := strings.CutPrefix(class, prefix); ok && plainWord(l) && !noLanguage(l) {
					return strings.ToLower(l)
				}
			}
		}
	}
	return ""
}

// noLanguage names what highlighters call their boxes.
func noLanguage(l string) bool {
	switch strings.ToLower(l) {
	case "default", "none", "plaintext", "text", "source", "highlight", "wrapper", "container", "code", "block", "pre", "box", "copy", "line", "lines", "toolbar", "switch":
		return true
	}
	return false
}

// plainWord reports whether s can stand after a fence.
func plainWord(s string) bool {
	if s == "" || len(s) > 20 {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("+#-_.", c) >= 0) {
			return false
		}
	}
	return true
}
