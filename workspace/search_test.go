package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/workspace/internal/fold"
	"pgregory.net/rapid"
)

func (p *project) search(a SearchArgs) *SearchResult {
	p.t.Helper()
	r, err := p.Search(ctx, a)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func TestSearch(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{
		".gitignore": "node_modules/\n*.log\n", "node_modules/p/index.js": "needle\n", "debug.log": "needle\n",
		"a/two.txt": "a Needle\r\nnothing\nNEEDLE again, needle\n", "a.txt": "  needle", "b/last.txt": "\ufeffneedle\n",
		"bin/tool": "x\x00needle", "wide.txt": "\xff\xfen\x00e\x00", "latin.txt": "caf\xe9 needle\n", "empty": "",
		"unicode.txt": "K\u212aelvin ȺȺȺ x Öl STRAẞE\n", "nfd.txt": "cafe\u0301 au lait\n", ".git/HEAD": "needle\n",
		".arc-change_9_abcd.tmp": "needle\n",
	})
	for _, c := range []struct {
		name   string
		args   SearchArgs
		header string
		text   string
	}{
		{"lines in path order, one result each", SearchArgs{Query: "needle"},
			`{"matches":5,"files_matched":4,"searched":8,"skipped":{"binary":1,"not_utf8":1,"ignored":2,"unreadable":0},"truncated":false,"notes":["repaired_text"]}`,
			"a/two.txt\n1: a Needle\n3: NEEDLE again, needle\na.txt\n1:   needle\nb/last.txt\n1: needle\nlatin.txt\n1: caf\ufffd needle"},
		{"nothing found, and what was not looked at", SearchArgs{Query: "zzqx"},
			`{"matches":0,"files_matched":0,"searched":8,"skipped":{"binary":1,"not_utf8":1,"ignored":2,"unreadable":0},"truncated":false}`, ""},
		{"the limit, and where to go on", SearchArgs{Query: "needle", Limit: 2},
			`{"matches":2,"files_matched":1,"searched":3,"skipped":{"binary":0,"not_utf8":0,"ignored":0,"unreadable":0},"truncated":true,"next_after":"a/two.txt:3"}`,
			"a/two.txt\n1: a Needle\n3: NEEDLE again, needle"},
		{"going on inside a file", SearchArgs{Query: "needle", After: "a/two.txt:1", Limit: 1},
			`{"matches":1,"files_matched":1,"searched":2,"skipped":{"binary":0,"not_utf8":0,"ignored":0,"unreadable":0},"truncated":true,"next_after":"a/two.txt:3"}`,
			"a/two.txt\n3: NEEDLE again, needle"},
		{"going on where a file was removed", SearchArgs{Query: "needle", After: "a/unlinked.txt:7", Limit: 1, Path: "a.txt"},
			`{"matches":1,"files_matched":1,"searched":1,"skipped":{"binary":0,"not_utf8":0,"ignored":0,"unreadable":0},"truncated":false}`, "a.txt\n1:   needle"},
		{"a file by name", SearchArgs{Query: "needle", Path: "a/two.txt"},
			`{"matches":2,"files_matched":1,"searched":1,"skipped":{"binary":0,"not_utf8":0,"ignored":0,"unreadable":0},"truncated":false}`, "a/two.txt\n1: a Needle\n3: NEEDLE again, needle"},
		{"an ignored file by name", SearchArgs{Query: "needle", Path: "debug.log"},
			`{"matches":1,"files_matched":1,"searched":1,"skipped":{"binary":0,"not_utf8":0,"ignored":0,"unreadable":0},"truncated":false}`, "debug.log\n1: needle"},
		{"an ignored directory by name", SearchArgs{Query: "needle", Path: "node_modules"},
			`{"matches":1,"files_matched":1,"searched":1,"skipped":{"binary":0,"not_utf8":0,"ignored":0,"unreadable":0},"truncated":false}`, "node_modules/p/index.js\n1: needle"},
		{"a limit over 500 is lowered and told", SearchArgs{Query: "needle", Path: "b", Limit: 10000},
			`{"matches":1,"files_matched":1,"searched":1,"skipped":{"binary":0,"not_utf8":0,"ignored":0,"unreadable":0},"truncated":false,"limit":500}`, "b/last.txt\n1: needle"},
		{"simple folding, and the text as it stands", SearchArgs{Query: "kkelvin ⱥⱥⱥ X öL straße"},
			`{"matches":1,"files_matched":1,"searched":8,"skipped":{"binary":1,"not_utf8":1,"ignored":2,"unreadable":0},"truncated":false}`, "unicode.txt\n1: K\u212aelvin ȺȺȺ x Öl STRAẞE"},
		{"the other Unicode form, when nothing else is there", SearchArgs{Query: "caf\u00e9 au"},
			`{"matches":1,"files_matched":1,"searched":8,"skipped":{"binary":1,"not_utf8":1,"ignored":2,"unreadable":0},"truncated":false,"notes":["matched_nfd"]}`, "nfd.txt\n1: cafe\u0301 au lait"},
		{"a query is no pattern", SearchArgs{Query: "n.edle"},
			`{"matches":0,"files_matched":0,"searched":8,"skipped":{"binary":1,"not_utf8":1,"ignored":2,"unreadable":0},"truncated":false}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := p.search(c.args)
			b, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if string(b) != c.header {
				t.Errorf("header is\n%s, want\n%s", b, c.header)
			}
			if r.Text != c.text {
				t.Errorf("text is\n%q, want\n%q", r.Text, c.text)
			}
			if r.Truncated != (r.Next != nil) {
				t.Errorf("truncated is %v and the next call %v", r.Truncated, r.Next)
			}
		})
	}
}

func TestSearchRefuses(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"f": "x"})
	for _, c := range []struct {
		name string
		args SearchArgs
		code arc.Code
	}{
		{"an empty query", SearchArgs{}, arc.InvalidArguments},
		{"a query of two lines", SearchArgs{Query: "a\nb"}, arc.InvalidArguments},
		{"a query of 1,001 characters", SearchArgs{Query: strings.Repeat("é", 1001)}, arc.InvalidArguments},
		{"a negative limit", SearchArgs{Query: "x", Limit: -1}, arc.InvalidArguments},
		{"a continuation that is none", SearchArgs{Query: "x", After: "f"}, arc.InvalidArguments},
		{"nothing", SearchArgs{Query: "x", Path: "nope"}, arc.NotFound},
		{"the way out", SearchArgs{Query: "x", Path: ".."}, arc.InvalidPath},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := p.Search(ctx, c.args)
			wantCode(t, err, c.code)
		})
	}
	t.Run("a query of 1,000 characters is taken", func(t *testing.T) {
		t.Parallel()
		if r := p.search(SearchArgs{Query: strings.Repeat("K", 1000)}); r.Searched != 1 {
			t.Errorf("result is %+v", r)
		}
	})
	t.Run("a call that has ended", func(t *testing.T) {
		t.Parallel()
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := p.Search(ended, SearchArgs{Query: "x"}); err != context.Canceled {
			t.Errorf("error is %v", err)
		}
	})
}

// TestExcerpts: a match in a line of any length is shown with what is around it,
// and no line floods the page.
func TestExcerpts(t *testing.T) {
	t.Parallel()
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		name, line, want string
	}{
		{"200 characters are shown whole", x(194) + "needle", x(194) + "needle"},
		{"so are 200 of several bytes", strings.Repeat("漢", 194) + "needle", strings.Repeat("漢", 194) + "needle"},
		{"leading space stays", "\t\t  needle", "\t\t  needle"},
		{"the start, if the match is there", x(190) + "needle" + x(50), x(190) + "needle" + x(4) + "…"},
		{"the middle", x(500) + "needle" + x(500), "…" + x(97) + "needle" + x(97) + "…"},
		{"the end", x(500) + "needle", "…" + x(194) + "needle"},
		{"around wide characters", strings.Repeat("漢", 500) + "needle" + strings.Repeat("漢", 500), "…" + strings.Repeat("漢", 97) + "needle" + strings.Repeat("漢", 97) + "…"},
		{"a line longer than the buffer", x(700_000) + "needle" + x(700_000), "…" + x(97) + "needle" + x(97) + "…"},
		{"a match across the edge of the buffer", x(scanBuffer-3) + "needle" + x(700_000), "…" + x(97) + "needle" + x(97) + "…"},
		{"a match just before the edge", x(scanBuffer-50) + "needle" + x(700_000), "…" + x(97) + "needle" + x(97) + "…"},
		{"a match at the start of a long line", "needle" + x(700_000), "needle" + x(194) + "…"},
		{"a match at the end of a long line", x(700_000) + "needle", "…" + x(194) + "needle"},
		{"two in a long line are one", x(300_000) + "needle" + x(300_000) + "needle" + x(300_000), "…" + x(97) + "needle" + x(97) + "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, map[string]string{"f": "first\n" + c.line + "\r\nlast needle\n"})
			want := []MatchLine{{2, c.want}, {3, "last needle"}}
			r := p.search(SearchArgs{Query: "NEEDLE"})
			if len(r.Files) != 1 || !slices.Equal(r.Files[0].Lines, want) {
				t.Errorf("lines are %.600q, want %.600q", fmt.Sprint(r.Files), fmt.Sprint(want))
			}
		})
	}
}

// TestPagesOfASearchJoin: whatever the limit, pages join to what a plain loop
// over the lines finds.
func TestPagesOfASearchJoin(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	line := rapid.SampledFrom([]string{"", "x", "a needle", "NEEDLE and needle", "\u212aneedle", "need", "le", "\r", "caf\u00e9", strings.Repeat("long ", 100) + "needle"})
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		made++
		top := fmt.Sprintf("t%d", made)
		if err := os.MkdirAll(p.path(top), 0o755); err != nil {
			t.Fatal(err)
		}
		query := rapid.SampledFrom([]string{"needle", "e", "K", "long", "\u00e9"}).Draw(t, "query")
		expr := regexp.MustCompile("(?i)" + regexp.QuoteMeta(query))
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b/x", "b/y/z", "b-", "b.txt", "c/1", "c/2", "c/3", "é"}), 0, 9, rapid.ID).Draw(t, "names")
		slices.SortFunc(names, func(a, b string) int { return comparePaths(relPath(a), relPath(b)) })
		var want []string
		for _, n := range names {
			lines := rapid.SliceOfN(line, 0, 12).Draw(t, n)
			p.put(top+"/"+n, strings.Join(lines, "\n"))
			for i, l := range lines {
				if expr.MatchString(l) {
					want = append(want, fmt.Sprintf("%s/%s:%d", top, n, i+1))
				}
			}
		}
		var got []string
		for a := (SearchArgs{Query: query, Path: top, Limit: rapid.IntRange(1, 7).Draw(t, "limit")}); ; {
			r, err := p.Search(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Files {
				for _, l := range f.Lines {
					got = append(got, fmt.Sprintf("%s:%d", f.Path, l.Line))
				}
			}
			if r.Next == nil {
				break
			}
			if r.Matches != a.Limit {
				t.Fatalf("a page of %d has %d lines and is not the last", a.Limit, r.Matches)
			}
			a = r.Next.Arguments.(SearchArgs)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("found %q, want %q", got, want)
		}
	})
}

func TestAPageOfLongLinesEndsAt64KiB(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"f": strings.Repeat(strings.Repeat("漢", 300)+"\n", 400)})
	lines := 0
	for a := (SearchArgs{Query: "漢", Limit: 500}); ; {
		r := p.search(a)
		if len(r.Text) > 64<<10 {
			t.Fatalf("a page has %d bytes", len(r.Text))
		}
		if lines += r.Matches; r.Next == nil {
			break
		}
		a = r.Next.Arguments.(SearchArgs)
	}
	if lines != 400 {
		t.Errorf("%d lines were found, want 400", lines)
	}
}

func TestASearchGoesOnBehindAnyFileName(t *testing.T) {
	t.Parallel()
	names := []string{"\"q\":1", "a:7", "a\nb", "b\xff", "c"}
	p := newProject(t, nil)
	for _, n := range names {
		p.put(n, "needle\nneedle\n")
	}
	lines := 0
	for a := (SearchArgs{Query: "needle", Limit: 1}); lines <= 2*len(names); {
		r := p.search(a)
		lines += r.Matches
		if r.Next == nil {
			break
		}
		// The model's copy of the call went through JSON.
		b, err := json.Marshal(r.Next.Arguments)
		if err != nil {
			t.Fatal(err)
		}
		a = SearchArgs{}
		if err := json.Unmarshal(b, &a); err != nil {
			t.Fatal(err)
		}
	}
	if lines != 2*len(names) {
		t.Errorf("%d lines were found, want %d", lines, 2*len(names))
	}
}

func TestASearchThatRunsOutOfTimeGoesOn(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a": "needle\n", "b": "needle\n", "c": "needle\n"})
	// The clock runs out when the second file is opened.
	timed, cancel := context.WithCancel(ctx)
	defer cancel()
	plain := p.root
	p.root = meddler{folder: plain, file: "b", beforeOpen: cancel}
	at, err := p.resolve(ctx, ".")
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	a := SearchArgs{Query: "needle"}
	r, err := p.searchFor(ctx, timed, a, at, spot{}, a.Query)
	if err != nil {
		t.Fatal(err)
	}
	if !r.TimedOut || !r.Truncated || r.Matches > 1 {
		t.Errorf("result is %+v", r)
	}
	if r.Next == nil {
		t.Fatalf("nothing to go on from: %+v", r)
	}
	p.root = plain
	rest := p.search(r.Next.Arguments.(SearchArgs))
	if rest.TimedOut || r.Matches+rest.Matches != 3 {
		t.Errorf("%d lines, then %d, want 3 in all", r.Matches, rest.Matches)
	}
}

func TestManyFilesAreSearchedInOrder(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for d := range 7 {
		for f := range 150 {
			files[fmt.Sprintf("d%d/f%03d", d, f)] = "needle\n"
		}
	}
	p := newProject(t, files)
	want := ""
	for _, a := range []SearchArgs{{Query: "needle", Limit: 500}, {Query: "needle", Limit: 500, After: "d3/f049:1"}, {Query: "needle", Limit: 100, After: "d6/f099:1"}} {
		r := p.search(a)
		for _, f := range r.Files {
			if f.Path <= want {
				t.Fatalf("%s comes behind %s", f.Path, want)
			}
			want = f.Path
		}
	}
	if want != "d6/f149" {
		t.Errorf("the last file is %s", want)
	}
}

func FuzzScanFindsWhatAPlainLoopFinds(f *testing.F) {
	f.Add("needle", "a needle\n", 300_000, 2)
	f.Add("k", "\u212a\r\n", 1, 0)
	f.Fuzz(func(t *testing.T, query, content string, times, after int) {
		if query == "" || strings.Contains(query, "\n") || len(content) == 0 || len(query) > 1000 {
			t.Skip()
		}
		content = "x" + strings.Repeat(content, 1+max(0, times)%(600_000/len(content)+1))
		if kindByHead([]byte(content[:min(len(content), binaryHead)])) != isText {
			t.Skip()
		}
		after = max(0, after) % 1000
		m := fold.New(query)
		var want []int
		for i, line := range strings.Split(content, "\n") {
			if _, end := m.Index([]byte(line)); end >= 0 && i+1 > after {
				want = append(want, i+1)
			}
		}
		var found finding
		if err := newScanner(m).file(ctx, strings.NewReader(content), &found, after, 1<<30); err != nil {
			t.Fatal(err)
		}
		var got []int
		for i, h := range found.hits.at {
			got = append(got, h.line)
			if n := utf8.RuneCount(found.hits.text(i)); n > maxLineText+2 {
				t.Errorf("line %d is shown in %d characters", h.line, n)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q is found in lines %v, want %v", query, got, want)
		}
	})
}
