package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools/wire"
)

// answers serves statuses in turn, the last again and again, and counts. Status 0 is an
// answer that breaks off.
func answers(t *testing.T, retryAfter string, statuses ...int) (*endpoint, *int) {
	t.Helper()
	asked := new(int)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := statuses[min(*asked, len(statuses)-1)]
		*asked++
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		switch status {
		case http.StatusOK:
			io.WriteString(w, "seven")
		case 0:
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "sev")
		default:
			w.WriteHeader(status)
			io.WriteString(w, `{"error":{"message":"not now"}}`)
		}
	}))
	t.Cleanup(srv.Close)
	e := newEndpoint(srv.URL, "")
	e.client = srv.Client()
	e.pause = time.Millisecond
	return e, asked
}

// reads asks for an answer and returns it, and what was heard of repeats.
func (e *endpoint) reads(ctx context.Context) (answer string, heard []time.Duration, err error) {
	err = e.post(ctx, nil, []byte("{}"), func(r *http.Response) error {
		b, err := io.ReadAll(r.Body)
		answer = string(b)
		return err
	}, func(_ error, wait time.Duration) { heard = append(heard, wait) })
	return answer, heard, err
}

func TestABusyServerIsAskedAgain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		retryAfter string
		statuses   []int
		asked      int
		err        string
	}{
		{"an answer at once", "", []int{200}, 1, ""},
		{"too many requests, overloaded and broken, then an answer", "", []int{429, 529, 503, 200}, 4, ""},
		{"a server that says when", "0", []int{429, 200}, 2, ""},
		{"a server that is busy for good", "0", []int{529}, 5, "the model's server says 529 status code 529: not now"},
		{"a request that is wrong is not sent again", "", []int{400, 200}, 1, "the model's server says 400 Bad Request: not now"},
		{"an answer that breaks off", "", []int{0, 200}, 2, ""},
		{"one that always breaks off", "", []int{0}, 5, "unexpected EOF"},
		{"a server that took too long to read", "0", []int{408, 200}, 2, ""},
		{"a key that is wrong is not sent again", "", []int{401, 200}, 1, "the model's server says 401 Unauthorized: not now"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, asked := answers(t, tt.retryAfter, tt.statuses...)
			out, heard, err := e.reads(t.Context())
			switch {
			case tt.err == "" && (err != nil || out != "seven"):
				t.Errorf("got %q, %v", out, err)
			case tt.err != "" && (err == nil || err.Error() != tt.err):
				t.Errorf("got %v, want %s", err, tt.err)
			}
			if *asked != tt.asked {
				t.Errorf("it was asked %d times, want %d", *asked, tt.asked)
			}
			if len(heard) != tt.asked-1 {
				t.Errorf("of the repeats was heard %v", heard)
			}
		})
	}
	t.Run("Ctrl-C ends the waiting", func(t *testing.T) {
		t.Parallel()
		e, _ := answers(t, "30", 429)
		ctx, cancel := context.WithCancel(t.Context())
		err := e.post(ctx, nil, nil, nil, func(error, time.Duration) { cancel() })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the pauses grow, and are never quite what others' are", func(t *testing.T) {
		t.Parallel()
		e, _ := answers(t, "", 503)
		_, heard, _ := e.reads(t.Context())
		for i, most := range []time.Duration{1, 2, 4, 8} {
			if most *= time.Millisecond; heard[i] < most/2 || heard[i] > most {
				t.Errorf("pause %d is %v, want up to %v", i+1, heard[i], most)
			}
		}
	})
	t.Run("where there is no server nobody waits for it", func(t *testing.T) {
		t.Parallel()
		srv := httptest.NewServer(http.NotFoundHandler())
		srv.Close()
		e := newEndpoint(srv.URL, "")
		defer e.client.CloseIdleConnections()
		if _, heard, err := e.reads(t.Context()); err == nil || len(heard) > 0 {
			t.Errorf("got %v after %v", err, heard)
		}
	})
}

