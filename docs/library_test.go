package docs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
)

func TestWhatIsNoPDF(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	for name, c := range map[string]struct{ content, sniffed string }{
		"a picture":          {"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR", "png"},
		"an office document": {"PK\x03\x04\x14\x00", "zip"},
		"a web page":         {"<!DOCTYPE html><html>%PDF", "html"},
		"words":              {"just words", "text"},
		"bytes":              {"\x00\x01\x02\x03", "unknown"},
		"PostScript":         {"%!PS-Adobe-3.0", "postscript"},
		"a header too late":  {strings.Repeat("x", 1020) + "%PDF-1.7", "text"},
		"nothing":            {"", "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			p.put("a.pdf", []byte(c.content))
			for range 2 { // the second time it is known
				_, err := p.Inspect(t.Context(), seat, docs.InspectArgs{Path: "a.pdf"})
				if e := wantCode(t, err, docs.NotPDF); !strings.Contains(fmt.Sprintf("%+v", e.Detail), "Sniffed:"+c.sniffed) {
					t.Errorf("detail is %+v, want %s", e.Detail, c.sniffed)
				}
			}
		})
	}
	if n := p.fake.Counts().Opened; n != 0 {
		t.Errorf("the engine was given %d of them", n)
	}
	t.Run("a header that is not at the start is one", func(t *testing.T) {
		p.put("a.pdf", append([]byte(strings.Repeat("x", 1015)), "%PDF-1.7"...))
		_, err := p.Inspect(t.Context(), seat, docs.InspectArgs{Path: "a.pdf"})
		wantCode(t, err, docs.Damaged) // the fake's answer
	})
}

func TestFilesThatAreNotRead(t *testing.T) {
	t.Parallel()
	p := newProject(t, &docs.Options{MaxSize: 1000})
	if err := os.Mkdir(filepath.Join(p.dir, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.put("large.pdf", append([]byte("%PDF-1.7"), make([]byte, 1000)...))
	for path, code := range map[string]arc.Code{"dir": arc.IsDirectory, "none.pdf": arc.NotFound, "large.pdf": arc.TooLarge} {
		_, err := p.Read(t.Context(), seat, docs.ReadArgs{Path: path})
		wantCode(t, err, code)
	}
}

func TestAnEnginesErrorsHaveCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		code arc.Code
		kept bool // the file is not tried again
	}{
		{docs.ErrEncrypted, docs.Encrypted, true},
		{docs.ErrDamaged, docs.Damaged, true},
		{docs.ErrNotPDF, docs.NotPDF, true},
		{docs.ErrMemory, docs.MemoryLimit, true},
		{docs.ErrCrashed, docs.EngineCrashed, true},
		{docs.ErrTimeout, arc.TimedOut, true},
		{docs.Unavailable("install the library"), arc.Unavailable, false},
		{errors.New("something else"), arc.Internal, false},
	} {
		t.Run(string(c.code), func(t *testing.T) {
			t.Parallel()
			p := newProject(t, nil)
			tries := 0
			p.script("bad.pdf", docstest.Script{Open: func(context.Context) error { tries++; return c.err }})
			for range 2 {
				_, err := p.Read(t.Context(), seat, docs.ReadArgs{Path: "bad.pdf"})
				e := wantCode(t, err, c.code)
				if c.code == arc.Unavailable && !strings.Contains(e.Message, "install the library") {
					t.Errorf("the message is %q", e.Message)
				}
			}
			if want := map[bool]int{true: 1, false: 2}[c.kept]; tries != want {
				t.Errorf("it was tried %d times, want %d", tries, want)
			}
			t.Run("and a good file is read right after", func(t *testing.T) {
				p.texts("good.pdf", "words")
				if r := p.read(docs.ReadArgs{Path: "good.pdf"}); r.Pages[0].Text != "words" {
					t.Errorf("it says %+v", r.Pages)
				}
			})
		})
	}
}

func TestWithoutAnEngineOrFiles(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]*docs.Library{"no engine": docs.New(&project{}, nil, nil), "no files": docs.New(nil, docstest.NewFake(), nil)} {
		t.Run(name, func(t *testing.T) {
			defer l.Close()
			_, err := l.Read(t.Context(), seat, docs.ReadArgs{Path: "a.pdf"})
			wantCode(t, err, arc.Unavailable)
		})
	}
}

func TestAnEngineThatIsMissingSaysWhy(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	p.texts("a.pdf", "words")
	l := docs.New(p, docs.Missing(docs.Unavailable("build the host with cgo")), nil)
	defer l.Close()
	_, err := l.Inspect(t.Context(), seat, docs.InspectArgs{Path: "a.pdf"})
	if e := wantCode(t, err, arc.Unavailable); !strings.Contains(e.Message, "build the host with cgo") {
		t.Errorf("the message is %q", e.Message)
	}
}

