// Package fold finds literal text without regard to case, in bytes as they
// stand.
//
// # Overview
//
// Case is Unicode's simple folding, one character for one character, as Go's
// regexp has it under (?i): k, K and the Kelvin sign are one, so are s, S and
// the long s, the three sigmas, ß and ẞ. ß is not ss, and i is neither İ nor ı in
// any language. Forms of one character may differ in length (ⱥ has three bytes
// and Ⱥ two), so offsets are always those of the bytes searched and never of a
// folded copy.
//
// # Usage
//
//	m := fold.New("needle")
//	start, end := m.Index(text)
//
// A [Finder] goes from match to match through one text after another.
//
// # Trust
//
// Text may be any bytes. Time is linear for text that is not built against the
// query, and at worst the product of both lengths.
//
// # Concurrency
//
// A Matcher is never changed and serves any number of goroutines. A Finder serves
// one at a time.
//
// # Errors
//
// There are none: a query that is not UTF-8 is found byte by byte.
package fold

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Matcher finds one text.
type Matcher struct {
	chars  []char
	anchor int   // the character that is looked for first
	max    int   // bytes of the longest match
	pair   *pair // nil: the query has no two bytes that can be looked for at once
	window window
}

// A char is one character of the query, in all its forms.
type char struct {
	forms         [][]byte
	cost          int  // an estimate of how often one of them is met
	oneByte       bool // all are single bytes: ASCII without k and s
	small, letter byte // of such a one: its small form, and 0x20 if there is another
}

// prepare fills in what follows from the forms.
func (c *char) prepare() {
	c.cost = c.estimate()
	if c.oneByte = c.longest() == 1 && len(c.forms) <= 2; c.oneByte {
		c.small = c.forms[0][0]
		if len(c.forms) == 2 {
			c.small, c.letter = c.small|0x20, 0x20
		}
	}
}

// New prepares a query. The empty one is found at once, everywhere.
func New(query string) *Matcher {
	m := &Matcher{}
	for rest := query; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		c := char{forms: [][]byte{[]byte(rest[:n])}}
		if r != utf8.RuneError {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				c.forms = append(c.forms, utf8.AppendRune(nil, f))
			}
		}
		m.chars = append(m.chars, c)
		m.max += c.longest()
		rest = rest[n:]
	}
	for i := range m.chars {
		m.chars[i].prepare()
	}
	for i, c := range m.chars {
		best := m.chars[m.anchor].cost
		// Of two that are as rare, the one with more around it is told apart sooner.
		if c.cost < best || c.cost == best && newWindow(m.chars, i).size > newWindow(m.chars, m.anchor).size {
			m.anchor = i
		}
	}
	m.pair = newPair(m.chars, m.anchor)
	m.window = newWindow(m.chars, m.anchor)
	return m
}

// MaxLen is the length in bytes of the longest text that matches.
func (m *Matcher) MaxLen() int { return m.max }

// Index returns where the first match in b starts and ends, or -1, -1.
func (m *Matcher) Index(b []byte) (start, end int) {
	f := Finder{matcher: m, wide: wide}
	f.Reset(b)
	return f.Next(0)
}

// around extends a found anchor, b[from:to], to both sides.
func (m *Matcher) around(b []byte, from, to int) (start, end int, ok bool) {
	for i := m.anchor - 1; i >= 0; i-- {
		n := m.chars[i].before(b[:from])
		if n == 0 {
			return 0, 0, false
		}
		from -= n
	}
	for i := m.anchor + 1; i < len(m.chars); i++ {
		n := m.chars[i].after(b[to:])
		if n == 0 {
			return 0, 0, false
		}
		to += n
	}
	return from, to, true
}

// after is the length of the form that b starts with, before that of the one
// that it ends with. No form is the start or the end of another, as UTF-8 has it.
func (c *char) after(b []byte) int {
	if c.oneByte {
		if len(b) > 0 && b[0]|c.letter == c.small {
			return 1
		}
		return 0
	}
	for _, f := range c.forms {
		if bytes.HasPrefix(b, f) {
			return len(f)
		}
	}
	return 0
}

func (c *char) before(b []byte) int {
	if c.oneByte {
		if n := len(b); n > 0 && b[n-1]|c.letter == c.small {
			return 1
		}
		return 0
	}
	for _, f := range c.forms {
		if bytes.HasSuffix(b, f) {
			return len(f)
		}
	}
	return 0
}

func (c char) longest() (n int) {
	for _, f := range c.forms {
		n = max(n, len(f))
	}
	return n
}

// frequent are the bytes of source text, the most frequent first; what is not
// here is rare.
const frequent = " etrniaoscldpumfgh\t.by_(),vw=k/x\"-10*:;2>{}T3[]+SECARI'jzPqN4D56L<MF#O8B7U9WV&HG|!X@$\\YK?QJZ%`~^"

// estimate is the cost.
func (c char) estimate() (cost int) {
	for _, f := range c.forms {
		if at := strings.IndexByte(frequent, f[0]); at >= 0 && len(f) == 1 {
			cost += (len(frequent) - at) * (len(frequent) - at)
		}
	}
	if c.longest() > 1 && len(c.forms[0]) > 1 {
		cost += len(frequent) * len(c.forms) // letters of one script share their first byte
	}
	return cost
}
