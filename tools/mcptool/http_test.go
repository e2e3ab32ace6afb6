package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools/mcptool"
)

func serve(t testing.TB, h http.Handler) mcptool.Service {
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return mcptool.Service{Name: "peer", URL: srv.URL}
}

func TestAServiceOverHTTP(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]*mcp.StreamableHTTPOptions{"with events": {}, "with JSON": {JSONResponse: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := peer()
			mcps := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, o)
			one := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer secret" {
					http.Error(w, "who are you?", http.StatusUnauthorized)
					return
				}
				mcps.ServeHTTP(w, r)
			}))
			s := open(t, nil)
			if err := s.Connect(t.Context(), one); !errors.Is(err, arc.Unavailable) {
				t.Errorf("without a key it says %v", err)
			}
			one.Header = http.Header{"Authorization": {"Bearer secret"}}
			if err := s.Connect(t.Context(), one); err != nil {
				t.Fatal(err)
			}
			x := session(t, s, turn("me", "peer"), nil)
			r := x.Call(t.Context(), arc.Call{Name: "peer__big", Args: json.RawMessage(`{"bytes":2000000}`)})
			if got, _ := whole(t, x, r); got != long(2_000_000) {
				t.Errorf("its pages are %d bytes", len(got))
			}
			if r := ask(t, s, "peer__data", `{}`); r.Body != `{"z":9007199254740993,"a":1}` {
				t.Errorf("data is %s", r)
			}
			next := s.Schema("peer__echo")
			args, err := json.Marshal(next.Arguments)
			if err != nil {
				t.Fatal(err)
			}
			if r := x.Call(t.Context(), arc.Call{Name: next.Tool, Args: args}); !strings.HasPrefix(r.Body, `{"type":"object","properties":{"text":`) {
				t.Errorf("a schema is %s", r)
			}
			if r := ask(t, s, "peer__ask", `{}`); !strings.HasPrefix(r.Body, "decline") {
				t.Errorf("a question is answered %s", r)
			}
			x.Call(t.Context(), arc.Call{Name: "peer__grow"})
			wait(t, "the new tool", func() bool { return s.Schema("peer__new") != nil })
		})
	}
}

// byHand is a service over HTTP that answers a call with what a test writes.
func byHand(t testing.TB, call func(w http.ResponseWriter, r *http.Request, id json.RawMessage)) mcptool.Service {
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		b, _ := io.ReadAll(r.Body)
		w.Header().Set("Mcp-Session-Id", "one")
		if r.Method == http.MethodDelete && r.Header.Get("X-Hold") != "" {
			<-r.Context().Done()
			return
		}
		if r.Method != http.MethodPost || json.Unmarshal(b, &m) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch m.Method {
		case "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, m.ID)
		case "tools/list":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, m.ID, doTool)
		case "tools/call":
			call(w, r, m.ID)
		case "server/discover":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"none"}}`, m.ID)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
}

// A bug of its kind: an answer in an event of several lines went past what keeps it as the
// service wrote it, and its numbers lost digits.
func TestAnAnswerInSeveralLinesIsKeptAsItWas(t *testing.T) {
	t.Parallel()
	one := byHand(t, func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\ndata: \"result\":{\"content\":[],\ndata: \"structuredContent\":{\"z\":9007199254740993,\"a\":1}}}\n\n", id)
	})
	if r := ask(t, attach(t, one, nil), "peer__do", `{}`); r.Body != `{"z":9007199254740993,"a":1}` {
		t.Errorf("it answers %s", r)
	}
}

func TestHostileServicesOverHTTP(t *testing.T) {
	t.Parallel()
	page := strings.Repeat("a", 1<<20)
	var elsewhere atomic.Int32
	stranger := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "" {
			elsewhere.Add(1)
		}
	}))
	t.Cleanup(stranger.Close)
	for name, tt := range map[string]struct {
		call func(w http.ResponseWriter, r *http.Request, id json.RawMessage)
		code arc.Code
		body string
	}{
		"an endless body": {func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			for r.Context().Err() == nil {
				io.WriteString(w, page)
			}
		}, arc.TooLarge, ""},
		"an endless event": {func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: ") // and no end
			for r.Context().Err() == nil {
				io.WriteString(w, page)
			}
		}, mcptool.ServiceError, ""},
		"an event of 100 MB": {func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, `data: {"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, id)
			for range 100 {
				io.WriteString(w, page)
			}
			io.WriteString(w, "\"}]}}\n\n")
		}, arc.TooLarge, ""},
		"endless events": {func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n: "+page+"\n\n")
			}
		}, mcptool.ServiceError, ""},
		"an event of 100 MB in many lines": {func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[\n", id)
			for range 100 {
				io.WriteString(w, `data: {"type":"text","text":"`+page+"\"},\n")
			}
			io.WriteString(w, "data: {}]}}\n\n")
		}, arc.TooLarge, ""},
		"a message of many lines that nobody asked for": {func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":999,\"result\":{}}\n\n")
			fmt.Fprintf(w, "id: 1\r\ndata: {\"jsonrpc\":\"2.0\",\r\ndata:\"id\":%s,\r\ndata: \"result\":{\"content\":[{\"type\":\"text\",\"text\":\"yes\"}]}}\r\n\r\n", id)
		}, "", "yes"},
		"a stream that goes on after its answer": {func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, `data: {"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"yes"}]}}`+"\n\n", id)
			for r.Context().Err() == nil {
				io.WriteString(w, ": "+page+"\n")
			}
		}, "", "yes"},
		"bad JSON": {func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) {
			io.WriteString(w, `{"jsonrpc":`)
		}, mcptool.ServiceError, ""},
		"a redirection to somebody else": {func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			http.Redirect(w, r, stranger.URL, http.StatusTemporaryRedirect)
		}, arc.Unavailable, ""},
		"a redirection without end": {func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		}, arc.Unavailable, ""},
		"a connection that is cut": {func(http.ResponseWriter, *http.Request, json.RawMessage) {
			panic(http.ErrAbortHandler)
		}, arc.Unavailable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one := byHand(t, tt.call)
			one.Header = http.Header{"X-Key": {"secret"}}
			s := attach(t, one, nil)
			if r := ask(t, s, "peer__do", `{}`); code(r) != tt.code || r.Body != tt.body {
				t.Errorf("it answers %.500s", r)
			}
			closeNow(t, s)
			if n := elsewhere.Load(); n > 0 {
				t.Errorf("somebody else was sent the header")
			}
		})
	}
}

