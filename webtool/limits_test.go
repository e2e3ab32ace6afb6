package webtool_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/webtool"
	"github.com/arcseat/arc/webtool/webtest"
)

// bubble runs fn where time passes only when nothing else can happen. The network
// has example.com, which h serves.
func bubble(t *testing.T, h http.Handler, o *webtool.Options, fn func(*testing.T, *webtool.Web, *webtest.Net)) {
	synctest.Test(t, func(t *testing.T) {
		n := webtest.NewNet()
		n.Name("example.com", publicAddr)
		stop := n.Serve(publicAddr+":80", h)
		with := webtool.Options{}
		if o != nil {
			with = *o
		}
		with.Resolver, with.Dial = n, n.Dial
		w := webtool.New(&with)
		fn(t, w, n)
		w.Close()
		stop()
	})
}

func took(t *testing.T, want time.Duration, fn func()) {
	t.Helper()
	began := time.Now()
	fn()
	if got := time.Since(began); got != want {
		t.Errorf("it took %v, want %v", got, want)
	}
}

// raw is a handler that takes the connection over.
func raw(fn func(w io.Writer, gone <-chan struct{})) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer c.Close()
		gone := make(chan struct{})
		go func() {
			io.Copy(io.Discard, c)
			close(gone)
		}()
		fn(c, gone)
		c.Close()
		<-gone
		_ = rw
	}
}

func TestTimeIsBounded(t *testing.T) {
	t.Parallel()
	t.Run("a body that trickles ends after 30 seconds in all", func(t *testing.T) {
		t.Parallel()
		bubble(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				fmt.Fprint(w, "<p>x")
				w.(http.Flusher).Flush()
				time.Sleep(time.Second)
			}
		}), nil, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			took(t, 30*time.Second, func() {
				e := refused(t, w, webtool.Reader{}, "http://example.com/", arc.TimedOut)
				if f := failure(t, e); !f.Retryable || f.URL != "http://example.com/" {
					t.Errorf("got %+v", f)
				}
			})
			time.Sleep(2 * time.Second) // the server sees that nobody listens
		})
	})
	t.Run("headers that do not come end after 10 seconds", func(t *testing.T) {
		t.Parallel()
		bubble(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), nil,
			func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
				took(t, 10*time.Second, func() { refused(t, w, webtool.Reader{}, "http://example.com/", arc.TimedOut) })
			})
	})
	t.Run("headers that trickle end too", func(t *testing.T) {
		t.Parallel()
		bubble(t, raw(func(w io.Writer, gone <-chan struct{}) {
			fmt.Fprint(w, "HTTP/1.1 200 OK\r\n")
			for {
				select {
				case <-gone:
					return
				case <-time.After(time.Second):
					fmt.Fprint(w, "X: y\r\n")
				}
			}
		}), nil, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			took(t, 10*time.Second, func() { refused(t, w, webtool.Reader{}, "http://example.com/", arc.TimedOut) })
		})
	})
	t.Run("a name that is not answered, and an address that is not, end too, and leave nothing behind", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			n := webtest.NewNet()
			n.Name("example.com", publicAddr)
			hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
			w := webtool.New(&webtool.Options{Resolver: n, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) { return nil, hang(ctx) }})
			took(t, 30*time.Second, func() { refused(t, w, webtool.Reader{}, "http://example.com/", arc.TimedOut) })
			w.Close()
			w = webtool.New(&webtool.Options{Resolver: resolver(hang), Dial: n.Dial})
			took(t, 30*time.Second, func() { refused(t, w, webtool.Reader{}, "http://example.com/", arc.TimedOut) })
			w.Close()
		})
	})
	t.Run("of several addresses one that is not answered costs 3 seconds", func(t *testing.T) {
		t.Parallel()
		bubble(t, page("text/plain", "words"), nil, func(t *testing.T, _ *webtool.Web, n *webtest.Net) {
			n.Name("example.com", "2606:4700::1", publicAddr)
			w := webtool.New(&webtool.Options{Resolver: n, Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
				if strings.HasPrefix(addr, "[") {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return n.Dial(ctx, network, addr)
			}})
			defer w.Close()
			took(t, 3*time.Second, func() { fetch(t, w, "http://example.com/") })
		})
	})
	t.Run("the time is that of all redirects together", func(t *testing.T) {
		t.Parallel()
		bubble(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(9 * time.Second)
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
		}), nil, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			took(t, 30*time.Second, func() { refused(t, w, webtool.Reader{}, "http://example.com/", arc.TimedOut) })
			time.Sleep(10 * time.Second)
		})
	})
	t.Run("a caller who leaves is let go at once", func(t *testing.T) {
		t.Parallel()
		bubble(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), nil,
			func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				took(t, time.Second, func() {
					if _, err := w.Fetch(ctx, webtool.Reader{}, webtool.FetchArgs{URL: "http://example.com/"}); !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("it is %v", err)
					}
				})
			})
	})
}

