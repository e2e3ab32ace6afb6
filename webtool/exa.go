package webtool

import (
	"cmp"
	"context"
	"net/http"
	"strings"
)

// Exa is the Exa API with the given key. Its name is exa.
func Exa(key string, o *ProviderOptions) Searcher {
	return &exa{newAPI("exa", "https://api.exa.ai", 0, o), strings.TrimSpace(key)}
}

type exa struct {
	*api
	key string
}

func (x *exa) Search(ctx context.Context, q Query) ([]Hit, error) {
	type highlights struct {
		MaxCharacters int `json:"maxCharacters"`
	}
	type contents struct {
		Highlights highlights `json:"highlights"`
	}
	r, err := x.post(ctx, "/search", struct {
		Query    string   `json:"query"`
		Type     string   `json:"type"`
		Results  int      `json:"numResults"`
		Contents contents `json:"contents"`
	}{q.Text, "auto", min(q.Max, 100), contents{highlights{maxSnippet}}}, http.Header{"X-Api-Key": {x.key}, "Accept": {"application/json"}})
	if err != nil {
		return nil, err
	}
	if err := x.check(r); err != nil {
		return nil, err
	}
	type result struct {
		Title      string // null where the page has none
		URL, Text  string
		Published  string `json:"publishedDate"`
		Highlights []string
	}
	var found struct {
		Results results[result]
		Error   any
	}
	if err := x.json(r, &found); err != nil {
		return nil, err
	}
	if found.Error != nil {
		return nil, x.failed(ProviderUnavailable, "in_band", r.status, nil)
	}
	return hitsOf(x.api, r, found.Results, func(h result) Hit {
		return Hit{Title: h.Title, URL: h.URL, Snippet: cmp.Or(strings.Join(h.Highlights, " … "), h.Text), Published: h.Published}
	})
}
