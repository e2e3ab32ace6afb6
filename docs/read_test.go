package docs_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
	"pgregory.net/rapid"
)

func numbers(r *docs.ReadResult) []int {
	var all []int
	for _, p := range r.Pages {
		all = append(all, p.Page)
	}
	return all
}

// nextRead is the arguments of the next call, which goes on behind those that were.
func nextRead(t testing.TB, before docs.ReadArgs, next *arc.Next) docs.ReadArgs {
	t.Helper()
	a, ok := next.Arguments.(docs.ReadArgs)
	if !ok || next.Tool != "workspace_document_read" {
		t.Fatalf("the next call is %+v", next)
	}
	if a.StartPage < before.StartPage || a.StartPage == before.StartPage && a.StartCharacter <= before.StartCharacter {
		t.Fatalf("after %+v the next call is %+v", before, a)
	}
	return a
}

// readAll follows the next calls and joins what they show, by page.
func readAll(t testing.TB, p *project, a docs.ReadArgs) (texts map[int]string, calls int) {
	t.Helper()
	texts = map[int]string{}
	for {
		r := p.read(a)
		calls++
		for _, page := range r.Pages {
			if page.StartCharacter != len([]rune(texts[page.Page])) || page.EndCharacter-page.StartCharacter != len([]rune(page.Text)) {
				t.Fatalf("page %d goes on from %d to %d with %d characters, behind %d", page.Page, page.StartCharacter, page.EndCharacter, len([]rune(page.Text)), len([]rune(texts[page.Page])))
			}
			texts[page.Page] += page.Text
		}
		if r.Truncated && r.Next == nil {
			t.Fatalf("nothing goes on behind %+v", r)
		}
		if !r.Truncated {
			return texts, calls
		}
		a = nextRead(t, a, r.Next)
	}
}

func TestACallThatNamesNoEndGoesOnBehindItsFivePages(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	p.texts("a.pdf", slices.Repeat([]string{prose(200)}, 9)...)
	for _, c := range []struct {
		name string
		args docs.ReadArgs
		want any // the arguments of the next call
	}{
		{"the first pages", docs.ReadArgs{}, docs.ReadArgs{Path: "a.pdf", StartPage: 6}},
		{"the last ones", docs.ReadArgs{StartPage: 6}, nil},
		{"exactly to the end", docs.ReadArgs{StartPage: 5}, nil},
		{"an end that was named is one", docs.ReadArgs{EndPage: 5}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.args.Path = "a.pdf"
			r := p.read(c.args)
			var got any
			if r.Next != nil {
				got = r.Next.Arguments
			}
			if got != c.want || r.Truncated {
				t.Errorf("the next call is %+v, want %+v; truncated is %t", got, c.want, r.Truncated)
			}
		})
	}
}

func TestReadShowsPages(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	var texts []string
	for i := range 30 {
		texts = append(texts, fmt.Sprintf("Page %d of a book.\n%s", i+1, prose(1000)))
	}
	p.texts("a.pdf", texts...)
	for _, c := range []struct {
		name        string
		args        docs.ReadArgs
		first, last int
		reason      string
		next        docs.ReadArgs
	}{
		{"five pages when nothing is said", docs.ReadArgs{}, 1, 5, "", docs.ReadArgs{}},
		{"five from the start", docs.ReadArgs{StartPage: 9}, 9, 13, "", docs.ReadArgs{}},
		{"a range", docs.ReadArgs{StartPage: 3, EndPage: 4}, 3, 4, "", docs.ReadArgs{}},
		{"up to the end", docs.ReadArgs{StartPage: 29, EndPage: 99}, 29, 30, "", docs.ReadArgs{}},
		{"12 at most, and the rest of the range is the next call", docs.ReadArgs{StartPage: 2, EndPage: 20}, 2, 13, "page_limit", docs.ReadArgs{Path: "a.pdf", StartPage: 14, EndPage: 20}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.args.Path = "a.pdf"
			r := p.read(c.args)
			var want []int
			for n := c.first; n <= c.last; n++ {
				want = append(want, n)
			}
			if !slices.Equal(numbers(r), want) || r.TruncatedReason != c.reason || r.PageCount != 30 {
				t.Errorf("pages %v of %d, %q", numbers(r), r.PageCount, r.TruncatedReason)
			}
			if c.reason != "" && nextRead(t, c.args, r.Next) != c.next {
				t.Errorf("the next call is %+v, want %+v", r.Next, c.next)
			}
			if first := r.Pages[0]; first.Text != texts[c.first-1] || first.Status != docs.StatusText {
				t.Errorf("the first is %+v", first)
			}
		})
	}
}

