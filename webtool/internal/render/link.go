package render

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A longer target is not worth its room: it is an image, a program or a tracker's
// state in the form of an address.
const maxTarget = 2048

// A resolver makes the targets of a page's links.
type resolver struct {
	page   *url.URL // nil: unknown
	base   *url.URL // what relative targets are resolved against; nil: they stay as they are
	origin string   // scheme://host of the page, empty if unknown
	same   bool     // base is of the page's origin
	room   int      // bytes that targets may still take
}

// newResolver resolves against base, which is relative to page; nil: unknown. A page
// repeats its base in every link that it resolves, so the bytes are counted: when
// they are used up, links are written as plain text.
func newResolver(page *url.URL, base string, size int) *resolver {
	r := &resolver{room: 2*size + 4096}
	if page == nil || page.Host == "" {
		return r
	}
	r.page, r.base, r.same = page, page, true
	r.origin = strings.ToLower(page.Scheme + "://" + page.Host)
	if base != "" {
		if b, err := page.Parse(base); err == nil && (b.Scheme == "http" || b.Scheme == "https") {
			r.base, r.same = b, b.Scheme == page.Scheme && strings.EqualFold(b.Host, page.Host)
		}
	}
	return r
}

// target is what a link shows of its href: empty if it leads nowhere that can be
// fetched or written to.
func (r *resolver) target(href string) string {
	if r.room <= 0 || len(href) > maxTarget {
		return ""
	}
	t := r.resolve(strings.TrimSpace(href))
	r.room -= len(t)
	if len(t) > maxTarget || r.room < 0 {
		return ""
	}
	return t
}

func (r *resolver) resolve(href string) string {
	if href == "" {
		return ""
	}
	if i := strings.IndexAny(href, ":/?#"); i > 0 && href[i] == ':' {
		switch strings.ToLower(href[:i]) {
		case "http", "https":
			return escapeTarget(r.short(href))
		case "mailto", "tel", "ftp":
			return escapeTarget(href)
		}
		return ""
	}
	if href[0] == '#' && (r.page == r.base || r.page == nil) {
		if len(href) == 1 {
			return ""
		}
		return escapeTarget(href)
	}
	if href[0] == '/' && r.same && !strings.HasPrefix(href, "//") && !strings.Contains(href, "..") && !strings.ContainsRune(href, '\\') {
		return escapeTarget(href)
	}
	if r.base == nil {
		return escapeTarget(href)
	}
	u, err := r.base.Parse(strings.Map(dropControl, href))
	if err != nil {
		return escapeTarget(href)
	}
	return escapeTarget(r.short(u.String()))
}

// short is an absolute address without the page's own origin.
func (r *resolver) short(address string) string {
	n := len(r.origin)
	if n == 0 || len(address) <= n || address[n] != '/' || !strings.EqualFold(address[:n], r.origin) || strings.HasPrefix(address[n:], "//") {
		return address
	}
	return address[n:]
}

// escapeTarget writes what would end the link's brackets, or its line, as an address
// does.
func escapeTarget(s string) string {
	clean := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= ' ' || c == '(' || c == ')' || c == '<' || c == '>' || c >= 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < ' ' || c == 0x7f:
		case c == ' ' || c == '(' || c == ')' || c == '<' || c == '>' || c >= 0x80:
			b.WriteByte('%')
			b.WriteByte("0123456789ABCDEF"[c>>4])
			b.WriteByte("0123456789ABCDEF"[c&15])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func dropControl(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}

// anchor writes a link: with its target in the main part.
func (r *renderer) anchor(i int32, n *html.Node) {
	w := &r.w
	if r.rests || w.inCode || w.linkAt > 0 {
		r.children(i)
		return
	}
	href := strings.TrimSpace(attr(n, "href"))
	if size := r.els[i].text; strings.HasPrefix(href, "#") && w.plain > w.cells || size > 0 && size <= 12 && symbol(textOf(n)) {
		href = "" // the place of the heading, or a mark beside it
	}
	if href != "" && (r.els[i].text > 0 || findChild(n, atom.Img)) {
		w.href = r.links.target(href)
	}
	r.children(i)
	if w.linkAt > 0 {
		w.closeCode()
		w.closeLink()
	}
	w.href = ""
}

// findChild reports whether an element of that tag is below n, not far down.
func findChild(n *html.Node, a atom.Atom) bool {
	for depth := 0; n != nil && depth < 4; depth++ {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom == a {
				return true
			}
		}
		if n = n.FirstChild; n != nil && n.Type != html.ElementNode {
			n = n.NextSibling
		}
	}
	return false
}
