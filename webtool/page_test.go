package webtool_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/webtool"
	"github.com/arcseat/arc/webtool/webtest"
)

// paragraphs is a text of n bytes or a little more, a paragraph a line.
func paragraphs(n int, word string) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "Paragraph %d: %s.\n\n", i, strings.TrimSpace(strings.Repeat(word+" ", 20)))
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// Joined, the pages of a text are the text, byte for byte; each is text on its own,
// and is as large as may be or less.
func TestPagesJoinToTheSnapshot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"word ", "é", "漢字", "😀", "\n", "\n\n", "a\tb", "[x](/y)", "  ", strings.Repeat("long", 300), strings.Repeat("漢", 600)})
		body := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "body"), "")
		media := rapid.SampledFrom([]string{"text/plain; charset=utf-8", "text/markdown; charset=utf-8", "text/html; charset=utf-8"}).Draw(t, "media")
		if strings.HasPrefix(media, "text/html") {
			body = "<main><p>" + strings.ReplaceAll(body, "\n\n", "</p><p>") + "</p></main><footer><p>" + body + "</p></footer>"
		}
		n := webtest.NewNet()
		n.Name("example.com", publicAddr)
		defer n.Serve(publicAddr+":80", page(media, body))()
		size := rapid.IntRange(1<<10, 2<<10).Draw(t, "size")
		w := webtool.New(&webtool.Options{Resolver: n, Dial: n.Dial, Limits: webtool.Limits{PageBytes: size, PerMinute: 1 << 20, BodyBytes: int64(rapid.SampledFrom([]int{900, 5 << 20}).Draw(t, "limit"))}})
		defer w.Close()

		a := webtool.FetchArgs{URL: "http://example.com/"}
		var joined strings.Builder
		var first *webtool.FetchResult
		for {
			r, err := w.Fetch(t.Context(), webtool.Reader{}, a)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = r
			}
			if r.Range.Offset != a.Offset || r.Range.End-r.Range.Offset != len(r.Text) || len(r.Text) > size || !utf8.ValidString(r.Text) {
				t.Fatalf("at %d: %+v, %d bytes", a.Offset, r.Range, len(r.Text))
			}
			if r.Range.Total != first.Range.Total || r.Snapshot != first.Snapshot || (r.Range.MainEnd == nil) != (first.Range.MainEnd == nil) {
				t.Fatalf("the snapshot changes from %+v to %+v", first, r)
			}
			joined.WriteString(r.Text)
			if r.Range.NextOffset == nil {
				break
			}
			if *r.Range.NextOffset <= a.Offset || !r.Truncated || r.Next == nil {
				t.Fatalf("at %d it goes on with %+v", a.Offset, r.Range)
			}
			a.Offset = *r.Range.NextOffset
		}
		if joined.Len() != first.Range.Total {
			t.Fatalf("the pages have %d bytes, the text %d", joined.Len(), first.Range.Total)
		}
		// Read at once, the text is the same.
		whole := webtool.New(&webtool.Options{Resolver: n, Dial: n.Dial, Limits: webtool.Limits{PageBytes: 64 << 10, BodyBytes: 5 << 20}})
		defer whole.Close()
		if r, err := whole.Fetch(t.Context(), webtool.Reader{}, webtool.FetchArgs{URL: a.URL}); err != nil || r.Range.NextOffset == nil && r.Range.Total == first.Range.Total && r.Text != joined.String() {
			t.Fatalf("whole it is another text: %v", err)
		}
		// Any offset is the start of a page of its own.
		a.Offset = rapid.IntRange(0, first.Range.Total).Draw(t, "offset")
		r, err := w.Fetch(t.Context(), webtool.Reader{}, a)
		if err != nil || r.Range.Offset > a.Offset || a.Offset-r.Range.Offset >= utf8.UTFMax || r.Text != joined.String()[r.Range.Offset:r.Range.End] {
			t.Fatalf("at %d: %+v, %v", a.Offset, r, err)
		}
	})
}

