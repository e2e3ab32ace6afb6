package render

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// What stands between a page's heading and its main part and is about it: who wrote
// it, and when.
const (
	headMost  = 300 // bytes of a heading that is one
	aboutMost = 80  // bytes of a line about it
	aboutFew  = 2   // lines
	priceMost = 60  // bytes of a price
)

// lift marks what the page is about where it stands outside the main part: the heading,
// if the title does not have it already, with the lines about it that stand between the
// two, and the name and the price of a product. They are shown at the top of the main
// part.
func (t *tree) lift(m span, title string, product bool) {
	if m.start == 0 {
		return
	}
	price := t.price(m, product)
	if h := t.headOutside(m, title, price >= 0); h >= 0 {
		t.raise(h)
		few := aboutFew
		for i := t.els[h].end; i < m.start && few > 0; i++ {
			e := &t.els[i]
			switch {
			case e.is(skipped) || t.unseen(e) || setAside(e.node.DataAtom):
				i = e.end - 1
			case e.text > 0 && e.text <= aboutMost && e.end <= m.start && about(e.node) && !t.listed(i):
				t.raise(i)
				few--
				i = e.end - 1
			}
		}
	}
	if price >= 0 && !t.els[price].is(lifted) {
		t.raise(price)
	}
}

func (t *tree) raise(i int32) {
	t.els[i].flags |= lifted
	t.lifted = append(t.lifted, i)
}

// headOutside is the page's own heading if it stands before the main part, and that
// has none; -1: otherwise. The title of a result holds what nearly every page's heading
// says, which is then no part of the text: with told, it is wanted nevertheless.
func (t *tree) headOutside(m span, title string, told bool) int32 {
	best := int32(-1)
	for i := int32(0); i < m.end; i++ {
		e := &t.els[i]
		if e.is(skipped) || t.unseen(e) || i < m.start && setAside(e.node.DataAtom) || e.is(pruned) {
			i = e.end - 1
			continue
		}
		if e.node.DataAtom != atom.H1 || e.text == 0 {
			continue
		}
		if i >= m.start || best >= 0 { // there is one, or several: no one's own
			return -1
		}
		if e.text <= headMost && !logo(e.node) && (told || !strings.Contains(letters(title), letters(textOf(e.node)))) {
			best = i
		}
	}
	return best
}

// letters are the letters and digits of s, in lower case: titles write quotes and
// blanks in other ways than headings.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// about reports whether an element says who wrote a text, or when.
func about(n *html.Node) bool {
	if n.DataAtom == atom.Time || n.DataAtom == atom.Address {
		return true
	}
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "class", "itemprop", "rel":
			for w := range strings.FieldsFuncSeq(strings.ToLower(a.Val), func(r rune) bool { return r < 'a' || r > 'z' }) {
				switch w {
				case "byline", "author", "date", "dateline", "published", "publisheddate", "datepublished", "timestamp", "pubdate", "dek", "standfirst":
					return true
				}
			}
		}
	}
	return false
}

// listed reports whether an element holds a list, as of where to share the page.
func (t *tree) listed(i int32) bool {
	for j := i + 1; j < t.els[i].end; j++ {
		switch t.els[j].node.DataAtom {
		case atom.Li, atom.Button, atom.H1, atom.H2, atom.H3:
			return true
		}
	}
	return false
}

// logo reports whether a heading is a link to the site.
func logo(n *html.Node) bool {
	a := only(n)
	return a != nil && a.DataAtom == atom.A && (attr(a, "href") == "/" || attr(a, "rel") == "home")
}

// price is the price of the product that the page is about, if it stands outside the
// main part; -1: there is none.
func (t *tree) price(m span, product bool) int32 {
	best := int32(-1)
	for i := int32(0); i < int32(len(t.els)); i++ {
		e := &t.els[i]
		if e.is(skipped) || t.unseen(e) || setAside(e.node.DataAtom) && e.node.DataAtom != atom.Form {
			i = e.end - 1
			continue
		}
		if e.text == 0 || e.text > priceMost {
			continue
		}
		for k := range e.node.Attr {
			a := &e.node.Attr[k]
			named := a.Key == "itemprop" && (a.Val == "price" || a.Val == "lowPrice") ||
				product && a.Key == "class" && strings.Contains(strings.ToLower(a.Val), "price") && strings.ContainsAny(textOf(e.node), "0123456789")
			if named {
				if i >= m.start && i < m.end && !e.is(pruned) {
					return -1
				}
				if best < 0 {
					best = i
				}
			}
		}
	}
	return best
}
