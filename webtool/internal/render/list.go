package render

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A counter numbers the items of a list.
type counter struct {
	ordered bool
	next    int
	step    int
	style   string // its type: 1, a, A, i or I
}

// maxNumber is the largest number of an item, and its opposite the smallest.
const maxNumber = 1_000_000

func number(s string) (int, bool) {
	v, err := strconv.Atoi(strings.TrimSpace(s))
	return v, err == nil && v > -maxNumber && v < maxNumber
}

func (r *renderer) list(i int32, n *html.Node) {
	w := &r.w
	c := counter{ordered: n.DataAtom == atom.Ol, next: 1, step: 1, style: attr(n, "type")}
	if c.ordered && hasAttr(n, "reversed") {
		c.step, c.next = -1, items(n)
	}
	if v, ok := number(attr(n, "start")); ok {
		c.next = v
	}
	if w.lists == 0 {
		w.end(2)
	} else {
		w.end(1)
	}
	if w.flat == 0 && w.lists > 0 && w.marker != "" && r.els[i].text > 0 {
		w.bare() // an item that is nothing but a list
	}
	w.lists++
	r.counts = append(r.counts, c)
	r.children(i)
	r.counts = r.counts[:len(r.counts)-1]
	if w.flat == 0 {
		w.closeInline()
	}
	w.lists--
	if w.lists == 0 {
		w.end(2)
	} else {
		w.end(1)
	}
}

// items is how many items a list has.
func items(n *html.Node) int {
	k := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Li {
			k++
		}
	}
	return k
}

func (r *renderer) item(i int32, n *html.Node) {
	w := &r.w
	w.end(1)
	marker := "- "
	if k := len(r.counts) - 1; k >= 0 && r.counts[k].ordered && n.Parent != nil && n.Parent.DataAtom == atom.Ol {
		c := &r.counts[k]
		if v, ok := number(attr(n, "value")); ok {
			c.next = v
		}
		marker = c.label() + ". "
		if r.els[i].text > 0 {
			c.next += c.step
		}
	}
	orphan := w.lists == 0
	if orphan {
		w.lists++
	}
	r.marked(i, marker)
	w.end(1)
	if orphan {
		w.lists--
	}
}

// label is the next item's number, as the list writes it.
func (c *counter) label() string {
	switch n := c.next; {
	case c.style == "a" && n > 0 && n <= 26:
		return string(rune('a' + n - 1))
	case c.style == "A" && n > 0 && n <= 26:
		return string(rune('A' + n - 1))
	case c.style == "i" && n > 0 && n < 40:
		return strings.ToLower(roman(n))
	case c.style == "I" && n > 0 && n < 40:
		return roman(n)
	default:
		return strconv.Itoa(n)
	}
}

// roman is a number below 40 in Roman numerals.
func roman(n int) string {
	ones := [...]string{"", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"}
	return strings.Repeat("X", n/10) + ones[n%10]
}
