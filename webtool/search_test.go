package webtool_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/webtool"
	"github.com/arcseat/arc/webtool/webtest"
)

func searcher(t *testing.T, chain ...webtool.Searcher) *webtool.Web {
	t.Helper()
	w := webtool.New(&webtool.Options{Search: chain})
	t.Cleanup(func() { w.Close() })
	return w
}

func search(t *testing.T, w *webtool.Web, query string, most int) *webtool.SearchResult {
	t.Helper()
	r, err := w.Search(t.Context(), webtool.SearchArgs{Query: query, MaxResults: most})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWhatIsFound(t *testing.T) {
	t.Parallel()
	hits := []webtool.Hit{
		{Title: "<b>Go</b> &amp; &lt;burrows&gt;\u200b", URL: "HTTPS://Go.dev:443/doc", Snippet: "  The\n\tGo <em>docs</em>. ", HTML: true},
		{Title: "script", URL: "javascript:alert(1)"},
		{Title: "relative", URL: "/doc"},
		{Title: "password", URL: "https://a:b@go.dev/"},
		{Title: "the same, from an advertisement", URL: "https://go.dev/doc?utm_source=x&gclid=1#frag"},
		{Title: "", URL: "https://b.example/?a=1&fbclid=2#part"},
		{Title: strings.Repeat("long ", 100), URL: "https://c.example/", Snippet: strings.Repeat("日本", 400), Published: " 2026-01-02 \n"},
		{Title: "The <div> element &\u200b &amp;", URL: "https://d.example/", Snippet: "x <y\nand z> x"},
		{Title: "five", URL: "https://e.example/"},
		{Title: "six", URL: "https://f.example/"},
	}
	fake := &webtest.Fake{Hits: hits}
	w := searcher(t, fake)
	r := search(t, w, " gophers \n dig ", 0)
	if r.Query != "gophers dig" || r.Provider != "fake" || r.Count != 5 || !r.Untrusted || r.Cache.Hit || r.Notes != nil {
		t.Errorf("got %+v", r)
	}
	want := []webtool.Hit{
		{Title: "Go & <burrows>", URL: "https://go.dev/doc", Snippet: "The Go docs."},
		{Title: "b.example", URL: "https://b.example/?a=1&fbclid=2#part"},
		{Title: r.Results[2].Title, URL: "https://c.example/", Snippet: r.Results[2].Snippet, Published: "2026-01-02"},
		{Title: "The <div> element & &amp;", URL: "https://d.example/", Snippet: "x <y and z> x"},
		{Title: "five", URL: "https://e.example/"},
	}
	if !slices.Equal(r.Results, want) {
		t.Errorf("got\n%+v\nwant\n%+v", r.Results, want)
	}
	if n := utf8.RuneCountInString(r.Results[2].Title); n > 200 || !strings.HasSuffix(r.Results[2].Title, "long…") {
		t.Errorf("a long title has %d characters and ends in %q", n, r.Results[2].Title[900:])
	}
	if n := utf8.RuneCountInString(r.Results[2].Snippet); n != 500 {
		t.Errorf("a long snippet has %d characters", n)
	}
	if got := fake.Asked(); len(got) != 1 || got[0] != (webtool.Query{Text: "gophers dig", Max: 10}) {
		t.Errorf("the provider was asked %+v", got)
	}
	if r = search(t, w, "gophers", 2); r.Count != 2 || len(r.Results) != 2 {
		t.Errorf("two are %+v", r.Results)
	}
}

func TestQueries(t *testing.T) {
	t.Parallel()
	w := searcher(t, &webtest.Fake{})
	for _, a := range []webtool.SearchArgs{{}, {Query: " \n"}, {Query: strings.Repeat("é", 401)}, {Query: "q", MaxResults: 6}, {Query: "q", MaxResults: -1}} {
		if _, err := w.Search(t.Context(), a); !errors.Is(err, arc.InvalidArguments) {
			t.Errorf("%+v: %v", a, err)
		}
	}
	if r := search(t, w, strings.Repeat("é", 400), 5); r.Count != 0 || r.Results == nil {
		t.Errorf("nothing found is %+v", r)
	}
}

func TestTheChain(t *testing.T) {
	t.Parallel()
	hit := []webtool.Hit{{Title: "a", URL: "https://a.example/"}}
	down := func(code arc.Code) error { return &arc.Error{Code: code, Message: "no."} }
	t.Run("the next is asked only where one has failed, and the result says who has", func(t *testing.T) {
		t.Parallel()
		for _, code := range []arc.Code{webtool.RateLimited, webtool.ProviderAuth, webtool.ProviderBlocked, webtool.ProviderUnavailable, webtool.ProviderParseError} {
			third := &webtest.Fake{As: "third", Hits: hit}
			w := searcher(t, &webtest.Fake{As: "first", Err: down(code)}, &webtest.Fake{As: "second", Err: errors.New("its key is secret")}, third)
			r := search(t, w, "q", 0)
			if want := []string{"first:" + string(code), "second:provider_unavailable"}; r.Provider != "third" || !slices.Equal(r.Notes, want) || r.Count != 1 {
				t.Errorf("got %+v", r)
			}
		}
	})
	t.Run("that nothing was found is an answer", func(t *testing.T) {
		t.Parallel()
		second := &webtest.Fake{As: "second", Hits: hit}
		if r := search(t, searcher(t, &webtest.Fake{As: "first"}, second), "q", 0); r.Provider != "first" || r.Count != 0 || len(second.Asked()) != 0 {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("when all have failed the error is the first one's, and names all", func(t *testing.T) {
		t.Parallel()
		_, err := searcher(t, &webtest.Fake{As: "first", Err: down(webtool.ProviderBlocked)}, &webtest.Fake{As: "second", Err: errors.New("x")}).Search(t.Context(), webtool.SearchArgs{Query: "q"})
		f := detail(t, err)
		if !errors.Is(err, webtool.ProviderBlocked) || f.Provider != "first" || !slices.Equal(f.Tried, []string{"first:provider_blocked", "second:provider_unavailable"}) {
			t.Errorf("got %v, %+v", err, f)
		}
	})
	t.Run("one that hangs does not take the others' time", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			hang := &webtest.Fake{As: "hang", Reply: func(ctx context.Context, _ webtool.Query) ([]webtool.Hit, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}}
			w := webtool.New(&webtool.Options{Search: []webtool.Searcher{hang, &webtest.Fake{Hits: hit}}})
			defer w.Close()
			took(t, 10*time.Second, func() {
				if r := search(t, w, "q", 0); r.Provider != "fake" || !slices.Equal(r.Notes, []string{"hang:provider_unavailable"}) {
					t.Errorf("got %+v", r)
				}
			})
			all := webtool.New(&webtool.Options{Search: []webtool.Searcher{hang, hang, hang, hang}})
			defer all.Close()
			took(t, 30*time.Second, func() {
				if _, err := all.Search(t.Context(), webtool.SearchArgs{Query: "q"}); !errors.Is(err, arc.TimedOut) && !errors.Is(err, webtool.ProviderUnavailable) {
					t.Errorf("got %v", err)
				}
			})
			ctx, cancel := contextFor(time.Second)
			defer cancel()
			took(t, time.Second, func() {
				if _, err := all.Search(ctx, webtool.SearchArgs{Query: "q"}); !errors.Is(err, arc.TimedOut) {
					t.Errorf("got %v", err)
				}
			})
			if err := all.Close(); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("for 5 minutes the same question has the same answer; a failure has not", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var err error
			hit := slices.Clone(hit)
			fake := &webtest.Fake{Reply: func(context.Context, webtool.Query) ([]webtool.Hit, error) { return slices.Clone(hit), err }}
			w := webtool.New(&webtool.Options{Search: []webtool.Searcher{fake}})
			defer w.Close()
			search(t, w, "q", 0)
			time.Sleep(4 * time.Minute)
			r := search(t, w, " q ", 0)
			if !r.Cache.Hit || r.Cache.AgeSec != 240 || r.Count != 1 {
				t.Errorf("got %+v", r)
			}
			r.Results[0].Title = "changed by its owner"
			if r = search(t, w, "q", 0); r.Results[0].Title != "a" {
				t.Error("a caller has changed what is kept")
			}
			hit = nil
			search(t, w, "q", 3)
			time.Sleep(2 * time.Minute)
			err = down(webtool.RateLimited)
			for range 2 {
				if _, err := w.Search(t.Context(), webtool.SearchArgs{Query: "q"}); !errors.Is(err, webtool.RateLimited) {
					t.Errorf("got %v", err)
				}
			}
			if n := len(fake.Asked()); n != 4 {
				t.Errorf("it was asked %d times", n)
			}
			err, hit = nil, []webtool.Hit{{Title: "a", URL: "https://a.example/"}}
			if r := search(t, w, "q", 3); r.Cache.Hit || r.Count != 1 {
				t.Errorf("that nothing was found is kept: %+v", r)
			}
			for i := range 500 { // and it is bounded
				search(t, w, fmt.Sprint("q", i), 0)
			}
		})
	})
	t.Run("a host without search says so", func(t *testing.T) {
		t.Parallel()
		for _, chain := range [][]webtool.Searcher{{}, {webtool.NoSearch}, {nil}} {
			w := webtool.New(&webtool.Options{Search: chain})
			defer w.Close()
			if _, err := w.Search(t.Context(), webtool.SearchArgs{Query: "q"}); !errors.Is(err, webtool.NoProvider) || len(w.Tools()) != 1 {
				t.Errorf("%v: %v, %d tools", chain, err, len(w.Tools()))
			}
		}
		if _, err := webtool.NoSearch.Search(t.Context(), webtool.Query{}); !errors.Is(err, webtool.NoProvider) || webtool.NoSearch.Name() != "none" {
			t.Errorf("got %v", err)
		}
	})
}

func TestRequestsToBraveAreSpacedOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var at []time.Duration
		began := time.Now()
		w := webtool.New(&webtool.Options{Search: []webtool.Searcher{webtool.Brave("k", &webtool.ProviderOptions{
			Transport: tripper(func() string {
				mu.Lock()
				defer mu.Unlock()
				at = append(at, time.Since(began))
				return `{"type":"search"}`
			}),
		})}})
		defer w.Close()
		done := make(chan error)
		for i := range 4 {
			go func() {
				_, err := w.Search(t.Context(), webtool.SearchArgs{Query: fmt.Sprint("q", i)})
				done <- err
			}()
		}
		for range 4 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if want := []time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("they came at %v", at)
		}
	})
}
