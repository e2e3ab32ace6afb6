package render

import (
	"bytes"
	"slices"
)

// What makes a parser of HTML slow, and what is done about it. Its time grows with
// the product of the number of tags and the depth at which they stand, or the number
// of formatting elements left open at them, and with the square of the number of
// attributes of one tag. Real pages stay far below these numbers.
const (
	steepWork   = 25_000_000 // sum over all tags of what is open at them, for which a page is not parsed into a tree
	formatWork  = 25         // what open formatting counts in it, times an open element: it may be copied at each tag
	wideTag     = 8 << 10    // bytes of a tag for which its attributes are counted
	manyAttrs   = 1_000      // attributes with which a tag loses them all
	outerRepeat = 8          // <html> and <body> tags: each later one's attributes join the first's
)

// shortCut is the length of a script, a style sheet or a comment that is not worth
// cutting out, in bytes.
const shortCut = 32

// tame takes out of a page what shows nothing, which is half of many pages and costs
// a parser as much as the rest, and what is made to cost a parser time. It returns what
// the style sheets hide, and reports whether the page had better not be parsed into a
// tree at all. It reads tags only, at a small part of a parser's cost.
//
// In a page of XML an element may be closed where it is opened. HTML knows that of few
// elements, and reads on in the others: they are closed in its way.
func tame(page []byte, xml bool) (tamed []byte, styles *sheet, steep bool) {
	t := tamer{page: page, xml: xml}
	for t.at < len(page) {
		i := bytes.IndexByte(page[t.at:], '<')
		if i < 0 || t.at+i+1 >= len(page) {
			break
		}
		t.at += i + 1
		switch c := page[t.at]; {
		case isLetter(c):
			t.start(t.at - 1)
		case c == '/' && t.at+1 < len(page) && isLetter(page[t.at+1]):
			t.at++
			t.end()
		case bytes.HasPrefix(page[t.at:], []byte("!--")):
			t.comment(t.at - 1)
		case c == '!' || c == '?' || c == '/': // a comment in another spelling
			t.doubt = t.doubt || bytes.HasPrefix(page[t.at:], []byte("![CDATA["))
			t.at += max(bytes.IndexByte(page[t.at:], '>'), 0)
		}
		if t.work += t.depth + formatWork*t.open; t.work > steepWork {
			steep = true
			break
		}
	}
	if t.kept == 0 {
		return page, &t.styles, steep
	}
	return append(t.out, page[t.kept:]...), &t.styles, steep
}

// A scope is an element in which an end tag does not end formatting from outside.
type scope struct {
	name  string
	floor int // formatting that is open outside
}

// A tamer reads a page's tags.
type tamer struct {
	page   []byte
	xml    bool
	at     int
	out    []byte
	kept   int             // page[:kept] is in out, or cut
	depth  int             // elements that are open
	open   int             // of which for formatting
	names  map[string]*int // how many of them are of each name
	doubt  bool            // what looks like a tag may be none
	scopes []scope         // that are open, the innermost last
	outer  int             // <html> and <body> tags
	work   int             // summed up
	styles sheet
}

// cut leaves out page[from:to].
func (t *tamer) cut(from, to int) {
	if t.out == nil {
		t.out = make([]byte, 0, len(t.page))
	}
	t.out = append(t.out, t.page[t.kept:from]...)
	t.kept = to
}

// opened takes note of one more element of that name, and ended of one less: an end
// tag of an element that is not open ends none.
func (t *tamer) opened(name []byte) {
	t.depth++
	switch string(name) {
	case "applet", "button", "marquee", "object", "select", "table", "template":
		t.scopes = append(t.scopes, scope{string(name), t.open})
	}
	if n := t.names[string(name)]; n != nil {
		*n++
		return
	}
	if t.names == nil {
		t.names = map[string]*int{}
	}
	t.names[string(name)] = new(1)
}

