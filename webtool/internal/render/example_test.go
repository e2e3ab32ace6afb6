package render_test

import (
	"fmt"

	"github.com/arcseat/arc/webtool/internal/render"
)

func ExampleHTML() {
	p := render.HTML([]byte(`<title>Prices</title><nav><a href="/">Home</a></nav>
<main><h1>Prices</h1><p>All plans are described, in detail, on the page of <a href="/plans">plans</a>.</p>
<table><tr><th>Plan</th><th>Price</th></tr><tr><td>Team</td><td>$ 20</td></tr></table></main>`), render.Options{URL: "https://example.com/prices"})
	fmt.Print(p.Text[:p.MainEnd])
	fmt.Print("and then: ", p.Text[p.MainEnd:])
	// Output:
	// # Prices
	//
	// All plans are described, in detail, on the page of [plans](/plans).
	//
	// | Plan | Price |
	// | --- | --- |
	// | Team | $ 20 |
	//
	// and then: Home
}

func ExampleLine() {
	fmt.Println(render.Line("Tom &amp; <b>Jerry</b>\n <script>alert(1)</script>"))
	// Output: Tom & Jerry
}
