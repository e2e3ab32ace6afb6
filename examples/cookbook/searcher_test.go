package cookbook

import (
	"context"
	"fmt"
	"strings"

	"github.com/arcseat/arc/webtool"
)

// Wiki is a search provider over what a company has written down. One that speaks HTTP
// has webtest.Run to hold it to the rules.
type Wiki map[string]string // title → text

// Name is shown with the results: it says who has read the query.
func (Wiki) Name() string { return "wiki" }

// Search returns no hits and no error where there is nothing to find. Whatever kept it
// from looking is an *arc.Error, such as webtool.RateLimited, and the next provider is
// asked.
func (w Wiki) Search(_ context.Context, q webtool.Query) ([]webtool.Hit, error) {
	var hits []webtool.Hit
	for title, text := range w {
		if strings.Contains(strings.ToLower(text), strings.ToLower(q.Text)) {
			hits = append(hits, webtool.Hit{Title: title, URL: "https://wiki.example/" + title, Snippet: text})
		}
	}
	return hits, nil
}

// A search provider of your own, asked before those of the web.
func Example_searcher() {
	web := webtool.New(&webtool.Options{Search: []webtool.Searcher{
		Wiki{"Releases": "We release on Tuesdays."},
		webtool.SearXNG("http://127.0.0.1:8888", nil), // only where the first has failed
	}})
	defer web.Close()
	r, err := web.Search(context.Background(), webtool.SearchArgs{Query: "tuesdays"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Provider, r.Results[0].Title, r.Results[0].URL)
	// Output: wiki Releases https://wiki.example/Releases
}
