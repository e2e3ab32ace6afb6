package docs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
	"pgregory.net/rapid"
)

func places(r *docs.SearchResult) []string {
	var all []string
	for _, m := range r.Matches {
		all = append(all, fmt.Sprintf("%d.%d", m.Page, m.Number))
	}
	return all
}

func nextSearch(t testing.TB, r *docs.SearchResult) docs.SearchArgs {
	t.Helper()
	if r.Next == nil || !r.Truncated || r.Next.Tool != "workspace_document_search" {
		t.Fatalf("the next call is %+v, truncated %v", r.Next, r.Truncated)
	}
	a := r.Next.Arguments.(docs.SearchArgs)
	if a.StartPage <= r.Searched.StartPage {
		t.Fatalf("after a search from page %d the next is from %d", r.Searched.StartPage, a.StartPage)
	}
	return a
}

func TestSearchFindsAndShows(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	p.texts("a.pdf",
		"The limits of intellectual\nproperty law are not what they were.",
		prose(300),
		"An inter-\nnational agreement on intellectual property law, and on INTELLECTUAL PROPERTY LAW.")
	r := p.search(docs.SearchArgs{Path: "a.pdf", Query: "Intellectual property law"})
	want := []docs.Match{
		{Page: 1, Number: 1, Start: 14, End: 39, LineBreak: true, Excerpt: "The limits of intellectual property law are not what they were."},
		{Page: 3, Number: 1, Start: 32, End: 57, Excerpt: "An inter- national agreement on intellectual property law, and on INTELLECTUAL PROPERTY LAW."},
		{Page: 3, Number: 2, Start: 66, End: 91, Excerpt: "An inter- national agreement on intellectual property law, and on INTELLECTUAL PROPERTY LAW."},
	}
	if !slices.Equal(r.Matches, want) {
		t.Errorf("matches are %+v, want %+v", r.Matches, want)
	}
	if r.MatchCount != 3 || r.PagesWithMatches != 2 || r.Truncated || r.Searched != (docs.PageRange{StartPage: 1, EndPage: 3}) || len(r.Notices) > 0 {
		t.Errorf("the result is %+v", r)
	}
	t.Run("a word over a hyphen is told", func(t *testing.T) {
		r := p.search(docs.SearchArgs{Path: "a.pdf", Query: "international"})
		if len(r.Matches) != 1 || !r.Matches[0].Joined || !r.Matches[0].LineBreak {
			t.Errorf("matches are %+v", r.Matches)
		}
	})
	t.Run("an offset is where a read goes on", func(t *testing.T) {
		page := p.read(docs.ReadArgs{Path: "a.pdf", StartPage: 3, StartCharacter: want[2].Start}).Pages[0]
		if !strings.HasPrefix(page.Text, "INTELLECTUAL PROPERTY LAW") {
			t.Errorf("it reads %q", page.Text)
		}
	})
}

func TestASearchGoesOnAtAPage(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	var texts []string
	for i := range 40 {
		texts = append(texts, strings.Repeat("needle and ", i%4)+prose(200))
	}
	p.texts("a.pdf", texts...)
	var all []string
	calls := 0
	for a := (docs.SearchArgs{Path: "a.pdf", Query: "needle", Limit: 7}); ; calls++ {
		r := p.search(a)
		if r.MatchCount > 7 || r.MatchCount != len(r.Matches) {
			t.Fatalf("%d matches, %d shown", r.MatchCount, len(r.Matches))
		}
		all = append(all, places(r)...)
		if r.Next == nil {
			break
		}
		if a = nextSearch(t, r); r.TruncatedReason != "limit" || a.Limit != 7 {
			t.Fatalf("it stops for %s, and goes on with %+v", r.TruncatedReason, a)
		}
	}
	var want []string
	for i := range 40 {
		for n := range i % 4 {
			want = append(want, fmt.Sprintf("%d.%d", i+1, n+1))
		}
	}
	if !slices.Equal(all, want) || calls < 8 {
		t.Errorf("in %d calls %q, want %q", calls, all, want)
	}
}