// A report of its kind: an answer that can never be read was paid for five times.
func TestWhichAnswersAreAskedForAgain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		speak       wire.Provider
		kind, reply string
		asked       int
	}{
		"a page that is no JSON":                   {wire.OpenAIChat, "text/html", `<html>`, 1},
		"an answer of no model":                    {wire.OpenAIChat, "application/json", `{"choices":[]}`, 1},
		"an error for good":                        {wire.OpenAIChat, "application/json", `{"error":{"message":"no such model","type":"invalid_request_error"}}`, 1},
		"a stream that ends in an error for good":  {wire.Anthropic, "text/event-stream", `data: {"type":"error","error":{"type":"invalid_request_error","message":"No."}}` + "\n\n", 1},
		"one that says how to write such an error": {wire.OpenAIChat, "application/json", `{"error":{"message":"say {\"type\":\"server_error\"}"}}`, 1},
		"a stream that breaks off":                 {wire.OpenAIChat, "text/event-stream", `data: {"choices":[{"delta":{"content":"Wh"}}]}` + "\n\n", repeats + 1},
		"Anthropic, overloaded in its stream":      {wire.Anthropic, "text/event-stream", `data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}` + "\n\n", repeats + 1},
		"OpenAI, broken in its stream":             {wire.OpenAI, "text/event-stream", `data: {"type":"error","error":{"type":"server_error","message":"Sorry."}}` + "\n\n", repeats + 1},
		"Gemini, busy in its stream":               {wire.Gemini, "text/event-stream", `data: {"error":{"code": 503,"message":"Later.","status":"UNAVAILABLE"}}` + "\n\n", repeats + 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				w.Header().Set("Content-Type", tt.kind)
				io.WriteString(w, tt.reply)
			}))
			defer srv.Close()
			m := newModel(tt.speak, srv.URL, "", "m")
			m.at.client, m.at.pause = srv.Client(), time.Millisecond
			if err := m.begin(arc.Env{}, ""); err != nil {
				t.Fatal(err)
			}
			m.say("hello")
			if _, err := m.ask(t.Context(), wire.Definitions(nil), speechless()); err == nil || asked != tt.asked {
				t.Errorf("%v; it was asked %d times, want %d", err, asked, tt.asked)
			}
		})
	}
}

func TestAKeyIsNotTakenToAnotherServer(t *testing.T) {
	t.Parallel()
	other, asked := answers(t, "", 200)
	srv := httptest.NewServer(http.RedirectHandler(other.url, http.StatusTemporaryRedirect))
	t.Cleanup(srv.Close)
	m := newModel(wire.Anthropic, srv.URL, "key", "m")
	m.at.client.Transport = srv.Client().Transport
	a, _ := newAgent(t, m)
	if _, err := a.run(t.Context(), "hello"); err == nil || *asked != 0 {
		t.Errorf("%v; the other server was asked %d times", err, *asked)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]time.Duration{
		"":                              -1,
		"soon":                          -1,
		"-1":                            -1,
		"0":                             0,
		"1.5":                           1500 * time.Millisecond,
		"99999":                         maxWait,
		"NaN":                           -1,
		"Mon, 02 Jan 2006 15:04:05 GMT": 0,
	} {
		if got := retryAfter(in, nil); got != want {
			t.Errorf("Retry-After %q is %v, want %v", in, got, want)
		}
	}
	for body, want := range map[string]time.Duration{
		`{"error":{"details":[{"@type":"QuotaFailure"},{"@type":"RetryInfo","retryDelay":"37.5s"}]}}`: 37500 * time.Millisecond,
		`{"error":{"details":[{"retryDelay":"soon"}]}}`:                                               -1,
		`{"error":"no"}`: -1,
	} {
		if got := retryAfter("", []byte(body)); got != want {
			t.Errorf("%s is %v, want %v", body, got, want)
		}
	}
}

func TestAnErrorPageThatIsNoJSONIsShownInPart(t *testing.T) {
	t.Parallel()
	if got := complaint([]byte(" <html>Bad gateway</html>\n")); got != "<html>Bad gateway</html>" {
		t.Errorf("got %q", got)
	}
	if got := len(complaint(make([]byte, 5000))); got != 500 {
		t.Errorf("%d bytes are shown", got)
	}
}
