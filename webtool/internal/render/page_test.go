package render

import (
	"slices"
	"strings"
	"testing"
)

const article = `<p>The first paragraph of the article is long enough, with commas, to be taken for running text by anyone.</p>
<p>The second paragraph goes on about the same thing, at some length, so that it is plain where the text of the page stands.</p>
<p>The third paragraph ends it, with a few more words, and then it is over, as articles are.</p>`

// split is a page's main part and its rest.
func split(t *testing.T, markup string) (main, rest string) {
	t.Helper()
	p := HTML([]byte(markup), Options{URL: "https://example.com/"})
	return p.Text[:p.MainEnd], p.Text[p.MainEnd:]
}

func TestMainComesFirst(t *testing.T) {
	t.Parallel()
	nav := `<nav><ul><li><a href="/a">Alpha</a><li><a href="/b">Beta</a></ul></nav>`
	for _, c := range []struct{ name, in string }{
		{"in <main>", nav + "<main>" + article + "</main><footer>Imprint</footer>"},
		{"by its role", nav + "<div role=main>" + article + "</div><footer>Imprint</footer>"},
		{"in <article>", nav + "<article>" + article + "</article><footer>Imprint</footer>"},
		{"by its text alone", "<div>" + nav + "</div><div><div>" + article + "</div></div><div><a href=/i>Imprint</a></div>"},
		{"with a sidebar in it", "<main>" + article + "<aside>" + nav + "Imprint</aside></main>"},
		{"with related articles in it", "<main>" + article + `<div class="related-articles">` + nav + "Imprint</div></main>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			main, rest := split(t, "<!doctype html><body>"+c.in)
			for _, words := range []string{"first paragraph", "second paragraph", "third paragraph"} {
				if !strings.Contains(main, words) {
					t.Errorf("the main part has no %q:\n%s", words, main)
				}
			}
			for _, words := range []string{"Alpha", "Beta", "Imprint"} {
				if strings.Contains(main, words) || !strings.Contains(rest, words) {
					t.Errorf("%q is not in the rest:\n%s\n--- rest\n%s", words, main, rest)
				}
			}
			if strings.Contains(rest, "](") {
				t.Errorf("a menu's links have targets: %s", rest)
			}
		})
	}
	t.Run("a page without a main part is all main", func(t *testing.T) {
		t.Parallel()
		main, rest := split(t, "<body><p>Hello.")
		if main != "Hello.\n" || rest != "" {
			t.Errorf("got %q and %q", main, rest)
		}
	})
	t.Run("a page of frames is its frames", func(t *testing.T) {
		t.Parallel()
		main, _ := split(t, `<html><head><title>API</title></head><frameset><frame name="list" src="list.html"><frame title="Overview" src="overview.html"></frameset></html>`)
		if want := "[list](/list.html)\n[Overview](/overview.html)\n"; main != want {
			t.Errorf("got %q, want %q", main, want)
		}
	})
	t.Run("an article keeps its table and code", func(t *testing.T) {
		t.Parallel()
		main, _ := split(t, "<main>"+article+"<table><tr><th>Plan</th><th>Price</th></tr><tr><td>Pro</td><td>$ 20</td></tr></table><pre>go build ./...</pre></main>")
		for _, want := range []string{"| Plan | Price |\n| --- | --- |\n| Pro | $ 20 |", "```\ngo build ./...\n```"} {
			if !strings.Contains(main, want) {
				t.Errorf("the main part has no %q:\n%s", want, main)
			}
		}
	})
	t.Run("a section of a reference is not taken for comments by its name", func(t *testing.T) {
		t.Parallel()
		main, _ := split(t, `<main><dl><dt>a</dt><dd>b</dd></dl><pre>x</pre><pre>y</pre><div id="comments"><h2>Comments</h2><p>Start one with a hash, `+article+`</div></main>`)
		if !strings.Contains(main, "Start one with a hash") {
			t.Errorf("the main part lost its section:\n%s", main)
		}
	})
}