func TestWhatReadRefuses(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	p.texts("a.pdf", "one", "two")
	for name, c := range map[string]struct {
		args docs.ReadArgs
		code arc.Code
	}{
		"a page behind the last":          {docs.ReadArgs{StartPage: 3}, arc.OutOfRange},
		"an end before the start":         {docs.ReadArgs{StartPage: 2, EndPage: 1}, arc.InvalidArguments},
		"a page before the first":         {docs.ReadArgs{StartPage: -1}, arc.InvalidArguments},
		"a character behind the last":     {docs.ReadArgs{StartCharacter: 4}, arc.OutOfRange},
		"a character far behind the last": {docs.ReadArgs{StartCharacter: 1 << 40}, arc.OutOfRange},
	} {
		t.Run(name, func(t *testing.T) {
			c.args.Path = "a.pdf"
			_, err := p.Read(t.Context(), seat, c.args)
			if e := wantCode(t, err, c.code); c.code == arc.OutOfRange && e.Detail == nil {
				t.Error("it does not say how far the file goes")
			}
		})
	}
	t.Run("the end of a page is where the next begins", func(t *testing.T) {
		r := p.read(docs.ReadArgs{Path: "a.pdf", StartCharacter: 3})
		if len(r.Pages) != 2 || r.Pages[0].Text != "" || r.Pages[1].Text != "two" || r.Truncated {
			t.Errorf("pages are %+v", r.Pages)
		}
	})
}

func TestPagesAreWholeUnlessTheyAreTooLong(t *testing.T) {
	t.Parallel()
	p := newProject(t, &docs.Options{MaxCharacters: 1000})
	p.texts("a.pdf", prose(600), prose(600), prose(5000), prose(200))
	r := p.read(docs.ReadArgs{Path: "a.pdf"})
	if !slices.Equal(numbers(r), []int{1}) || r.TruncatedReason != "character_budget" {
		t.Errorf("pages %v, %s", numbers(r), r.TruncatedReason)
	}
	if next := nextRead(t, docs.ReadArgs{}, r.Next); next != (docs.ReadArgs{Path: "a.pdf", StartPage: 2, EndPage: 4}) {
		t.Errorf("the next call is %+v", next)
	}
	t.Run("a page that no result can hold whole is begun at once", func(t *testing.T) {
		r := p.read(docs.ReadArgs{Path: "a.pdf", StartPage: 2})
		if !slices.Equal(numbers(r), []int{2, 3}) || r.Pages[1].EndCharacter < 200 || !strings.HasSuffix(r.Pages[1].Text, "\n") {
			t.Errorf("pages %v, the last to %d: %q", numbers(r), r.Pages[1].EndCharacter, r.Pages[1].Text)
		}
	})
	t.Run("joined they are the whole", func(t *testing.T) {
		texts, _ := readAll(t, p, docs.ReadArgs{Path: "a.pdf", StartPage: 1})
		for n, want := range []string{prose(600), prose(600), prose(5000), prose(200)} {
			if texts[n+1] != want {
				t.Errorf("page %d has %d characters, want %d", n+1, len(texts[n+1]), len(want))
			}
		}
	})
}

func TestAPageOfMoreThanAMillionCharacters(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	var b strings.Builder
	for i := 0; b.Len() < 1_340_000; i++ {
		fmt.Fprintf(&b, "line %d of a page that does not end, naïvely\n", i)
	}
	whole := strings.TrimSpace(b.String())
	p.texts("a.pdf", "before the page", whole, "behind the page")
	texts, calls := readAll(t, p, docs.ReadArgs{Path: "a.pdf", StartPage: 1})
	if texts[2] != whole || texts[1] != "before the page" || texts[3] != "behind the page" {
		t.Errorf("joined they have %d bytes, want %d", len(texts[2]), len(whole))
	}
	if c := p.fake.Counts(); calls < 50 || calls > 65 || c.Pages-c.Inked != 3 {
		t.Errorf("%d calls, %d pages read", calls, c.Pages-c.Inked)
	}
}

func TestContinuationIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("aé漢\u0301\u200d😀 \n")), 0, 400, -1)
		texts := rapid.SliceOfN(text, 1, 20).Draw(rt, "texts")
		limit := rapid.IntRange(1, 300).Draw(rt, "limit")
		p := newProject(t, &docs.Options{MaxCharacters: limit})
		p.texts("a.pdf", texts...)
		end := rapid.IntRange(1, len(texts)).Draw(rt, "end")
		got, _ := readAll(t, p, docs.ReadArgs{Path: "a.pdf", StartPage: 1, EndPage: end})
		for n := 1; n <= end; n++ {
			if want := cleaned(texts[n-1]); got[n] != want {
				rt.Fatalf("page %d is %q, want %q", n, got[n], want)
			}
		}
		if len(got) != end {
			rt.Fatalf("%d pages, want %d", len(got), end)
		}
		p.Close()
	})
}

// cleaned is what a text of characters that stay becomes.
func cleaned(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	s = regexp.MustCompile(`\n{3,}`).ReplaceAllString(strings.TrimRight(strings.Join(lines, "\n"), "\n "), "\n\n")
	return regexp.MustCompile(`(?m)^漢(\n漢){2,}$`).ReplaceAllStringFunc(s, func(column string) string { return strings.ReplaceAll(column, "\n", "") })
}

