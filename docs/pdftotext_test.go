//go:build linux && cgo

package docs_test

import (
	"cmp"
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/arcseat/arc/docs"
)

// words are the runs of letters and digits of a text, counted; in scripts that write
// no spaces, each character is one.
func words(s string) (counts map[string]int, total int) {
	counts = map[string]int{}
	add := func(w string) {
		if w != "" {
			counts[w]++
			total++
		}
	}
	for run := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		from := 0
		for i, r := range run {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
				add(run[from:i])
				add(string(r))
				from = i + utf8.RuneLen(r)
			}
		}
		add(run[from:])
	}
	return counts, total
}

// dice is how alike the words of two texts are, from 0 to 1.
func dice(a, b string) float64 {
	x, n := words(a)
	y, m := words(b)
	common := 0
	for w, k := range x {
		common += min(k, y[w])
	}
	return 2 * float64(common) / float64(n+m)
}

// misread are the files that pdftotext makes garbage of, so that to agree with it
// would be wrong.
var misread = map[string]string{
	"XiaoBiaoSong.pdf": "it takes the Chinese, whose font is not in the file, for Latin letters",
}

// TestTextAgreesWithPdftotext compares the text of each file with that of another
// program, where both find 20 words at least.
func TestTextAgreesWithPdftotext(t *testing.T) {
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext is not installed")
	}
	c := newCorpus(t, &docs.Options{MaxText: 64 << 20})
	type compared struct {
		name    string
		dice    float64
		garbled bool // we say so
	}
	var all []compared
	for _, path := range corpusFiles(t) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		other, err := exec.CommandContext(ctx, program, "-enc", "UTF-8", path, "-").Output()
		cancel()
		if err != nil {
			continue
		}
		if _, n := words(string(other)); n < 20 || misread[filepath.Base(path)] != "" {
			continue
		}
		ours, status := c.wholeText(path)
		if _, n := words(ours); n < 20 {
			continue
		}
		all = append(all, compared{filepath.Base(path), dice(ours, string(other)), status == docs.LayerGarbled})
	}
	if len(all) == 0 {
		t.Skip("no file has 20 words")
	}
	slices.SortFunc(all, func(a, b compared) int { return cmp.Compare(a.dice, b.dice) })
	sum := 0.0
	for _, v := range all {
		sum += v.dice
	}
	median, mean := all[len(all)/2].dice, sum/float64(len(all))
	t.Logf("%d files with 20 words or more: mean %.3f", len(all), mean)
	t.Logf("score: pdf %.3f ≥ 0.99 agreement with pdftotext, median of %d files", median, len(all))
	for _, v := range all[:min(15, len(all))] {
		t.Logf("%.3f %s, garbled %v", v.dice, v.name, v.garbled)
	}
	if median < 0.99 {
		t.Errorf("median agreement is %.3f, want .99", median)
	}
	if *whole && mean < 0.95 {
		t.Errorf("mean agreement is %.3f, want .95", mean)
	}
}

// wholeText is all pages of a file, without anything between them but line ends.
func (c *corpus) wholeText(path string) (string, docs.LayerStatus) {
	c.t.Helper()
	r := c.use("inspect", `{"path":%q}`, path)
	if r.Err != nil {
		return "", docs.LayerUnknown
	}
	about := r.Data.(*docs.InspectResult)
	var b strings.Builder
	for a := (docs.ReadArgs{StartPage: 1}); ; {
		r := c.use("read", `{"path":%q,"start_page":%d,"end_page":%d,"start_character":%d}`, path, a.StartPage, about.PageCount, a.StartCharacter)
		if r.Err != nil {
			return "", docs.LayerUnknown
		}
		for _, p := range r.Data.(*docs.ReadResult).Pages {
			b.WriteString(p.Text)
			if p.EndCharacter == p.Characters {
				b.WriteByte('\n')
			}
		}
		if r.Next == nil {
			return b.String(), about.TextLayer.Status
		}
		a = nextRead(c.t, a, r.Next)
	}
}