func (t *tamer) ended(name []byte) bool {
	n := t.names[string(name)]
	if n == nil || *n == 0 || t.doubt {
		return false
	}
	*n--
	t.depth--
	if k := len(t.scopes) - 1; k >= 0 && t.scopes[k].name == string(name) {
		t.scopes = t.scopes[:k]
	}
	return true
}

// name reads the name of a tag and leaves at behind it.
func (t *tamer) name() ([]byte, tagKind) {
	from := t.at
	for t.at < len(t.page) {
		c := t.page[t.at]
		if c <= ' ' || c == '>' || c == '/' {
			break
		}
		t.at++
	}
	name := t.page[from:t.at]
	if hasUpper(name) {
		name = bytes.ToLower(name)
	}
	return name, tagKindOf(name)
}

func cell(name []byte) bool {
	return string(name) == "td" || string(name) == "th"
}

func hasUpper(name []byte) bool {
	return slices.ContainsFunc(name, func(c byte) bool { return c >= 'A' && c <= 'Z' })
}

func (t *tamer) end() {
	name, kind := t.name()
	switch k := len(t.scopes) - 1; kind {
	case formats:
		if (k < 0 || t.open > t.scopes[k].floor) && t.ended(name) {
			t.open--
		}
	case nests:
		t.ended(name)
	}
}

// start reads the start tag that begins at start, and what a parser reads with it.
func (t *tamer) start(start int) {
	named := t.at
	name, kind := t.name()
	after := t.at // the attributes
	length := tagEnd(t.page[t.at:])
	t.at += length
	closed := length > 0 && t.page[t.at-1] == '/'
	if closed && t.xml && !voidName(t.page[named:after]) {
		t.cut(t.at-1, min(t.at+1, len(t.page)))
		t.out = append(append(append(t.out, "></"...), t.page[named:after]...), '>')
		return
	}
	switch {
	case kind == formats:
		t.open++
		t.opened(name)
	case kind == nests && !closed:
		t.opened(name)
	case kind == outermost:
		t.outer++
	case kind == ends && cell(name) && len(t.scopes) > 0:
		t.scopes[len(t.scopes)-1].floor = t.open
	}
	switch {
	case kind == outermost && t.outer > outerRepeat:
		t.at = min(t.at+1, len(t.page))
		t.cut(start, t.at)
		return
	case length > wideTag && crowded(t.page[after:t.at]):
		t.cut(after, t.at)
	}
	if kind == raw && !closed {
		t.raw(t.page[named:after], t.page[after:t.at])
	}
}

// raw passes the content of an element that has no markup in it, and cuts that of
// scripts and style sheets.
func (t *tamer) raw(name, attrs []byte) {
	from := min(t.at+1, len(t.page))
	content := t.page[from:]
	size := endOf(content, name)
	if size < 0 { // it never ends: the parser decides
		t.at = len(t.page)
		return
	}
	t.at = from + size
	style := bytes.EqualFold(name, []byte("style"))
	if style && !bytes.Contains(attrs, []byte("print")) {
		t.styles.add(string(content[:size]))
	}
	switch {
	case size < shortCut:
	case bytes.EqualFold(name, []byte("script")):
		// With "<!--" in it, its end is no simple matter.
		if !bytes.Contains(content[:size], []byte("<!--")) && !data(attrs) {
			t.cut(from, t.at)
		}
	case style:
		t.cut(from, t.at)
	}
}

// data reports whether a script's attributes say that it holds data that is read.
func data(attrs []byte) bool {
	return bytes.Contains(attrs, []byte("ld+json")) || bytes.Contains(attrs, []byte("math/"))
}

