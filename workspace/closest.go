package workspace

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// noMatchDetail helps a model to see what it got wrong.
type noMatchDetail struct {
	Path    string      `json:"path"`
	Reason  string      `json:"reason"`
	Closest []candidate `json:"closest,omitempty"`
}

// A candidate is a run of lines that is nearly the old string.
type candidate struct {
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Text      string `json:"text"`
	DiffAt    string `json:"diff_at,omitempty"`
}

const (
	maxCandidates  = 2
	candidateBytes = 400
	// What a miss is explained from: the lock is held meanwhile.
	explainedBytes = 4 << 20 // the first of a file
	explainedLines = 1000    // the first of an old string, as far as candidates are ranked
)

// noMatch explains why old_string is not in the file. Nothing is changed on the
// strength of it: near matches are for a reader, never for an edit. Of a large
// file only the beginning is looked at.
func noMatch(path relPath, file []byte, a EditArgs) error {
	text := string(plainText(file[:page.Cut(file, explainedBytes)]))
	d := noMatchDetail{Path: string(path), Reason: "different"}
	for _, r := range reasons {
		if r.explains(text, a) {
			d.Reason = r.name
			break
		}
	}
	d.Closest = closest(text, asRead(a.OldString))
	e := &arc.Error{Code: NoMatch, Detail: d}
	advice := noMatchAdvice[d.Reason]
	switch {
	case advice.act != "":
	case len(d.Closest) > 0:
		advice.act = "copy it from closest"
	default:
		advice.act = "read the file again and copy it from there"
		e.Next = readCall(path, 0)
	}
	e.Message = fmt.Sprintf("old_string is not in %s: %s; %s.", path, advice.why, advice.act)
	return e
}

// asRead is text as a read shows it.
func asRead(s string) string { return string(plainText([]byte(s))) }

// noMatchAdvice says for each reason why, and what to do: without an act, to copy
// the text.
var noMatchAdvice = map[string]struct{ why, act string }{
	"already_applied": {"new_string is there already", "go on"},
	"line_numbers":    {"it has line numbers in front of the lines", "leave them out"},
	"elided":          {"it leaves lines out", "give every line, or a shorter piece"},
	"whitespace":      {why: "its spaces, tabs or line breaks differ"},
	"case":            {why: "its upper and lower case differ"},
	"quotes":          {why: "its quotation marks differ"},
	"unicode_form":    {why: "its accents are composed differently"},
	"escapes":         {"it holds escapes such as \\n", "put the character itself"},
	"different":       {why: "the text there differs"},
}

// reasons are tried in order; the first that explains the miss is given.
var reasons = []struct {
	name     string
	explains func(text string, a EditArgs) bool
}{
	{"already_applied", func(text string, a EditArgs) bool {
		return strings.TrimSpace(a.NewString) != "" && strings.Contains(text, asRead(a.NewString))
	}},
	{"line_numbers", func(text string, a EditArgs) bool {
		s, ok := withoutLineNumbers(asRead(a.OldString))
		return ok && strings.Contains(text, s)
	}},
	{"whitespace", sameAfter(func(s string) string { return strings.Join(strings.Fields(s), " ") })},
	{"quotes", sameAfter(plainQuotes.Replace)},
	{"unicode_form", sameAfter(norm.NFC.String)},
	{"case", sameAfter(func(s string) string { return cases.Fold().String(s) })},
	{"escapes", func(text string, a EditArgs) bool {
		s := unescaped.Replace(a.OldString)
		return s != a.OldString && strings.Contains(text, s)
	}},
	{"elided", func(_ string, a EditArgs) bool { return elision.MatchString(a.OldString) }},
}

func sameAfter(f func(string) string) func(string, EditArgs) bool {
	return func(text string, a EditArgs) bool {
		old := f(asRead(a.OldString))
		return old != "" && strings.Contains(f(text), old)
	}
}

var (
	plainQuotes = strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`, "\u00a0", " ")
	unescaped   = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, `'`, `\\`, `\`)
	numbered    = regexp.MustCompile(`^\s*\d+(?:\t|\s?[|:→]\s?)`)
	elision     = regexp.MustCompile(`(?im)^\s*(?://|#|/\*|--|<!--)?\s*(?:\.\.\.|…)|(?:rest of|existing code|unchanged)`)
)