func TestAPageOfManyMatches(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	p.texts("a.pdf", "one needle", strings.Repeat("needle\n", 80), "another needle", strings.Repeat("needle ", 30))
	r := p.search(docs.SearchArgs{Path: "a.pdf", Query: "needle"})
	if a := nextSearch(t, r); r.MatchCount != 1 || a.StartPage != 2 {
		t.Fatalf("first %d matches, then from page %d", r.MatchCount, a.StartPage)
	}
	r = p.search(nextSearch(t, r))
	if r.MatchCount != 50 || r.MatchesOmitted != 30 || r.TruncatedReason != "page_matches" || nextSearch(t, r).StartPage != 3 {
		t.Errorf("of the page with 80 matches: %d shown, %d omitted, %s", r.MatchCount, r.MatchesOmitted, r.TruncatedReason)
	}
	t.Run("the rest of it can be read", func(t *testing.T) {
		a := r.Also.Arguments.(docs.ReadArgs)
		rest := p.read(a)
		if r.Also.Tool != "workspace_document_read" || len(rest.Pages) != 1 || strings.Count(rest.Pages[0].Text, "needle") != 30 {
			t.Errorf("%+v reads %+v", r.Also, rest.Pages)
		}
	})
	t.Run("all of it is shown if there are 50 at most", func(t *testing.T) {
		r := p.search(docs.SearchArgs{Path: "a.pdf", Query: "needle", StartPage: 4})
		if r.MatchCount != 30 || r.Also != nil || r.Truncated || r.Next != nil {
			t.Errorf("the result is %+v", r)
		}
	})
}

func TestMatchesThatShareAnExcerptAreOneLine(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	far := strings.Repeat("Other words. ", 40)
	p.texts("a.pdf", "The law, and\nthe law again.", "The law. "+far+"A law, two laws, and three laws. "+far+"The last law.")
	r := p.session().Call(t.Context(), arc.Call{Name: "workspace_document_search", Args: []byte(`{"path":"a.pdf","query":"law"}`)})
	if res := r.Data.(*docs.SearchResult); res.MatchCount != 7 || res.Matches[1].Start != 17 || res.Matches[1].Excerpt != res.Matches[0].Excerpt {
		t.Errorf("the matches are %+v", res.Matches)
	}
	lines := strings.Split(r.Body, "\n")
	want := []string{"page 1, 2 matches: The law, and the law again.", "page 2: The law. Other", "page 2, 3 matches: …", "page 2: …"}
	if len(lines) != len(want) {
		t.Fatalf("the lines are %q", lines)
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, want[i]) {
			t.Errorf("line %d is %q, want %q…", i+1, line, want[i])
		}
	}
	if !strings.Contains(lines[2], "A law, two laws, and three laws.") || !strings.HasSuffix(lines[3], "The last law.") {
		t.Errorf("the lines are %q", lines)
	}
}

func TestASearchThatFindsNothingSaysWhereItCouldNotLook(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	pages := append(docstest.Scan(30), docstest.Text(prose(300))...)
	pages = append(pages, garbled(300), docs.Page{Err: docs.ErrTimeout})
	p.script("a.pdf", docstest.Script{Pages: pages})
	r := p.search(docs.SearchArgs{Path: "a.pdf", Query: "clause"})
	if r.WithoutText != (docs.PageList{Count: 30, Pages: "1-30"}) || r.Garbled != (docs.PageList{Count: 1, Pages: "32"}) || r.Failed != (docs.PageList{Count: 1, Pages: "33"}) {
		t.Errorf("without text %+v, garbled %+v, failed %+v", r.WithoutText, r.Garbled, r.Failed)
	}
	if want := []string{"The query may also stand where no search sees it, on 32 of the 33 pages searched: " +
		"pages 1-30 have no text, and are not read if they are pictures (no OCR); page 32 is partly legible; page 33 could not be read."}; !slices.Equal(r.Notices, want) {
		t.Errorf("notices are %q", r.Notices)
	}
	if p.fake.Counts().Inked > 0 {
		t.Error("a search has pages drawn")
	}
}

