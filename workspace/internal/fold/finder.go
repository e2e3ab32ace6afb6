package fold

import "bytes"

// A Finder goes through one text after another, from left to right, and learns on
// the way how frequent the anchor is. The zero value is not ready: it comes from
// [Matcher.Finder].
type Finder struct {
	matcher *Matcher
	wide    bool // the processor looks at 32 places at once
	b       []byte
	streams [maxForms]stream

	// Where the anchor is frequent, jumping from one to the next costs more than
	// looking at every place for two characters at once.
	dense bool
	texts int // since dense was decided
}

// maxForms is more than any character has.
const maxForms = 8

// A stream goes along one form of the anchor.
type stream struct {
	start, end int // the next match of this form; start is len(b) if there is none
	at         int // of its anchor
	seen       int // anchors of this form so far
}

// Limits of what a Finder takes for dense.
const (
	denseBytes   = 64 // between two anchors
	denseSeen    = 48 // anchors that must be seen first
	denseForgets = 16 // texts after which it looks again
)

// Finder returns one that has no text yet.
func (m *Matcher) Finder() *Finder { return &Finder{matcher: m, wide: wide} }

// Reset goes on with another text.
func (f *Finder) Reset(b []byte) {
	f.b = b
	if f.texts++; f.texts == denseForgets {
		f.texts, f.dense = 0, false
	}
	for i := range f.streams {
		f.streams[i] = stream{start: -1, at: -1}
	}
}

// Next returns the first match that starts at from or behind it, or -1, -1. From
// never goes back.
func (f *Finder) Next(from int) (start, end int) {
	m := f.matcher
	if len(m.chars) == 0 {
		return from, from
	}
	for !f.dense && (!f.wide || m.pair == nil) {
		first := -1
		for i := range m.chars[m.anchor].forms {
			s := &f.streams[i]
			if s.start < from && !f.advance(i, from) {
				break // it is dense
			}
			if s.start < len(f.b) && (first < 0 || s.start < f.streams[first].start) {
				first = i
			}
		}
		switch {
		case f.dense:
		case first < 0:
			return -1, -1
		default:
			return f.streams[first].start, f.streams[first].end
		}
	}
	return m.scan(f.b, from, f.wide)
}

// advance finds the next match of one form that starts at from or behind it. It
// gives up, false, where anchors are dense.
func (f *Finder) advance(i, from int) bool {
	m, s := f.matcher, &f.streams[i]
	form := m.chars[m.anchor].forms[i]
	for at := max(from, s.at+1); ; at++ {
		n := -1
		if len(form) == 1 {
			n = bytes.IndexByte(f.b[at:], form[0])
		} else {
			n = bytes.Index(f.b[at:], form)
		}
		if n < 0 {
			s.start = len(f.b)
			return true
		}
		at += n
		s.seen++
		if start, end, ok := m.verify(f.b, at); ok && start >= from {
			s.start, s.end, s.at = start, end, at
			return true
		}
		if m.pair != nil && s.seen >= denseSeen && at < s.seen*denseBytes {
			f.dense, f.texts = true, 0
			return false
		}
	}
}