// withoutLineNumbers strips a column of numbers that every line has.
func withoutLineNumbers(s string) (string, bool) {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if l == "" && i == len(lines)-1 {
			break
		}
		n := len(numbered.FindString(l))
		if n == 0 {
			return "", false
		}
		lines[i] = l[n:]
	}
	return strings.Join(lines, "\n"), true
}

// closest finds the runs of lines that share most lines with old. It goes by the
// rarest line of old that the file has, so its cost is that of reading both.
func closest(text, old string) []candidate {
	want := strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	lines := strings.Split(text, "\n")
	at := map[string][]int{} // of each wanted line without its margins: where the file has it
	for _, w := range want {
		if k := strings.TrimSpace(w); k != "" {
			at[k] = nil
		}
	}
	for i, l := range lines {
		k := strings.TrimSpace(l)
		if where, ok := at[k]; ok {
			at[k] = append(where, i)
		}
	}
	anchor, rarest := -1, 0
	for i, w := range want {
		if n := len(at[strings.TrimSpace(w)]); n > 0 && (anchor < 0 || n < rarest) {
			anchor, rarest = i, n
		}
	}
	var starts []int
	if anchor >= 0 {
		for _, i := range at[strings.TrimSpace(want[anchor])][:min(rarest, 50)] {
			starts = append(starts, i-anchor)
		}
	} else if i := mostAlike(lines, want); i >= 0 {
		starts = []int{i}
	}
	shared := func(start int) (n int) {
		for i, w := range want[:min(len(want), explainedLines)] {
			if k := start + i; k >= 0 && k < len(lines) && strings.TrimSpace(lines[k]) == strings.TrimSpace(w) {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(starts, func(a, b int) int { return shared(b) - shared(a) })
	var out []candidate
	for _, s := range starts[:min(len(starts), maxCandidates)] {
		from, to := max(s, 0), min(s+len(want), len(lines))
		body := strings.Join(lines[from:to], "\n")
		body = strings.ToValidUTF8(body[:page.Cut(body, candidateBytes)], "\uFFFD")
		out = append(out, candidate{from + 1, to, body, diffAt(lines[from:to], want)})
	}
	return out
}

// mostAlike is the line that shares most words with the first line of old that
// has any, or -1 if none shares half of them.
func mostAlike(lines, want []string) int {
	words := map[string]bool{}
	offset := 0
	for i, w := range want {
		if f := wordsOf(w); len(f) > 0 {
			for _, x := range f {
				words[x] = true
			}
			offset = i
			break
		}
	}
	best, at := 0, -1
	for i, l := range lines {
		seen := map[string]bool{}
		for _, x := range wordsOf(clip(l, 1000)) {
			if words[x] {
				seen[x] = true
			}
		}
		if len(seen) > best && 2*len(seen) >= len(words) {
			best, at = len(seen), i-offset
		}
	}
	return at
}

var word = regexp.MustCompile(`[\pL\pN_]+`)

func wordsOf(s string) []string { return word.FindAllString(strings.ToLower(s), -1) }

// diffAt says where have and want first differ, in words that make white space
// visible.
func diffAt(have, want []string) string {
	for i := 0; i < len(have) && i < len(want); i++ {
		h, w := []rune(have[i]), []rune(want[i])
		k := 0
		for k < len(h) && k < len(w) && h[k] == w[k] {
			k++
		}
		if k < len(h) || k < len(w) {
			return fmt.Sprintf("line %d col %d: file has %s, old_string has %s", i+1, k+1, spell(h[k:]), spell(w[k:]))
		}
	}
	return ""
}

// spell names the first few characters.
func spell(r []rune) string {
	if len(r) == 0 {
		return "the end of the line"
	}
	n := 0
	for n < len(r) && r[n] == r[0] {
		n++
	}
	name, ok := blanks[r[0]]
	if !ok {
		return fmt.Sprintf("%q", string(r[:min(len(r), 20)]))
	}
	if n == 1 {
		return "a " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}

var blanks = map[rune]string{' ': "space", '\t': "tab", '\r': "carriage return", '\u00a0': "no-break space"}