func TestARedirectionFromHTTPSToHTTP(t *testing.T) {
	t.Parallel()
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+r.Host, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(srv.Close)
	one := mcptool.Service{Name: "peer", URL: srv.URL, RoundTripper: srv.Client().Transport, Header: http.Header{"X-Key": {"secret"}}}
	if err := open(t, nil).Connect(t.Context(), one); err == nil || !strings.Contains(err.Error(), "read along") {
		t.Errorf("got %v", err)
	}
}

// A service's own stream, on which it may speak by itself, is none that can be waited for.
func TestAServiceThatKeepsItsListenersWaiting(t *testing.T) {
	t.Parallel()
	quiet := byHand(t, func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"yes"}]}}`, id)
	})
	rest := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(rest.CloseIdleConnections)
	quiet.RoundTripper = carrying(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodGet {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		return rest.RoundTrip(r)
	})
	quiet.StartTimeout = 10 * time.Second
	s := attach(t, quiet, nil)
	if r := ask(t, s, "peer__do", `{}`); r.Body != "yes" {
		t.Errorf("it answers %s", r)
	}
}

type carrying func(*http.Request) (*http.Response, error)

func (c carrying) RoundTrip(r *http.Request) (*http.Response, error) { return c(r) }

func TestAServiceOverHTTPThatBeginsAnew(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	one := byHand(t, func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
		if calls.Add(1) == 1 {
			http.Error(w, "no such session", http.StatusNotFound)
			return
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"yes"}]}}`, id)
	})
	s := attach(t, one, nil)
	if r := ask(t, s, "peer__do", `{}`); code(r) != arc.Unavailable || !strings.Contains(r.Err.Message, "make it again") {
		t.Errorf("it answers %s", r)
	}
	if r := ask(t, s, "peer__do", `{}`); r.Body != "yes" {
		t.Errorf("then it answers %s", r)
	}
}

func TestClosingDoesNotWaitForAServiceOverHTTP(t *testing.T) {
	t.Parallel()
	asked := make(chan bool)
	one := byHand(t, func(_ http.ResponseWriter, r *http.Request, _ json.RawMessage) {
		close(asked)
		<-r.Context().Done()
	})
	one.Header = http.Header{"X-Hold": {"the end of the session"}}
	s := attach(t, one, nil)
	x := session(t, s, turn("me", "peer"), nil)
	answers := make(chan *arc.Result)
	go func() { answers <- x.Call(context.Background(), arc.Call{Name: "peer__do"}) }()
	<-asked
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Close: %v", err)
	}
	if r := <-answers; code(r) != arc.ShuttingDown {
		t.Errorf("the call that waits answers %s", r)
	}
}
