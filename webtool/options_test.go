package webtool_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
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

func TestHostsOptions(t *testing.T) {
	t.Parallel()
	t.Run("a policy hears of what was asked for and of redirects, and its no is forbidden", func(t *testing.T) {
		t.Parallel()
		n := network(t, http.RedirectHandler("/there", http.StatusFound))
		var heard []string
		w := open(t, n, &webtool.Options{URLPolicy: func(_ context.Context, r webtool.Reader, u *url.URL, p webtool.Provenance) error {
			heard = append(heard, fmt.Sprint(r.Seat, " ", u, " ", p))
			if p == webtool.Redirected {
				return errors.New("not that one")
			}
			return nil
		}})
		e := refused(t, w, webtool.Reader{Seat: "s"}, "http://example.com/", arc.Forbidden)
		if want := []string{"s http://example.com/ 0", "s http://example.com/there 1"}; !slices.Equal(heard, want) || strings.Contains(e.Message, "not that one") {
			t.Errorf("heard %q, told %q", heard, e.Message)
		}
	})
	t.Run("a policy that has changed its mind closes what is kept as well", func(t *testing.T) {
		t.Parallel()
		n := network(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/a":
				http.Redirect(w, r, "/b", http.StatusFound)
			case "/b":
				http.Redirect(w, r, "/c", http.StatusFound)
			default:
				page("text/plain", strings.Repeat("words ", 10_000))(w, r)
			}
		}))
		closed := ""
		w := open(t, n, &webtool.Options{URLPolicy: func(_ context.Context, _ webtool.Reader, u *url.URL, _ webtool.Provenance) error {
			if u.Path == closed {
				return errors.New("closed")
			}
			return nil
		}})
		for _, closed = range []string{"", "/b", "/c", "/a", ""} {
			for _, offset := range []int{0, 600} {
				r, err := w.Fetch(t.Context(), webtool.Reader{}, webtool.FetchArgs{URL: "http://example.com/a", Offset: offset})
				if closed == "" && (err != nil || r.FinalURL != "http://example.com/c") || closed != "" && !errors.Is(err, arc.Forbidden) {
					t.Errorf("with %q closed, offset %d: %+v, %v", closed, offset, r, err)
				}
			}
		}
	})
	t.Run("calls that share a request have each a policy of their own", func(t *testing.T) {
		t.Parallel()
		type may struct{}
		slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			if r.URL.Path == "/a" {
				http.Redirect(w, r, "/b", http.StatusFound)
				return
			}
			page("text/plain", "words")(w, r)
		})
		policy := func(ctx context.Context, _ webtool.Reader, u *url.URL, _ webtool.Provenance) error {
			if u.Path == "/b" && ctx.Value(may{}) == nil {
				return errors.New("closed")
			}
			return nil
		}
		for _, first := range []bool{true, false} {
			bubble(t, slow, &webtool.Options{URLPolicy: policy}, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
				var wg sync.WaitGroup
				for i := range 6 {
					open := first == (i%2 == 0)
					ctx := t.Context()
					if open {
						ctx = context.WithValue(ctx, may{}, true)
					}
					wg.Go(func() {
						r, err := w.Fetch(ctx, webtool.Reader{}, webtool.FetchArgs{URL: "http://example.com/a"})
						if open && (err != nil || r.Text != "words") || !open && !errors.Is(err, arc.Forbidden) {
							t.Errorf("call %d: %+v, %v", i, r, err)
						}
					})
					synctest.Wait()
				}
				wg.Wait()
			})
		}
	})
	t.Run("one error that a policy returns again and again stays as it is", func(t *testing.T) {
		t.Parallel()
		detail := &webtool.FetchFailure{Reason: "policy"}
		no := &arc.Error{Code: arc.Forbidden, Message: "this host reads no such page; use another.", Detail: detail}
		n := network(t, http.RedirectHandler("/elsewhere", http.StatusFound))
		w := open(t, n, &webtool.Options{URLPolicy: func(_ context.Context, _ webtool.Reader, _ *url.URL, p webtool.Provenance) error {
			if p == webtool.Redirected {
				return no
			}
			return nil
		}})
		for _, u := range []string{"http://example.com/a", "http://example.com/b"} {
			if f := failure(t, refused(t, w, webtool.Reader{}, u, arc.Forbidden)); f.URL != u || f.Reason != "policy" {
				t.Errorf("%s: the detail is %+v", u, f)
			}
		}
		if detail.URL != "" || detail.FinalURL != "" {
			t.Errorf("the host's own detail has become %+v", detail)
		}
	})
	t.Run("an audit hears of each request, each refusal, and of what came from the cache", func(t *testing.T) {
		t.Parallel()
		n := network(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/in" {
				http.Redirect(w, r, "http://127.0.0.1/", http.StatusFound)
				return
			}
			page("text/plain", "12345")(w, r)
		}))
		var events []string
		w := open(t, n, &webtool.Options{OnFetch: func(e webtool.Event) {
			events = append(events, fmt.Sprint(e.URL, " ", e.Addr, " ", e.Status, " ", e.Bytes, " ", e.Cached, " ", e.Provenance, " ", e.Err != nil))
		}})
		fetch(t, w, "http://example.com/a")
		fetch(t, w, "http://example.com/a")
		refused(t, w, webtool.Reader{}, "http://example.com/in", webtool.BlockedAddress)
		refused(t, w, webtool.Reader{}, "http://a:b@example.com/in", webtool.InvalidURL)
		want := []string{
			"http://example.com/a 93.184.216.34 200 5 false 0 false",
			"http://example.com/a invalid IP 200 0 true 0 false",
			"http://example.com/in 93.184.216.34 302 0 false 0 false",
			"http://127.0.0.1/ invalid IP 0 0 false 1 true",
			" invalid IP 0 0 false 0 true",
		}
		if !slices.Equal(events, want) {
			t.Errorf("heard\n%s\nwant\n%s", strings.Join(events, "\n"), strings.Join(want, "\n"))
		}
	})
	t.Run("PDF files go to the host's reader", func(t *testing.T) {
		t.Parallel()
		pdf := "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"
		n := network(t, page("application/pdf", pdf))
		r := fetch(t, open(t, n, nil), "http://example.com/x.pdf")
		if r.Kind != "pdf" || r.Size != int64(len(pdf)) || len(r.SHA256) != 64 || strings.Contains(r.Text, "obj") || !slices.Contains(r.Notes, "not_read") {
			t.Errorf("without a reader it is %+v", r)
		}
		read := func(_ context.Context, b []byte) (string, error) {
			if string(b) != pdf {
				t.Errorf("the reader gets %q", b)
			}
			return "the \x1b[1mtext\u202e\n", nil
		}
		r = fetch(t, open(t, n, &webtool.Options{PDFText: read}), "http://example.com/x.pdf")
		if r.Kind != "pdf" || r.Text != "the text\n" || r.Size != 0 || r.Notes != nil {
			t.Errorf("with a reader it is %+v", r)
		}
		for want, err := range map[arc.Code]error{"encrypted": &arc.Error{Code: "encrypted", Message: "no."}, webtool.DecodeError: errors.New("broken")} {
			w := open(t, n, &webtool.Options{PDFText: func(context.Context, []byte) (string, error) { return "", err }})
			refused(t, w, webtool.Reader{}, "http://example.com/x.pdf", want)
		}
		w := open(t, n, &webtool.Options{PDFText: read, Limits: webtool.Limits{BodyBytes: 10}})
		refused(t, w, webtool.Reader{}, "http://example.com/x.pdf", arc.TooLarge)
		w = open(t, n, &webtool.Options{PDFText: func(context.Context, []byte) (string, error) { panic("at the disco") }})
		if _, err := w.Fetch(t.Context(), webtool.Reader{}, webtool.FetchArgs{URL: "http://example.com/x.pdf"}); err == nil || !strings.Contains(err.Error(), "at the disco") {
			t.Errorf("a reader that panics is %v", err)
		}
	})
	t.Run("a Resolver or a Dial that panics costs the fetch, and not the host", func(t *testing.T) {
		t.Parallel()
		n := network(t, page("text/plain", "x"))
		lost := func(context.Context) error { panic("no network") }
		for name, o := range map[string]*webtool.Options{
			"Resolver": {Resolver: resolver(lost)},
			"Dial":     {Dial: func(ctx context.Context, _, _ string) (net.Conn, error) { return nil, lost(ctx) }},
		} {
			w := open(t, n, o)
			for range 2 {
				e := refused(t, w, webtool.Reader{}, "http://example.com/", webtool.ConnectError)
				if strings.Contains(e.Message, "network") || !strings.Contains(e.Err.Error(), "no network") {
					t.Errorf("%s: it is %q, because of %v", name, e.Message, e.Err)
				}
			}
		}
	})
	t.Run("a short list of ports, and no way from https to http", func(t *testing.T) {
		t.Parallel()
		n := network(t, nil)
		t.Cleanup(n.Serve(publicAddr+":3000", page("text/plain", "x")))
		refused(t, open(t, n, &webtool.Options{SafePorts: []uint16{80, 443}}), webtool.Reader{}, "http://example.com:3000/", webtool.BlockedPort)
		fetch(t, open(t, n, nil), "http://example.com:3000/")
	})
	t.Run("an allowed range is reached in a Safe room", func(t *testing.T) {
		t.Parallel()
		n := webtest.NewNet()
		n.Name("example.com", "198.18.0.9")
		t.Cleanup(n.Serve("198.18.0.9:80", page("text/plain", "x")))
		e := refused(t, open(t, n, nil), webtool.Reader{}, "http://example.com/", webtool.BlockedAddress)
		if !strings.Contains(e.Message, "fake-IP proxy") {
			t.Errorf("it says %s", e.Message)
		}
		fetch(t, open(t, n, &webtool.Options{AllowPrefixes: prefixes("198.18.0.0/15")}), "http://example.com/")
	})
	t.Run("robots.txt is heeded if the host wants that", func(t *testing.T) {
		t.Parallel()
		var asked atomic.Int32
		n := network(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				asked.Add(1)
				page("text/plain", "User-agent: arc-webtool\nDisallow: /private")(w, r)
				return
			}
			page("text/plain", "words")(w, r)
		}))
		w := open(t, n, &webtool.Options{Robots: true})
		e := refused(t, w, webtool.Reader{}, "http://example.com/private/x", arc.Forbidden)
		if f := failure(t, e); f.Reason != "robots" {
			t.Errorf("got %+v", f)
		}
		fetch(t, w, "http://example.com/public")
		fetch(t, w, "http://example.com/public2")
		if asked.Load() != 1 {
			t.Errorf("robots.txt was asked for %d times", asked.Load())
		}
		fetch(t, open(t, n, nil), "http://example.com/private/x")
	})
}
