package render

import (
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/arcseat/arc/webtool/internal/visible"
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
// repeats its base in every link that it resolves, so the bytes are counted: when their
// room is used up, links are written as plain text.
func newResolver(page *url.URL, base string, room int) *resolver {
	r := &resolver{room: room}
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
	t := shortQuery(r.resolve(strings.TrimSpace(href)))
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

// longTarget is the size of a target, in bytes, above which its query is left out: what
// is so long is a tracker's state, or a form's.
const longTarget = 200

func shortQuery(target string) string {
	if len(target) <= longTarget {
		return target
	}
	if i := strings.IndexByte(target, '?'); i >= 0 {
		return target[:i] + "?…"
	}
	return target
}

// escapeTarget writes what would end the link's brackets, or its line, as an address
// does, and letters of any script as they are read.
func escapeTarget(s string) string {
	clean := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= ' ' || c == '(' || c == ')' || c == '<' || c == '>' || c >= 0x7f || c == '%' {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x80 || c == '%' && i+2 < len(s) && s[i+1] >= '8' {
			r, size := letter(s[i:])
			if size > 0 {
				b.WriteRune(r)
				i += size
				continue
			}
		}
		i++
		switch {
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

// letter is the letter or digit beyond ASCII that s begins with, as it is or escaped,
// and its size in s; 0 if it begins with none that can be seen.
func letter(s string) (rune, int) {
	raw := [utf8.UTFMax]byte{}
	at, n := 0, 0
	for n < len(raw) && at < len(s) {
		c, size := s[at], 1
		if c == '%' {
			if at+2 >= len(s) {
				break
			}
			high, low := unhex(s[at+1]), unhex(s[at+2])
			if high < 8 || low < 0 { // not hexadecimal, or ASCII
				break
			}
			c, size = byte(high<<4|low), 3
		} else if c < 0x80 {
			break
		}
		if n > 0 && utf8.RuneStart(c) {
			break
		}
		raw[n] = c
		n++
		at += size
		if utf8.FullRune(raw[:n]) {
			break
		}
	}
	r, size := utf8.DecodeRune(raw[:n])
	if size != n || r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsNumber(r) || visible.Strip(string(r)) != string(r) {
		return 0, 0
	}
	return r, at
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

func dropControl(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}

// anchor writes a link: with its target in the main part, and in running text of the
// rest.
func (r *renderer) anchor(i int32, n *html.Node) {
	w := &r.w
	href := strings.TrimSpace(attr(n, "href"))
	if p := n.PrevSibling; p != nil && p.DataAtom == atom.A && !w.inCode && !w.code {
		w.blank = w.blank || w.owed == 0 // side by side they are words of their own
	}
	heading := w.plain > w.cells
	size := r.els[i].text
	if size > 0 && w.cells == 0 && strings.Contains(href, "#") && (heading && permalink(n) || symbol(textOf(n)) && toItself(n)) {
		r.ids(i) // the place of the heading, for copying
		return
	}
	if href == "" || w.inCode || w.linkAt > 0 || r.rests && !r.prose(i) || heading && href[0] == '#' {
		r.children(i)
		return
	}
	if size > 0 && size <= 12 {
		if name := strings.TrimSpace(textOf(n)); symbol(name) {
			r.children(i) // a mark beside something
			return
		} else if citation(name) && r.links.here(href) {
			if name[0] != '[' {
				name = "[" + name + "]"
			}
			r.ids(i)
			w.text(name)
			return
		}
	}
	if size == 0 && findWithText(n) == "" {
		r.wordless(i, n, href)
		return
	}
	w.href = r.links.target(href)
	r.children(i)
	if w.linkAt > 0 {
		w.closeCode()
		w.closeLink()
	}
	w.href = ""
}

// permalink reports whether a link in a heading does nothing but lead to it.
func permalink(n *html.Node) bool {
	return symbol(textOf(n)) || toItself(n) && (n.PrevSibling != nil || n.NextSibling != nil)
}

// toItself reports whether a link's class says that it leads to where it stands.
func toItself(n *html.Node) bool {
	for c := range strings.FieldsSeq(attr(n, "class")) {
		switch c {
		case "headerlink", "permalink", "header-anchor", "heading-anchor", "hash-link", "anchorjs-link", "heading-link", "anchor-link", "headline-anchor":
			return true
		}
	}
	return false
}

// citation reports whether a link's words are the number of a note.
func citation(name string) bool {
	digits := false
	for i := range len(name) {
		switch c := name[i]; {
		case c >= '0' && c <= '9':
			digits = true
		case c == '[' && i == 0, c == ']' && i == len(name)-1 && name[0] == '[', c == ' ', c == ',', c == '-':
		case c|0x20 >= 'a' && c|0x20 <= 'z' && len(name) <= 7 && name[0] == '[': // [n 1], [a]
			digits = true
		default:
			return false
		}
	}
	return digits
}

// here reports whether href is a place in the page itself.
func (r *resolver) here(href string) bool {
	before, _, ok := strings.Cut(href, "#")
	if !ok {
		return false
	}
	if before == "" {
		return true
	}
	if r.page == nil {
		return false
	}
	u, err := r.page.Parse(before)
	return err == nil && u.Host == r.page.Host && u.Path == r.page.Path
}

// wordless writes a link that shows no words: by the name that it has for those who
// don't see it, or by its address if no other link of the page leads there. One that
// leads to a picture, as that of a photograph does to a larger one, has nothing to read.
func (r *renderer) wordless(i int32, n *html.Node, href string) {
	name := label(n)
	for j := i + 1; j < r.els[i].end && name == ""; j++ {
		switch c := r.els[j].node; {
		case c.DataAtom == atom.Svg:
			if name = label(c); name == "" {
				if t := find(c, "title"); t != nil {
					name = textOf(t)
				}
			}
		default:
			name = label(c)
		}
	}
	if name = strings.TrimSpace(name); name == "" {
		if only(n) == nil || href[0] == '#' || picture(href) || r.led(href) {
			r.children(i)
			return
		}
		name = fileName(href)
	}
	r.w.href = r.links.target(href)
	if r.w.href != "" {
		r.w.text(name)
	}
	r.children(i)
	if r.w.linkAt > 0 {
		r.w.closeLink()
	}
	r.w.href = ""
}

// picture reports whether an address names the file of an image.
func picture(address string) bool {
	switch strings.ToLower(path.Ext(fileName(address))) {
	case ".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg", ".bmp", ".ico":
		return true
	}
	return false
}

// led reports whether a link with words leads to href.
func (r *renderer) led(href string) bool {
	if r.worded == nil {
		r.worded = map[string]bool{}
		for i := range r.els {
			if e := &r.els[i]; e.node.DataAtom == atom.A && e.text > 0 {
				r.worded[strings.TrimSpace(attr(e.node, "href"))] = true
			}
		}
	}
	return r.worded[href]
}

// Text of the rest is prose, whose links are worth their targets, if its block has at
// least this many bytes outside links and no more than this share in them.
const (
	proseLeast = 40
	proseLinks = 0.4
)

// prose reports whether element i stands in a block of running text.
func (r *renderer) prose(i int32) bool {
	for up := 0; i > 0 && up < 16; up++ {
		i = r.els[i].parent
		if e := &r.els[i]; e.is(block) {
			return e.own() >= proseLeast && float64(e.link) <= proseLinks*float64(e.text) && !e.is(blocks)
		}
	}
	return false
}

// findWithText is the alternative text of an image below n, not far down.
func findWithText(n *html.Node) string {
	for depth := 0; n != nil && depth < 4; depth++ {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom == atom.Img {
				if alt := strings.TrimSpace(attr(c, "alt")); alt != "" {
					return alt
				}
				if l := label(c); l != "" {
					return l
				}
			}
		}
		if n = n.FirstChild; n != nil && n.Type != html.ElementNode {
			n = n.NextSibling
		}
	}
	return ""
}

// Limits of the links that are listed after preformatted text.
const maxListed = 32

// listLinks writes the links in preformatted text below it: their targets would
// change it. It takes as much room as the text at most, or a line.
func (r *renderer) listLinks(i int32, size int) {
	if r.rests || r.w.flat > 0 {
		return
	}
	room := max(size, 80)
	var all []string
	seen := map[string]bool{}
	for j := i + 1; j < r.els[i].end && len(all) < maxListed; j++ {
		e := &r.els[j]
		href := strings.TrimSpace(attr(e.node, "href"))
		if e.node.DataAtom != atom.A || e.text == 0 || href == "" || href[0] == '#' || e.is(covered|pruned) {
			continue
		}
		name := line(textOf(e.node))
		target := r.links.target(href)
		if target == "" || strings.Contains(href, name) && strings.Contains(name, "/") || seen[target] {
			continue
		}
		seen[target] = true
		if room -= len(name) + len(target) + len("[](), "); room < 0 {
			break
		}
		all = append(all, "["+name+"]("+target+")")
	}
	if len(all) > 0 {
		r.w.owed = 1
		r.w.token("Links: " + strings.Join(all, ", "))
		r.w.end(2)
	}
}
