package webtool

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"
)

// SearXNG is the instance at base, such as http://127.0.0.1:8888, which must offer
// JSON (search.formats in its settings). A user name and password in base are sent as
// basic authentication. The name is searxng; a BaseURL in o wins over base.
//
// An answer without results that lists engines as unresponsive is an error. Old versions
// (searx 1.1) leave suspended engines off that list, so that for as long as all of
// theirs are suspended they find nothing.
func SearXNG(base string, o *ProviderOptions) Searcher {
	with := ProviderOptions{}
	if o != nil {
		with = *o
	}
	with.BaseURL = cmp.Or(with.BaseURL, base, "none") // "none" fails: nobody has said where it is
	return &searXNG{newAPI("searxng", "", 0, &with)}
}

type searXNG struct{ *api }

func (s *searXNG) Search(ctx context.Context, q Query) ([]Hit, error) {
	r, err := s.get(ctx, "/search", url.Values{
		"q": {q.Text}, "format": {"json"}, "categories": {"general"}, "pageno": {"1"},
	}, http.Header{"Accept": {"application/json"}})
	if err != nil {
		return nil, err
	}
	if r.status == http.StatusForbidden && !bytes.HasPrefix(bytes.TrimSpace(r.body), []byte("{")) {
		e := s.failed(ProviderAuth, "json_disabled", r.status, nil)
		e.Message = "the SearXNG instance does not offer JSON: the operator adds json to search.formats in its settings; read a known URL with web_fetch."
		return nil, e
	}
	if err := s.check(r); err != nil {
		return nil, err
	}
	type result struct{ Title, URL, Content, PublishedDate string }
	var found struct {
		Results      results[result]
		Unresponsive results[[]any] `json:"unresponsive_engines"`
	}
	if err := s.json(r, &found); err != nil {
		return nil, err
	}
	hits, err := hitsOf(s.api, r, found.Results, func(x result) Hit {
		return Hit{Title: x.Title, URL: x.URL, Snippet: x.Content, Published: x.PublishedDate}
	})
	if err == nil && len(hits) == 0 && len(found.Unresponsive.all)+found.Unresponsive.odd > 0 {
		return nil, s.engines(found.Unresponsive.all)
	}
	return hits, err
}

// engines is the error of an answer that is empty because no engine gave one.
func (s *searXNG) engines(all [][]any) error {
	if len(all) == 0 {
		return s.failed(ProviderUnavailable, "engines", 0, nil)
	}
	for _, one := range all {
		reason := ""
		if len(one) > 1 {
			reason, _ = one[1].(string)
		}
		reason = strings.ToLower(reason)
		if !strings.Contains(reason, "too many requests") && !strings.Contains(reason, "captcha") && !strings.HasPrefix(reason, "suspended") {
			return s.failed(ProviderUnavailable, "engines", 0, nil)
		}
	}
	return s.failed(RateLimited, "engines", 0, nil)
}