func TestPagesWithoutTextAreToldApart(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	pages := []docs.Page{docstest.Text(prose(300))[0], docstest.Scan(1)[0], docstest.Scan(1)[0], {HasInk: true}, garbled(40), {Err: docs.ErrMemory}, {}}
	pages[0].Label, pages[1].Label = "xiv", "2"
	p.script("a.pdf", docstest.Script{Pages: pages})
	r := p.read(docs.ReadArgs{Path: "a.pdf", EndPage: 7})
	var got []string
	for _, page := range r.Pages {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%d %s %s %s", page.Page, page.Status, page.Label, page.Reason)))
	}
	if want := []string{"1 text xiv", "2 image_only", "3 image_only", "4 empty", "5 garbled", "6 failed  memory_limit", "7 no_text"}; !slices.Equal(got, want) {
		t.Errorf("pages are %q, want %q", got, want)
	}
	want := []string{"Not all is text here: pages 2-3 are pictures without text (no OCR); page 7 has no text, and is not read if it is a picture (no OCR); " +
		"page 4 is empty; page 5 is partly legible; page 6 could not be read."}
	if !slices.Equal(r.Notices, want) {
		t.Errorf("notices are %q, want %q", r.Notices, want)
	}
}

func TestAFileThatChanged(t *testing.T) {
	t.Parallel()
	p := newProject(t, &docs.Options{MaxCharacters: 500})
	p.texts("a.pdf", prose(2000))
	first := p.read(docs.ReadArgs{Path: "a.pdf"})
	if first.SourceChanged || first.PreviousSHA256 != "" {
		t.Errorf("at first sight it changed: %+v", first)
	}
	p.texts("a.pdf", "Another text. "+prose(2000))
	r := p.read(nextRead(t, docs.ReadArgs{}, first.Next))
	if !r.SourceChanged || r.PreviousSHA256 != first.SHA256 || r.SHA256 == first.SHA256 {
		t.Errorf("changed is %v, from %s to %s", r.SourceChanged, r.PreviousSHA256, r.SHA256)
	}
	t.Run("a page is shown from its beginning, and that is said", func(t *testing.T) {
		if r.Pages[0].StartCharacter != 0 || !strings.HasPrefix(r.Pages[0].Text, "Another text.") {
			t.Errorf("the page is %+v", r.Pages[0])
		}
		if len(r.Notices) != 1 || !strings.Contains(r.Notices[0], "page 1 is shown from its beginning") {
			t.Errorf("notices are %q", r.Notices)
		}
	})
	t.Run("and then goes on", func(t *testing.T) {
		again := p.read(nextRead(t, docs.ReadArgs{}, r.Next))
		if again.SourceChanged || again.Pages[0].StartCharacter != r.Pages[0].EndCharacter {
			t.Errorf("the next is %+v", again)
		}
	})
	t.Run("a seat that had not seen it is told nothing", func(t *testing.T) {
		other, err := p.Read(t.Context(), "seat_2", docs.ReadArgs{Path: "a.pdf"})
		if err != nil || other.SourceChanged {
			t.Errorf("another seat reads %+v, %v", other, err)
		}
	})
	t.Run("a read that shows nothing leaves that to the next", func(t *testing.T) {
		var ready atomic.Bool
		p := newProject(t, &docs.Options{MaxCharacters: 500, ReadTimeout: 300 * time.Millisecond})
		p.texts("a.pdf", prose(2000))
		first := p.read(docs.ReadArgs{Path: "a.pdf"})
		p.script("a.pdf", docstest.Script{Pages: docstest.Text("Another text. " + prose(2000)), Read: func(ctx context.Context, n int) error {
			if ready.Load() {
				return nil
			}
			return docstest.Hang(ctx, n)
		}})
		next := nextRead(t, docs.ReadArgs{}, first.Next)
		_, err := p.Read(t.Context(), seat, next)
		wantCode(t, err, arc.TimedOut)
		ready.Store(true)
		if r := p.read(next); !r.SourceChanged || r.PreviousSHA256 != first.SHA256 || r.Pages[0].StartCharacter != 0 {
			t.Errorf("changed is %v, from %s; it begins at %d", r.SourceChanged, r.PreviousSHA256, r.Pages[0].StartCharacter)
		}
	})
	t.Run("searching and inspecting say so too", func(t *testing.T) {
		p.texts("a.pdf", "A third text.")
		if s := p.search(docs.SearchArgs{Path: "a.pdf", Query: "third"}); !s.SourceChanged || s.MatchCount != 1 {
			t.Errorf("the search is %+v", s)
		}
		p.texts("a.pdf", "A fourth text.")
		if i := p.inspect("a.pdf"); !i.SourceChanged {
			t.Errorf("the inspection is %+v", i)
		}
	})
}

func TestAFormThatOnlyItsOwnProgramShows(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	p.texts("a.pdf", "Please wait...\n\nIf this message is not eventually\nreplaced by the proper contents of the document, your PDF viewer may not be able to display this type of document.")
	if w := p.read(docs.ReadArgs{Path: "a.pdf"}).Warnings; !slices.Contains(w, "xfa_placeholder") {
		t.Errorf("warnings of read are %q", w)
	}
	if w := p.inspect("a.pdf").Warnings; !slices.Contains(w, "xfa_placeholder") {
		t.Errorf("warnings of inspect are %q", w)
	}
}