// comment cuts the comment that begins at start.
func (t *tamer) comment(start int) {
	body := t.page[start+len("<!--"):]
	if bytes.HasPrefix(body, []byte(">")) || bytes.HasPrefix(body, []byte("->")) {
		return
	}
	i := bytes.Index(body, []byte("-->"))
	if i < 0 { // it never ends: the parser decides
		t.at = len(t.page)
		return
	}
	if j := bytes.Index(body[:i], []byte("--!>")); j >= 0 {
		t.at = start + len("<!--") + j + len("--!>")
		return
	}
	t.at = start + len("<!--") + i + len("-->")
	if i >= shortCut {
		t.cut(start, t.at)
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// endOf is the offset of the end tag of the given name, -1 if there is none.
func endOf(content, name []byte) int {
	for at := 0; ; {
		i := bytes.Index(content[at:], []byte("</"))
		if i < 0 {
			return -1
		}
		at += i
		rest := content[at+2:]
		if len(rest) > len(name) && bytes.EqualFold(rest[:len(name)], name) && (rest[len(name)] <= ' ' || rest[len(name)] == '>' || rest[len(name)] == '/') {
			return at
		}
		at += 2
	}
}

// A tagKind is what a tag does to the elements that a parser holds open.
type tagKind uint8

const (
	nests     tagKind = iota // stays open until it is closed
	ends                     // has no content, or ends where the next of its kind begins
	formats                  // is opened anew in each block until it is closed
	raw                      // its content has no markup
	outermost                // <html> and <body>
)

// tagKindOf is for a name in lower case.
func tagKindOf(name []byte) tagKind {
	switch string(name) {
	case "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u":
		return formats
	case "a", "area", "base", "br", "col", "dd", "dt", "embed", "frame", "head", "hr", "img", "input", "li", "link", "meta", "optgroup", "option", "p", "param",
		"source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr":
		return ends
	case "script", "style", "title", "textarea", "noscript", "iframe", "noembed", "noframes", "xmp", "plaintext":
		return raw
	case "html", "body":
		return outermost
	}
	return nests
}

// voidName reports whether an element of that name never has content.
func voidName(name []byte) bool {
	switch string(name) {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}

// crowded reports whether a tag has many attributes.
func crowded(attrs []byte) bool {
	n := 0
	for i := 0; i < len(attrs) && n <= manyAttrs; {
		if attrs[i] <= ' ' || attrs[i] == '/' {
			i++
			continue
		}
		n++
		i += attrEnd(attrs[i:])
	}
	return n > manyAttrs
}

// tagEnd is the length of rest, which begins with a tag's attributes, up to the ">"
// that ends the tag.
func tagEnd(rest []byte) int {
	i := bytes.IndexByte(rest, '>')
	if i < 0 {
		i = len(rest)
	}
	// Nearly always that is the end: a ">" in a value leaves its quote open.
	double, single := bytes.Count(rest[:i], []byte{'"'}), bytes.Count(rest[:i], []byte{'\''})
	if double%2 == 0 && single == 0 || double == 0 && single%2 == 0 {
		return i
	}
	for i = 0; i < len(rest); {
		switch {
		case rest[i] == '>':
			return i
		case rest[i] <= ' ' || rest[i] == '/':
			i++
		default:
			i += attrEnd(rest[i:])
		}
	}
	return len(rest)
}

// attrEnd is the length of the attribute at the start of rest, at least 1.
func attrEnd(rest []byte) int {
	i := 1
	for i < len(rest) && rest[i] > ' ' && rest[i] != '=' && rest[i] != '>' && rest[i] != '/' {
		i++
	}
	end := i
	for i < len(rest) && rest[i] <= ' ' {
		i++
	}
	if i == len(rest) || rest[i] != '=' {
		return end
	}
	i++
	for i < len(rest) && rest[i] <= ' ' {
		i++
	}
	if i == len(rest) {
		return i
	}
	if q := rest[i]; q == '"' || q == '\'' {
		if j := bytes.IndexByte(rest[i+1:], q); j >= 0 {
			return i + 1 + j + 1
		}
		return len(rest)
	}
	for i < len(rest) && rest[i] > ' ' && rest[i] != '>' {
		i++
	}
	return i
}
