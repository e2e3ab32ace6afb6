package workspace

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arcseat/arc/workspace/internal/fold"
	"pgregory.net/rapid"
)

func TestLastNewlineIsThatOfBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.SampledFrom([]byte{'\n', '\n' - 1, '\n' + 1, '\n' | 0x80, 0, 0x7f, 0x80, 0xff}), 0, 40).Draw(t, "text")
		if got, want := lastNewline(b), bytes.LastIndexByte(b, '\n'); got != want {
			t.Fatalf("the last newline of %q is at %d, want %d", b, got, want)
		}
	})
}

// TestHitsOfFilesThatFollowEachOther: the hits of a file stay as they were while
// those of the next are put behind them, wherever memory for these is found.
func TestHitsOfFilesThatFollowEachOther(t *testing.T) {
	t.Parallel()
	sc := newScanner(fold.New("needle"))
	found := make([]finding, 20)
	for i := range found {
		text := strings.Repeat(strings.Repeat("x", i)+" needle\nhay\n", i)
		if err := sc.file(ctx, strings.NewReader(text), &found[i], 0, 1000); err != nil {
			t.Fatal(err)
		}
	}
	for i := range found {
		if n := len(found[i].hits.at); n != i {
			t.Errorf("file %d has %d hits", i, n)
		}
		for j, h := range found[i].hits.at {
			if text := string(found[i].hits.text(j)); h.line != 2*j+1 || text != strings.Repeat("x", i)+" needle" {
				t.Errorf("hit %d of file %d is line %d, %q", j, i, h.line, text)
			}
		}
	}
}

// TestResultsThatAreHeldOverOtherSearches: the memory that a search fills again and
// again is its own. Seats search side by side for lines longer than any buffer, some
// are stopped amid, and what each was given stays as it was.
func TestResultsThatAreHeldOverOtherSearches(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	for i := range 3 * unitFiles {
		size := 50
		if i%unitFiles == 7 {
			size = 2 * scanBuffer
		}
		p.put(fmt.Sprintf("%d/f%03d", i%3, i), fmt.Sprintf("needle %[1]d %[2]s\nhay %[1]d %[2]s\n", i, strings.Repeat("é", size)))
	}
	lines := func(r *SearchResult) (all []string) {
		for _, f := range r.Files {
			for _, l := range f.Lines {
				all = append(all, fmt.Sprint(f.Path, l.Line, l.Text))
			}
		}
		return append(all, r.Text)
	}
	var seats sync.WaitGroup
	for seat := range 4 {
		seats.Go(func() {
			query := []string{"needle", "hay"}[seat%2]
			var held []*SearchResult
			var was [][]string
			for i := range 6 {
				root, err := p.resolve(ctx, ".")
				if err != nil {
					t.Error(err)
					return
				}
				run := searchRun{ws: p.Workspace, matcher: fold.New(query), limit: maxSearchLimit}
				stopped, stop := context.WithCancel(ctx)
				taken := 0
				_ = run.run(stopped, root, func(*finding) error {
					if taken++; taken == 20*i {
						stop()
					}
					return nil
				})
				stop()
				root.Close()
				r, err := p.Search(ctx, SearchArgs{Query: query, Limit: 100 + i})
				if err != nil {
					t.Error(err)
					return
				}
				held, was = append(held, r), append(was, slices.Clone(lines(r)))
			}
			for i, r := range held {
				if r.Matches != 100+i || !slices.Equal(lines(r), was[i]) {
					t.Errorf("seat %d: result %d, of %d lines, is another now", seat, i, r.Matches)
				}
				for _, line := range was[i][:r.Matches] {
					if !strings.Contains(line, query+" ") {
						t.Errorf("seat %d was shown %q", seat, line)
					}
				}
			}
		})
	}
	seats.Wait()
}
