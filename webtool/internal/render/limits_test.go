package render

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/arcseat/arc/webtool/internal/visible"
)

// grown fails a page whose text is more than six times as long as it.
func grown(t *testing.T, in string, p *Page) {
	t.Helper()
	if len(p.Text) > 6*len(in)+1 {
		t.Errorf("%d bytes became %d", len(in), len(p.Text))
	}
	if !utf8.ValidString(p.Text) || p.MainEnd < 0 || p.MainEnd > len(p.Text) {
		t.Errorf("main ends at %d of %d, valid %t", p.MainEnd, len(p.Text), utf8.ValidString(p.Text))
	}
	for _, a := range p.Anchors {
		if a.Offset < 0 || a.Offset > len(p.Text) {
			t.Fatalf("#%s points at %d of %d", a.ID, a.Offset, len(p.Text))
		}
	}
}

func TestMarkupThatIsTooDeep(t *testing.T) {
	t.Parallel()
	in := "<title>T</title>" + strings.Repeat("<div>", 600) + `<h2 id=x>Head</h2><p>Some <code>code</code> and a <a href="/l">link</a>.<ul><li>item</ul><pre>a` + "\n  b</pre>" + strings.Repeat("</div>", 600) + "<p>After"
	p := HTML([]byte(in), Options{URL: "https://example.com/"})
	if want := "## Head\n\nSome `code` and a [link](/l).\n\n- item\n\n```\na\n  b\n```\n\nAfter\n"; p.Text != want {
		t.Errorf("got\n%s\nwant\n%s", p.Text, want)
	}
	if !p.Deep || p.Title != "T" || p.MainEnd != len(p.Text) {
		t.Errorf("deep %t, title %q, main ends at %d of %d", p.Deep, p.Title, p.MainEnd, len(p.Text))
	}
	grown(t, in, p)
	t.Run("a table keeps its rows", func(t *testing.T) {
		t.Parallel()
		p := HTML([]byte(strings.Repeat("<div>", 600)+"<table><tr><th>a</th><th>b</th></tr><tr><td><p>1</p></td><td>2 <code>x</code></td></tr></table><p>After"), Options{})
		if want := "| a | b |\n| 1 | 2 `x` |\n\nAfter\n"; p.Text != want {
			t.Errorf("got\n%s\nwant\n%s", p.Text, want)
		}
	})
	t.Run("what is hidden is not read", func(t *testing.T) {
		t.Parallel()
		p := HTML([]byte(strings.Repeat("<div>", 600)+`<div hidden>a<div>b</div><script>"</div>"</script>c</div>d<p style="display:none">e<p>f<span aria-hidden=true>g</span>h<img hidden>`+"</div>"), Options{})
		if want := "d\n\nfh\n"; p.Text != want {
			t.Errorf("got %q, want %q", p.Text, want)
		}
	})
	t.Run("512 levels are the limit", func(t *testing.T) {
		t.Parallel()
		if HTML([]byte(strings.Repeat("<div>", 500)+"x"), Options{}).Deep {
			t.Error("500 levels need no fallback")
		}
	})
}

