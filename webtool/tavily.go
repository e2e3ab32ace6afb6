package webtool

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// Tavily is the Tavily API. Without a key it is used as Tavily offers it to agents
// that have none, within a limit; then its name is tavily-keyless, else tavily.
func Tavily(key string, o *ProviderOptions) Searcher {
	key = strings.TrimSpace(key)
	name := "tavily"
	if key == "" {
		name = "tavily-keyless"
	}
	return &tavily{newAPI(name, "https://api.tavily.com", 0, o), key}
}

type tavily struct {
	*api
	key string
}

func (t *tavily) Search(ctx context.Context, q Query) ([]Hit, error) {
	header := http.Header{"Accept": {"application/json"}}
	if t.key == "" {
		header.Set("X-Tavily-Access-Mode", "keyless")
	} else {
		header.Set("Authorization", "Bearer "+t.key)
	}
	r, err := t.post(ctx, "/search", struct {
		Query string `json:"query"`
		Max   int    `json:"max_results"`
		Depth string `json:"search_depth"`
	}{q.Text, min(q.Max, 20), "basic"}, header)
	if err != nil {
		return nil, err
	}
	if err := t.checkLimit(r); err != nil {
		return nil, err
	}
	type result struct {
		Title, URL, Content string
		Published           string `json:"published_date"`
	}
	var found struct{ Results results[result] }
	if err := t.json(r, &found); err != nil {
		return nil, err
	}
	return hitsOf(t.api, r, found.Results, func(x result) Hit {
		return Hit{Title: x.Title, URL: x.URL, Snippet: x.Content, Published: x.Published}
	})
}

// checkLimit is check, and knows how Tavily says when to come back. What its error
// says beside that is addressed to models and is not passed on.
func (t *tavily) checkLimit(r *reply) error {
	var limit struct {
		Error *struct {
			RetryAfter float64 `json:"retry_after_seconds"`
		}
	}
	inBand := json.Unmarshal(r.body, &limit) == nil && limit.Error != nil
	switch {
	case r.status == 432 || r.status == 433: // the plan's limit, the key's own
		return t.failed(RateLimited, "plan", r.status, nil)
	case inBand && (limit.Error.RetryAfter > 0 || r.status == http.StatusTooManyRequests):
		e := t.failed(RateLimited, "", r.status, nil)
		after := max(time.Duration(min(limit.Error.RetryAfter, 86400)*float64(time.Second)), retryAfter(r.header))
		e.Detail.(*SearchFailure).RetryAfterSec = seconds(after)
		return e
	case inBand && r.status < 300:
		return t.failed(ProviderUnavailable, "in_band", r.status, nil)
	}
	return t.check(r)
}