func TestAPageThatShowsLittle(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Words that the server sent and that a script shows. ", 20)
	for _, c := range []struct {
		name, in, want     string
		scripted, revealed bool
	}{
		{"parts that streaming left hidden are read", `<body><div>` + strings.Repeat("Header of the site. ", 20) + `</div><div hidden id="S:0"><p>` + long + `</p></div><script>$RC()</script>`, "Words that the server sent", false, true},
		{"hidden text is read for want of other text", `<body><p>Loading</p><div style="display:none">` + long + `</div><script>x</script>`, "Words that the server sent", true, true},
		{"hidden text is not read beside enough text", `<body><p>` + strings.Repeat("Shown. ", 50) + `</p><div hidden>` + long + `</div>`, "", false, false},
		{"a shell says so", `<body><div id="root"></div><script src=app.js></script>`, "", true, false},
		{"a noscript is read", `<body><div id="root"></div><noscript><p>You need <b>scripts</b>.</p></noscript><script src=app.js></script>`, "You need scripts.", true, false},
		{"an article in JSON-LD is read", `<head><script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","articleBody":"The whole article."}]}</script></head><body><div id=app></div>`, "The whole article.", true, false},
		{"a description is read", `<head><meta property="og:description" content="What it is about."></head><body><div id=app></div><script></script>`, "What it is about.", true, false},
		{"a short page is not said to be filled by the script that counts its visitors", `<body><h1>It works!</h1><script src="/count.js"></script>`, "# It works!", false, false},
		{"an element that scripts fill says so", `<body><p>Site</p><div id="app"></div><script src="/app.js"></script>`, "Site", true, false},
		{"a short page without scripts is just short", `<body><p>It works!`, "It works!", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := HTML([]byte(c.in), Options{})
			if !strings.Contains(p.Text, c.want) || c.want == "" && strings.Contains(p.Text, "Words that") {
				t.Errorf("text = %q, want %q in it", p.Text, c.want)
			}
			if p.Scripted != c.scripted || p.Revealed != c.revealed {
				t.Errorf("scripted %t, revealed %t, want %t, %t", p.Scripted, p.Revealed, c.scripted, c.revealed)
			}
		})
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"the page's own", "<title> A \n B </title><h1>C</h1>", "A B"},
		{"what it tells others", `<meta property="og:title" content="A">`, "A"},
		{"its heading", "<h1>A <i>b</i></h1>", "A b"},
		{"none", "<p>x", ""},
		{"without invisible characters", "<title>a\u202eb\U000E0041</title>", "ab"},
		{"not that of a drawing", "<body><svg><title>Icon</title></svg><h1>A</h1>", "A"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := HTML([]byte(c.in), Options{}).Title; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"0;url=/next":                "https://example.com/next",
		"0; URL='other'":             "https://example.com/other",
		"1, url=https://go.dev":      "https://go.dev",
		"5; url=/slow":               "",
		"0":                          "",
		"0; url=javascript:x":        "",
		"0; url=https://example.com": "https://example.com",
	} {
		got := HTML([]byte(`<head><meta http-equiv="Refresh" content="`+in+`">`), Options{URL: "https://example.com/here"}).Refresh
		if got != want {
			t.Errorf("%q leads to %q, want %q", in, got, want)
		}
	}
	for base, want := range map[string]string{
		"https://go.dev/x/": "https://go.dev/x/next",
		"/folder/":          "https://example.com/folder/next",
		"javascript:x":      "https://example.com/next",
		"%zz":               "https://example.com/next",
	} {
		got := HTML([]byte(`<head><meta http-equiv=refresh content="0;url=next"><base href="`+base+`">`), Options{URL: "https://example.com/here"}).Refresh
		if got != want {
			t.Errorf("with the base %s it leads to %q, want %q", base, got, want)
		}
	}
}

