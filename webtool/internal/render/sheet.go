package render

import (
	"strings"

	"golang.org/x/net/html"
)

// Limits of the style sheets that are read, of all in a page together.
const (
	maxSheets = 1 << 20  // bytes
	maxRules  = 8192     // that hide or show something
	maxParts  = 4        // of a selector
	maxFits   = 32 << 20 // bytes of classes that are compared with them
)

// A sheet is what the style sheets in a page say of what is shown. It is read for
// selectors of one element by its tag, id and classes, as most are. The sheets of other
// files, and programs, may undo it: so what it hides is veiled, not left out.
type sheet struct {
	ids, classes, tags map[string][]rule // by the last part of their selector

	count int
	read  int // bytes
	spent int // bytes that were compared
	hides bool
}

// A rule is one selector with what its declarations do.
type rule struct {
	parts  []string // of its selector, beside the one that it is found by
	weight int      // of several rules for an element the heavier one counts
	by     [properties]sight
	set    [properties]bool
}

// add reads a style sheet.
func (s *sheet) add(css string) {
	if s.read += len(css); s.read > maxSheets {
		return
	}
	s.block(withoutComments(css), false)
}

// block reads rules. Those that count only in windows of some kind, as within @media,
// show what they show, and hide nothing.
func (s *sheet) block(css string, within bool) {
	for {
		open := strings.IndexByte(css, '{')
		if open < 0 {
			return
		}
		prelude := css[:open]
		prelude = strings.TrimSpace(prelude[strings.LastIndexByte(prelude, ';')+1:])
		css = css[open+1:]
		end := strings.IndexByte(css, '}')
		nested := end >= 0 && strings.IndexByte(css[:end], '{') >= 0
		if nested {
			end = blockEnd(css)
		}
		if end < 0 {
			end = len(css)
		}
		body := css[:end]
		css = css[min(end+1, len(css)):]
		switch {
		case prelude == "":
		case prelude[0] != '@':
			if !nested {
				s.rule(prelude, body, within)
			}
		case strings.HasPrefix(prelude, "@media"), strings.HasPrefix(prelude, "@supports"), strings.HasPrefix(prelude, "@container"):
			if !within && !strings.Contains(prelude, "print") {
				s.block(body, true)
			}
		case strings.HasPrefix(prelude, "@layer"):
			if !within {
				s.block(body, false)
			}
		}
	}
}

