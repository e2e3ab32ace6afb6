package webtool

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Brave is the Brave Search API with the given key. Its name is brave. A query keeps
// the first 50 words, which is what the API takes.
func Brave(key string, o *ProviderOptions) Searcher {
	return &brave{newAPI("brave", "https://api.search.brave.com", time.Second, o), strings.TrimSpace(key)}
}

type brave struct {
	*api
	key string
}

const braveWords = 50

func (b *brave) Search(ctx context.Context, q Query) ([]Hit, error) {
	words := strings.Fields(q.Text)
	words = words[:min(len(words), braveWords)]
	// Accept-Encoding is the transport's: set by hand, it would not be undone.
	r, err := b.get(ctx, "/res/v1/web/search", url.Values{
		"q": {strings.Join(words, " ")}, "count": {strconv.Itoa(min(q.Max, 20))},
		"text_decorations": {"false"}, "result_filter": {"web"},
	}, http.Header{"X-Subscription-Token": {b.key}, "Accept": {"application/json"}})
	if err != nil {
		return nil, err
	}
	if err := b.check(r); err != nil {
		return nil, err
	}
	type result struct {
		Title, URL, Description string
		PageAge                 string `json:"page_age"`
	}
	var found struct {
		Type  string
		Error struct {
			Status int
			Code   string
		}
		Web struct {
			Results results[result]
		}
	}
	if err := b.json(r, &found); err != nil {
		return nil, err
	}
	switch found.Type {
	case "search":
	case "ErrorResponse": // with status 200
		switch r.status = found.Error.Status; {
		case found.Error.Code == "RATE_LIMITED":
			return nil, b.failed(RateLimited, "in_band", r.status, nil)
		case r.status < 400:
			return nil, b.failed(ProviderUnavailable, "in_band", r.status, nil)
		}
		return nil, b.check(r)
	default:
		return nil, b.failed(ProviderParseError, "type", r.status, nil)
	}
	if !found.Web.Results.there { // it has found nothing on the web
		return nil, nil
	}
	return hitsOf(b.api, r, found.Web.Results, func(x result) Hit {
		return Hit{Title: x.Title, URL: x.URL, Snippet: x.Description, Published: x.PageAge, HTML: true}
	})
}