func TestSizeIsBounded(t *testing.T) {
	t.Parallel()
	t.Run("a long page is shown as far as it is read, and says so", func(t *testing.T) {
		t.Parallel()
		n := network(t, page("text/plain", strings.Repeat("0123456789abcdef\n", 1<<20)))
		w := open(t, n, nil)
		r := fetch(t, w, "http://example.com/")
		if r.Range.Total > 5<<20 || r.Range.Total < 5<<20-20 || !r.Truncated || !slices.Contains(r.Notes, "source_cut") || r.Next == nil {
			t.Errorf("got %+v", r.Range)
		}
		last, err := w.Fetch(t.Context(), webtool.Reader{}, webtool.FetchArgs{URL: r.URL, Offset: r.Range.Total - 100})
		if err != nil || !last.Truncated || last.Next != nil {
			t.Errorf("its last page is %+v, %v", last, err)
		}
	})
	t.Run("a bomb of gzip is cut after 5 MiB", func(t *testing.T) {
		t.Parallel()
		var sent atomic.Int64
		n := network(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			zeros := []byte(strings.Repeat("0", 1<<20))
			for range 10 << 10 { // 10 GiB
				if _, err := z.Write(zeros); err != nil || r.Context().Err() != nil { // compressing is slow to notice
					return
				}
				sent.Add(1)
			}
		}))
		patient := &webtool.Options{Limits: webtool.Limits{Timeout: 5 * time.Minute, HeaderTimeout: 5 * time.Minute}} // compressing takes its time where much else runs
		r := fetch(t, open(t, n, patient), "http://example.com/")
		if r.Range.Total < 5<<20 || r.Range.Total > 5<<20+1 || !slices.Contains(r.Notes, "source_cut") {
			t.Errorf("the text has %d bytes, notes %v", r.Range.Total, r.Notes)
		}
		if sent.Load() > 200 {
			t.Errorf("the server got rid of %d MiB", sent.Load())
		}
	})
	t.Run("a gzip file of a bomb is cut too", func(t *testing.T) {
		t.Parallel()
		var b strings.Builder
		z := gzip.NewWriter(&b)
		for range 8 {
			io.WriteString(z, strings.Repeat("0", 1<<20))
		}
		z.Close()
		r := fetch(t, open(t, network(t, page("application/gzip", b.String())), nil), "http://example.com/x.gz")
		if r.Range.Total > 5<<20+1 || !r.Truncated {
			t.Errorf("the text has %d bytes", r.Range.Total)
		}
	})
	t.Run("headers over 256 KiB are refused", func(t *testing.T) {
		t.Parallel()
		n := network(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X", strings.Repeat("x", 300<<10))
		}))
		refused(t, open(t, n, nil), webtool.Reader{}, "http://example.com/", arc.TooLarge)
	})
	t.Run("a length that promises more than comes is a page that says it is short", func(t *testing.T) {
		t.Parallel()
		n := network(t, raw(func(w io.Writer, _ <-chan struct{}) {
			fmt.Fprint(w, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000000000000\r\n\r\nwords")
		}))
		w := open(t, n, nil)
		r := fetch(t, w, "http://example.com/")
		if !strings.HasPrefix(r.Text, "words") || !r.Truncated || !slices.Contains(r.Notes, "source_short") {
			t.Errorf("got %+v", r)
		}
		if again := fetch(t, w, "http://example.com/"); again.Cache.Hit {
			t.Error("a short page is served again")
		}
	})
	t.Run("a part that nobody asked for is a page that says it is short", func(t *testing.T) {
		t.Parallel()
		n := network(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 0-8/100")
			w.WriteHeader(http.StatusPartialContent)
			io.WriteString(w, "The words")
		}))
		if r := fetch(t, open(t, n, nil), "http://example.com/"); !r.Truncated || !slices.Contains(r.Notes, "source_short") || !strings.Contains(r.Text, "The words") {
			t.Errorf("it is %+v", r)
		}
	})
	t.Run("a length that promises less cuts there", func(t *testing.T) {
		t.Parallel()
		n := network(t, raw(func(w io.Writer, _ <-chan struct{}) {
			fmt.Fprint(w, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nwords that nobody reads")
		}))
		if r := fetch(t, open(t, n, nil), "http://example.com/"); strings.TrimSpace(r.Text) != "words" || r.Truncated {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("a negative length, and a body of no length", func(t *testing.T) {
		t.Parallel()
		n := network(t, raw(func(w io.Writer, _ <-chan struct{}) {
			fmt.Fprint(w, "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nwords")
		}))
		refused(t, open(t, n, nil), webtool.Reader{}, "http://example.com/", webtool.ConnectError)
		n = network(t, raw(func(w io.Writer, _ <-chan struct{}) { fmt.Fprint(w, "HTTP/1.1 200 OK\r\n\r\n") }))
		if r := fetch(t, open(t, n, nil), "http://example.com/"); r.Text != "" || r.Truncated {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("what is no HTTP", func(t *testing.T) {
		t.Parallel()
		for _, said := range []string{"SSH-2.0-x\r\n", "", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"} {
			n := network(t, raw(func(w io.Writer, _ <-chan struct{}) { io.WriteString(w, said) }))
			refused(t, open(t, n, nil), webtool.Reader{}, "http://example.com/", webtool.ConnectError)
		}
	})
	t.Run("a server that switches to another protocol, and says no more", func(t *testing.T) {
		t.Parallel()
		bubble(t, raw(func(w io.Writer, gone <-chan struct{}) {
			io.WriteString(w, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nwords")
			<-gone
		}), nil, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			refused(t, w, webtool.Reader{}, "http://example.com/", webtool.ConnectError)
		})
	})
}

func TestTextIsMadeOfSomePagesAtATime(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/error" {
			w.WriteHeader(http.StatusNotFound)
		}
		page("text/html", "<p>The words.")(w, r)
	})
	t.Run("the next waits, within its 30 seconds", func(t *testing.T) {
		t.Parallel()
		bubble(t, h, &webtool.Options{Limits: webtool.Limits{Converting: 3}}, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			release := w.HoldConverting()
			took(t, 30*time.Second, func() { refused(t, w, webtool.Reader{}, "http://example.com/", arc.TimedOut) })
			took(t, 30*time.Second, func() { refused(t, w, webtool.Reader{}, "http://example.com/error", arc.TimedOut) })
			time.AfterFunc(5*time.Second, release)
			took(t, 5*time.Second, func() {
				if r := fetch(t, w, "http://example.com/"); r.Text != "The words.\n" {
					t.Errorf("it is %q", r.Text)
				}
			})
			refused(t, w, webtool.Reader{}, "http://example.com/error", webtool.HTTPError)
		})
	})
	t.Run("with Close nobody waits any longer", func(t *testing.T) {
		t.Parallel()
		bubble(t, h, nil, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			w.HoldConverting()
			time.AfterFunc(time.Second, func() { w.Close() })
			took(t, time.Second, func() { refused(t, w, webtool.Reader{}, "http://example.com/", arc.ShuttingDown) })
		})
	})
}

func TestLimitsBelowZeroAreTheDefaults(t *testing.T) {
	t.Parallel()
	for _, l := range []webtool.Limits{{Timeout: -1}, {HeaderTimeout: -1}, {BodyBytes: -1}, {HeaderBytes: -1}, {PageBytes: -1}, {KeepFor: -1}, {PerHost: -1}, {PerMinute: -1}, {Converting: -1}, {SearchTimeout: -1}} {
		w := open(t, network(t, page("text/plain", "The words.")), &webtool.Options{Limits: l})
		if r := fetch(t, w, "http://example.com/"); r.Text != "The words." {
			t.Errorf("with %+v it is %q", l, r.Text)
		}
	}
}

func TestHostileMarkup(t *testing.T) {
	t.Parallel()
	var attributes strings.Builder
	attributes.WriteString("<p")
	for i := range 400_000 {
		fmt.Fprintf(&attributes, " a%d", i)
	}
	attributes.WriteString(">The words.</p>")
	for name, body := range map[string]string{
		"400,000 attributes":       attributes.String(),
		"512 levels":               strings.Repeat("<div>", 600) + "The words." + strings.Repeat("</div>", 600),
		"100,000 levels":           strings.Repeat("<b>", 100_000) + "The words.",
		"links that are not ended": strings.Repeat("<a href=x>", 40_000) + "The words.",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, network(t, page("text/html", body)), &webtool.Options{Limits: webtool.Limits{Timeout: 5 * time.Minute}})
			r := fetch(t, w, "http://example.com/")
			if r.Range.Total > 6*len(body) {
				t.Errorf("%d bytes have become %d", len(body), r.Range.Total)
			}
			found := false
			for {
				found = found || strings.Contains(r.Text, "The words.")
				if r.Next == nil {
					break
				}
				var err error
				if r, err = w.Fetch(t.Context(), webtool.Reader{}, webtool.FetchArgs{URL: r.URL, Offset: *r.Range.NextOffset}); err != nil {
					t.Fatal(err)
				}
			}
			if !found {
				t.Error("the words are not in the text")
			}
		})
	}
}

