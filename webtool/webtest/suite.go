package webtest

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/webtool"
)

// A Harness is a Searcher to be tried, and how its provider answers.
type Harness struct {
	// New is the Searcher with its provider at base, an http URL without a path.
	New func(base string) webtool.Searcher

	// Found is the body of an answer with one hit or more, Nothing of one without.
	Found, Nothing string

	// ContentType of both. Default: application/json.
	ContentType string

	// Secret is the key that New gives it; empty: it has none.
	Secret string

	// Patience is how long a canceled search may take to return. Zero: 10 s.
	Patience time.Duration
}

// Run fails t for every rule that the Searcher breaks, in a subtest named for it.
func Run(t *testing.T, h *Harness) {
	t.Helper()
	with := *h
	if with.ContentType == "" {
		with.ContentType = "application/json"
	}
	if with.Patience == 0 {
		with.Patience = 10 * time.Second
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) { r.check(t, &with) })
	}
}

var rules = []struct {
	name  string
	check func(*testing.T, *Harness)
}{
	{"it has a short name", name},
	{"what is found has a URL", found},
	{"nothing found is no error", nothing},
	{"a compressed answer is read", compressed},
	{"429 is rate_limited", status(429, "", webtool.RateLimited)},
	{"429 that asks for a second is tried once more", secondTry},
	{"429 that asks for an hour is not waited for", status(429, "3600", webtool.RateLimited)},
	{"401 is provider_auth", status(401, "", webtool.ProviderAuth)},
	{"500 is provider_unavailable", status(500, "", webtool.ProviderUnavailable)},
	{"a provider that switches to another protocol is provider_unavailable", switched},
	{"an answer that is not understood is provider_parse_error", garbage},
	{"nobody there is provider_unavailable", unreachable},
	{"a redirect is not followed, and takes no key along", redirect},
	{"a canceled search returns", canceled},
	{"searches run side by side", sideBySide},
}

var query = webtool.Query{Text: "gophers & <burrows>", Max: 10}

func (h *Harness) serve(t *testing.T, handler http.HandlerFunc) webtool.Searcher {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return h.searcher(t, s.URL)
}

func (h *Harness) searcher(t *testing.T, base string) webtool.Searcher {
	s := h.New(base)
	if c, ok := s.(interface{ CloseIdleConnections() }); ok {
		t.Cleanup(c.CloseIdleConnections)
	}
	return s
}

func (h *Harness) reply(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", h.ContentType)
	fmt.Fprint(w, body)
}

func name(t *testing.T, h *Harness) {
	if n := h.New("http://127.0.0.1:1").Name(); n == "" || len(n) > 32 || strings.ContainsAny(n, " :\n") {
		t.Errorf("the name is %q", n)
	}
}

func found(t *testing.T, h *Harness) {
	s := h.serve(t, func(w http.ResponseWriter, _ *http.Request) { h.reply(w, h.Found) })
	hits, err := s.Search(t.Context(), query)
	if err != nil || len(hits) == 0 {
		t.Fatalf("it finds %v, %v", hits, err)
	}
	for _, hit := range hits {
		if !strings.HasPrefix(hit.URL, "http") {
			t.Errorf("a hit leads to %q", hit.URL)
		}
	}
}

func nothing(t *testing.T, h *Harness) {
	s := h.serve(t, func(w http.ResponseWriter, _ *http.Request) { h.reply(w, h.Nothing) })
	if hits, err := s.Search(t.Context(), query); err != nil || len(hits) != 0 {
		t.Errorf("it finds %v, %v", hits, err)
	}
}

func compressed(t *testing.T, h *Harness) {
	s := h.serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.reply(w, h.Found)
			return
		}
		w.Header().Set("Content-Type", h.ContentType)
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, h.Found)
		z.Close()
	})
	if hits, err := s.Search(t.Context(), query); err != nil || len(hits) == 0 {
		t.Errorf("it finds %v, %v", hits, err)
	}
}

