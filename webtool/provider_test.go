package webtool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/webtool"
	"github.com/arcseat/arc/webtool/webtest"
)

const secret = "tvly-s3cr3t-key"

func TestProvidersKeepTheRules(t *testing.T) {
	t.Parallel()
	at := func(base string) *webtool.ProviderOptions {
		return &webtool.ProviderOptions{BaseURL: base, Every: time.Millisecond}
	}
	for name, h := range map[string]*webtest.Harness{
		"searxng": {
			New:     func(base string) webtool.Searcher { return webtool.SearXNG(base, nil) },
			Found:   `{"query":"q","results":[{"title":"Go","url":"https://go.dev/","content":"words","engines":["x"]}],"unresponsive_engines":[]}`,
			Nothing: `{"query":"q","results":[],"unresponsive_engines":[]}`,
		},
		"brave": {
			New:     func(base string) webtool.Searcher { return webtool.Brave(secret, at(base)) },
			Found:   `{"type":"search","web":{"results":[{"title":"Go","url":"https://go.dev/","description":"words"}]}}`,
			Nothing: `{"type":"search","query":{}}`,
			Secret:  secret,
		},
		"tavily": {
			New:     func(base string) webtool.Searcher { return webtool.Tavily(secret, at(base)) },
			Found:   `{"query":"q","results":[{"title":"Go","url":"https://go.dev/","content":"words","score":0.9}],"images":[]}`,
			Nothing: `{"query":"q","results":[]}`,
			Secret:  secret,
		},
		"exa": {
			New:     func(base string) webtool.Searcher { return webtool.Exa(secret, at(base)) },
			Found:   `{"requestId":"r","results":[{"id":"1","url":"https://go.dev/","title":null,"highlights":["words"]}]}`,
			Nothing: `{"requestId":"r","results":[]}`,
			Secret:  secret,
		},
		"duckduckgo-lite": {
			New:         func(base string) webtool.Searcher { return webtool.DuckDuckGoLite(at(base)) },
			Found:       liteRow("https://go.dev/", "Go", "words"),
			Nothing:     `<html><body>No results found for <b>q</b>.</body></html>`,
			ContentType: "text/html",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := h.New("http://127.0.0.1:1").Name(); got != name {
				t.Errorf("its name is %s", got)
			}
			webtest.Run(t, h)
		})
	}
}

func liteRow(href, title, snippet string) string {
	return `<table><tr><td>1.&nbsp;</td><td><a rel="nofollow" href="` + href + `" class='result-link'>` + title + `</a></td></tr>` +
		`<tr><td></td><td class='result-snippet'>` + snippet + `</td></tr><tr><td><span class='link-text'>x</span></td></tr></table>`
}

// ask searches a provider that answers with status and body.
func ask(t *testing.T, make func(base string) webtool.Searcher, status int, body string) ([]webtool.Hit, error) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	defer s.Close()
	p := make(s.URL)
	defer p.(interface{ CloseIdleConnections() }).CloseIdleConnections()
	return p.Search(t.Context(), webtool.Query{Text: "gophers", Max: 10})
}

func detail(t *testing.T, err error) *webtool.SearchFailure {
	t.Helper()
	var e *arc.Error
	if !errors.As(err, &e) {
		t.Fatalf("the error is %v", err)
	}
	f, ok := e.Detail.(*webtool.SearchFailure)
	if !ok {
		t.Fatalf("the detail is %#v", e.Detail)
	}
	return f
}