func TestWherePagesEnd(t *testing.T) {
	t.Parallel()
	read := func(t *testing.T, media, body string) *webtool.FetchResult {
		t.Helper()
		return fetch(t, open(t, network(t, page(media, body)), nil), "http://example.com/")
	}
	t.Run("between blocks", func(t *testing.T) {
		t.Parallel()
		r := read(t, "text/plain", paragraphs(60_000, "word"))
		if len(r.Text) > 24<<10 || len(r.Text) < 18<<10 || !strings.HasSuffix(r.Text, ".\n\n") {
			t.Errorf("it has %d bytes and ends in %q", len(r.Text), r.Text[len(r.Text)-20:])
		}
	})
	t.Run("between lines, where there are no blocks", func(t *testing.T) {
		t.Parallel()
		r := read(t, "text/plain", strings.Repeat("a line of a table, say\n", 3000))
		if len(r.Text) < 24<<10-30 || !strings.HasSuffix(r.Text, "say\n") {
			t.Errorf("it has %d bytes and ends in %q", len(r.Text), r.Text[len(r.Text)-20:])
		}
	})
	t.Run("between characters, where there is nothing else", func(t *testing.T) {
		t.Parallel()
		r := read(t, "text/plain; charset=utf-8", strings.Repeat("漢", 20_000))
		if len(r.Text) != 24<<10 || !utf8.ValidString(r.Text) {
			t.Errorf("it has %d bytes", len(r.Text))
		}
	})
	t.Run("where the main part does, if that is most of a page away", func(t *testing.T) {
		t.Parallel()
		html := func(n int, body string) string {
			var b strings.Builder
			for i := 0; b.Len() < n; i++ {
				fmt.Fprintf(&b, "<p>Paragraph %d of the %s has words, and some commas, so that it is read as text.</p>\n", i, body)
			}
			return b.String()
		}
		r := read(t, "text/html", "<body><main><h1>Title</h1>"+html(20_000, "main part")+"</main><footer>"+html(40_000, "footer")+"</footer>")
		if r.Range.MainEnd == nil || *r.Range.MainEnd != r.Range.End || r.Next == nil {
			t.Errorf("the range is %+v, main end %v", r.Range, r.Range.MainEnd)
		}
	})
	t.Run("nowhere, if all fits: nothing is offered that is not there", func(t *testing.T) {
		t.Parallel()
		r := read(t, "text/plain", strings.Repeat("x", 24<<10))
		if r.Next != nil || r.Range.NextOffset != nil || r.Truncated {
			t.Errorf("the range is %+v", r.Range)
		}
	})
}

func TestOffsets(t *testing.T) {
	t.Parallel()
	w := open(t, network(t, page("text/plain; charset=utf-8", "aé漢😀")), nil)
	at := func(offset int) (*webtool.FetchResult, error) {
		return w.Fetch(t.Context(), webtool.Reader{}, webtool.FetchArgs{URL: "http://example.com/", Offset: offset})
	}
	total := fetch(t, w, "http://example.com/").Range.Total
	for asked, want := range map[int]int{0: 0, 1: 1, 2: 1, 3: 3, 4: 3, 5: 3, 6: 6, 9: 6, total: total} {
		if r, err := at(asked); err != nil || r.Range.Offset != want {
			t.Errorf("offset %d becomes %+v, %v", asked, r, err)
		}
	}
	if r, err := at(total); err != nil || r.Text != "" || r.Next != nil {
		t.Errorf("at the end: %+v, %v", r, err)
	}
	_, err := at(total + 1)
	var e *arc.Error
	if !errors.As(err, &e) || e.Code != arc.OutOfRange || fmt.Sprint(e.Detail) != fmt.Sprintf("{%d http://example.com/}", total) {
		t.Errorf("past the end: %v", err)
	}
	if _, err := at(-1); !errors.Is(err, arc.InvalidArguments) {
		t.Errorf("before the start: %v", err)
	}
}

