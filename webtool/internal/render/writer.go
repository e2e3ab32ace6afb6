package render

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/arcseat/arc/webtool/internal/visible"
)

// Deeper lists and quotes are shown at these depths: an indentation that grew with
// the depth could make a small page a thousand times as long.
const (
	maxIndent = 8
	maxQuote  = 3
)

const indentation = "                " // of maxIndent lists

// A writer makes lines of text. What stands between two texts (a blank, the end of a
// line, an empty line) is owed until the next text comes, so that nothing is written
// for what turns out to be empty; so are list markers, the opening of links and of
// code, and the places that fragments point at.
type writer struct {
	out   []byte
	owed  int  // line ends before the next text: 0, 1 or 2
	blank bool // a blank before the next text
	soft  bool // which is where a line of the source ended

	lists, quotes int
	marker        string // what the next line begins with
	flat          int    // > 0: in a heading or a cell, where nothing ends a line
	cells         int    // > 0: in a cell of a table
	plain         int    // > 0: no marks: in a heading, a cell, preformatted text

	href     string // target of the link that the next text opens
	linkAt   int    // where the open link's text begins; 0: none is open
	linkHref string
	code     bool // the next text opens code
	inCode   bool
	struck   strike // the next text opens text that is struck out

	anchors []Anchor
	waiting int // anchors[waiting:] point at the next text
}

// end owes n line ends.
func (w *writer) end(n int) {
	if w.flat > 0 {
		w.blank = true
		return
	}
	w.closeInline()
	if (w.lists > 0 || w.marker != "") && n > 1 {
		n = 1 // a list stays together
	}
	w.owed = max(w.owed, n)
	w.blank = false
}

// closeInline ends an open link and open code: neither goes on in another line. One
// that no text has opened yet waits for the first.
func (w *writer) closeInline() {
	w.closeCode()
	w.closeLink()
}

func (w *writer) closeCode() {
	if w.inCode {
		w.out = append(w.out, '`')
		w.inCode = false
	}
}

func (w *writer) closeLink() {
	if w.linkAt > 0 {
		w.out = append(w.out, "]("...)
		w.out = append(w.out, w.linkHref...)
		w.out = append(w.out, ')')
		w.linkAt = 0
	}
}

// begin writes all that is owed.
func (w *writer) begin() {
	fresh := len(w.out) == 0
	if w.owed > 0 {
		if !fresh {
			w.out = append(w.out, "\n\n"[:w.owed]...)
		}
		w.owed, w.blank, fresh = 0, false, true
	}
	for i := w.waiting; i < len(w.anchors); i++ {
		w.anchors[i].Offset = len(w.out)
	}
	w.waiting = len(w.anchors)
	if fresh {
		w.margin()
	} else if w.blank && w.out[len(w.out)-1] != ' ' {
		w.out = append(w.out, ' ')
	}
	w.blank = false
	if w.struck == aroundLink {
		w.out, w.struck = append(w.out, "~~"...), notStruck
	}
	if w.href != "" && w.linkAt == 0 && !w.inCode {
		w.out = append(w.out, '[')
		w.linkAt, w.linkHref, w.href = len(w.out), w.href, ""
	}
	if w.struck == withinLink {
		w.out, w.struck = append(w.out, "~~"...), notStruck
	}
	if w.code && !w.inCode {
		w.out = append(w.out, '`')
		w.inCode, w.code = true, false
	}
}

// margin writes what the line begins with.
func (w *writer) margin() {
	for range min(w.quotes, maxQuote) {
		w.out = append(w.out, "> "...)
	}
	depth := w.lists
	if w.marker != "" && depth > 0 {
		depth--
	}
	w.out = append(w.out, indentation[:2*min(depth, maxIndent)]...)
	w.out = append(w.out, w.marker...)
	w.marker = ""
}

// text writes running text: blanks collapse.
func (w *writer) text(s string) {
	for i := 0; i < len(s); i++ { // most texts between blocks are blanks alone
		if s[i] > ' ' {
			if w.code || w.inCode {
				w.exact(s)
			} else {
				w.words(visible.Strip(s))
			}
			return
		}
	}
	if s != "" {
		w.soft = !w.blank && strings.Contains(s, "\n")
		w.blank = w.blank || w.owed == 0 && len(w.out) > 0
	}
}