func TestHostsAreAskedWithCare(t *testing.T) {
	t.Parallel()
	t.Run("two at a time", func(t *testing.T) {
		t.Parallel()
		var now, most atomic.Int32
		bubble(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Second)
			now.Add(-1)
			page("text/plain", "x")(w, nil)
		}), nil, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			took(t, 4*time.Second, func() {
				var wg sync.WaitGroup
				for i := range 8 {
					wg.Go(func() { fetch(t, w, fmt.Sprint("http://example.com/", i)) })
				}
				wg.Wait()
			})
			if most.Load() != 2 {
				t.Errorf("%d at a time", most.Load())
			}
		})
	})
	t.Run("30 in a minute; the next waits while its 30 seconds last, or hears at once that they do not", func(t *testing.T) {
		t.Parallel()
		bubble(t, page("text/plain", "x"), nil, func(t *testing.T, w *webtool.Web, n *webtest.Net) {
			took(t, 0, func() {
				for i := range 30 {
					fetch(t, w, fmt.Sprint("http://example.com/", i))
				}
			})
			time.Sleep(20 * time.Second)
			took(t, 0, func() {
				e := refused(t, w, webtool.Reader{}, "http://example.com/x", webtool.RateLimited)
				if f := failure(t, e); f.RetryAfterSec != 40 || !f.Retryable || f.Reason != "pacing" {
					t.Errorf("got %+v", f)
				}
			})
			time.Sleep(15 * time.Second)
			took(t, 25*time.Second, func() { fetch(t, w, "http://example.com/x") })
			n.Name("other.example", publicAddr)
			took(t, 0, func() { fetch(t, w, "http://other.example/") })
		})
	})
	t.Run("a server that asks for patience is not asked before", func(t *testing.T) {
		t.Parallel()
		var asked atomic.Int32
		bubble(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			if r.URL.Path == "/busy" {
				w.Header().Set("Retry-After", "60")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			http.Error(w, "no", http.StatusInternalServerError)
		}), nil, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
			refused(t, w, webtool.Reader{}, "http://example.com/busy", webtool.RateLimited)
			time.Sleep(20 * time.Second)
			e := refused(t, w, webtool.Reader{}, "http://example.com/busy", webtool.RateLimited)
			if f := failure(t, e); asked.Load() != 1 || f.RetryAfterSec != 40 {
				t.Errorf("asked %d times, %+v", asked.Load(), f)
			}
			time.Sleep(40 * time.Second)
			refused(t, w, webtool.Reader{}, "http://example.com/busy", webtool.RateLimited)
			for range 2 { // no other error is remembered
				refused(t, w, webtool.Reader{}, "http://example.com/broken", webtool.HTTPError)
			}
			if asked.Load() != 4 {
				t.Errorf("asked %d times", asked.Load())
			}
		})
	})
}