func TestAnchorsPointAtTheirText(t *testing.T) {
	t.Parallel()
	p := HTML([]byte(page(`<nav><a id="menu">Menu</a></nav><main><h2 id="one">One</h2><p>x</p><h2><a name="two"></a>Two</h2><p>y</p><table><tr id=row><td>1</td><td id=cell>2</td></tr></table><pre><span id="L1">code</span></pre><p id=empty></p><p>z</p></main>`)), Options{})
	for id, want := range map[string]string{"one": "## One\n", "two": "## Two\n", "row": "| 1 |", "cell": "2 |", "L1": "```\ncode", "empty": "z\n", "menu": "Menu\n"} {
		i := slices.IndexFunc(p.Anchors, func(a Anchor) bool { return a.ID == id })
		if i < 0 {
			t.Errorf("#%s is not known", id)
			continue
		}
		if got := p.Text[p.Anchors[i].Offset:]; !strings.HasPrefix(got, want) {
			t.Errorf("#%s points at %.30q, want %q", id, got, want)
		}
	}
}

func TestWhatAPageIs(t *testing.T) {
	t.Parallel()
	if !HTML([]byte("<title>Just a moment...</title><body>Enable JavaScript and cookies to continue"), Options{}).Challenge {
		t.Error("a check for robots is not recognised")
	}
	if HTML([]byte(page("<p>How to answer “verify you are human”</p>"+strings.Repeat(article, 20))), Options{}).Challenge {
		t.Error("an article about checks is taken for one")
	}
	if !HTML([]byte("<form>Name <input> Password <input type=password></form>"), Options{}).Login {
		t.Error("a form that asks for a password is not recognised")
	}
	if HTML([]byte(page(strings.Repeat(article, 5)+"<form><input type=password></form>")), Options{}).Login {
		t.Error("an article with a form beside it is taken for a form")
	}
}

func TestXMLElementsThatCloseThemselves(t *testing.T) {
	t.Parallel()
	const in = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js"/><style/></head><body><p>One<br/>two</p><div class="gap"/><a id="here"/><p><b/>three</p><textarea/><svg><path d="M0"/><g/></svg><p>four</p></body></html>`
	p := HTML([]byte(in), Options{XML: true})
	if want := "One\ntwo\n\nthree\n\nfour\n"; p.Text != want {
		t.Errorf("got %q, want %q", p.Text, want)
	}
	if p := HTML([]byte(`<body><p>One<div class="gap"/>two`), Options{}); p.Text != "One\n\ntwo\n" {
		t.Errorf("HTML became %q", p.Text)
	}
}

func TestRunningTextOfTheRestKeepsItsTargets(t *testing.T) {
	t.Parallel()
	_, rest := split(t, "<body><main>"+article+article+`</main><aside><p>The law that this is about, in its newest form, is found <a href="/law">here</a>, with comments.</p><p><a href="/more">More about this law and others</a></p></aside>`)
	if want := "The law that this is about, in its newest form, is found [here](/law), with comments.\n\nMore about this law and others\n"; rest != want {
		t.Errorf("got %q, want %q", rest, want)
	}
}

func TestWhatAPageIsAboutStandsAtItsTop(t *testing.T) {
	t.Parallel()
	lead := func(head string) string {
		return "<title>Ten things about harbours - Site</title><body><header><nav><a href=/>Home</a></nav>" + head + `</header><article>` + article + "</article>"
	}
	for _, c := range []struct{ name, in, want string }{
		{"a heading that the title does not tell", lead(`<h1>Genoa in the morning</h1><p class="dek">By night as well</p><p class="byline">By Ann Lee</p>`), "# Genoa in the morning\n\nBy night as well\n\nBy Ann Lee\n\nThe first"},
		{"one that it tells stays where it is", lead(`<h1>Ten things about harbours</h1>`), "The first"},
		{"a site's name does", lead(`<h1><a href="/">Genoa Daily</a></h1>`), "The first"},
		{"a product's name and price", lead(`<h1>Ten things about harbours</h1><div><span itemprop="price">$ 20</span></div>`), "# Ten things about harbours\n\n$ 20\n\nThe first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			main, rest := split(t, c.in)
			if !strings.HasPrefix(main, c.want) {
				t.Errorf("the main part begins %.100q, want %q", main, c.want)
			}
			if strings.Contains(c.want, "Genoa") && strings.Contains(rest, "Genoa") {
				t.Errorf("the heading is shown twice: %q", rest)
			}
		})
	}
}
