package webtool_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/webtool"
	"github.com/arcseat/arc/webtool/internal/guard"
)

// resolverEnv tells a child of this test that the resolver is chosen.
const resolverEnv = "WEBTOOL_TEST_RESOLVER"

// spellings are hosts that some resolver, library or person takes for this machine or
// for its network.
var spellings = []string{
	"127.0.0.1", "127.1", "127.0.1", "0", "0.0.0.0", "2130706433", "0x7f000001", "0x7f.0.0.1", "0x7f.1", "0177.0.0.1", "017700000001", "127.000.000.001",
	"127.0.0.1.", "127.255.255.254", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[::1%25lo]", "[fe80::1%25lo]",
	"[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::ffff:0:127.0.0.1]", "localhost", "LOCALHOST", "localhost.", "a.localhost", "127。0。0。1", "①②⑦.⓪.⓪.①", "ｌｏｃａｌｈｏｓｔ",
	"ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "local\u00adhost", "１２７.０.０.１", "user:pass@127.0.0.1", "example.com@127.0.0.1", "localtest.internal", "[fd00::1]", "10.0.0.1", "192.168.0.1", "169.254.169.254",
	"172.17.0.1", "100.64.0.1", "2852039166", "0xa9fea9fe", "[::ffff:a9fe:a9fe]", "[64:ff9b::a9fe:a9fe]", "metadata.google.internal", "ip6-localhost", "198.18.0.1",
}

// ways are how a request can be made to go to such a host.
var ways = []struct {
	name string
	url  func(host, port string) string
}{
	{"http", func(host, port string) string { return "http://" + host + ":" + port + "/" }},
	{"https", func(host, port string) string { return "https://" + host + ":" + port + "/" }},
	{"the usual port", func(host, _ string) string { return "http://" + host + "/" }},
	{"a redirect", func(host, port string) string {
		return "http://redirector.example/?status=302&to=" + url.QueryEscape("http://"+host+":"+port+"/")
	}},
	{"a redirect that keeps the method, to https", func(host, port string) string {
		return "http://redirector.example/?status=307&to=" + url.QueryEscape("https://"+host+":"+port+"/")
	}},
	{"a refresh in a page", func(host, port string) string {
		return "http://redirector.example/?status=200&to=" + url.QueryEscape("http://"+host+":"+port+"/")
	}},
}