// blockEnd is the offset of the brace that ends the block at whose beginning css starts,
// -1 if none does.
func blockEnd(css string) int {
	depth := 1
	for i := 0; i < len(css); i++ {
		switch css[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// rule takes note of what the declarations do to each of the selectors.
func (s *sheet) rule(selectors, declarations string, within bool) {
	shows, hides := telling(declarations)
	r := rule{set: shows}
	if hides && !within {
		r.set, r.by = hidden(declarations)
	}
	if r.set == [properties]bool{} {
		return
	}
	s.hides = s.hides || r.by != [properties]sight{}
	for more := true; more; {
		var one string
		one, selectors, more = strings.Cut(selectors, ",")
		if s.count++; s.count > maxRules {
			return
		}
		last, parts, ok := compound(strings.TrimSpace(one))
		if !ok {
			continue
		}
		r.parts, r.weight = parts, s.count+weight(last)
		for _, p := range parts {
			r.weight += weight(p)
		}
		s.file(last, r)
	}
}

// weight is what a part adds to the weight of its selector: more than all rules do by
// their order.
func weight(part string) int {
	switch part[0] {
	case '#':
		return 1 << 30
	case '.':
		return 1 << 20
	}
	return 1 << 14
}

// hidden is what declarations that may hide something do.
func hidden(declarations string) (set [properties]bool, by [properties]sight) {
	st := readStyle(declarations)
	st.set[place] = st.by[place] != seen
	if st.tiny && !st.set[place] {
		st.by[place], st.set[place] = veiled, true
	}
	for p := range st.by {
		st.by[p] = min(st.by[p], veiled)
	}
	return st.set, st.by
}

// file keeps a rule where its last part is looked for.
func (s *sheet) file(last string, r rule) {
	rules := &s.tags
	switch last[0] {
	case '#':
		rules, last = &s.ids, last[1:]
	case '.':
		rules, last = &s.classes, last[1:]
	}
	if *rules == nil {
		*rules = map[string][]rule{}
	}
	(*rules)[last] = append((*rules)[last], r)
}

// telling reports which properties the declarations show, and whether they may hide
// something. Few do either, and it costs little to see that.
func telling(declarations string) (shows [properties]bool, hides bool) {
	for rest := declarations; ; {
		for rest != "" && (rest[0] <= ' ' || rest[0] == ';') {
			rest = rest[1:]
		}
		colon := strings.IndexByte(rest, ':')
		if colon <= 0 || colon+1 == len(rest) {
			return shows, hides
		}
		name, value := strings.TrimRight(rest[:colon], " "), rest[colon+1:]
		for len(value) > 1 && value[0] <= ' ' {
			value = value[1:]
		}
		first := value[0] | 0x20
		switch name[0] | 0x20 {
		case 'd':
			if lower(name) == "display" {
				shows[display] = true
				hides = hides || first == 'n'
			}
		case 'v':
			if lower(name) == "visibility" {
				shows[visibility] = true
				hides = hides || first == 'h' || first == 'c'
			}
		case 'o':
			switch lower(name) {
			case "opacity":
				shows[opacity] = true
				hides = hides || value[0] == '0' || value[0] == '.'
			case "overflow":
				hides = hides || (first == 'h' || first == 'c') && (strings.Contains(declarations, ":0") || strings.Contains(declarations, ": 0") || strings.Contains(declarations, "1px"))
			}
		case 'c': // clip, content-visibility, a color that is none
			hides = hides || strings.HasPrefix(name, "clip") || first == 'h' || strings.HasPrefix(value, "transparent")
		case 'f', 'z': // letters without size, a filter, zoom
			hides = hides || value[0] == '0' || name == "filter" || strings.HasPrefix(value, "1px")
		case 'l', 'm', 'r', 'b', 't': // left, margin and so on, text-indent, transform
			hides = hides || value[0] == '-' || name == "transform"
		}
		end := strings.IndexByte(value, ';')
		if end < 0 {
			return shows, hides
		}
		rest = value[end+1:]
	}
}

// compound takes a selector of one element apart, into its tag, "#id" and ".class", of
// which the last stands alone; false for a selector of another kind.
func compound(selector string) (last string, parts []string, ok bool) {
	for _, outer := range []string{"html ", "body "} {
		selector = strings.TrimPrefix(selector, outer)
	}
	if strings.IndexByte(selector, '\\') >= 0 {
		selector = plainStyle(strings.ReplaceAll(selector, "\\:", "\x00"))
	}
	at := 0 // where the part at hand begins
	for i := 0; i <= len(selector); i++ {
		if i < len(selector) {
			switch selector[i] {
			case ' ', '>', '+', '~', ':', '[', '*', '&', '\n', '\r', '\t':
				return "", nil, false
			case '.', '#':
				if i == 0 {
					continue
				}
			default:
				continue
			}
		}
		if last != "" {
			parts = append(parts, last)
		}
		last = strings.ReplaceAll(selector[at:i], "\x00", ":")
		if at = i; last == "" || last == "." || last == "#" || len(parts) == maxParts {
			return "", nil, false
		}
		if last[0] != '.' && last[0] != '#' {
			if last = lower(last); last == "html" || last == "body" { // until a script has come
				return "", nil, false
			}
		}
	}
	return last, parts, true
}

// sight is what the sheet and its own style, which comes to inline and wins, do to an
// element.
func (s *sheet) sight(n *html.Node, own *style, inline sight) sight {
	if s == nil || !s.hides {
		return inline
	}
	c := cascade{sheet: s, node: n}
	if s.tags != nil {
		c.take(s.tags[n.Data])
	}
	for i := range n.Attr {
		switch a := &n.Attr[i]; {
		case a.Key == "id" && s.ids != nil:
			c.take(s.ids[a.Val])
		case a.Key == "class" && s.classes != nil:
			for name := range strings.FieldsSeq(a.Val) {
				c.take(s.classes[name])
			}
		}
	}
	if c.by == [properties]sight{} {
		return inline
	}
	for p := range own.set {
		if own.set[p] {
			c.by[p] = own.by[p]
		}
	}
	return max(inline, c.by[display], c.by[visibility], c.by[opacity], c.by[place])
}

// A cascade finds the rules that count for one element.
type cascade struct {
	*sheet
	node     *html.Node
	heaviest [properties]int
	by       [properties]sight
}

// take looks at rules of whose selectors the last part fits.
func (c *cascade) take(rules []rule) {
	for i := range rules {
		r := &rules[i]
		if c.spent += 1 + len(r.parts)*len(attr(c.node, "class")); c.spent > maxFits {
			return
		}
		if len(r.parts) > 0 && !r.fits(c.node) {
			continue
		}
		for p := range r.set {
			if r.set[p] && r.weight > c.heaviest[p] {
				c.heaviest[p], c.by[p] = r.weight, r.by[p]
			}
		}
	}
}

// fits reports whether an element that one part of the rule's selector fits has the
// others too.
func (r *rule) fits(n *html.Node) bool {
	for _, p := range r.parts {
		switch p[0] {
		case '.':
			found := false
			for c := range strings.FieldsSeq(attr(n, "class")) {
				found = found || c == p[1:]
			}
			if !found {
				return false
			}
		case '#':
			if attr(n, "id") != p[1:] {
				return false
			}
		default:
			if n.Data != p {
				return false
			}
		}
	}
	return true
}
