package local

import (
	"cmp"
	"os"

	"github.com/arcseat/arc/webtool"
)

// openWeb makes the tools of the web.
func (h *Host) openWeb(o *Options) {
	with := webtool.Options{}
	if o.Web != nil {
		with = *o.Web
	}
	with.Logger = cmp.Or(with.Logger, o.Logger)
	if with.PDFText == nil {
		with.PDFText = h.Docs.Text
	}
	switch {
	case o.NoSearch:
		with.Search = []webtool.Searcher{webtool.NoSearch}
	case with.Search == nil:
		with.Search = Searchers(os.Getenv)
	}
	h.Web = webtool.New(&with)
}

// Searchers are the search providers that the environment names, in the order in which
// they are asked: ARC_SEARXNG_URL, BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY. With none
// of them it is Tavily without a key, and queries go there. Every result names the
// provider that has read its query.
func Searchers(getenv func(string) string) []webtool.Searcher {
	var found []webtool.Searcher
	if base := getenv("ARC_SEARXNG_URL"); base != "" {
		found = append(found, webtool.SearXNG(base, nil))
	}
	for _, p := range []struct {
		variable string
		make     func(string, *webtool.ProviderOptions) webtool.Searcher
	}{
		{"BRAVE_API_KEY", webtool.Brave},
		{"TAVILY_API_KEY", webtool.Tavily},
		{"EXA_API_KEY", webtool.Exa},
	} {
		if key := getenv(p.variable); key != "" {
			found = append(found, p.make(key, nil))
		}
	}
	if found == nil {
		found = append(found, webtool.Tavily("", nil))
	}
	return found
}
