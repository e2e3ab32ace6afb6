package webtest_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"github.com/arcseat/arc/webtool"
	"github.com/arcseat/arc/webtool/webtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func ExampleNet() {
	n := webtest.NewNet()
	n.Name("example.com", "93.184.216.34")
	n.Name("inward.example", "127.0.0.1")
	defer n.Serve("93.184.216.34:80", http.RedirectHandler("http://inward.example/", http.StatusFound))()
	w := webtool.New(&webtool.Options{Resolver: n, Dial: n.Dial})
	defer w.Close()

	_, err := w.Fetch(context.Background(), webtool.Reader{}, webtool.FetchArgs{URL: "http://example.com/"})
	fmt.Println(err)
	fmt.Println(n.Dialed())
	// Output:
	// blocked_address: address 127.0.0.1 is this machine's own address, so it is not fetched; use a page that is on the public web.
	// [93.184.216.34:80]
}

func ExampleFake() {
	fake := &webtest.Fake{Hits: []webtool.Hit{{Title: "Gophers", URL: "https://gophers.example/"}}}
	w := webtool.New(&webtool.Options{Search: []webtool.Searcher{fake}})
	defer w.Close()
	r, err := w.Search(context.Background(), webtool.SearchArgs{Query: "gophers"})
	fmt.Println(r.Results[0].Title, err, fake.Asked())
	// Output: Gophers <nil> [{gophers 10}]
}
