package webtool_test

import (
	"errors"
	"testing"

	"github.com/arcseat/arc/webtool"
)

func TestOddResults(t *testing.T) {
	t.Parallel()
	options := func(base string) *webtool.ProviderOptions { return &webtool.ProviderOptions{BaseURL: base} }
	for name, p := range map[string]struct {
		make         func(base string) webtool.Searcher
		before, good string // of the answer
		after        string
	}{
		"searxng": {func(base string) webtool.Searcher { return webtool.SearXNG(base, nil) },
			`{"results":[`, `{"title":"Go","url":"https://go.dev/"}`, `]}`},
		"brave": {func(base string) webtool.Searcher { return webtool.Brave(secret, options(base)) },
			`{"type":"search","web":{"results":[`, `{"title":"Go","url":"https://go.dev/"}`, `]}}`},
		"tavily": {func(base string) webtool.Searcher { return webtool.Tavily(secret, options(base)) },
			`{"results":[`, `{"title":"Go","url":"https://go.dev/"}`, `]}`},
		"exa": {func(base string) webtool.Searcher { return webtool.Exa(secret, options(base)) },
			`{"results":[`, `{"title":"Go","url":"https://go.dev/"}`, `]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, odd := range []string{`{"title":7,"url":"https://a.example/"}`, `{"title":"A","url":["https://a.example/"]}`, `"A"`, `null`, `7`, `[]`, `{"title":"A","link":"https://a.example/"}`} {
				hits, err := ask(t, p.make, 200, p.before+odd+","+p.good+","+odd+p.after)
				if err != nil || len(hits) != 1 || hits[0].Title != "Go" || hits[0].URL != "https://go.dev/" {
					t.Errorf("beside %s it finds %+v, %v", odd, hits, err)
				}
				if hits, err := ask(t, p.make, 200, p.before+odd+p.after); !errors.Is(err, webtool.ProviderParseError) {
					t.Errorf("where all are as %s it finds %+v, %v", odd, hits, err)
				}
			}
		})
	}
}