func TestAPageThatCrashesTheEngineCostsThatPage(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	texts := make([]string, 30)
	for i := range texts {
		texts[i] = fmt.Sprintf("the words of page %d", i+1)
	}
	crashes := 0
	p.script("a.pdf", docstest.Script{Pages: docstest.Text(texts...), Read: func(_ context.Context, n int) error {
		if n == 7 {
			crashes++
			return docs.ErrCrashed
		}
		return nil
	}})
	r := p.read(docs.ReadArgs{Path: "a.pdf", StartPage: 1, EndPage: 12})
	for i, page := range r.Pages {
		switch {
		case page.Page == 7 && (page.Status != docs.StatusFailed || page.Reason != "engine_crashed"),
			page.Page != 7 && page.Text != texts[i]:
			t.Errorf("page %d is %+v", i+1, page)
		}
	}
	s := p.search(docs.SearchArgs{Path: "a.pdf", Query: "words", Limit: 50})
	if s.MatchCount != 29 || s.Failed != (docs.PageList{Count: 1, Pages: "7"}) {
		t.Errorf("%d matches, failed %+v", s.MatchCount, s.Failed)
	}
	if crashes != 2 {
		t.Errorf("it crashed %d times: once with others and once alone it may", crashes)
	}
}

func TestPagesThatHaveNoRoomTogetherAreReadApart(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	p.script("a.pdf", docstest.Script{Pages: append(docstest.Text("one", "two", "three", "four"), docs.Page{Err: docs.ErrMemory}), Lie: func(pages []docs.Page) []docs.Page {
		for i := range pages {
			if i > 1 {
				pages[i] = docs.Page{Number: pages[i].Number, Err: docs.ErrMemory}
			}
		}
		return pages
	}})
	r := p.read(docs.ReadArgs{Path: "a.pdf"})
	var got []string
	for _, pg := range r.Pages {
		got = append(got, pg.Text+pg.Reason)
	}
	if want := []string{"one", "two", "three", "four", "memory_limit"}; !slices.Equal(got, want) {
		t.Errorf("the pages are %q, want %q", got, want)
	}
}

func TestAnEngineThatLiesAboutPages(t *testing.T) {
	t.Parallel()
	for name, lie := range map[string]func([]docs.Page) []docs.Page{
		"it leaves one out": func(p []docs.Page) []docs.Page {
			return slices.DeleteFunc(slices.Clone(p), func(p docs.Page) bool { return p.Number == 2 })
		},
		"it numbers one wrongly": func(p []docs.Page) []docs.Page {
			p = slices.Clone(p)
			for i := range p {
				if p[i].Number == 2 {
					p[i].Number = 9
				}
			}
			return p
		},
		"it gives more than were asked for": func(p []docs.Page) []docs.Page {
			return append(slices.DeleteFunc(slices.Clone(p), func(p docs.Page) bool { return p.Number == 2 }), docs.Page{Number: 99, Text: "more"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, nil)
			p.script("a.pdf", docstest.Script{Pages: docstest.Text("page one of it", "page two of it", "page three of it"), Lie: lie})
			r := p.read(docs.ReadArgs{Path: "a.pdf"})
			if len(r.Pages) != 3 || r.Pages[0].Text != "page one of it" || r.Pages[1].Status != docs.StatusFailed || r.Pages[2].Text != "page three of it" {
				t.Errorf("pages are %+v", r.Pages)
			}
		})
	}
}

