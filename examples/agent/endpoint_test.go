package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// answers serves statuses in turn, the last again and again, and counts.
func answers(t *testing.T, retryAfter string, statuses ...int) (*endpoint, *int) {
	t.Helper()
	asked := new(int)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := statuses[min(*asked, len(statuses)-1)]
		*asked++
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(status)
		if status == http.StatusOK {
			w.Write([]byte(`{"n":7}`))
		} else {
			w.Write([]byte(`{"error":{"message":"not now"}}`))
		}
	}))
	t.Cleanup(srv.Close)
	e := newEndpoint(srv.URL)
	e.client = srv.Client()
	e.pause = time.Millisecond
	return e, asked
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
		{"a key that is wrong is not sent again", "", []int{401, 200}, 1, "the model's server says 401 Unauthorized: not now"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, asked := answers(t, tt.retryAfter, tt.statuses...)
			var out struct{ N int }
			err := e.post(t.Context(), struct{}{}, &out)
			switch {
			case tt.err == "" && (err != nil || out.N != 7):
				t.Errorf("got %v, %v", out, err)
			case tt.err != "" && (err == nil || err.Error() != tt.err):
				t.Errorf("got %v, want %s", err, tt.err)
			}
			if *asked != tt.asked {
				t.Errorf("it was asked %d times, want %d", *asked, tt.asked)
			}
		})
	}
	t.Run("Ctrl-C ends the waiting", func(t *testing.T) {
		t.Parallel()
		e, _ := answers(t, "30", 429)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Millisecond, cancel)
		if err := e.post(ctx, struct{}{}, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestAKeyIsNotTakenToAnotherServer(t *testing.T) {
	t.Parallel()
	other, asked := answers(t, "", 200)
	srv := httptest.NewServer(http.RedirectHandler(other.url, http.StatusTemporaryRedirect))
	t.Cleanup(srv.Close)
	m := newAnthropic(srv.URL, "key", "m")
	m.at.client.Transport = srv.Client().Transport
	m.say("hello")
	if _, err := m.ask(t.Context(), nil); err == nil || *asked != 0 {
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
		"99999":                         maxPause,
		"NaN":                           -1,
		"Mon, 02 Jan 2006 15:04:05 GMT": 0,
	} {
		if got := retryAfter(in); got != want {
			t.Errorf("Retry-After %q is %v, want %v", in, got, want)
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
