package render

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// An element is an element of the page with what the choice of a main part asks of
// it. Elements stand in document order in one slice, so that a subtree is a range of
// it; this costs one allocation where a map from node to numbers would cost one each.
type element struct {
	node   *html.Node
	parent int32 // index of the parent, -1 for the root
	end    int32 // index after the last descendant
	text   int32 // bytes of visible text without blanks
	link   int32 // of which in links
	commas int32 // in visible text
	hidden int32 // bytes of text that a browser does not show
	flags  flags
}

type flags uint16

const (
	skipped flags = 1 << iota // shows no text of its own: scripts, styles, frames
	covered                   // a browser does not show it: hidden, display:none, aria-hidden
	block                     // begins a line of its own
	blocks                    // holds a block
	inMain                    // of the main part's range
	pruned                    // of the main part's range, but shown after it
	lifted                    // outside the main part, shown at its top
	waited                    // a part that streaming left hidden: shown
	behind                    // a panel behind another tab: shown, after the main part
	veil                      // not seen at first, by its style: shown, after the main part
)

func (e *element) own() int32 { return e.text - e.link }

func (e *element) is(f flags) bool { return e.flags&f != 0 }

// A tree is a page's elements in document order.
type tree struct {
	els     []element
	shown   bool // hidden text counts as shown
	scripts bool // the page has scripts
	login   bool // a form asks for a password
	talk    thread
	lifted  []int32 // in the order in which they are shown
	sheet   *sheet  // what the page's style sheets hide; nil: nothing
	veiled  int32   // bytes of text that is not seen at first
}

// veiledMost is the share of a page's text above which what is not seen at first is no
// exception: scripts show such a page piece by piece.
const veiledMost = 0.30

// spokenMost is the size of what names something for those who hear the page, in bytes:
// it stays where it stands.
const spokenMost = 40

// newTree numbers the elements below root and counts their text. With shown, what a
// browser hides counts as visible.
func newTree(root *html.Node, size int, shown bool, styles *sheet) *tree {
	t := &tree{els: make([]element, 0, size/48+16), shown: shown, sheet: styles}
	t.add(root, -1, false, false)
	if float64(t.veiled) > veiledMost*float64(t.els[0].text) {
		for i := range t.els {
			t.els[i].flags &^= veil
		}
	}
	return t
}

// add appends n and its descendants and returns n's index.
func (t *tree) add(n *html.Node, parent int32, link, cover bool) int32 {
	at := int32(len(t.els))
	e := element{node: n, parent: parent}
	by := seen
	if n.Type == html.ElementNode {
		var own style
		inline, hid := seen, false
		if !cover {
			var declarations string
			if hid, declarations = told(n); !hid && declarations != "" {
				own, inline = styled(n, declarations)
				hid = inline == unseen
			}
		}
		switch {
		case opaque(n):
			e.flags |= skipped
			e.end = at + 1
			t.els = append(t.els, e)
			if n.DataAtom == atom.Script {
				t.scripts = true
			}
			return at
		case streamed(n):
			e.flags |= waited
		case panel(n):
			if hid {
				e.flags |= behind
			}
		case hid && !pictured(n) && !kept(n) || !cover && typeset(n):
			e.flags |= covered
			cover = true
		case !hid && !cover && !t.shown:
			by = t.sheet.sight(n, &own, inline)
			switch {
			case by == seen || kept(n):
			case by == unseen:
				e.flags |= covered
				cover = true
			default:
				e.flags |= veil
			}
		}
		if isBlock(n.DataAtom) {
			e.flags |= block
		}
		link = link || n.DataAtom == atom.A && hasAttr(n, "href")
		if n.DataAtom == atom.Input && strings.EqualFold(attr(n, "type"), "password") {
			t.login = true
		}
	}
	t.els = append(t.els, e)
	var text, links, commas, hidden int32
	var below flags
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			n, k := weigh(c.Data)
			if cover && !t.shown {
				hidden += n
				continue
			}
			text += n
			commas += k
			if link {
				links += n
			}
		case html.ElementNode:
			i := t.add(c, at, link, cover)
			k := &t.els[i]
			text += k.text
			links += k.link
			commas += k.commas
			hidden += k.hidden
			if k.flags&(block|blocks) != 0 {
				below = blocks
			}
		}
	}
	p := &t.els[at]
	p.text, p.link, p.commas, p.hidden = text, links, commas, hidden
	p.flags |= below
	p.end = int32(len(t.els))
	if p.is(veil) {
		t.veiled += text // twice, where one stands in another
		if by == spoken && text < spokenMost {
			p.flags &^= veil
		}
	}
	return at
}