// status is a rule for an answer of this status.
func status(code int, retryAfter string, want arc.Code) func(*testing.T, *Harness) {
	return func(t *testing.T, h *Harness) {
		var n atomic.Int32
		s := h.serve(t, func(w http.ResponseWriter, _ *http.Request) {
			n.Add(1)
			if retryAfter != "" {
				w.Header().Set("Retry-After", retryAfter)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			fmt.Fprintf(w, `{"error":{"message":"%s"},"detail":{"error":"%s"}}`, h.Secret, h.Secret)
		})
		_, err := s.Search(t.Context(), query)
		h.wants(t, err, want)
		if n.Load() > 2 {
			t.Errorf("it asks %d times", n.Load())
		}
	}
}

func secondTry(t *testing.T, h *Harness) {
	var n atomic.Int32
	s := h.serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		h.reply(w, h.Found)
	})
	if hits, err := s.Search(t.Context(), query); err != nil || len(hits) == 0 || n.Load() != 2 {
		t.Errorf("after %d requests it finds %v, %v", n.Load(), hits, err)
	}
}

func switched(t *testing.T, h *Harness) {
	release := make(chan struct{})
	defer close(release)
	s := h.serve(t, func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		fmt.Fprint(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		<-release
	})
	done := make(chan error, 1)
	go func() {
		_, err := s.Search(t.Context(), query)
		done <- err
	}()
	select {
	case err := <-done:
		h.wants(t, err, webtool.ProviderUnavailable)
	case <-time.After(h.Patience):
		t.Errorf("it has not returned after %v", h.Patience)
	}
}

func garbage(t *testing.T, h *Harness) {
	for _, body := range []string{"<html><title>Welcome</title><p>Hello.</p></html>", "{}", "[]", "", "null", `"words"`} {
		s := h.serve(t, func(w http.ResponseWriter, _ *http.Request) { h.reply(w, body) })
		_, err := s.Search(t.Context(), query)
		if !errors.Is(err, webtool.ProviderParseError) {
			t.Errorf("%q is %v", body, err)
		}
		h.keeps(t, err)
	}
}

func unreachable(t *testing.T, h *Harness) {
	_, err := h.searcher(t, "http://127.0.0.1:1").Search(t.Context(), query)
	h.wants(t, err, webtool.ProviderUnavailable)
}

func redirect(t *testing.T, h *Harness) {
	var mu sync.Mutex
	var arrived []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		arrived = append(arrived, fmt.Sprint(r.URL, r.Header))
	}))
	defer other.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		s := h.serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, code) })
		_, err := s.Search(t.Context(), query)
		h.wants(t, err, webtool.ProviderUnavailable)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(arrived) > 0 {
		t.Errorf("it went along: %q", arrived)
	}
}

func canceled(t *testing.T, h *Harness) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	s := h.serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		select {
		case <-r.Context().Done():
		case <-release:
		}
	})
	done := make(chan error, 1)
	go func() {
		_, err := s.Search(ctx, query)
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil {
			t.Error("it has found something")
		}
		h.keeps(t, err)
	case <-time.After(h.Patience):
		t.Errorf("it has not returned after %v", h.Patience)
	}
}

func sideBySide(t *testing.T, h *Harness) {
	s := h.serve(t, func(w http.ResponseWriter, _ *http.Request) { h.reply(w, h.Found) })
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if _, err := s.Search(t.Context(), query); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func (h *Harness) wants(t *testing.T, err error, want arc.Code) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("it is %v, want %s", err, want)
	}
	h.keeps(t, err)
}

// keeps fails if the key, or a URL with the query, is anywhere in err.
func (h *Harness) keeps(t *testing.T, err error) {
	t.Helper()
	if h.Secret == "" {
		return
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		var shown []byte
		if known, ok := e.(*arc.Error); ok {
			shown, _ = json.Marshal(known)
		}
		if text := fmt.Sprintf("%v %+v %#v %s", e, e, e, shown); strings.Contains(text, h.Secret) {
			t.Errorf("the key is in %s", text)
		}
	}
}
