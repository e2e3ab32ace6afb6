package webtool_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/webtool"
	"github.com/arcseat/arc/webtool/webtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const publicAddr = "93.184.216.34"

// open makes a Web in the network n. A name example.com is there from the start.
func open(t *testing.T, n *webtest.Net, o *webtool.Options) *webtool.Web {
	t.Helper()
	with := webtool.Options{}
	if o != nil {
		with = *o
	}
	if with.Resolver == nil {
		with.Resolver = n
	}
	if with.Dial == nil {
		with.Dial = n.Dial
	}
	w := webtool.New(&with)
	t.Cleanup(func() { w.Close() })
	return w
}

// network is a Net with example.com at a public address, served by h.
func network(t *testing.T, h http.Handler) *webtest.Net {
	t.Helper()
	n := webtest.NewNet()
	n.Name("example.com", publicAddr)
	if h != nil {
		t.Cleanup(n.Serve(publicAddr+":80", h))
	}
	return n
}

// page is a handler that serves body as a type.
func page(media, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		w.Write([]byte(body))
	}
}

func fetch(t *testing.T, w *webtool.Web, url string) *webtool.FetchResult {
	t.Helper()
	r, err := w.Fetch(t.Context(), webtool.Reader{}, webtool.FetchArgs{URL: url})
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return r
}

// refused is the error of a fetch that must have the code.
func refused(t *testing.T, w *webtool.Web, r webtool.Reader, url string, code arc.Code) *arc.Error {
	t.Helper()
	got, err := w.Fetch(t.Context(), r, webtool.FetchArgs{URL: url})
	var e *arc.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("%s is %+v, %v (%v); want %s", url, got, err, errors.Unwrap(err), code)
	}
	return e
}

func failure(t *testing.T, e *arc.Error) *webtool.FetchFailure {
	t.Helper()
	f, ok := e.Detail.(*webtool.FetchFailure)
	if !ok {
		t.Fatalf("the detail of %v is %#v", e, e.Detail)
	}
	return f
}

func prefixes(list ...string) (ps []netip.Prefix) {
	for _, s := range list {
		ps = append(ps, netip.MustParsePrefix(s))
	}
	return ps
}

func contextFor(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}

// A tripper answers requests without a network.
type tripper func() string

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(f())), Request: r}, nil
}

func logger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// A resolver never answers: it does what it is and returns the error.
type resolver func(context.Context) error

func (f resolver) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	return nil, f(ctx)
}