func TestWhatSearchRefuses(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	p.texts("a.pdf", "one")
	for name, c := range map[string]struct {
		args docs.SearchArgs
		code arc.Code
	}{
		"no query":             {docs.SearchArgs{}, arc.InvalidArguments},
		"a query of blanks":    {docs.SearchArgs{Query: " \n\u200b"}, arc.InvalidArguments},
		"a query too long":     {docs.SearchArgs{Query: strings.Repeat("é", 201)}, arc.InvalidArguments},
		"one of marks":         {docs.SearchArgs{Query: "x" + strings.Repeat("\u200b", 1000)}, arc.InvalidArguments},
		"a limit too large":    {docs.SearchArgs{Query: "x", Limit: 51}, arc.InvalidArguments},
		"a page behind all":    {docs.SearchArgs{Query: "x", StartPage: 2}, arc.OutOfRange},
		"a page before all":    {docs.SearchArgs{Query: "x", StartPage: -2}, arc.InvalidArguments},
		"a file that is none":  {docs.SearchArgs{Path: "none.pdf", Query: "x"}, arc.NotFound},
		"a negative many of 0": {docs.SearchArgs{Query: "x", Limit: -1}, arc.InvalidArguments},
	} {
		t.Run(name, func(t *testing.T) {
			if c.args.Path == "" {
				c.args.Path = "a.pdf"
			}
			_, err := p.Search(t.Context(), seat, c.args)
			wantCode(t, err, c.code)
		})
	}
	t.Run("200 characters are not too long", func(t *testing.T) {
		if r := p.search(docs.SearchArgs{Path: "a.pdf", Query: strings.Repeat("é", 200)}); r.MatchCount != 0 {
			t.Errorf("it finds %+v", r.Matches)
		}
	})
}

func TestExcerptsAreShortAndHoldTheMatch(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	p.texts("a.pdf", prose(3000)+"\nthe needle\n"+prose(3000), strings.Repeat("漢", 3000)+"needle"+strings.Repeat("字", 3000), strings.Repeat(" \n", 900)+"needle"+strings.Repeat(" \n", 900)+"end")
	r := p.search(docs.SearchArgs{Path: "a.pdf", Query: "needle"})
	if len(r.Matches) != 3 {
		t.Fatalf("matches are %+v", r.Matches)
	}
	for _, m := range r.Matches {
		n := utf8.RuneCountInString(m.Excerpt)
		at := utf8.RuneCountInString(m.Excerpt[:max(0, strings.Index(m.Excerpt, "needle"))])
		if !strings.Contains(m.Excerpt, "needle") || n > 242 || strings.Contains(m.Excerpt, "\n") || m.Page < 3 && (at < 90 || at > 150) {
			t.Errorf("page %d: %d characters, the match at %d: %s", m.Page, n, at, m.Excerpt)
		}
	}
	if e := r.Matches[0].Excerpt; !strings.HasPrefix(e, "…") || !strings.HasSuffix(e, "…") || strings.HasPrefix(e, "… ") {
		t.Errorf("the excerpt is %q", e)
	}
}

// Whatever a text is, each of its words is found at each of its places.
func TestEachWordIsFoundWhereItStands(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zé漢ﬁ]{1,6}`), 1, 60).Draw(rt, "words")
		word := rapid.SampledFrom(words).Draw(rt, "word")
		n++
		name := fmt.Sprintf("%d.pdf", n)
		text := strings.Join(words, " ")
		p.texts(name, text)
		r, err := p.Search(t.Context(), seat, docs.SearchArgs{Path: name, Query: strings.ToUpper(word), Limit: 50})
		if err != nil {
			rt.Fatal(err)
		}
		if want := strings.Count(strings.ReplaceAll(text, "ﬁ", "fi"), strings.ReplaceAll(word, "ﬁ", "fi")); r.MatchCount+r.MatchesOmitted != want {
			rt.Fatalf("%q stands %d times in %q and is found %d times", word, want, text, r.MatchCount+r.MatchesOmitted)
		}
		for _, m := range r.Matches {
			runes := []rune(text)
			if got := strings.ReplaceAll(string(runes[m.Start:m.End]), "ﬁ", "fi"); !strings.Contains(got, strings.ReplaceAll(word, "ﬁ", "fi")) {
				rt.Fatalf("%q is found at %q", word, got)
			}
		}
	})
}