// A site is a page that changes, and counts who asks.
type site struct {
	text        atomic.Pointer[string]
	asked, same atomic.Int32
	header      http.Header
}

func newSite(text string) *site {
	s := &site{header: http.Header{}}
	s.set(text)
	return s
}

func (s *site) set(text string) { s.text.Store(&text) }

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked.Add(1)
	for k, v := range s.header {
		w.Header()[k] = v
	}
	if tag := w.Header().Get("Etag"); tag != "" && r.Header.Get("If-None-Match") == tag {
		s.same.Add(1)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	page("text/plain", *s.text.Load())(w, r)
}

func TestSnapshots(t *testing.T) {
	t.Parallel()
	const url = "http://example.com/"
	old, changed := paragraphs(100_000, "old"), paragraphs(100_000, "new")
	get := func(t *testing.T, w *webtool.Web, r webtool.Reader, offset int) *webtool.FetchResult {
		t.Helper()
		got, err := w.Fetch(t.Context(), r, webtool.FetchArgs{URL: url, Offset: offset})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	isChanged := func(t *testing.T, w *webtool.Web, offset int) {
		t.Helper()
		_, err := w.Fetch(t.Context(), webtool.Reader{}, webtool.FetchArgs{URL: url, Offset: offset})
		var e *arc.Error
		if !errors.As(err, &e) || e.Code != webtool.PageChanged || e.Next == nil || fmt.Sprint(*e.Next) != "{web_fetch map[url:http://example.com/]}" {
			t.Errorf("got %v", err)
		}
	}
	t.Run("further pages are of the first one's text, whatever the site has done since", func(t *testing.T) {
		t.Parallel()
		s := newSite(old)
		bubble(t, s, nil, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			first := get(t, w, webtool.Reader{}, 0)
			s.set(changed)
			time.Sleep(29 * time.Minute)
			second := get(t, w, webtool.Reader{}, first.Range.End)
			time.Sleep(29 * time.Minute) // reading it keeps it
			third := get(t, w, webtool.Reader{}, second.Range.End)
			if third.Snapshot != first.Snapshot || !strings.Contains(third.Text, "old") || s.asked.Load() != 1 || !third.Cache.Hit {
				t.Errorf("%s became %s after %d requests", first.Snapshot, third.Snapshot, s.asked.Load())
			}
		})
	})
	t.Run("a snapshot that nobody reads is dropped; then a changed page is page_changed, and the next call works", func(t *testing.T) {
		t.Parallel()
		s := newSite(old)
		bubble(t, s, nil, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			first := get(t, w, webtool.Reader{}, 0)
			time.Sleep(31 * time.Minute)
			if again := get(t, w, webtool.Reader{}, first.Range.End); again.Snapshot != first.Snapshot || s.asked.Load() != 2 || again.Cache.Hit {
				t.Errorf("an unchanged page is %+v", again)
			}
			s.set(changed)
			time.Sleep(31 * time.Minute)
			isChanged(t, w, first.Range.End)
			isChanged(t, w, first.Range.End) // for as long as it is asked for
			if r := get(t, w, webtool.Reader{}, 0); !strings.Contains(r.Text, "new") {
				t.Errorf("at the start there is %q", r.Text[:100])
			}
		})
	})
	t.Run("an offset of a page that nobody remembers is page_changed, and nothing is sent for it", func(t *testing.T) {
		t.Parallel()
		s := newSite(old)
		bubble(t, s, &webtool.Options{Limits: webtool.Limits{CacheBytes: -1, PerMinute: 10_000}}, func(t *testing.T, w *webtool.Web, n *webtest.Net) {
			isChanged(t, w, 24<<10) // not even begun
			first := get(t, w, webtool.Reader{}, 0)
			if asked := s.asked.Load(); asked != 1 {
				t.Errorf("the site was asked %d times", asked)
			}
			n.Name("many.example", "93.184.216.35")
			defer n.Serve("93.184.216.35:80", page("text/plain", "short"))()
			for i := range 1000 { // as many as are remembered
				fetch(t, w, fmt.Sprintf("http://many.example/%d", i))
			}
			s.set(changed)
			isChanged(t, w, first.Range.End)
		})
	})
	t.Run("an offset of the text before the present one is page_changed", func(t *testing.T) {
		t.Parallel()
		s := newSite(old)
		bubble(t, s, nil, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			first := get(t, w, webtool.Reader{}, 0)
			s.set("A new first paragraph that is rather long.\n\n" + old)
			time.Sleep(6 * time.Minute)
			second := get(t, w, webtool.Reader{}, 0)
			if first.Range.End == second.Range.End {
				t.Fatal("the pages end at the same place, so nothing can tell them apart")
			}
			isChanged(t, w, first.Range.End)
			get(t, w, webtool.Reader{}, second.Range.End)
		})
	})
	t.Run("with no room for snapshots each page is fetched anew, and compared", func(t *testing.T) {
		t.Parallel()
		s := newSite(old)
		bubble(t, s, &webtool.Options{Limits: webtool.Limits{CacheBytes: -1}}, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			first := get(t, w, webtool.Reader{}, 0)
			get(t, w, webtool.Reader{}, first.Range.End)
			s.set(changed)
			isChanged(t, w, first.Range.End)
			if s.asked.Load() != 3 {
				t.Errorf("the site was asked %d times", s.asked.Load())
			}
		})
	})
	t.Run("the least recently read goes first", func(t *testing.T) {
		t.Parallel()
		s := newSite(old)
		bubble(t, s, &webtool.Options{Limits: webtool.Limits{CacheBytes: 300_000, PerMinute: 100}}, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			for _, path := range []string{"a", "b", "a", "c", "a", "b"} {
				fetch(t, w, url+path)
			}
			if s.asked.Load() != 4 { // a, b, c, and b again
				t.Errorf("the site was asked %d times", s.asked.Load())
			}
		})
	})
	t.Run("titles, ids and validators count as well as text", func(t *testing.T) {
		t.Parallel()
		for name, body := range map[string]string{
			"title": "<title>" + strings.Repeat("word ", 40_000) + "</title><p>Text.",
			"ids":   "<p>" + strings.Repeat("<i id=abcdefghij>x</i>", 6_000),
			"etag":  "<p>Text.",
		} {
			s := newSite("<!doctype html>" + body)
			if name == "etag" {
				s.header.Set("Etag", `"`+strings.Repeat("e", 200_000)+`"`)
			}
			bubble(t, s, &webtool.Options{Limits: webtool.Limits{CacheBytes: 300_000}}, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
				for _, path := range []string{"a", "b", "a"} {
					fetch(t, w, url+path)
				}
				if s.asked.Load() != 3 {
					t.Errorf("%s: the site was asked %d times", name, s.asked.Load())
				}
			})
		}
	})
	t.Run("for 5 minutes a page is served again, then its server says whether it is current", func(t *testing.T) {
		t.Parallel()
		s := newSite(old)
		s.header.Set("Etag", `"1"`)
		bubble(t, s, nil, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			get(t, w, webtool.Reader{}, 0)
			time.Sleep(4 * time.Minute)
			if r := get(t, w, webtool.Reader{}, 0); !r.Cache.Hit || r.Cache.AgeSec != 240 || s.asked.Load() != 1 {
				t.Errorf("after 4 minutes: %+v, %d requests", r.Cache, s.asked.Load())
			}
			time.Sleep(2 * time.Minute)
			if r := get(t, w, webtool.Reader{}, 0); !r.Cache.Hit || r.Cache.AgeSec != 0 || s.asked.Load() != 2 || s.same.Load() != 1 {
				t.Errorf("after 6 minutes: %+v, %d requests", r.Cache, s.asked.Load())
			}
			if r := get(t, w, webtool.Reader{}, 0); !r.Cache.Hit || s.asked.Load() != 2 {
				t.Errorf("and then: %+v, %d requests", r.Cache, s.asked.Load())
			}
			s.header.Set("Etag", `"2"`)
			s.set(changed)
			time.Sleep(6 * time.Minute)
			if r := get(t, w, webtool.Reader{}, 0); r.Cache.Hit || !strings.Contains(r.Text, "new") {
				t.Errorf("changed: %+v", r.Cache)
			}
		})
	})
	t.Run("what its server wants nobody to store is fetched anew, and pages all the same", func(t *testing.T) {
		t.Parallel()
		s := newSite(old)
		s.header.Set("Cache-Control", "private, No-Store")
		bubble(t, s, nil, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			get(t, w, webtool.Reader{}, 0)
			first := get(t, w, webtool.Reader{}, 0)
			get(t, w, webtool.Reader{}, first.Range.End)
			if s.asked.Load() != 2 {
				t.Errorf("the site was asked %d times", s.asked.Load())
			}
		})
	})
	t.Run("a local page is fetched anew", func(t *testing.T) {
		t.Parallel()
		s := newSite(old)
		bubble(t, s, nil, func(t *testing.T, w *webtool.Web, n *webtest.Net) {
			n.Name("example.com", "127.0.0.1")
			defer n.Serve("127.0.0.1:80", s)()
			full := webtool.Reader{Access: arc.FullAccess}
			first := get(t, w, full, 0)
			get(t, w, full, 0)
			get(t, w, full, first.Range.End)
			if s.asked.Load() != 2 {
				t.Errorf("the site was asked %d times", s.asked.Load())
			}
		})
	})
	t.Run("seats and kinds of rooms share nothing", func(t *testing.T) {
		t.Parallel()
		s := newSite(old)
		bubble(t, s, nil, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			for _, r := range []webtool.Reader{{}, {Seat: "a"}, {Seat: "b"}, {Access: arc.FullAccess}, {Access: arc.FullAccess, Seat: "a"}} {
				if got := get(t, w, r, 0); got.Cache.Hit {
					t.Errorf("%+v is served what another has read", r)
				}
			}
		})
	})
	t.Run("who asks for a page that is being fetched waits for that, and stays when the first one leaves", func(t *testing.T) {
		t.Parallel()
		var asked atomic.Int32
		bubble(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			time.Sleep(5 * time.Second)
			page("text/plain", "words")(w, r)
		}), nil, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			done := make(chan error, 10)
			for i := range 10 {
				ctx, cancel := t.Context(), func() {}
				if i == 0 {
					c, stop := contextFor(time.Second)
					ctx, cancel = c, stop
				}
				go func() {
					defer cancel()
					_, err := w.Fetch(ctx, webtool.Reader{}, webtool.FetchArgs{URL: url})
					done <- err
				}()
				synctest.Wait()
			}
			failed := 0
			for range 10 {
				if <-done != nil {
					failed++
				}
			}
			if failed != 1 || asked.Load() != 1 {
				t.Errorf("%d failed, %d requests", failed, asked.Load())
			}
		})
	})
	t.Run("a fetch that all have left ends, and the next one begins anew", func(t *testing.T) {
		t.Parallel()
		var ended atomic.Int32
		bubble(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			ended.Add(1)
		}), nil, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			for range 2 {
				ctx, cancel := contextFor(time.Second)
				if _, err := w.Fetch(ctx, webtool.Reader{}, webtool.FetchArgs{URL: url}); err == nil {
					t.Error("it has come")
				}
				cancel()
			}
			synctest.Wait()
			if ended.Load() != 2 {
				t.Errorf("the server was left %d times", ended.Load())
			}
		})
	})
}