// TestMarkupMadeToCost renders what costs a parser more than its size: the test's own
// time limit is what it must stay below.
func TestMarkupMadeToCost(t *testing.T) {
	t.Parallel()
	const size = 256 << 10
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	numbered := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	// copied is 190 formats that stay open, whatever looks like their end in before and
	// after, and paragraphs that a parser copies them into.
	copied := func(before, after string) string {
		return "<p>" + numbered("<b id=%d>", 190) + before + strings.Repeat("</b>", 190) + after + "</p>" + fill("<p>x</p>") + "hello"
	}
	for name, in := range map[string]string{
		"formatting whose ends stand in an object":  copied("<object>", "</object>"),
		"formatting whose ends stand in a cell":     copied("<table><tr><td>", "</table>"),
		"formatting whose ends stand in a choice":   copied("<select>", "</select>"),
		"formatting whose ends stand in a template": copied("<template>", "</template>"),
		"formatting whose ends stand in a CDATA":    copied("<svg><![CDATA[>", "]]></svg>"),
		"formatting whose ends stand in comments":   "<p>" + numbered("<b id=%d>", 190) + "</p>" + strings.Repeat("<! </b>", 95) + strings.Repeat("<? </b>", 95) + fill("<p>x</p>") + "hello",
		"a long class around blocks of code":        `<div class="` + fill("ab ") + `">` + fill("<pre>x</pre>") + "hello",
		"ends of what is not open":                  strings.Repeat("<span>", 199) + fill("</x>") + "hello",
		"400,000 attributes":                        "<p " + numbered("a%d=x ", 400_000) + ">hello",
		"attributes of the outermost":               numbered("<html a%d=b>", 80_000) + "hello",
		"formatting left open":                      fill("<font color=a><p>x") + "hello",
		"formatting of many kinds":                  numbered("<b id=%d>", 500) + fill("<p>x</p>") + "hello",
		"formatting that each paragraph copies":     "<p>" + numbered("<b id=%d>", 190) + "</p>" + fill("<p>x</p>") + "hello",
		"formatting in tables":                      fill("<table>x<b>") + "hello",
		"lists in lists":                            strings.Repeat("<ul>", 1500) + fill("<li>x") + "hello",
		"quotes in quotes":                          strings.Repeat("<blockquote>", 400) + fill("<p>x") + "hello",
		"tables in tables":                          fill("<table><tr><td>x") + "hello",
		"headers that span all":                     fill("<table><tr>"+strings.Repeat("<th colspan=50>a", 8)+"<tr><td>b</table>") + "hello",
		"cells that span all":                       "<table>" + fill("<tr><td rowspan=65534 colspan=1000>x") + "</table>hello",
		"a long base before short links":            `<base href="http://example.org/` + strings.Repeat("x", 1900) + `/">` + fill("<a href=y>z</a> ") + "hello",
		"links left open":                           fill("<a href=x>y") + "hello",
		"a fence for a long run of marks":           "<pre>" + fill("`") + "</pre>hello",
		"comments that do not end":                  "hello" + fill("<!--"),
		"scripts that do not end":                   "hello" + fill("<script>"),
		"quotes that do not end":                    "hello" + fill(`<a "`),
		"entities":                                  fill("&nGt;") + "hello",
		"code":                                      fill("<code>x ") + "hello",
		"drawings":                                  fill("<svg><g>") + "hello",
		"paragraphs that end nothing":               fill("</p>") + "hello",
		"a hidden page":                             "<div hidden>" + fill("<p>x ") + "hello",
		"headings":                                  fill("<h6>x") + "hello",
		"images":                                    fill("<img alt=a>") + "hello",
		"form in form":                              fill("<form><p>x") + "hello",
		"definitions":                               fill("<dd>x<dt>y") + "hello",
		"code in quotes":                            strings.Repeat("<blockquote>", 5) + "<pre>" + fill("\n") + "hello",
		"formulas":                                  fill("<math><mfrac>") + "hello",
		"fractions of nothing":                      "<math>" + fill("<mfrac></mfrac>") + "</math>hello",
		"code in a cell":                            "<table><tr><th>a<th>b<tr><td><pre>" + fill("|\n") + "</pre><td>hello",
		"frames":                                    fill("<iframe src=a></iframe>") + "hello",
		"links without words":                       fill("<a href=a><i></i></a>") + "hello",
		"ticks":                                     fill("<input type=radio>") + "hello",
		"struck out":                                fill("<s>a</s>") + "hello",
		"readings":                                  fill("<rt>a") + "hello",
		"rows by role":                              fill("<p role=row><b role=cell>x</b><b role=cell>y</b></p>") + "hello",
		"the same place":                            fill("<h1 role=heading>x") + "hello",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := HTML([]byte(in), Options{URL: "https://example.com/"})
			grown(t, in, p)
			if !strings.Contains(p.Text, "hello") && !strings.HasPrefix(name, "drawings") {
				t.Errorf("the text is lost: %.80q", p.Text)
			}
		})
	}
}

// words are the words of s, each run of letters and digits one.
func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// visibleWords are the words that a browser shows of a page.
func visibleWords(n *html.Node) []string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		if n.Type == html.ElementNode {
			if opaque(n) || concealed(n) && !streamed(n) || n.DataAtom == atom.Math {
				return
			}
			if isBlock(n.DataAtom) || n.Namespace != "" || n.DataAtom == atom.Img || n.DataAtom == atom.Sup || n.DataAtom == atom.Button || n.DataAtom == atom.Label || n.DataAtom == atom.Input {
				b.WriteByte(' ')
				defer b.WriteByte(' ')
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(n)
	return words(visible.Strip(b.String()))
}

func sharedPages(t testing.TB) []string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "..", "shared", "data", "web", "*", "*.html"))
	// The largest pages hold no markup that the others lack, and cost most of the time.
	files = slices.DeleteFunc(files, func(f string) bool {
		info, err := os.Stat(f)
		return err != nil || info.Size() > 256<<10
	})
	if len(files) == 0 {
		t.Skip("the shared pages are not here")
	}
	return files
}

