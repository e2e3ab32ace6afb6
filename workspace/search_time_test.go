package workspace

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// searchUntil searches with a clock that runs out when the project is touched for
// the nth time: a directory is opened, a file is, or a part of one is read.
func (p *project) searchUntil(a SearchArgs, n int) *SearchResult {
	t := p.t
	t.Helper()
	timed, cancel := context.WithCancel(ctx)
	defer cancel()
	plain := p.root
	defer func() { p.root = plain }()
	at, err := p.resolve(ctx, relPath(a.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	after, err := parseAfter(a.After)
	if err != nil {
		t.Fatal(err)
	}
	count := make(chan int, 1)
	count <- 0
	p.root = touchedFolder{plain, func() {
		done := <-count + 1
		count <- done
		if done >= n {
			cancel()
		}
	}}
	if !at.info.IsDir() {
		at.dir = touchedFolder{at.dir, p.root.(touchedFolder).touch}
	}
	r, err := p.searchFor(ctx, timed, a, at, after, a.Query)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A touchedFolder calls touch whenever something below it is used.
type touchedFolder struct {
	folder
	touch func()
}

func (f touchedFolder) openDir(name string) (folder, error) {
	f.touch()
	d, err := f.folder.openDir(name)
	return touchedFolder{d, f.touch}, err
}

func (f touchedFolder) open(name string) (file, error) {
	f.touch()
	opened, err := f.folder.open(name)
	if err != nil {
		return nil, err
	}
	return &meddledFile{opened, f.touch}, nil
}

// TestASearchThatGetsNoFurtherHasNoNextPage: a line that is too long for the time,
// or a tree, led from page to page for ever, each one line further than the last,
// past lines that nobody had looked at.
func TestASearchThatGetsNoFurtherHasNoNextPage(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 4*scanBuffer)
	p := newProject(t, map[string]string{"f": long + "\n" + long + "needle\n", "d/e/f": "needle\n"})
	for _, c := range []struct {
		name    string
		args    SearchArgs
		touches int
	}{
		{"at the start of a file", SearchArgs{Path: "f"}, 3},
		{"at the start of a file, on a later page", SearchArgs{Path: "f", After: "f:0"}, 3},
		{"inside a file", SearchArgs{Path: "f", After: "f:1"}, 3},
		{"at the file where the page begins", SearchArgs{Path: ".", After: "f:1"}, 1},
		{"in a tree, before anything was found", SearchArgs{Path: "."}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.args.Query = "needle"
			r := p.searchUntil(c.args, c.touches)
			if !r.TimedOut || !r.Truncated || r.Next != nil || r.NextAfter != "" || r.Matches != 0 {
				t.Errorf("result is %+v", r)
			}
		})
	}
	t.Run("and one that does goes on there", func(t *testing.T) {
		a := SearchArgs{Query: "needle", Path: "f"}
		r := p.searchUntil(a, 7)
		if !r.TimedOut || r.NextAfter != "f:1" || r.Next == nil {
			t.Fatalf("result is %+v", r)
		}
		if rest := p.search(r.Next.Arguments.(SearchArgs)); rest.Matches != 1 || rest.Files[0].Lines[0].Line != 2 {
			t.Errorf("the rest is %+v", rest)
		}
	})
}

// TestAWalkThatRunsOutOfTimeGoesOnWhereItStood: the time may go into directories
// without a file to search.
func TestAWalkThatRunsOutOfTimeGoesOnWhereItStood(t *testing.T) {
	t.Parallel()
	files := map[string]string{"z": "needle\n"}
	p := newProject(t, files)
	for i := range 9 {
		if err := os.MkdirAll(p.path(fmt.Sprintf("d%d/e", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	a, pages, matches := SearchArgs{Query: "needle", Path: "."}, 0, 0
	for {
		r := p.searchUntil(a, 5)
		pages, matches = pages+1, matches+r.Matches
		if r.Next == nil {
			break
		}
		next := r.Next.Arguments.(SearchArgs)
		from, _ := parseAfter(a.After)
		if to, _ := parseAfter(next.After); !from.before(to) {
			t.Fatalf("%q leads to %q", a.After, next.After)
		}
		a = next
	}
	if pages < 3 || matches != 1 {
		t.Errorf("%d pages have %d lines, the last is %+v", pages, matches, a)
	}
}

// TestPagesOfASearchThatRunsOutOfTimeJoin: wherever the time runs out, no line is
// skipped or told twice, and each page gets further than the one before.
func TestPagesOfASearchThatRunsOutOfTimeJoin(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		made++
		top := fmt.Sprintf("t%d", made)
		var want []string
		for i := range rapid.IntRange(1, 5).Draw(t, "files") {
			name := fmt.Sprintf("%s/%s%d", top, rapid.SampledFrom([]string{"", "a/", "a/b/"}).Draw(t, "dir"), i)
			var text strings.Builder
			for n := range rapid.IntRange(0, 6).Draw(t, "lines") {
				text.WriteString(strings.Repeat("x", rapid.SampledFrom([]int{0, 10, scanBuffer}).Draw(t, "length")))
				if rapid.Bool().Draw(t, "matches") {
					text.WriteString("needle")
					want = append(want, fmt.Sprintf("%s:%d", name, n+1))
				}
				text.WriteByte('\n')
			}
			p.put(name, text.String())
		}
		var got []string
		a := SearchArgs{Query: "needle", Path: top, Limit: rapid.IntRange(1, 9).Draw(t, "limit")}
		for done := false; !done; {
			touches := rapid.IntRange(1, 20).Draw(t, "touches")
			r := p.searchUntil(a, touches)
			if r.Truncated && r.Next == nil { // with more time it gets further
				r = p.searchUntil(a, 1000)
			}
			for _, f := range r.Files {
				for _, l := range f.Lines {
					got = append(got, fmt.Sprintf("%s:%d", f.Path, l.Line))
				}
			}
			if done = r.Next == nil; !done {
				next := r.Next.Arguments.(SearchArgs)
				from, _ := parseAfter(a.After)
				if to, _ := parseAfter(next.After); !from.before(to) {
					t.Fatalf("%q leads to %q", a.After, next.After)
				}
				a = next
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("found %q, want %q", got, want)
		}
		if err := os.RemoveAll(p.path(top)); err != nil {
			t.Fatal(err)
		}
	})
}
