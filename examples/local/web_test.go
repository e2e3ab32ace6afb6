package local_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/webtool"
	"github.com/arcseat/arc/webtool/webtest"
)

func TestSearchersOfTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		env  map[string]string
		want []string
	}{
		{"none", nil, []string{"tavily-keyless"}},
		{"an instance of one's own, and nobody else", map[string]string{"ARC_SEARXNG_URL": "http://127.0.0.1:8888"}, []string{"searxng"}},
		{"all", map[string]string{"ARC_SEARXNG_URL": "http://127.0.0.1:8888", "BRAVE_API_KEY": "k", "TAVILY_API_KEY": "k", "EXA_API_KEY": "k"}, []string{"searxng", "brave", "tavily", "exa"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, s := range local.Searchers(func(name string) string { return c.env[name] }) {
				got = append(got, s.Name())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestTheWebIsThere(t *testing.T) {
	t.Parallel()
	n := webtest.NewNet()
	n.Name("example.com", "93.184.216.34")
	web := &webtool.Options{Resolver: n, Dial: n.Dial, Search: []webtool.Searcher{&webtest.Fake{}}}
	call := func(t *testing.T, o local.Options, name, args string) *arc.Result {
		t.Helper()
		o.Web = web
		host, _ := open(t, o)
		return session(t, host, nil).Call(t.Context(), arc.Call{Name: name, Args: json.RawMessage(args)})
	}
	if r := call(t, local.Options{}, "web_search", `{"query":"gophers"}`); r.Err != nil || !strings.Contains(r.String(), `"provider":"fake"`) {
		t.Errorf("a search is %s", r)
	}
	if r := call(t, local.Options{NoSearch: true}, "web_search", `{"query":"gophers"}`); r.Err == nil || r.Err.Code != arc.UnknownTool {
		t.Errorf("without search it is %s", r)
	}
	for access, want := range map[arc.Access]arc.Code{arc.Safe: webtool.BlockedAddress, arc.FullAccess: webtool.ConnectError} {
		if r := call(t, local.Options{Access: access}, "web_fetch", `{"url":"http://127.0.0.1:8000/"}`); r.Err == nil || r.Err.Code != want {
			t.Errorf("access %v: a local page is %s", access, r)
		}
	}
}
