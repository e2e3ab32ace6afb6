package render

import (
	"io"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxToken is the longest single token of a page that is too deep for a tree, in
// bytes. A longer one is markup that was made to cost time.
const maxToken = 1 << 20

// flatten makes a tree of a few levels from a page that is nested too deeply for a
// parser: its blocks stand beside each other, in document order, with the links, code
// and images in them.
func flatten(page io.Reader) *html.Node {
	root := &html.Node{Type: html.DocumentNode}
	head := &html.Node{Type: html.ElementNode, Data: "head", DataAtom: atom.Head}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	root.AppendChild(head)
	root.AppendChild(body)
	f := flattener{head: head, body: body}
	z := html.NewTokenizer(page)
	z.SetMaxBuf(maxToken)
	for {
		switch tt := z.Next(); tt {
		case html.ErrorToken:
			return root
		case html.TextToken:
			f.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			f.open(z.Token())
		case html.EndTagToken:
			f.close(z.Token())
		}
	}
}

type flattener struct {
	head, body *html.Node
	block      *html.Node // open block; nil: none
	inline     *html.Node // open link or code in it; nil: none
	skip       atom.Atom  // inside an element that shows nothing
	hidden     string     // name of the open element that is not shown; empty: none
	within     int        // elements of that name open in it, with it
	title      *html.Node
	row        bool // inside a row of a table, whose cells stand in one line
}

func (f *flattener) text(s string) {
	switch {
	case f.skip == atom.Title:
		f.title.AppendChild(&html.Node{Type: html.TextNode, Data: s})
	case f.skip != 0 || f.hidden != "":
	default:
		f.at().AppendChild(&html.Node{Type: html.TextNode, Data: s})
	}
}

// at is what the next text is a child of.
func (f *flattener) at() *html.Node {
	if f.inline != nil {
		return f.inline
	}
	if f.block == nil {
		f.block = &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	}
	if f.block.Parent == nil { // an empty block costs nothing
		f.body.AppendChild(f.block)
	}
	return f.block
}

func (f *flattener) open(t html.Token) {
	if f.skip != 0 {
		return
	}
	n := &html.Node{Type: html.ElementNode, Data: t.Data, DataAtom: t.DataAtom, Attr: t.Attr}
	if f.conceals(n, t.Type) {
		return
	}
	switch {
	case t.DataAtom == atom.Title && f.title == nil:
		f.title, f.skip = n, atom.Title
		f.head.AppendChild(n)
	case t.DataAtom == atom.Meta || t.DataAtom == atom.Base:
		f.head.AppendChild(n)
	case t.DataAtom == atom.Html || t.DataAtom == atom.Body || t.DataAtom == atom.Head:
	case opaque(n) || t.DataAtom == atom.Title:
		if t.Type == html.StartTagToken {
			f.skip = t.DataAtom
		}
	case t.DataAtom == atom.Img || t.DataAtom == atom.Br:
		f.at().AppendChild(n)
	case t.DataAtom == atom.A || t.DataAtom == atom.Code:
		f.inline = nil
		f.at().AppendChild(n)
		f.inline = n
	case t.DataAtom == atom.Td || t.DataAtom == atom.Th:
		f.inline = nil
		if f.row {
			f.text("| ")
			break
		}
		f.block = nil
	case f.row && isBlock(t.DataAtom) && t.DataAtom != atom.Tr && t.DataAtom != atom.Table:
		f.text(" ") // of a cell, in the row's line
	case isBlock(t.DataAtom):
		f.inline, f.row = nil, t.DataAtom == atom.Tr
		if f.block != nil && f.block.DataAtom == atom.Pre {
			return // lines of one block of code
		}
		n.DataAtom, n.Data = shallow(t.DataAtom)
		f.block = n
		if n.DataAtom == atom.Hr || len(n.Attr) > 0 {
			f.body.AppendChild(n)
		}
	}
}

// conceals reports whether a start tag is of an element that is not shown, or stands in
// one. Such an element ends with its end tag, or, where that may be left out, with the
// next block.
func (f *flattener) conceals(n *html.Node, tag html.TokenType) bool {
	switch {
	case f.hidden == "":
		if tag == html.StartTagToken && !void(n.DataAtom) && !opaque(n) && concealed(n) {
			f.hidden, f.within = n.Data, 1
		}
	case tag == html.StartTagToken && tagKindOf([]byte(f.hidden)) == ends && (isBlock(n.DataAtom) || n.Data == f.hidden):
		f.hidden = ""
		return f.conceals(n, tag)
	case tag == html.StartTagToken && n.Data == f.hidden:
		f.within++
	}
	return f.hidden != ""
}

func (f *flattener) close(t html.Token) {
	switch {
	case f.hidden != "":
		if t.Data == f.hidden {
			if f.within--; f.within == 0 {
				f.hidden = ""
			}
		}
	case f.skip != 0:
		if t.DataAtom == f.skip {
			f.skip = 0
		}
	case f.inline != nil && t.DataAtom == f.inline.DataAtom:
		f.inline = nil
	case f.row && (t.DataAtom == atom.Td || t.DataAtom == atom.Th):
		f.inline = nil
		f.text(" ")
	case f.row && t.DataAtom == atom.Tr:
		f.inline = nil
		f.text("|")
		f.row, f.block = false, nil
	case f.row && isBlock(t.DataAtom) && t.DataAtom != atom.Table:
		f.text(" ")
	case isBlock(t.DataAtom):
		if f.block != nil && f.block.DataAtom == atom.Pre && t.DataAtom != atom.Pre {
			return
		}
		f.block, f.inline, f.row = nil, nil, false
	}
}

// shallow is the block that stands for one that needs blocks around or in it.
func shallow(a atom.Atom) (atom.Atom, string) {
	switch a {
	case atom.P, atom.Pre, atom.Li, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Hr:
		return a, a.String()
	}
	return atom.Div, "div"
}