func TestTimeLimits(t *testing.T) {
	t.Parallel()
	slow := func(first int) docstest.Script { // pages from first on never come
		texts := make([]string, 40)
		for i := range texts {
			texts[i] = prose(200)
		}
		return docstest.Script{Pages: docstest.Text(texts...), Read: func(ctx context.Context, n int) error {
			if n >= first {
				return docstest.Hang(ctx, n)
			}
			return nil
		}}
	}
	limit := time.Second
	p := newProject(t, &docs.Options{InspectTimeout: limit, ReadTimeout: limit, SearchTimeout: limit})
	p.script("4.pdf", slow(4))
	p.script("1.pdf", slow(1))
	p.script("20.pdf", slow(20))
	t.Run("a read shows what there was time for", func(t *testing.T) {
		r := p.read(docs.ReadArgs{Path: "4.pdf"})
		if !slices.Equal(numbers(r), []int{1, 2, 3}) || r.TruncatedReason != "time_budget" || nextRead(t, docs.ReadArgs{}, r.Next).StartPage != 4 {
			t.Errorf("pages %v, %s", numbers(r), r.TruncatedReason)
		}
	})
	t.Run("and is an error if that is nothing", func(t *testing.T) {
		_, err := p.Read(t.Context(), seat, docs.ReadArgs{Path: "1.pdf"})
		wantCode(t, err, arc.TimedOut)
	})
	t.Run("a search goes on where time was up", func(t *testing.T) {
		r := p.search(docs.SearchArgs{Path: "20.pdf", Query: "nowhere"})
		// 19 pages, or fewer if the machine is so busy that it comes to them late.
		if last := r.Searched.EndPage; last < 1 || last > 19 || r.TruncatedReason != "time_budget" || nextSearch(t, r).StartPage != last+1 {
			t.Errorf("searched %+v, %s", r.Searched, r.TruncatedReason)
		}
	})
	t.Run("a search of pages that are there already ends too", func(t *testing.T) {
		p := newProject(t, &docs.Options{SearchTimeout: 300 * time.Millisecond, ReadTimeout: time.Minute})
		// One page takes longer than the whole call: a ligature of eighteen letters each.
		p.script("a.pdf", docstest.Script{Pages: docstest.Text(slices.Repeat([]string{strings.Repeat("\ufdfa", 50_000)}, 40)...)})
		r := p.search(docs.SearchArgs{Path: "a.pdf", Query: "nowhere"})
		if r.Searched.EndPage == 40 || r.TruncatedReason != "time_budget" || nextSearch(t, r).StartPage != r.Searched.EndPage+1 {
			t.Errorf("searched %+v, %s", r.Searched, r.TruncatedReason)
		}
	})
	t.Run("an inspection says that it looked at few pages", func(t *testing.T) {
		r := p.inspect("20.pdf") // 1 and 40, which hangs
		if r.TextLayer.Basis != "partial_sample" || r.TextLayer.Status != docs.LayerUnknown {
			t.Errorf("the text layer is %+v", r.TextLayer)
		}
	})
}

// hanging is a file whose one page never comes. It says when it is asked for.
func hanging(reading chan<- struct{}) docstest.Script {
	return docstest.Script{Pages: docstest.Text("x"), Read: func(ctx context.Context, n int) error {
		reading <- struct{}{}
		return docstest.Hang(ctx, n)
	}}
}

func TestACallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	reading := make(chan struct{}, 9)
	p.script("a.pdf", hanging(reading))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-reading; cancel() }()
	if _, err := p.Search(ctx, seat, docs.SearchArgs{Path: "a.pdf", Query: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if _, err := p.Inspect(ctx, seat, docs.InspectArgs{Path: "a.pdf"}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended it is %v", err)
	}
}

func TestASearchOfOneHeavyPageEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := newProject(t, &docs.Options{SearchTimeout: time.Hour, ReadTimeout: time.Hour})
	// A ligature of eighteen letters: a page of so many takes seconds to search.
	p.texts("a.pdf", strings.Repeat("\ufdfa", 1_000_000))
	p.read(docs.ReadArgs{Path: "a.pdf"}) // so that the search has the text at once
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if r, err := p.Search(ctx, seat, docs.SearchArgs{Path: "a.pdf", Query: "nowhere"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the search returns %+v, %v", r, err)
	}
}

func TestCloseEndsCalls(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	reading := make(chan struct{}, 9)
	p.script("a.pdf", hanging(reading))
	errs := make(chan error)
	go func() {
		_, err := p.Read(context.Background(), seat, docs.ReadArgs{Path: "a.pdf"})
		errs <- err
	}()
	<-reading
	go p.Close()
	wantCode(t, <-errs, arc.ShuttingDown)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	_, err := p.Read(t.Context(), seat, docs.ReadArgs{Path: "a.pdf"})
	wantCode(t, err, arc.ShuttingDown)
}

func TestWhatIsShownIsWhatTheHashNames(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	p.texts("b.pdf", "the first version of it")
	first := p.read(docs.ReadArgs{Path: "b.pdf"})
	p.texts("b.pdf", "the second version of it")
	second := p.read(docs.ReadArgs{Path: "b.pdf"})
	if first.SHA256 == second.SHA256 || first.Pages[0].Text != "the first version of it" || second.Pages[0].Text != "the second version of it" {
		t.Errorf("first %+v, second %+v", first, second)
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	asked := []string{}
	answer := ""
	p := newProject(t, &docs.Options{Password: func(_ context.Context, path string) (string, error) {
		asked = append(asked, path)
		if answer == "" {
			return "", errors.New("nobody is there")
		}
		return answer, nil
	}})
	p.script("a.pdf", docstest.Script{Pages: docstest.Text("the secret words"), Password: "sesame"})
	for _, a := range []string{"", "wrong"} {
		answer = a
		_, err := p.Read(t.Context(), seat, docs.ReadArgs{Path: "a.pdf"})
		wantCode(t, err, docs.Encrypted)
	}
	answer = "sesame"
	if r := p.read(docs.ReadArgs{Path: "a.pdf"}); r.Pages[0].Text != "the secret words" {
		t.Errorf("it reads %+v", r.Pages)
	}
	p.read(docs.ReadArgs{Path: "a.pdf"})
	locked := p.fake.File(docstest.Script{Pages: docstest.Text("the other words"), Password: "sesame"})
	if text, err := p.Text(t.Context(), locked); err != nil || text != "[page 1]\nthe other words\n" {
		t.Errorf("of a file in memory it reads %q, %v", text, err)
	}
	if want := []string{"a.pdf", "a.pdf", "a.pdf", ""}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q", asked)
	}
}

func TestWhatIsKept(t *testing.T) {
	t.Parallel()
	p := newProject(t, &docs.Options{KeepOpen: 1})
	for _, name := range []string{"a.pdf", "b.pdf"} {
		p.texts(name, "some words here", "and some words there")
	}
	t.Run("texts by content, whatever the path", func(t *testing.T) {
		p.read(docs.ReadArgs{Path: "a.pdf"})
		b, err := os.ReadFile(filepath.Join(p.dir, "a.pdf"))
		if err != nil {
			t.Fatal(err)
		}
		p.put("copy.pdf", b)
		p.read(docs.ReadArgs{Path: "copy.pdf"})
		p.search(docs.SearchArgs{Path: "copy.pdf", Query: "words"})
		if c := p.fake.Counts(); c.Pages-c.Inked != 2 || c.Opened != 1 {
			t.Errorf("%d pages were read of %d documents", c.Pages, c.Opened)
		}
	})
	t.Run("one document open, and its copy", func(t *testing.T) {
		p.read(docs.ReadArgs{Path: "b.pdf"})
		if c := p.fake.Counts(); c.Opened != 2 || c.Closed != 1 {
			t.Errorf("%d documents were opened and %d closed", c.Opened, c.Closed)
		}
	})
	t.Run("texts no longer than there is room", func(t *testing.T) {
		p := newProject(t, &docs.Options{CacheBytes: 3000})
		p.texts("a.pdf", prose(1000), prose(1000), prose(1000), prose(1000))
		for range 2 {
			p.read(docs.ReadArgs{Path: "a.pdf", EndPage: 4})
		}
		if n := p.fake.Counts().Pages; n <= 4 || n > 8 {
			t.Errorf("%d pages were read", n)
		}
	})
	t.Run("nothing open that nobody uses for long", func(t *testing.T) {
		p := newProject(t, &docs.Options{KeepFor: time.Millisecond})
		p.texts("a.pdf", "some words here")
		p.read(docs.ReadArgs{Path: "a.pdf"})
		for p.fake.Counts().Closed == 0 {
			if t.Context().Err() != nil {
				t.Fatal("the document stays open")
			}
			time.Sleep(time.Millisecond)
		}
		p.read(docs.ReadArgs{Path: "a.pdf", StartPage: 1})
	})
	t.Run("one whose engine panicked at a page is closed after a while too", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, &docs.Options{KeepFor: time.Millisecond})
		p.script("a.pdf", docstest.Script{Pages: docstest.Text("some words here"), Read: func(context.Context, int) error { panic("a page") }})
		func() {
			defer func() { _ = recover() }() // as a session does
			p.Read(t.Context(), seat, docs.ReadArgs{Path: "a.pdf"})
			t.Error("nothing panicked")
		}()
		for begin := time.Now(); p.fake.Counts().Closed == 0; time.Sleep(time.Millisecond) {
			if time.Since(begin) > 20*time.Second {
				t.Fatal("the document stays open")
			}
		}
	})
}

func TestCallsForOneDocumentShareIt(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	texts := make([]string, 60)
	for i := range texts {
		texts[i] = fmt.Sprintf("the words of page %d", i+1)
	}
	p.texts("a.pdf", texts...)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			r, err := p.Search(t.Context(), seat, docs.SearchArgs{Path: "a.pdf", Query: "words", Limit: 50})
			if err != nil || r.MatchCount != 50 {
				t.Errorf("%+v, %v", r, err)
			}
		})
		wg.Go(func() {
			r, err := p.Read(t.Context(), seat, docs.ReadArgs{Path: "a.pdf", StartPage: 20, EndPage: 31})
			if err != nil || len(r.Pages) != 12 || r.Pages[11].Text != texts[30] {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	wg.Wait()
	if c := p.fake.Counts(); c.Pages-c.Inked > 60 || c.Opened != 1 {
		t.Errorf("%d pages were read of %d documents", c.Pages, c.Opened)
	}
}