// weigh counts the bytes of s that are not blanks, and its commas, in any script.
func weigh(s string) (size, commas int32) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c <= ' ':
			continue
		case c == ',':
			commas++
		case c == 0xe3 && strings.HasPrefix(s[i:], "、"), c == 0xef && strings.HasPrefix(s[i:], "，"), c == 0xd8 && strings.HasPrefix(s[i:], "،"):
			commas++
		case c == 0xc2 && i+1 < len(s) && s[i+1] == 0xa0:
			i++
			continue
		}
		size++
	}
	return size, commas
}

// opaque elements show none of the text in them: it is code, or a fallback for a
// browser that cannot do what they do.
func opaque(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script:
		return !tex(n)
	case atom.Template:
		return !hasAttr(n, "shadowrootmode") // a part of the page's text, written where it shows
	case atom.Style, atom.Noscript, atom.Iframe, atom.Embed,
		atom.Audio, atom.Video, atom.Canvas, atom.Head, atom.Noframes, atom.Datalist, atom.Applet, atom.Noembed:
		return true
	}
	// A drawing's own title, description and definitions are not drawn.
	return n.Namespace == "svg" && (n.Data == "title" || n.Data == "desc" || n.Data == "defs" || n.Data == "metadata")
}

// streamed reports whether n is a part of a page that a server sent late and that a
// script moves into its place: hidden until then, and content all the same.
func streamed(n *html.Node) bool {
	return n.DataAtom == atom.Div && hasAttr(n, "hidden") && strings.HasPrefix(attr(n, "id"), "S:")
}

// panel reports whether n is the panel of a tab, which a reader sees when it is chosen.
func panel(n *html.Node) bool {
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "role":
			if strings.EqualFold(a.Val, "tabpanel") {
				return true
			}
		case "class":
			if !strings.Contains(a.Val, "tab") {
				continue
			}
			for c := range strings.FieldsSeq(a.Val) {
				switch c {
				case "tab-pane", "tab-panel", "tabpanel", "tab-content", "tabcontent", "tabs-panel", "tabbed-block", "tabs__panel":
					return true
				}
			}
		}
	}
	return false
}

// unseen reports whether an element's text is not shown at first: it is not looked at
// for the main part.
func (t *tree) unseen(e *element) bool { return !t.shown && e.is(covered|behind|veil) }

func isBlock(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Br, atom.Caption, atom.Center, atom.Dd, atom.Details,
		atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Hr, atom.Html, atom.Legend, atom.Li,
		atom.Listing, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.Optgroup, atom.Option, atom.P, atom.Plaintext, atom.Pre,
		atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Textarea, atom.Tfoot, atom.Th, atom.Thead, atom.Tr,
		atom.Ul, atom.Xmp, atom.Search:
		return true
	}
	return false
}

func hasAttr(n *html.Node, key string) bool {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return true
		}
	}
	return false
}

func attr(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return n.Attr[i].Val
		}
	}
	return ""
}

// textOf is all the text below n as it stands, shown or not.
func textOf(n *html.Node) string {
	if n.FirstChild != nil && n.FirstChild == n.LastChild && n.FirstChild.Type == html.TextNode {
		return n.FirstChild.Data
	}
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.TextNode {
				b.WriteString(c.Data)
			} else {
				walk(c)
			}
		}
	}
	walk(n)
	return b.String()
}

// lastRune is the last character of b.
func lastRune(b []byte) rune {
	r, _ := utf8.DecodeLastRune(b)
	return r
}
