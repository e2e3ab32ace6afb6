package render

import "bytes"

// What makes a parser of HTML slow, and what is done about it. Its time grows with
// the product of the number of tags and the depth at which they stand, or the number
// of formatting elements left open at them, and with the square of the number of
// attributes of one tag. Real pages stay far below these numbers.
const (
	smallPage   = 32 << 10 // bytes of a page that is too small to cost much
	steepDepth  = 200      // open elements, or open formatting, at which a tag is a steep one
	steepTags   = 20_000   // steep tags for which a page is not parsed into a tree
	wideTag     = 8 << 10  // bytes of a tag for which its attributes are counted
	manyAttrs   = 1_000    // attributes with which a tag loses them all
	outerRepeat = 8        // <html> and <body> tags: each later one's attributes join the first's
)

// tame removes what is made to cost a parser time, and reports whether the page had
// better not be parsed into a tree at all. It reads tags only, at a small part of a
// parser's cost, and returns page itself if there is nothing to remove.
func tame(page []byte) (tamed []byte, steep bool) {
	if len(page) < smallPage {
		return page, false
	}
	var out []byte
	kept := 0 // page[:kept] is in out
	depth, open, tags, outer := 0, 0, 0, 0
	for at := 0; ; {
		i := bytes.IndexByte(page[at:], '<')
		if i < 0 || at+i+1 >= len(page) {
			break
		}
		at += i + 1
		start := at - 1
		c := page[at]
		end := c == '/'
		if end && at+1 < len(page) {
			at++
			c = page[at]
		}
		if c|0x20 < 'a' || c|0x20 > 'z' {
			continue
		}
		from := at
		for at < len(page) && page[at] > ' ' && page[at] != '>' && page[at] != '/' {
			at++
		}
		k := tagKindOf(page[from:at])
		if end {
			switch k {
			case formats:
				open, depth = max(open-1, 0), max(depth-1, 0)
			case nests:
				depth = max(depth-1, 0)
			}
			continue
		}
		last := bytes.IndexByte(page[at:], '>')
		switch {
		case k == formats:
			open++
			depth++
		case k == nests && (last < 1 || page[at+last-1] != '/'):
			depth++
		case k == outermost:
			outer++
		}
		if depth > steepDepth || open > steepDepth {
			if tags++; tags > steepTags {
				return page, true
			}
		}
		if last >= 0 && last < wideTag && outer <= outerRepeat {
			continue
		}
		switch {
		case k == outermost && outer > outerRepeat: // the whole tag goes
			out = append(out, page[kept:start]...)
			at = min(at+tagEnd(page[at:])+1, len(page))
			kept = at
		case crowded(page[at:]): // its attributes go
			out = append(out, page[kept:at]...)
			at += tagEnd(page[at:])
			kept = at
		}
	}
	if kept == 0 {
		return page, false
	}
	return append(out, page[kept:]...), false
}

// A tagKind is what a tag does to the elements that a parser holds open.
type tagKind uint8

const (
	nests     tagKind = iota // stays open until it is closed
	ends                     // has no content, or ends where the next of its kind begins
	formats                  // is opened anew in each block until it is closed
	outermost                // <html> and <body>
)

func tagKindOf(name []byte) tagKind {
	if len(name) > 8 {
		return nests
	}
	var low [8]byte
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		low[i] = c
	}
	switch string(low[:len(name)]) {
	case "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u":
		return formats
	case "a", "area", "base", "br", "col", "dd", "dt", "embed", "frame", "head", "hr", "img", "input", "li", "link", "meta", "optgroup", "option", "p", "param",
		"source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr", "script", "style", "title", "textarea":
		return ends
	case "html", "body":
		return outermost
	}
	return nests
}

// crowded reports whether the tag whose attributes begin at rest has many of them.
func crowded(rest []byte) bool {
	n := 0
	for i := 0; i < len(rest) && n <= manyAttrs; {
		for i < len(rest) && (rest[i] <= ' ' || rest[i] == '/') {
			i++
		}
		if i == len(rest) || rest[i] == '>' {
			break
		}
		n++
		i += attrEnd(rest[i:])
	}
	return n > manyAttrs
}

// tagEnd is the length of rest up to the > that ends the tag.
func tagEnd(rest []byte) int {
	for i := 0; i < len(rest); {
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
	for i < len(rest) && rest[i] <= ' ' {
		i++
	}
	if i == len(rest) || rest[i] != '=' {
		return i
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