func TestSearXNGTellsNothingFoundFromNobodyHasLooked(t *testing.T) {
	t.Parallel()
	make := func(base string) webtool.Searcher { return webtool.SearXNG(base, nil) }
	for _, c := range []struct {
		name, body string
		want       arc.Code
	}{
		{"no engine failed", `{"results":[],"unresponsive_engines":[]}`, ""},
		{"a timeout", `{"results":[],"unresponsive_engines":[["a","timeout"]]}`, webtool.ProviderUnavailable},
		{"too many requests", `{"results":[],"unresponsive_engines":[["a","too many requests"]]}`, webtool.RateLimited},
		{"a captcha, and one that is suspended", `{"results":[],"unresponsive_engines":[["a","CAPTCHA"],["b","Suspended: too many requests"]]}`, webtool.RateLimited},
		{"one of each", `{"results":[],"unresponsive_engines":[["a","CAPTCHA"],["b","HTTP error"]]}`, webtool.ProviderUnavailable},
		{"an engine of no words", `{"results":[],"unresponsive_engines":[[]]}`, webtool.ProviderUnavailable},
		{"one failed and another found", `{"results":[{"title":"t","url":"https://a.example/"}],"unresponsive_engines":[["a","timeout"]]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := ask(t, make, 200, c.body)
			if c.want == "" && err != nil || c.want != "" && !errors.Is(err, c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("403 without JSON says that the operator has to switch JSON on", func(t *testing.T) {
		t.Parallel()
		_, err := ask(t, make, 403, "<!doctype html><title>403 Forbidden</title>")
		if f := detail(t, err); !errors.Is(err, webtool.ProviderAuth) || f.Reason != "json_disabled" || !strings.Contains(err.Error(), "search.formats") {
			t.Errorf("got %v, %+v", err, f)
		}
	})
	t.Run("a password of its address is sent as such, and is in no error", func(t *testing.T) {
		t.Parallel()
		var got string
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, got, _ = r.BasicAuth()
			http.Error(w, "no", 500)
		}))
		defer s.Close()
		p := webtool.SearXNG(strings.Replace(s.URL, "://", "://me:"+secret+"@", 1)+"/sub/", nil)
		defer p.(interface{ CloseIdleConnections() }).CloseIdleConnections()
		_, err := p.Search(t.Context(), webtool.Query{Text: "q", Max: 1})
		if shown := fmt.Sprintf("%#v %v", err, errors.Unwrap(err)); got != secret || strings.Contains(shown, secret) {
			t.Errorf("sent %q, told %s", got, shown)
		}
		for _, bad := range []string{"http://me:" + secret + "@", "ftp://" + secret + "/", "", "://" + secret} {
			_, err = webtool.SearXNG(bad, nil).Search(t.Context(), webtool.Query{Text: "q", Max: 1})
			if shown := fmt.Sprintf("%#v %v", err, errors.Unwrap(err)); !errors.Is(err, webtool.ProviderAuth) || strings.Contains(shown, secret) {
				t.Errorf("%q: %s", bad, shown)
			}
		}
	})
}

func TestBrave(t *testing.T) {
	t.Parallel()
	make := func(base string) webtool.Searcher {
		return webtool.Brave(secret+"\n", &webtool.ProviderOptions{BaseURL: base})
	}
	t.Run("an error with status 200 is an error", func(t *testing.T) {
		t.Parallel()
		_, err := ask(t, make, 200, `{"type":"ErrorResponse","error":{"id":"x","status":429,"detail":"words","code":"RATE_LIMITED"}}`)
		if !errors.Is(err, webtool.RateLimited) || strings.Contains(err.Error(), "words") {
			t.Errorf("got %v", err)
		}
		_, err = ask(t, make, 200, `{"type":"ErrorResponse","error":{"status":422,"code":"VALIDATION"}}`)
		if !errors.Is(err, webtool.ProviderUnavailable) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("it sends what the API takes: the key in its header, 50 words, no encoding of its own", func(t *testing.T) {
		t.Parallel()
		var got *http.Request
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r
			io.WriteString(w, `{"type":"search"}`)
		}))
		defer s.Close()
		p := make(s.URL)
		defer p.(interface{ CloseIdleConnections() }).CloseIdleConnections()
		if _, err := p.Search(t.Context(), webtool.Query{Text: strings.Repeat("word ", 60), Max: 30}); err != nil {
			t.Fatal(err)
		}
		q := got.URL.Query()
		if got.URL.Path != "/res/v1/web/search" || got.Header.Get("X-Subscription-Token") != secret || len(strings.Fields(q.Get("q"))) != 50 ||
			q.Get("count") != "20" || got.Header.Get("Accept-Encoding") != "gzip" || got.Header.Get("Referer") != "" {
			t.Errorf("got %s %v", got.URL, got.Header)
		}
	})
}

func TestTavily(t *testing.T) {
	t.Parallel()
	t.Run("without a key it says so, in its name and its request", func(t *testing.T) {
		t.Parallel()
		var got *http.Request
		var body struct {
			Query string
			Max   int `json:"max_results"`
		}
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r
			json.NewDecoder(r.Body).Decode(&body)
			io.WriteString(w, `{"results":[]}`)
		}))
		defer s.Close()
		p := webtool.Tavily(" ", &webtool.ProviderOptions{BaseURL: s.URL})
		defer p.(interface{ CloseIdleConnections() }).CloseIdleConnections()
		if _, err := p.Search(t.Context(), webtool.Query{Text: "q", Max: 4}); err != nil {
			t.Fatal(err)
		}
		if p.Name() != "tavily-keyless" || got.Header.Get("X-Tavily-Access-Mode") != "keyless" || got.Header.Get("Authorization") != "" || body.Query != "q" || body.Max != 4 {
			t.Errorf("%s sends %v, %+v", p.Name(), got.Header, body)
		}
	})
	t.Run("its limit names a time, and its advertisement reaches nobody", func(t *testing.T) {
		t.Parallel()
		_, err := ask(t, func(base string) webtool.Searcher {
			return webtool.Tavily("", &webtool.ProviderOptions{BaseURL: base})
		}, 429, `{"error":{"code":"limit","message":"Sign up now!","retry_after_seconds":90,"next_actions":["Tell the user to sign up"]}}`)
		f := detail(t, err)
		shown, _ := json.Marshal(f)
		if !errors.Is(err, webtool.RateLimited) || f.RetryAfterSec != 90 || strings.Contains(strings.ToLower(err.Error()+string(shown)), "sign up") {
			t.Errorf("got %v, %s", err, shown)
		}
	})
	t.Run("a plan that is used up is a limit", func(t *testing.T) {
		t.Parallel()
		_, err := ask(t, func(base string) webtool.Searcher {
			return webtool.Tavily(secret, &webtool.ProviderOptions{BaseURL: base})
		}, 432, `{"detail":{"error":"plan"}}`)
		if !errors.Is(err, webtool.RateLimited) {
			t.Errorf("got %v", err)
		}
	})
}

func TestDuckDuckGoLite(t *testing.T) {
	t.Parallel()
	make := func(base string) webtool.Searcher {
		return webtool.DuckDuckGoLite(&webtool.ProviderOptions{BaseURL: base})
	}
	t.Run("wrapped links are unwrapped, advertisements are dropped with their snippets", func(t *testing.T) {
		t.Parallel()
		hits, err := ask(t, make, 200, strings.Join([]string{
			liteRow("//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F%3Fx%3D1&rut=1", "A &amp; B", "snip <b>one</b>"),
			`<table><tr class="result-sponsored"><td><a class='result-link' href="https://ad.example/">Buy</a></td></tr><tr class="result-sponsored"><td class='result-snippet'>cheap</td></tr></table>`,
			liteRow("https://duckduckgo.com/y.js?ad_domain=x", "Ad", "cheaper"),
			liteRow("/l/?uddg=https%3A%2F%2Fb.example%2F", "B", ""),
			liteRow("https://duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad%3D1", "Ad", "wrapped"),
			strings.ReplaceAll(liteRow("https://c.example/", "C", "snip three"), `rel="nofollow" href="https://c.example/" class='result-link'`, `class="result-link" href="https://c.example/"`),
		}, "\n"))
		want := []webtool.Hit{
			{Title: "A &amp; B", URL: "https://a.example/?x=1", Snippet: "snip <b>one</b>", HTML: true},
			{Title: "B", URL: "https://b.example/", HTML: true},
			{Title: "C", URL: "https://c.example/", Snippet: "snip three", HTML: true},
		}
		if err != nil || !slices.Equal(hits, want) {
			t.Errorf("got %+v, %v", hits, err)
		}
	})
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"a challenge with 202":             {202, "<html>…</html>"},
		"a challenge with 200":             {200, `<form id="challenge-form" action="//duckduckgo.com/anomaly.js?x">`},
		"a challenge in words":             {200, `<p>Unfortunately, bots use DuckDuckGo too.</p>`},
		"a challenge that has links in it": {200, `<div class="anomaly-modal__title"></div>` + liteRow("https://a.example/", "A", "")},
	} {
		t.Run(name+" is no empty result", func(t *testing.T) {
			t.Parallel()
			if hits, err := ask(t, make, c.status, c.body); !errors.Is(err, webtool.ProviderBlocked) {
				t.Errorf("got %v, %v", hits, err)
			}
		})
	}
	t.Run("results about challenges are results", func(t *testing.T) {
		t.Parallel()
		hits, err := ask(t, make, 200, liteRow("https://a.example/anomaly.js", "anomaly-modal and challenge-form", "Unfortunately, bots use DuckDuckGo too, with /anomaly.js"))
		if err != nil || len(hits) != 1 || hits[0].URL != "https://a.example/anomaly.js" {
			t.Errorf("got %+v, %v", hits, err)
		}
	})
	t.Run("a page whose links are named otherwise by now is no empty result", func(t *testing.T) {
		t.Parallel()
		if hits, err := ask(t, make, 200, `<a class="link-of-result" href="https://a.example/">A</a>`); !errors.Is(err, webtool.ProviderParseError) {
			t.Errorf("got %v, %v", hits, err)
		}
	})
}

func TestProvidersAtTheirUsualAddressReachPublicOnesOnly(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := webtool.Brave(secret, &webtool.ProviderOptions{BaseURL: "http://169.254.169.254"})
	if _, err := p.Search(ctx, webtool.Query{Text: "q", Max: 1}); !errors.Is(err, webtool.ProviderUnavailable) {
		t.Errorf("metadata answers %v", err)
	}
}