// TestNoWordIsLost renders the shared pages: each visible word occurs in the text, as
// often or more often than on the page.
func TestNoWordIsLost(t *testing.T) {
	t.Parallel()
	for _, file := range sharedPages(t) {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(body) {
			continue // read by way of the charset rule elsewhere
		}
		root, err := html.Parse(strings.NewReader(string(body)))
		if err != nil {
			continue
		}
		p := HTML(body, Options{URL: "https://example.com/"})
		grown(t, string(body), p)
		// A link's brackets stand within what a browser shows as one word.
		joined := strings.Join(words(regexp.MustCompile(`\]\([^)\s]*\)`).ReplaceAllString(p.Text, "")), "")
		have := map[string]int{}
		for _, w := range words(p.Text) {
			have[w]++
		}
		lost := 0
		first := ""
		shown := visibleWords(find(root, "body"))
		for _, w := range shown {
			if have[w]--; have[w] < 0 && !strings.Contains(joined, w) {
				if lost++; first == "" {
					first = w
				}
			}
		}
		if lost*1000 > len(shown) {
			t.Errorf("%s: %d of %d words are lost, such as %q", filepath.Base(file), lost, len(shown), first)
		}
	}
}

// TestWhatIsCutShowsNothing compares a page with the same page before its scripts,
// style sheets and comments were cut.
func TestWhatIsCutShowsNothing(t *testing.T) {
	t.Parallel()
	same := func(t *testing.T, name, in string) {
		t.Helper()
		tamed, _, steep := tame([]byte(in), false)
		if steep {
			return
		}
		a, err1 := html.Parse(strings.NewReader(in))
		b, err2 := html.Parse(strings.NewReader(string(tamed)))
		if err1 != nil || err2 != nil {
			return
		}
		if x, y := strings.Join(visibleWords(a), " "), strings.Join(visibleWords(b), " "); x != y {
			t.Errorf("%s: the visible text changed", name)
		}
	}
	pad := strings.Repeat("x", 2*shortCut)
	for _, in := range []string{
		"<script>" + pad + "</script>a", "<SCRIPT type=module>" + pad + "</Script >a", "<script>'</scripty>'" + pad + "</script>a",
		"<script><!-- <script>" + pad + "</script> --></script>a", "<script>" + pad + "a", "<script/>" + pad + "</script>a",
		"<svg><script/></svg>" + pad + "<script></script>a", "<svg><style/>" + pad + "</svg>b<style></style>a",
		"<!--" + pad + "-->a", "<!-->" + pad + "-->a", "<!--" + pad + "--!>a", "<!--" + pad + "--!>b-->a", "<!--" + pad + "a",
		"<textarea><script>" + pad + "</textarea></script>a", "<p title='<script>" + pad + "'>a</script>", `<p title="it's > <script>` + pad + `">a</script>`,
		"<title><!--" + pad + "</title>-->a", "<style>" + pad + "<!--</style>-->a", "<plaintext><script>" + pad + "</script>a",
	} {
		same(t, fmt.Sprintf("%.60q", in), in)
	}
	for _, file := range sharedPages(t) {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		same(t, filepath.Base(file), string(body))
	}
}

// TestBrokenMarkup renders the fragments of a public suite of broken markup.
func TestBrokenMarkup(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "..", "shared", "data", "web", "html5lib", "*"))
	if len(files) == 0 {
		t.Skip("the shared fragments are not here")
	}
	n := 0
	for _, file := range files {
		all, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range strings.Split(string(all), "#data\n") {
			in, _, _ := strings.Cut(one, "\n#errors")
			in = strings.ToValidUTF8(in, "\uFFFD")
			p := HTML([]byte(in), Options{URL: "https://example.com/"})
			if len(in) > 20 {
				grown(t, in, p)
			}
			n++
		}
	}
	if n < 500 {
		t.Errorf("only %d fragments", n)
	}
}

func FuzzHTML(f *testing.F) {
	f.Add("<main><p>a<table><tr><td>b<pre>c</main><nav>d")
	f.Add("<ul><li>a<ol><li>b<dl><dt>c<dd>d<blockquote>e<h1>f")
	f.Add("<script><!--<script></script>--></script><a href='x y(z)'>q<code>`</code>")
	f.Add("<table><tr><th rowspan=2 colspan=3>a|b<td>|<svg><text>x</text></svg><math alttext=y>")
	f.Fuzz(func(t *testing.T, in string) {
		in = strings.ToValidUTF8(in, "\uFFFD")
		p := HTML([]byte(in), Options{URL: "https://example.com/"})
		if len(in) > 40 {
			grown(t, in, p)
		}
		if again := HTML([]byte(in), Options{URL: "https://example.com/"}); again.Text != p.Text {
			t.Error("the same page has two texts")
		}
	})
}
