package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/webtool"
	"github.com/arcseat/arc/webtool/webtest"
)

// A Safe room searches, reads a page to its end, and is kept from an address of a
// cloud's own.
func Example() {
	ctx := context.Background()
	// The Internet of this example. A host leaves Resolver and Dial out.
	internet := webtest.NewNet()
	internet.Name("example.com", "93.184.216.34")
	page := "<title>Moles</title><main><h1>Moles</h1>" + strings.Repeat("<p>They dig, and they dig well.</p>", 1500) + "</main>"
	defer internet.Serve("93.184.216.34:80", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page)
	}))()
	provider := &webtest.Fake{As: "wiki", Hits: []webtool.Hit{{Title: "Moles", URL: "http://example.com/moles"}}}

	web := webtool.New(&webtool.Options{Search: []webtool.Searcher{provider}, Resolver: internet, Dial: internet.Dial})
	defer web.Close()
	set, err := tools.NewSet([]arc.Provider{web}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	session := set.Session(arc.Turn{}) // Safe: nothing more is needed to read the public web
	call := func(name string, args any) *arc.Result {
		raw, err := json.Marshal(args)
		if err != nil {
			panic(err)
		}
		return session.Call(ctx, arc.Call{Name: name, Args: raw})
	}

	fmt.Println(call("web_search", map[string]any{"query": "moles"}).Body)
	r := call("web_fetch", map[string]any{"url": "http://example.com/moles"})
	all, pages := r.Body, 1
	for ; r.Next != nil; pages++ { // what the model would do, literally
		r = call(r.Next.Tool, r.Next.Arguments)
		all += r.Body
	}
	fmt.Println(strings.Count(all, "They dig"), "times in", pages, "pages")
	fmt.Println(call("web_fetch", map[string]any{"url": "http://169.254.169.254/latest/meta-data/"}).Err.Code)
	// Output:
	// 1. Moles
	// http://example.com/moles
	//
	// 1500 times in 2 pages
	// blocked_address
}
