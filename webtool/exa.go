package webtool

import (
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
	var found struct {
		Results *[]struct {
			Title      *string // null where the page has none
			URL, Text  string
			Published  string `json:"publishedDate"`
			Highlights []string
		}
		Error any
	}
	if err := x.json(r, &found); err != nil {
		return nil, err
	}
	if found.Error != nil {
		return nil, x.failed(ProviderUnavailable, "in_band", r.status, nil)
	}
	if found.Results == nil {
		return nil, x.failed(ProviderParseFailed, "no_results_field", r.status, nil)
	}
	hits := make([]Hit, 0, len(*found.Results))
	for _, h := range *found.Results {
		hit := Hit{URL: h.URL, Snippet: strings.Join(h.Highlights, " … "), Published: h.Published}
		if h.Title != nil {
			hit.Title = *h.Title
		}
		if hit.Snippet == "" {
			hit.Snippet = h.Text
		}
		hits = append(hits, hit)
	}
	return hits, nil
}
