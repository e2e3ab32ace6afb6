package mcptool_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

const (
	token = "a token of some length"
	hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`
)

// web is a Handler under test.
type web struct {
	t       testing.TB
	handler *mcptool.Handler
	url     string
	client  *http.Client
	turns   atomic.Int64 // that were served
}

// newWeb serves the set over HTTP, to each client in a turn of its own.
func newWeb(t testing.TB, set *tools.Set, o mcptool.HandlerOptions) *web {
	t.Helper()
	w := &web{t: t, client: &http.Client{Transport: &http.Transport{}}}
	return w.serve(o, func(ctx context.Context, c mcp.Transport) error {
		turn := arc.Turn{Origin: arc.Origin{Turn: arc.TurnID("turn_" + string(rune('0'+w.turns.Add(1))))}}
		return mcptool.Serve(ctx, set, turn, c, nil)
	})
}

func (w *web) serve(o mcptool.HandlerOptions, fn func(context.Context, mcp.Transport) error) *web {
	w.t.Helper()
	o.Token = token
	var err error
	if w.handler, err = mcptool.NewHandler(fn, &o); err != nil {
		w.t.Fatal(err)
	}
	ln, err := mcptool.Listen("127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(w.handler)
	s.Listener.Close()
	s.Listener = ln
	s.Start()
	w.url = s.URL
	w.t.Cleanup(func() {
		w.handler.Close()
		s.CloseClientConnections()
		s.Close()
		w.client.CloseIdleConnections()
	})
	return w
}

// do makes a request; header has pairs.
func (w *web) do(method, body string, header ...string) (status int, answer string, head http.Header) {
	w.t.Helper()
	status, answer, head, err := w.request(method, body, header...)
	if err != nil {
		w.t.Fatal(err)
	}
	return status, answer, head
}

// post makes a request whose answer, or end, is somebody else's to look at.
func (w *web) post(body, session string) { w.request("POST", body, "Mcp-Session-Id", session) }

func (w *web) request(method, body string, header ...string) (status int, answer string, head http.Header, err error) {
	req, err := http.NewRequest(method, w.url, strings.NewReader(body))
	if err != nil {
		return 0, "", nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		} else if header[i+1] == "" {
			req.Header.Del(header[i])
		} else {
			req.Header.Set(header[i], header[i+1])
		}
	}
	r, err := w.client.Do(req)
	if err != nil {
		return 0, "", nil, err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return r.StatusCode, string(b), r.Header, err
}

// session says hello and returns the session's id.
func (w *web) session() string {
	w.t.Helper()
	status, answer, head := w.do("POST", hello)
	id := head.Get("Mcp-Session-Id")
	if status != http.StatusOK || id == "" {
		w.t.Fatalf("no session: %d %s", status, answer)
	}
	if status, answer, _ := w.do("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", id); status != http.StatusAccepted {
		w.t.Fatalf("not initialized: %d %s", status, answer)
	}
	return id
}

// bearer shows the token.
type bearer struct{ next http.RoundTripper }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "bearer "+token)
	return b.next.RoundTrip(r)
}

// connect is an SDK's client that speaks a revision.
func (w *web) connect(revision string) *mcp.ClientSession {
	w.t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(), &mcp.StreamableClientTransport{
		Endpoint: w.url, HTTPClient: &http.Client{Transport: bearer{w.client.Transport}},
	}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { c.Close() })
	return c
}

func turnOf(_ context.Context, c arc.Call) (*arc.Result, error) {
	return &arc.Result{Body: string(c.Origin.Turn)}, nil
}

func TestWhoIsLetIn(t *testing.T) {
	t.Parallel()
	w := newWeb(t, setOf(t), mcptool.HandlerOptions{})
	for name, tt := range map[string]struct {
		header []string
		want   int
	}{
		"who has the token":                             {nil, 200},
		"a page of this machine with the token":         {[]string{"Origin", "http://localhost:3000"}, 200},
		"by another name of loopback":                   {[]string{"Host", "localhost:99"}, 200},
		"by its address in the newer form":              {[]string{"Host", "[::1]:99"}, 200},
		"nobody without a token":                        {[]string{"Authorization", ""}, 401},
		"nobody with another token":                     {[]string{"Authorization", "Bearer " + token + "x"}, 401},
		"nobody with the start of the token":            {[]string{"Authorization", "Bearer " + token[:8]}, 401},
		"nobody with the token in another scheme":       {[]string{"Authorization", "Basic " + token}, 401},
		"nobody by a name that only resolves to here":   {[]string{"Host", "evil.example"}, 403},
		"nobody by a name that begins like ours":        {[]string{"Host", "localhost.evil.example"}, 403},
		"nobody by a number that begins like ours":      {[]string{"Host", "127.0.0.1.evil.example"}, 403},
		"no page of another machine":                    {[]string{"Origin", "https://evil.example"}, 403},
		"no page that says nothing of where it is from": {[]string{"Origin", "null"}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			status, answer, head := w.do("POST", hello, tt.header...)
			if status != tt.want {
				t.Errorf("got %d %s, want %d", status, answer, tt.want)
			}
			if status == 401 && !strings.HasPrefix(head.Get("WWW-Authenticate"), "Bearer") {
				t.Error("it is not told how to show the token")
			}
			if strings.Contains(answer, token) {
				t.Error("the token is told")
			}
		})
	}

	t.Run("a token that is short is no token", func(t *testing.T) {
		for _, short := range []string{"", "password"} {
			_, err := mcptool.NewHandler(nil, &mcptool.HandlerOptions{Token: short})
			if !errors.Is(err, arc.InvalidArguments) {
				t.Errorf("%q: got %v", short, err)
			}
		}
	})

	t.Run("only loopback is listened on", func(t *testing.T) {
		for _, addr := range []string{"0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.com:0", "8080", ""} {
			if ln, err := mcptool.Listen(addr); !errors.Is(err, arc.InvalidArguments) {
				t.Errorf("%q: got %v", addr, err)
				ln.Close()
			}
		}
		for _, addr := range []string{":0", "localhost:0", "127.0.0.2:0"} {
			ln, err := mcptool.Listen(addr)
			if err != nil {
				t.Skipf("%q: %v", addr, err)
			}
			if !strings.HasPrefix(ln.Addr().String(), "127.") {
				t.Errorf("%q is %v", addr, ln.Addr())
			}
			ln.Close()
		}
	})
}

func TestSessions(t *testing.T) {
	t.Parallel()

	t.Run("each client has a session and a turn of its own", func(t *testing.T) {
		t.Parallel()
		w := newWeb(t, setOf(t, look("turn", turnOf)), mcptool.HandlerOptions{})
		a, b := w.connect("2025-11-25"), w.connect("2025-06-18")
		one, _ := call(t, a, "turn")
		two, _ := call(t, b, "turn")
		if again, _ := call(t, a, "turn"); one == two || one != again {
			t.Errorf("the turns are %s, %s, %s", one, two, again)
		}
	})

	t.Run("clients of the revision without sessions share one turn", func(t *testing.T) {
		t.Parallel()
		w := newWeb(t, setOf(t, look("turn", turnOf)), mcptool.HandlerOptions{})
		a, b := w.connect("2026-07-28"), w.connect("2026-07-28")
		if v := a.InitializeResult().ProtocolVersion; v != "2026-07-28" {
			t.Fatalf("the revision is %s", v)
		}
		one, _ := call(t, a, "turn")
		if two, _ := call(t, b, "turn"); one != "turn_1" || two != one {
			t.Errorf("the turns are %s, %s", one, two)
		}
	})

	t.Run("an end by the client cancels its calls", func(t *testing.T) {
		t.Parallel()
		s, began, ended := stuck("stuck")
		w := newWeb(t, setOf(t, s), mcptool.HandlerOptions{})
		id := w.session()
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			w.post(callLine(1, "stuck"), id)
		}()
		within(t, began, "the call")
		if status, answer, _ := w.do("DELETE", "", "Mcp-Session-Id", id); status != http.StatusNoContent {
			t.Errorf("got %d %s", status, answer)
		}
		within(t, ended, "its end")
		within(t, answered, "its answer")
		if status, _, _ := w.do("POST", callLine(2, "stuck"), "Mcp-Session-Id", id); status != http.StatusNotFound {
			t.Errorf("after the end: %d", status)
		}
	})

	t.Run("a session without requests ends", func(t *testing.T) {
		t.Parallel()
		w := newWeb(t, setOf(t), mcptool.HandlerOptions{IdleTimeout: 20 * time.Millisecond})
		id := w.session()
		for until := time.Now().Add(hang); ; time.Sleep(100 * time.Millisecond) {
			if status, _, _ := w.do("POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Session-Id", id); status == http.StatusNotFound {
				break
			}
			if time.Now().After(until) {
				t.Fatal("it does not end")
			}
		}
	})

	t.Run("one more than there may be takes the place of the one that was idle longest, and never of one that is at work", func(t *testing.T) {
		t.Parallel()
		s, began, _ := stuck("stuck")
		w := newWeb(t, setOf(t, s), mcptool.HandlerOptions{MaxSessions: 2})
		first, second := w.session(), w.session()
		third := w.session()
		alive := func(id string) bool {
			status, _, _ := w.do("POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Session-Id", id)
			return status == http.StatusOK
		}
		if alive(first) || !alive(second) || !alive(third) {
			t.Errorf("alive are %v %v %v", alive(first), alive(second), alive(third))
		}
		for _, id := range []string{second, third} {
			go w.post(callLine(1, "stuck"), id)
			within(t, began, "the call")
		}
		if status, _, head := w.do("POST", hello); status != http.StatusServiceUnavailable || head.Get("Retry-After") == "" {
			t.Errorf("one too many gets %d", status)
		}
	})

	t.Run("what is no hello opens nothing", func(t *testing.T) {
		t.Parallel()
		w := newWeb(t, setOf(t), mcptool.HandlerOptions{})
		for name, body := range map[string]string{
			"a call": callLine(1, "x"), "a ping": `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "rubbish": `{`, "nothing": "",
			"a hello that says nothing": `{"jsonrpc":"2.0","id":1,"method":"initialize"}`,
		} {
			_, _, head := w.do("POST", body)
			if id := head.Get("Mcp-Session-Id"); id != "" && w.turns.Load() > 0 {
				if status, _, _ := w.do("POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Session-Id", id); status != http.StatusNotFound {
					t.Errorf("%s opened a session", name)
				}
			}
		}
		if status, _, _ := w.do("GET", ""); status != http.StatusBadRequest {
			t.Errorf("a stream of nobody gets %d", status)
		}
		if status, _, _ := w.do("POST", hello, "Mcp-Session-Id", "guessed"); status != http.StatusNotFound {
			t.Errorf("a guessed session gets %d", status)
		}
	})

	t.Run("why there is no turn is told", func(t *testing.T) {
		t.Parallel()
		w := (&web{t: t, client: &http.Client{Transport: &http.Transport{}}}).serve(mcptool.HandlerOptions{},
			func(context.Context, mcp.Transport) error {
				return &arc.Error{Code: arc.Locked, Message: "the seat is in another turn."}
			})
		if status, answer, _ := w.do("POST", hello); status != http.StatusServiceUnavailable || answer != "locked: the seat is in another turn.\n" {
			t.Errorf("got %d %q", status, answer)
		}
	})

	// A bug of its kind: one call that did not listen kept a server from ending.
	t.Run("a call that does not end when it is told to holds up neither its client nor Close", func(t *testing.T) {
		t.Parallel()
		began, end := make(chan struct{}, 2), make(chan struct{})
		deaf := look("deaf", func(context.Context, arc.Call) (*arc.Result, error) {
			began <- struct{}{}
			<-end
			return &arc.Result{}, nil
		})
		w := newWeb(t, setOf(t, deaf), mcptool.HandlerOptions{})
		t.Cleanup(func() { close(end) }) // before the server's own
		first, second := w.session(), w.session()
		for _, id := range []string{first, second} {
			go w.post(callLine(1, "deaf"), id)
			within(t, began, "the call")
		}
		done := make(chan int)
		go func() {
			status, _, _, _ := w.request("DELETE", "", "Mcp-Session-Id", first)
			done <- status
		}()
		if status := within(t, done, "the end of a session"); status != http.StatusNoContent {
			t.Errorf("got %d", status)
		}
		go func() {
			w.handler.Close()
			done <- 0
		}()
		within(t, done, "the end of them all")
	})

	t.Run("Close ends them all, and none is opened after it", func(t *testing.T) {
		t.Parallel()
		s, began, ended := stuck("stuck")
		w := newWeb(t, setOf(t, s), mcptool.HandlerOptions{})
		id := w.session()
		go w.post(callLine(1, "stuck"), id)
		within(t, began, "the call")
		w.handler.Close()
		within(t, ended, "its end")
		if status, _, _ := w.do("POST", hello); status != http.StatusServiceUnavailable {
			t.Errorf("after it: %d", status)
		}
	})
}

func TestASessionsTransportIsForServe(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	w := (&web{t: t, client: &http.Client{Transport: &http.Transport{}}}).serve(mcptool.HandlerOptions{}, func(ctx context.Context, c mcp.Transport) error {
		_, err := c.Connect(ctx)
		failed <- err
		return err
	})
	if status, answer, _ := w.do("POST", hello); status != http.StatusServiceUnavailable || strings.Contains(answer, "Serve") {
		t.Errorf("got %d %q", status, answer)
	}
	if err := within(t, failed, "its error"); err == nil {
		t.Error("it connects")
	}
}
