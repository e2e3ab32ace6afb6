package anchors

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A bag is how often each token of a text occurs.
type bag map[string]int

// targets are the addresses of links: an expected text has none.
var targets = regexp.MustCompile(`\]\([^)\s]*\)`)

// bagOf counts the words of a text; in scripts that write no blanks, its characters.
func bagOf(s string) bag {
	b := bag{}
	start := -1
	for i, r := range s + " " {
		word := unicode.IsLetter(r) || unicode.IsDigit(r)
		alone := word && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
		if start >= 0 && (!word || alone) {
			b[strings.ToLower(s[start:i])]++
			start = -1
		}
		switch {
		case alone:
			b[string(r)]++
		case word && start < 0:
			start = i
		}
	}
	return b
}

func (b bag) size() int {
	n := 0
	for _, k := range b {
		n += k
	}
	return n
}

// f1 is the harmonic mean of the precision and the recall of got.
func f1(got, want bag) float64 {
	both := 0
	for w, n := range got {
		both += min(n, want[w])
	}
	if both == 0 {
		return 0
	}
	return 2 * float64(both) / float64(got.size()+want.size())
}

// textOf is the text of an HTML fragment, with a blank at the border of a block.
func textOf(fragment string) string {
	root, err := html.Parse(strings.NewReader(fragment))
	if err != nil {
		return ""
	}
	var b bytes.Buffer
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case n.DataAtom == atom.Script || n.DataAtom == atom.Style || n.DataAtom == atom.Noscript:
			return
		}
		switch n.DataAtom {
		case atom.Br, atom.P, atom.Div, atom.Li, atom.Td, atom.Th, atom.Tr, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			b.WriteByte(' ')
			defer b.WriteByte(' ')
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return b.String()
}
