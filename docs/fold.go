package docs

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A token is one character of folded text, and the characters of the original that
// it stands for.
type token struct {
	r          rune
	start, end int32 // code points of the original
}

// Two tokens are no characters.
const (
	// parted is the hyphen at the end of a line: the word may have it or not, or have
	// it and a space ("pre- and post-").
	parted rune = -1
	// wrapped is white space that may be there or not: the end of a line in a script
	// that writes no spaces, or a blank between two Chinese or Japanese characters.
	wrapped rune = -2
)

// A folder folds text for a search. It is for one goroutine.
type folder struct {
	caser  cases.Caser
	single map[rune]string // folded forms of single characters
	stop   func() bool     // asked now and then; true: what is folded is not wanted any more. Nil: it is
}

// stopEvery is after how many characters a folder asks whether to stop.
const stopEvery = 1 << 14

func (f *folder) stopped() bool { return f.stop != nil && f.stop() }

func newFolder() *folder {
	return &folder{caser: cases.Fold(), single: map[rune]string{}}
}

// plain are the characters that people type for those that typesetters use.
var plain = map[rune]rune{
	'‘': '\'', '’': '\'', '‛': '\'', 'ʼ': '\'', '′': '\'',
	'“': '"', '”': '"', '„': '"', '‟': '"', '″': '"',
	'‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '―': '-', '−': '-',
}

// tokens folds s, which is short; see the package comment for what that does.
func (f *folder) tokens(s string) []token {
	var w tokenWriter
	f.each(s, w.add)
	w.flush()
	return w.out
}

// bare is s folded, without white space and hyphens: a text can only be in s if it is
// in this form of s in this form too. It is what a search looks at first, and it
// takes a fifth less than most texts do. ok is false if it takes more than max bytes:
// there are characters that stand for eighteen.
func (f *folder) bare(s string, max int) (bare string, ok bool) {
	var b strings.Builder
	b.Grow(min(len(s), max))
	ok = true
	f.each(s, func(r rune, _, _ int32, _ bool) (more bool) {
		if keeps(r) {
			if ok = b.Len()+utf8.RuneLen(r) <= max; ok {
				b.WriteRune(r)
			}
		}
		return ok
	})
	if !ok {
		return "", false
	}
	return b.String(), true
}

// keeps reports whether a folded character is in the bare form.
func keeps(r rune) bool { return r != '-' && r != softHyphen && r >= 0 && !isSpace(r) }

// isSpace reports whether r stands for white space. A character without a meaning may:
// in the fonts of some files the space is the one that has none.
func isSpace(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) }

const softHyphen = '\u00ad'

// each calls do for each folded character of s, with where its original begins and
// ends, and whether that is of a script without spaces. White space and hyphens come
// as they are. It leaves out the rest once it is stopped, or do returns false.
func (f *folder) each(s string, do func(r rune, start, end int32, unspaced bool) (more bool)) {
	at := int32(0)
	ask := stopEvery
	for i := 0; i < len(s); {
		if ask--; ask == 0 {
			if f.stopped() {
				return
			}
			ask = stopEvery
		}
		if c := s[i]; c < utf8.RuneSelf && (i+1 == len(s) || s[i+1] < utf8.RuneSelf) {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if !do(rune(c), at, at+1, false) {
				return
			}
			i++
			at++
			continue
		}
		n := norm.NFKC.NextBoundaryInString(s[i:], true)
		segment := s[i : i+n]
		first, size := utf8.DecodeRuneInString(segment)
		chars := int32(1)
		folded := ""
		if size == n {
			folded = f.one(first, segment)
		} else {
			chars = int32(utf8.RuneCountInString(segment))
			folded = f.segment(segment)
		}
		unspaced := isUnspaced(first)
		for _, r := range folded {
			if !do(r, at, at+chars, unspaced) {
				return
			}
		}
		i += n
		at += chars
	}
}

func (f *folder) one(r rune, segment string) string {
	folded, ok := f.single[r]
	if !ok {
		folded = f.segment(segment)
		f.single[r] = folded
	}
	return folded
}

// segment folds one segment; folding case can undo the normal form.
func (f *folder) segment(s string) string {
	return strings.Map(visible, norm.NFKC.String(f.caser.String(norm.NFKC.String(s))))
}

// visible is r as people type it, or -1 if nobody does.
func visible(r rune) rune {
	if isInvisible(r) {
		return -1
	}
	if p, ok := plain[r]; ok {
		return p
	}
	return r
}

// isInvisible reports whether r only steers how its neighbours are shown.
func isInvisible(r rune) bool {
	switch {
	case r == softHyphen:
		return false // it may end a line
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
		return true
	}
	return false
}

// unspaced are scripts whose lines end anywhere.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func isUnspaced(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r >= 0x3000 && r <= 0x30ff, r >= 0xff00 && r <= 0xffef: // their punctuation and wide forms, kana
		return true
	}
	return unicode.In(r, unspaced...)
}

// isSpread reports whether r, which is of a script without spaces, is Chinese or
// Japanese, or their punctuation: typesetters put blanks between those that mean
// nothing.
func isSpread(r rune) bool {
	return !isWord(r) || r >= 0x3000 && r <= 0x30ff || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// A tokenWriter settles what white space and hyphens mean by what follows them.
type tokenWriter struct {
	out    []token
	hyphen token // the last character, if it is a hyphen; zero: it is none
	space  token // the white space behind it; zero: there is none
	line   bool  // a line ends in that
	broad  bool  // the last character that was written is of a script without spaces
}

// add takes the next character, and always wants more.
func (w *tokenWriter) add(r rune, start, end int32, unspaced bool) (more bool) {
	switch {
	case isSpace(r):
		if w.space.r == 0 {
			w.space = token{' ', start, end}
		}
		w.space.end = end
		w.line = w.line || r == '\n'
		return true
	case r == '-', r == softHyphen:
		w.settle(r, unspaced)
		w.hyphen = token{r, start, end}
		return true
	}
	w.settle(r, unspaced)
	w.out = append(w.out, token{r, start, end})
	w.broad = unspaced
	return true
}

// settle writes what was held back before r.
func (w *tokenWriter) settle(r rune, unspaced bool) {
	h, s := w.hyphen, w.space
	switch {
	case h.r != 0 && s.r != 0 && w.line && isWord(r) && w.afterWord():
		w.out = append(w.out, token{parted, h.start, s.end})
		w.hyphen, w.space, w.line, w.broad = token{}, token{}, false, false
		return
	case h.r == '-':
		w.out = append(w.out, h)
		w.broad = false
	}
	switch {
	case s.r == 0 || len(w.out) == 0:
	case w.broad && unspaced && (w.line || isSpread(r) && isSpread(w.out[len(w.out)-1].r)):
		w.out = append(w.out, token{wrapped, s.start, s.end})
	default:
		w.out = append(w.out, s)
	}
	w.hyphen, w.space, w.line = token{}, token{}, false
}

// flush ends the text: white space at its end is nothing.
func (w *tokenWriter) flush() {
	if w.hyphen.r == '-' {
		w.out = append(w.out, w.hyphen)
	}
}

func (w *tokenWriter) afterWord() bool {
	return len(w.out) > 0 && isWord(w.out[len(w.out)-1].r)
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}
