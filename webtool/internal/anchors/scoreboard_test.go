package anchors

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/PuerkitoBio/goquery"

	"github.com/arcseat/arc/webtool/internal/charset"
	"github.com/arcseat/arc/webtool/internal/visible"
)

// data is where the pages lie that are too many, and not ours, to be kept here.
var data = filepath.Join("..", "..", "..", "..", "shared", "data", "web")

// A sample is a page in UTF-8 and the text that somebody expects of it.
type sample struct {
	name string
	page []byte
	want bag
}

func samples(t *testing.T, dir, suffix string, expected func(string) string) []sample {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(data, dir, "*"+suffix))
	if len(files) == 0 {
		t.Skip("the shared pages are not here")
	}
	var all []sample
	for _, f := range files {
		want, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(strings.TrimSuffix(f, suffix) + ".html")
		if err != nil {
			continue
		}
		all = append(all, sample{filepath.Base(f), charset.Decode(page, "text/html", true).Bytes, bagOf(expected(string(want)))})
	}
	return all
}

func TestMainPartOfArticles(t *testing.T) {
	for _, set := range []struct {
		name, dir, suffix string
		expected          func(string) string
		least             float64
	}{
		{"news", "zyte", ".expected.txt", func(s string) string { return s }, 0.91},
		{"readability", "readability", ".expected.html", textOf, 0.95},
	} {
		all := samples(t, set.dir, set.suffix, set.expected)
		for _, r := range readers()[1:] {
			var main, rest float64
			for _, s := range all {
				m, a := r.read(s.page)
				main += f1(bagOf(targets.ReplaceAllString(m, "]")), s.want)
				got := bagOf(targets.ReplaceAllString(a, "]"))
				found := 0
				for w, n := range s.want {
					found += min(n, got[w])
				}
				rest += float64(found) / float64(max(s.want.size(), 1))
			}
			n := float64(len(all))
			t.Logf("%-12s %3d pages  %-17s main F1 %.3f  recall of all %.3f", set.name, len(all), r.name, main/n, rest/n)
			if r.name == "webtool" {
				t.Logf("score: webtext %.3f ≥ %.2f F1 of the main part of %d pages: %s", main/n, set.least, len(all), set.name)
			}
			if r.name == "webtool" && main/n < set.least {
				t.Errorf("%s: main part F1 %.3f, want at least %.2f", set.name, main/n, set.least)
			}
			if r.name == "webtool" && rest/n < 0.999 {
				t.Errorf("%s: the text holds %.4f of the expected words", set.name, rest/n)
			}
		}
	}
}

// A docPage is a page of reference documentation and where its main region is.
type docPage struct {
	page []byte
	main string
}

func docPages(t *testing.T) []docPage {
	t.Helper()
	index, err := os.ReadFile(filepath.Join(data, "INDEX.tsv"))
	if err != nil {
		t.Skip("the shared pages are not here")
	}
	var all []docPage
	for line := range strings.SplitSeq(string(index), "\n") {
		f := strings.Split(line, "\t")
		if len(f) < 4 || !strings.HasPrefix(f[0], "docs/") {
			continue
		}
		_, selector, ok := strings.Cut(f[2], "main selector: ")
		page, err := os.ReadFile(filepath.Join(data, f[0]))
		if !ok || err != nil {
			continue
		}
		all = append(all, docPage{charset.Decode(page, f[3], true).Bytes, selector})
	}
	return all
}

// parts are the pieces of reference pages that must come through, and how many did.
type parts struct{ all, main, text int }

func (p *parts) count(inMain, inText bool) {
	p.all++
	if inMain {
		p.main++
	}
	if inText {
		p.text++
	}
}

func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

