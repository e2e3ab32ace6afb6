package webtool_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/webtool"
	"github.com/arcseat/arc/webtool/webtest"
)

func Example() {
	// A network in memory stands in for the Internet; a host leaves Resolver and Dial out.
	n := webtest.NewNet()
	n.Name("example.com", "93.184.216.34")
	defer n.Serve("93.184.216.34:80", page("text/html", `<title>Gophers</title><nav><a href="/">Home</a></nav><main><h1>Gophers</h1><p>They dig.</p></main>`))()
	w := webtool.New(&webtool.Options{Resolver: n, Dial: n.Dial})
	defer w.Close()

	r, err := w.Fetch(context.Background(), webtool.Reader{}, webtool.FetchArgs{URL: "http://example.com/"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Kind, r.Title)
	fmt.Println(strings.TrimSpace(r.Text[:*r.Range.MainEnd]))

	_, err = w.Fetch(context.Background(), webtool.Reader{}, webtool.FetchArgs{URL: "http://169.254.169.254/latest/meta-data/"})
	fmt.Println(errors.Is(err, webtool.BlockedAddress))
	// Output:
	// page Gophers
	// # Gophers
	//
	// They dig.
	// true
}

func ExampleWeb_Search() {
	down := &webtest.Fake{As: "down", Err: &arc.Error{Code: webtool.RateLimited, Message: "later."}}
	up := &webtest.Fake{As: "up", Hits: []webtool.Hit{{Title: "The <b>Go</b> Memory Model", URL: "https://go.dev/ref/mem?utm_source=x", Snippet: "&hellip;", HTML: true}}}
	w := webtool.New(&webtool.Options{Search: []webtool.Searcher{down, up}})
	defer w.Close()

	r, err := w.Search(context.Background(), webtool.SearchArgs{Query: "go memory model"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Provider, r.Notes)
	for _, h := range r.Results {
		fmt.Println(h.Title, h.URL)
	}
	// Output:
	// up [down:rate_limited]
	// The Go Memory Model https://go.dev/ref/mem?utm_source=x
}

func ExampleOptions() {
	w := webtool.New(&webtool.Options{
		Search: []webtool.Searcher{
			webtool.SearXNG("http://127.0.0.1:8888", nil), // asked first
			webtool.Brave("key", nil),                     // asked where the first has failed
		},
		SafePorts: []uint16{80, 443},
		OnFetch:   func(e webtool.Event) { log.Print(e.URL, e.Status, e.Err) },
	})
	defer w.Close()
	for _, t := range w.Tools() {
		fmt.Println(t.Definition(arc.Env{}).Name)
	}
	// Output:
	// web_fetch
	// web_search
}

func ExampleNoSearch() {
	w := webtool.New(&webtool.Options{Search: []webtool.Searcher{webtool.NoSearch}})
	defer w.Close()
	fmt.Println(len(w.Tools()))
	// Output: 1
}