// TestNoFormReachesThisMachine counts what arrives: whatever is spelled, redirected to
// or looked up, a Safe room makes no connection to an address that is not public. It
// runs with the resolver that is pure Go, and in a child with that of the system, each
// with proxies in the environment.
func TestNoFormReachesThisMachine(t *testing.T) {
	if os.Getenv(resolverEnv) == "" {
		for _, r := range []string{"go", "cgo"} {
			t.Run(r, func(t *testing.T) {
				exe, err := os.Executable()
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				defer cancel()
				cmd := exec.CommandContext(ctx, exe, "-test.run=^TestNoFormReachesThisMachine$", "-test.v")
				cmd.Env = append(os.Environ(), "GODEBUG=netdns="+r, resolverEnv+"="+r)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				for line := range strings.Lines(string(out)) {
					if strings.Contains(line, " forms") {
						t.Log(strings.TrimSpace(line))
					}
				}
			})
		}
		return
	}
	inside := listenEverywhere(t)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, "http://127.0.0.1:"+inside.port)
	}
	redirector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("status") == "200" {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<meta http-equiv="refresh" content="0; url=%s"><p>Wait.`, q.Get("to"))
			return
		}
		w.Header()["Location"] = []string{q.Get("to")}
		if q.Get("status") == "307" {
			w.WriteHeader(http.StatusTemporaryRedirect)
			return
		}
		w.WriteHeader(http.StatusFound)
	}))
	defer redirector.Close()
	var went atomic.Int32
	w := webtool.New(&webtool.Options{
		Resolver: &realResolver{},
		Limits:   webtool.Limits{PerMinute: 1 << 20, Timeout: 20 * time.Second},
		Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if strings.HasPrefix(addr, publicAddr+":") {
				went.Add(1)
				addr = redirector.Listener.Addr().String()
			}
			return new(net.Dialer).DialContext(ctx, network, addr) // whatever the guard lets through is dialed for real
		},
	})
	defer w.Close()
	forms := 0
	try := func(address string) {
		forms++
		r, err := w.Fetch(t.Context(), webtool.Reader{}, webtool.FetchArgs{URL: address})
		var e *arc.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %+v, %v", address, r, err)
			return
		}
		switch e.Code {
		case webtool.BlockedAddress, webtool.BlockedHost, webtool.BlockedPort, webtool.InvalidURL, webtool.DNSError:
		case webtool.HTTPError:
			if !strings.Contains(address, "rebind.example") { // which the redirector answers while it is public
				t.Errorf("%s: %v", address, e)
			}
		default:
			t.Errorf("%s: %v", address, e)
		}
	}
	for _, host := range spellings {
		for _, way := range ways {
			try(way.url(host, inside.port))
		}
	}
	for _, name := range []string{"inward.example", "mapped.example", "metadata.example", "six.example", "nat64.example", "own.example", "several.example"} {
		for _, way := range ways {
			try(way.url(name, inside.port))
		}
	}
	for _, url := range []string{
		"file:///etc/passwd", "gopher://127.0.0.1:" + inside.port + "/_x", "ftp://127.0.0.1/", "dict://127.0.0.1:" + inside.port + "/",
		"unix:///var/run/docker.sock", "jar:http://127.0.0.1!/", "http://127.0.0.1:22/", "http://example.com\\@127.0.0.1:" + inside.port + "/",
		"http://redirector.example\r\nHost: 127.0.0.1/", "http://127.0.0.1:" + inside.port + "#@redirector.example/", "//127.0.0.1:" + inside.port + "/",
	} {
		try(url)
	}
	// The dialer by itself, without a URL's checks before it.
	bare := &guard.Dialer{Rule: &guard.Rule{}}
	for _, host := range spellings {
		forms++
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		if c, err := bare.DialContext(ctx, "tcp", net.JoinHostPort(strings.NewReplacer("[", "", "]", "", "%25", "%").Replace(host), inside.port)); err == nil {
			t.Errorf("%s is dialed: %s", host, c.RemoteAddr())
			c.Close()
		}
		cancel()
	}
	// A name that changes its mind with every look-up.
	for i := range 20 {
		try(fmt.Sprintf("http://rebind.example:%s/%d", inside.port, i))
	}
	if n := inside.arrived.Load(); n != 0 {
		t.Errorf("%d connections came in", n)
	}
	inside.hears(t)
	if forms < 200 || went.Load() == 0 {
		t.Errorf("only %d forms, %d redirectors were tried", forms, went.Load())
	}
	t.Logf("score: ssrf %d ≥ 200 forms with the resolver %s, %d connections", forms, os.Getenv(resolverEnv), inside.arrived.Load()-1)
}

// An inside is this machine as its listeners see it.
type inside struct {
	port    string
	arrived atomic.Int32
}

// listenEverywhere accepts and counts on every address of this machine, on one port.
func listenEverywhere(t *testing.T) *inside {
	t.Helper()
	in := &inside{}
	l, err := net.Listen("tcp", ":0") // both families
	if err != nil {
		t.Fatal(err)
	}
	_, in.port, _ = net.SplitHostPort(l.Addr().String())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			in.arrived.Add(1)
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return in
}

// hears fails if a connection would not have been counted.
func (in *inside) hears(t *testing.T) {
	t.Helper()
	before := in.arrived.Load()
	c, err := net.Dial("tcp", "127.0.0.1:"+in.port)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, c) // until it is closed, which is after it was counted
	c.Close()
	if in.arrived.Load() != before+1 {
		t.Error("the listener does not count")
	}
}

// A realResolver is the system's, which also knows names that lead inwards.
type realResolver struct{ asked atomic.Int32 }

func (r *realResolver) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	made := map[string][]string{
		"redirector.example": {publicAddr},
		"inward.example":     {"127.0.0.1"},
		"mapped.example":     {"::ffff:127.0.0.1"},
		"metadata.example":   {"169.254.169.254"},
		"six.example":        {"::1", "fe80::1%lo", "fd00::1"},
		"nat64.example":      {"64:ff9b::7f00:1"},
		"several.example":    {"10.0.0.1", "127.0.0.1", "::1", "0.0.0.0"},
	}[host]
	switch host {
	case "own.example":
		as, err := net.InterfaceAddrs()
		if err != nil {
			return nil, err
		}
		for _, a := range as {
			made = append(made, a.(*net.IPNet).IP.String())
		}
	case "rebind.example": // public, and then not
		made = []string{publicAddr}
		if r.asked.Add(1)%2 == 0 {
			made = []string{"127.0.0.1"}
		}
	}
	if made != nil {
		var as []netip.Addr
		for _, s := range made {
			as = append(as, netip.MustParseAddr(s))
		}
		return as, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second) // there may be no network
	defer cancel()
	return net.DefaultResolver.LookupNetIP(ctx, network, host)
}

// What Full Access has opened serves no Safe room: neither its connection nor what it
// has read.
func TestSafeAfterFull(t *testing.T) {
	t.Parallel()
	var conns, requests atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		fmt.Fprint(w, "a local secret")
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			conns.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	w := webtool.New(nil)
	defer w.Close()
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	full := webtool.Reader{Access: arc.FullAccess}
	for _, url := range []string{s.URL + "/", "http://localhost:" + port + "/"} {
		refusedOneOf(t, w, url)
		if r, err := w.Fetch(t.Context(), full, webtool.FetchArgs{URL: url}); err != nil || !strings.HasPrefix(r.Text, "a local secret") {
			t.Fatalf("Full Access: %+v, %v", r, err)
		}
		before := requests.Load()
		refusedOneOf(t, w, url)
		if requests.Load() != before {
			t.Errorf("%s: a Safe room has asked over an open connection", url)
		}
	}
	if conns.Load() != 2 {
		t.Errorf("%d connections, of which Full Access has made 2", conns.Load())
	}
}

func refusedOneOf(t *testing.T, w *webtool.Web, url string) {
	t.Helper()
	_, err := w.Fetch(t.Context(), webtool.Reader{}, webtool.FetchArgs{URL: url})
	if !errors.Is(err, webtool.BlockedAddress) && !errors.Is(err, webtool.BlockedHost) {
		t.Errorf("%s in a Safe room: %v", url, err)
	}
}

func TestLocalTLS(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(page("text/plain", "words"))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	full := webtool.Reader{Access: arc.FullAccess}
	w := webtool.New(nil)
	defer w.Close()
	if e := refused(t, w, full, s.URL, webtool.TLSError); !strings.Contains(e.Message, "InsecureLocalTLS") {
		t.Errorf("it says %s", e.Message)
	}
	lax := webtool.New(&webtool.Options{InsecureLocalTLS: true})
	defer lax.Close()
	if r, err := lax.Fetch(t.Context(), full, webtool.FetchArgs{URL: s.URL}); err != nil || !strings.HasPrefix(r.Text, "words") {
		t.Errorf("got %+v, %v", r, err)
	}
	two := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }))
	two.EnableHTTP2 = true
	two.StartTLS()
	defer two.Close()
	if r, err := lax.Fetch(t.Context(), full, webtool.FetchArgs{URL: two.URL}); err != nil || !strings.HasPrefix(r.Text, "HTTP/2.0") {
		t.Errorf("HTTP/2: %+v, %v", r, err)
	}
	// Another name for a public address is still asked for its certificate.
	public := webtool.New(&webtool.Options{InsecureLocalTLS: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, s.Listener.Addr().String())
	}})
	defer public.Close()
	refused(t, public, full, "https://"+publicAddr+"/", webtool.TLSError)
	plain := httptest.NewServer(page("text/plain", "words"))
	defer plain.Close()
	refused(t, w, full, strings.Replace(plain.URL, "http:", "https:", 1), webtool.TLSError)
}

func TestAProxyIsTheHostsChoiceAndForFullAccess(t *testing.T) {
	t.Parallel()
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		fmt.Fprint(w, "by proxy")
	}))
	defer proxy.Close()
	n := network(t, page("text/plain", "direct"))
	n.Name("metadata.example", "169.254.169.254")
	u, err := http.NewRequest(http.MethodGet, proxy.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := webtool.New(&webtool.Options{
		Resolver: n,
		Proxy:    http.ProxyURL(u.URL),
		Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if addr == u.URL.Host {
				return new(net.Dialer).DialContext(ctx, network, addr)
			}
			return n.Dial(ctx, network, addr)
		},
	})
	defer w.Close()
	full := webtool.Reader{Access: arc.FullAccess}
	if r, err := w.Fetch(t.Context(), full, webtool.FetchArgs{URL: "http://example.com/x"}); err != nil || !strings.HasPrefix(r.Text, "by proxy") {
		t.Errorf("Full Access: %+v, %v", r, err)
	}
	refused(t, w, full, "http://169.254.169.254/", webtool.BlockedAddress)
	refused(t, w, full, "http://metadata.example/", webtool.BlockedAddress)
	if r := fetch(t, w, "http://example.com/x"); !strings.HasPrefix(r.Text, "direct") {
		t.Errorf("a Safe room: %+v", r)
	}
	if len(asked) != 1 || asked[0] != "http://example.com/x" {
		t.Errorf("the proxy was asked for %q", asked)
	}
}