// TestReferencePages counts the cells, headings and lines of code of reference pages
// that come through: cells and headings by their characters, lines of code exactly.
func TestReferencePages(t *testing.T) {
	marks := strings.NewReplacer("[", "", "]", "", "`", "", "\\", "", "^", "", "\"", "", "*", "", "\u00a0", " ")
	squeeze := func(s string) string { return strings.Join(strings.Fields(marks.Replace(visible.Strip(s))), "") }
	lines := func(s string) map[string]bool {
		m := map[string]bool{}
		for l := range strings.SplitSeq(s, "\n") {
			m[strings.TrimRight(l, " \t\r")] = true
		}
		return m
	}
	pages := docPages(t)
	for _, r := range readers()[1:] {
		var cells, heads, code parts
		for _, p := range pages {
			doc, err := goquery.NewDocumentFromReader(bytes.NewReader(p.page))
			if err != nil {
				t.Fatal(err)
			}
			m, a := r.read(p.page)
			main, all := squeeze(targets.ReplaceAllString(m, "]")), squeeze(targets.ReplaceAllString(a, "]"))
			mainLines, allLines := lines(m), lines(a)
			region := doc.Find(p.main).First()
			each := func(selector string, p *parts) {
				region.Find(selector).Each(func(_ int, s *goquery.Selection) {
					// A mark that leads to its own heading is no part of the heading.
					s = s.Clone()
					s.Find(`a[href*="#"]`).FilterFunction(func(_ int, a *goquery.Selection) bool {
						return !strings.ContainsFunc(a.Text(), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
					}).Remove()
					if x := squeeze(s.Text()); x != "" && s.Find("table").Length() == 0 {
						if r.name == "webtool" && !strings.Contains(all, x) {
							t.Logf("missing %s: %q", selector, x)
						}
						p.count(strings.Contains(main, x), strings.Contains(all, x))
					}
				})
			}
			each("td, th", &cells)
			each("h1, h2, h3, h4, h5, h6", &heads)
			region.Find("pre").Each(func(_ int, s *goquery.Selection) {
				for l := range strings.SplitSeq(s.Text(), "\n") {
					if l = strings.TrimRight(strings.ReplaceAll(l, "\u00a0", " "), " \t\r"); l != "" {
						code.count(mainLines[l], allLines[l])
					}
				}
			})
		}
		t.Logf("reference    %3d pages  %-17s main: cells %.3f, headings %.3f, code %.3f  all: %.3f, %.3f, %.3f", len(pages), r.name,
			share(cells.main, cells.all), share(heads.main, heads.all), share(code.main, code.all),
			share(cells.text, cells.all), share(heads.text, heads.all), share(code.text, code.all))
		if r.name != "webtool" {
			continue
		}
		for _, x := range []struct {
			name       string
			got, least float64
		}{
			{"cells in the main part", share(cells.main, cells.all), 0.99}, {"headings in the main part", share(heads.main, heads.all), 0.98},
			{"lines of code in the main part", share(code.main, code.all), 0.98}, {"cells", share(cells.text, cells.all), 1},
			{"headings", share(heads.text, heads.all), 0.999}, {"lines of code", share(code.text, code.all), 0.99},
		} {
			t.Logf("score: webtext %.4f ≥ %.3f of the %s of reference pages", x.got, x.least, x.name)
			if x.got < x.least {
				t.Errorf("%.4f of the %s, want at least %.3f", x.got, x.name, x.least)
			}
		}
	}
}

// TestSpeed compares the times of all readers over the same pages, interleaved, so
// that a busy machine is busy for all of them. The best of some rounds counts.
func TestSpeed(t *testing.T) {
	var pages [][]byte
	total := 0
	for _, s := range samples(t, "zyte", ".expected.txt", func(s string) string { return s }) {
		pages = append(pages, s.page)
		total += len(s.page)
	}
	all := readers()
	best := make([]time.Duration, len(all))
	for round := range 7 {
		for i, r := range all {
			runtime.GC()
			start := processTime()
			for _, p := range pages {
				r.read(p)
			}
			if d := processTime() - start; round == 0 || d < best[i] {
				best[i] = d
			}
		}
	}
	ours := best[1].Seconds()
	for i, r := range all {
		t.Logf("speed        %-17s %6.1f MB/s, webtool's speed is %.2f of it", r.name, float64(total)/best[i].Seconds()/1e6, best[i].Seconds()/ours)
		least := map[string]float64{"html.Parse alone": 0.8, "go-readability": 3}[r.name]
		if least > 0 {
			t.Logf("score: webtext %.2f ≥ %.1f times the speed of %s", best[i].Seconds()/ours, least, r.name)
		}
		if best[i].Seconds()/ours < least {
			t.Errorf("webtool's speed is %.2f of that of %s, want at least %.1f", best[i].Seconds()/ours, r.name, least)
		}
	}
}