// unspaced reports whether r is of a script that writes no blanks between words.
func unspaced(r rune) bool {
	return r >= 0x3000 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff || r >= 0xff00 && r <= 0xff60 || r >= 0x20000 && r <= 0x3ffff
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func (w *writer) words(s string) {
	for s != "" {
		i := 0
		for i < len(s) && s[i] <= ' ' {
			i++
		}
		if i > 0 {
			w.soft = !w.blank && strings.Contains(s[:i], "\n")
			w.blank = w.blank || w.owed == 0 && len(w.out) > 0
			if s = s[i:]; s == "" {
				return
			}
		}
		if w.soft && w.blank && unspaced(lastRune(w.out)) && unspaced(firstRune(s)) {
			w.blank = false // the line of the source ended, not a word
		}
		w.soft = false
		// A run of words with one blank between each is copied at once.
		i = 0
		for i < len(s) && (s[i] > ' ' || s[i] == ' ' && i+1 < len(s) && s[i+1] > ' ') {
			i++
		}
		w.begin()
		if w.cells > 0 {
			w.cell(s[:i])
		} else {
			w.out = append(w.out, s[:i]...)
		}
		s = s[i:]
	}
}

// exact writes text of code, in which no-break spaces are blanks that do not collapse.
func (w *writer) exact(s string) {
	for {
		before, after, more := strings.Cut(s, "\u00a0")
		w.words(visible.Strip(before))
		if !more {
			return
		}
		w.token(" ")
		s = after
	}
}

// cell writes text in a cell. A bar that stands alone would read as the border of a
// cell; one within a word, as in a||b, does not.
func (w *writer) cell(s string) {
	for i := 0; i < len(s); i++ {
		if s[i] == '|' {
			before := i == 0 && w.edge() || i > 0 && s[i-1] == ' '
			after := i+1 == len(s) || s[i+1] == ' '
			if before && after {
				w.out = append(w.out, '\\')
			}
		}
		w.out = append(w.out, s[i])
	}
}

// edge reports whether what was written last separates words.
func (w *writer) edge() bool {
	return len(w.out) == 0 || strings.IndexByte(" \n|`[", w.out[len(w.out)-1]) >= 0
}

// token writes a mark that is no part of the text.
func (w *writer) token(s string) {
	w.begin()
	w.out = append(w.out, s...)
}

// lines writes preformatted text as it stands: no margin, not even in a quote, so that
// what is copied from it is exact.
func (w *writer) lines(s, lang string) {
	s = strings.TrimPrefix(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	s = strings.TrimRight(visible.Strip(s), " \t\n")
	if strings.TrimSpace(s) == "" {
		return
	}
	fence := strings.Repeat("`", max(longestRun(s, '`')+1, 3))
	w.end(2)
	lists, quotes := w.lists, w.quotes
	w.lists, w.quotes = 0, 0
	if w.marker != "" {
		w.begin() // the item's marker stands in its own line
		w.owed = 1
	}
	w.begin()
	w.out = append(w.out, fence...)
	w.out = append(w.out, lang...)
	w.out = append(w.out, '\n')
	w.out = append(w.out, s...)
	w.out = append(w.out, '\n')
	w.out = append(w.out, fence...)
	w.lists, w.quotes = lists, quotes
	w.end(2)
}

// bare writes a marker in a line without text.
func (w *writer) bare() {
	w.begin()
	w.out = bytes.TrimRight(w.out, " ")
	w.owed = 1
}

// folded writes preformatted text in a cell, where no line can end: a mark stands
// between its lines, which keep their blanks.
func (w *writer) folded(s string) {
	s = strings.Trim(visible.Strip(strings.ReplaceAll(s, "\r\n", "\n")), "\n")
	if w.cells == 0 || !strings.Contains(s, "\n") {
		w.text(s)
		return
	}
	first := true
	for l := range strings.SplitSeq(s, "\n") {
		if l = strings.TrimRight(l, " \t"); l == "" {
			continue
		}
		w.begin()
		if !first {
			w.out = append(w.out, " ⏎ "...)
		}
		first = false
		w.cell(l)
	}
}

// longestRun is the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// anchor notes that id points at the next text.
func (w *writer) anchor(id string) {
	if id != "" && len(id) <= maxID && utf8.ValidString(id) {
		w.anchors = append(w.anchors, Anchor{ID: id})
	}
}

// maxID is the length of the longest id that is remembered, in bytes.
const maxID = 512
