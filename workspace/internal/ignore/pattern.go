package ignore

import "strings"

// A pattern is one line, ready to match. Bytes are compared, not characters, as
// git does.
type pattern struct {
	negative bool // brings back
	dirOnly  bool // was followed by a slash
	anywhere bool // has no slash of its own, so it is for the name alone
	prefix   string
	tail     []token // what follows prefix; nil: nothing
}

const special = `*?[\`

// parsePattern reads a line without its end. A malformed or empty one matches
// nothing and is not ok.
func parsePattern(s string) (p pattern, ok bool) {
	if s, p.negative = strings.CutPrefix(s, "!"); s == "" {
		return p, false
	}
	if s, p.dirOnly = strings.CutSuffix(s, "/"); s == "" {
		return p, false
	}
	p.anywhere = !strings.Contains(s, "/")
	s = strings.TrimPrefix(s, "/")
	p.prefix = s
	if i := strings.IndexAny(s, special); i >= 0 {
		// What follows the literal part is matched as a pattern of its own, and that
		// shows: in a**/b the ** stands at a start and so passes slashes.
		p.prefix = s[:i]
		p.tail, ok = parseTokens(s[i:])
		return p, ok
	}
	return p, true
}

// match compares with a path, or with a name if the pattern is for that alone.
func (p *pattern) match(path string) bool {
	rest, ok := strings.CutPrefix(path, p.prefix)
	switch {
	case !ok:
		return false
	case p.tail == nil:
		return rest == ""
	case p.tail[0].kind == star && p.isSuffix():
		return strings.HasSuffix(rest, p.tail[1].text) && !strings.Contains(rest[:len(rest)-len(p.tail[1].text)], "/")
	}
	return matchTokens(p.tail, rest)
}

// isSuffix: one star and text, the commonest pattern with a star.
func (p *pattern) isSuffix() bool { return len(p.tail) == 2 && p.tail[1].kind == literal }

type kind uint8

const (
	literal kind = iota // text
	one                 // one byte but a slash
	class               // one byte of set, and never a slash
	star                // any bytes but slashes
	deep                // any bytes
	skip                // may jump over the two tokens that follow: a deep and its slash
)

type token struct {
	kind kind
	text string
	set  *[256]bool
}

// parseTokens reads what may hold special characters. A class that does not end
// or names what is no class, and a backslash at the end, are malformed.
func parseTokens(s string) (tokens []token, ok bool) {
	for i := 0; i < len(s); {
		switch s[i] {
		case '?':
			tokens = append(tokens, token{kind: one})
			i++
		case '[':
			set, n := parseClass(s[i:])
			if n == 0 {
				return nil, false
			}
			tokens = append(tokens, token{kind: class, set: set})
			i += n
		case '*':
			start := i
			for i < len(s) && s[i] == '*' {
				i++
			}
			bounded := (start == 0 || s[start-1] == '/') && (i == len(s) || s[i] == '/' || strings.HasPrefix(s[i:], `\/`))
			switch {
			case i-start < 2 || !bounded:
				tokens = append(tokens, token{kind: star})
			case i < len(s) && s[i] == '/':
				tokens = append(tokens, token{kind: skip}, token{kind: deep}, token{kind: literal, text: "/"})
				i++
			default:
				tokens = append(tokens, token{kind: deep})
			}
		case '\\':
			if i++; i == len(s) {
				return nil, false
			}
			tokens = append(tokens, token{kind: literal, text: s[i : i+1]})
			i++
		default:
			n := strings.IndexAny(s[i:], special)
			if n < 0 {
				n = len(s) - i
			}
			tokens = append(tokens, token{kind: literal, text: s[i : i+n]})
			i += n
		}
	}
	return tokens, true
}

// matchTokens goes through text once, and keeps for each length of text which
// numbers of tokens can match it: no pattern makes it try again.
func matchTokens(tokens []token, text string) bool {
	width := len(tokens) + 1
	var small [1024]bool
	reach := small[:] // row by row: reach[at*width+n], the first n tokens can match text[:at]
	need := width * (len(text) + 1)
	if need > len(small) {
		reach = make([]bool, need)
	}
	reach = reach[:need]
	reach[0] = true
	for at := 0; at <= len(text); at++ {
		row := reach[at*width : (at+1)*width]
		for n, t := range tokens {
			if !row[n] {
				continue
			}
			switch t.kind {
			case literal:
				if strings.HasPrefix(text[at:], t.text) {
					reach[(at+len(t.text))*width+n+1] = true
				}
				continue
			case star, deep:
				row[n+1] = true
			case skip:
				row[n+1], row[n+3] = true, true
			}
			if at == len(text) {
				continue
			}
			next := reach[(at+1)*width:]
			switch slash := text[at] == '/'; {
			case t.kind == deep, t.kind == star && !slash:
				next[n] = true
			case t.kind == one && !slash, t.kind == class && !slash && t.set[text[at]]:
				next[n+1] = true
			}
		}
	}
	return reach[len(reach)-1]
}
