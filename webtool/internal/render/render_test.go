package render

import (
	"strings"
	"testing"
)

// page is a page with enough text around body for nothing to look for other sources.
func page(body string) string {
	return "<!doctype html><title>T</title><body>" + body + "<p>" + strings.Repeat("Filling text, so that the page is no empty shell. ", 8) + "</p>"
}

const filling = "Filling text, so that the page is no empty shell."

// text is the text of a page before its filling.
func text(t *testing.T, body string) string {
	t.Helper()
	p := HTML([]byte(page(body)), Options{URL: "https://example.com/dir/page"})
	s, _, ok := strings.Cut(p.Text, filling)
	if !ok {
		t.Fatalf("the page lost its text: %q", p.Text)
	}
	return strings.TrimSuffix(s, "\n\n")
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"paragraphs and blanks", "<p>One   two\n three</p><p>four</p>", "One two three\n\nfour"},
		{"words across tags stay whole", "<p>un<b>break</b>able <i>word</i>.</p>", "unbreakable word."},
		{"headings", "<h1>A</h1><h3>B <small>c</small></h3>", "# A\n\n### B c"},
		{"a list in a list", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"},
		{"a nested list that is not inside its item", "<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>", "- a\n  - b\n- c"},
		{"numbers", "<ol start=3><li>a</li><li>b</li></ol>", "3. a\n4. b"},
		{"a number of its own", "<ol><li value=7>a</li><li>b</li></ol>", "7. a\n8. b"},
		{"an item that is a list", "<ul><li><ul><li>a</li></ul></li></ul>", "-\n  - a"},
		{"numbers that count down", "<ol reversed><li>a</li><li>b</li></ol>", "2. a\n1. b"},
		{"letters and Roman numbers", "<ol type=a start=2><li>a</li></ol><ol type=I start=4><li>b</li></ol>", "b. a\n\nIV. b"},
		{"code in a quote stands as it is", "<blockquote><p>a</p><pre>x\n\n y</pre></blockquote>", "> a\n\n```\nx\n\n y\n```"},
		{"where a quote is from", `<blockquote cite="https://example.org/book"><p>a</p></blockquote>`, "> a\n\n> [Source: book](https://example.org/book)"},
		{"a heading by its role", `<div role="heading" aria-level="3">a</div><p>b</p>`, "### a\n\nb"},
		{"rows and cells by their roles", `<div role="table"><div role="row"><span role="columnheader">a</span><span role="columnheader">b</span></div><div role="row"><div role="cell">1</div><div role="cell">2</div></div></div>`, "| a | b |\n| 1 | 2 |"},
		{"how characters are read", "<p><ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>を<ruby>読<rp>（</rp><rt>よ</rt><rp>）</rp></ruby>む</p>", "漢(かん)字(じ)を読（よ）む"},
		{"a line end in Chinese text is no blank", "<p>第一行\n  第二行 第三<b>\n行</b>, two\nlines</p>", "第一行第二行 第三行, two lines"},
		{"a quote", "<blockquote><p>a</p><p>b</p></blockquote>", "> a\n\n> b"},
		{"definitions", "<dl><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl>", "a\n: b\n\nc\n: d"},
		{"line ends", "<p>a<br>b<br><br>c</p>", "a\nb\n\nc"},
		{"a rule", "<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"},
		{"an image by its text", `<p><img alt="A map of Bern" src=x></p>`, "[image: A map of Bern]"},
		{"images that share a text show it once", `<p><img alt="The harbour of Genoa at dawn" src=x></p><p>a</p><p><img alt="The harbour of Genoa at dawn" src=y></p>`, "[image: The harbour of Genoa at dawn]\n\na"},
		{"an image without text is none", `<p>a<img src=x>b</p>`, "ab"},
		{"a power does not run into its base", "<p>10<sup>6</sup> m<sup>-2</sup></p>", "10^6 m^-2"},
		{"a footnote is no power", `<p>known<sup><a href="#n1">1</a></sup></p>`, "known[1]"},
		{"a formula once", `<p><math alttext="x^2"><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></math></p>`, "x^2"},
		{"a formula in an image", `<p><span style="display:none"><math><mi>x</mi></math></span><img class="mwe-math-fallback-image" alt="{\displaystyle x}"></p>`, `{\displaystyle x}`},
		{"an empty heading is none", "<h2></h2><p>a</p>", "a"},
		{"a no-break space is a blank", "<p>10&nbsp;km</p>", "10 km"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := text(t, c.in); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"a block keeps its blanks", "<pre>\n\tif x {\n\t\treturn  1\n\t}\n</pre>", "```\n\tif x {\n\t\treturn  1\n\t}\n```"},
		{"its language", `<pre><code class="language-go">x := 1</code></pre>`, "```go\nx := 1\n```"},
		{"the language of the box around it", `<div class="highlight-python notranslate"><div class="highlight"><pre><span class="k">def</span> f(): pass</pre></div></div>`, "```python\ndef f(): pass\n```"},
		{"in a list it is not indented", "<ul><li>a<pre>x\n  y</pre></li></ul>", "- a\n```\nx\n  y\n```"},
		{"in a definition it is not indented", "<dl><dt>a</dt><dd><p>b</p><pre>x\n  y</pre></dd></dl>", "a\n: b\n\n```\nx\n  y\n```"},
		{"a fence in it makes the fence longer", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"},
		{"lines of an editor", "<pre><div>a</div><div>b</div></pre>", "```\na\nb\n```"},
		{"line ends by tag", "<pre>a<br>b</pre>", "```\na\nb\n```"},
		{"code in a line", "<p>Call <code>f()</code> twice.</p>", "Call `f()` twice."},
		{"a link in it is text", `<p><code>f(<a href="/T">T</a>)</code></p>`, "`f(T)`"},
		{"a link of code", `<p><a href="/f"><code>f</code></a></p>`, "[`f`](/f)"},
		{"a backquote in it needs no marks", "<p><code>a`b</code></p>", "a`b"},
		{"a table of line numbers is no table", "<table><tr><td><pre>1\n2</pre></td><td><pre>a\nb</pre></td></tr></table>", "```\n1\n2\n```\n\n```\na\nb\n```"},
		{"line numbers beside the lines go", `<pre><span class="lineno"> 1</span> a = 1
<span class="lineno"> 2</span>   b = 2</pre>`, "```\n a = 1\n   b = 2\n```"},
		{"line numbers in a column of their own go", `<table class="rouge-table"><tr><td class="gutter gl"><pre class="lineno">1
2</pre></td><td class="code"><pre>a
  b</pre></td></tr></table>`, "```\na\n  b\n```"},
		{"rows of numbered lines are the code", `<table class="highlight"><tr><td id=L1 class="blob-num" data-line-number="1"></td><td id=LC1 class="blob-code">if x {</td></tr><tr><td id=L2 class="blob-num" data-line-number="2"></td><td class="blob-code">	return <b>1</b></td></tr></table>`, "```\nif x {\n\treturn 1\n```"},
		{"line numbers in a column of lines that tags end go", `<table><tr><td class="gutter"><pre><span class="line">1</span><br><span class="line">2</span><br></pre></td><td class="code"><pre><span class="line">a</span><br><span class="line">  b</span><br></pre></td></tr></table>`, "```\na\n  b\n```"},
		{"a box whose style keeps its blanks", "<div style=\"font-family:monospace; white-space: pre\">if x:\n\n  y</div>", "```\nif x:\n\n  y\n```"},
		{"a box whose style keeps and wraps them", "<div style='white-space:pre-wrap'>if x:\n  y</div>", "```\nif x:\n  y\n```"},
		{"text whose style keeps its line ends", "<p style='white-space:pre-line'>one\n two\n\n<b>three</b> four</p><p>a\nb</p>", "one\ntwo\n\nthree four\n\na b"},
		{"blanks that do not break keep their number", "<p><code>a&nbsp;&nbsp;b</code> and&nbsp;&nbsp;c <code>&nbsp;d</code>", "`a  b` and c ` d`"},
		{"a mark that leads to a signature", `<dl><dt id="f">f(x)<a class="headerlink" href="#f">¶</a></dt><dd>does</dd></dl>`, "f(x)\n: does"},
		{"a column of numbers that is called so by chance stays", `<table><tr><th class="ln">Line</th><th>Error</th></tr><tr><td>1</td><td>b</td></tr></table>`, "| Line | Error |\n| --- | --- |\n| 1 | b |"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := text(t, c.in); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"with a header", "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "| a | b |\n| --- | --- |\n| 1 | 2 |"},
		{"without one", "<table><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>", "| 1 | 2 |\n| 3 | 4 |"},
		{"a caption", "<table><caption>C</caption><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "C\n| a | b |\n| --- | --- |\n| 1 | 2 |"},
		{"an empty cell keeps its column", "<table><tr><th>a</th><th>b</th></tr><tr><td></td><td>2</td></tr></table>", "| a | b |\n| --- | --- |\n| | 2 |"},
		{"a cell over two columns", "<table><tr><th colspan=2>a</th><th>b</th></tr><tr><td>1</td><td>2</td><td>3</td></tr></table>", "| a | | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |"},
		{"a cell over two rows", "<table><tr><th>a</th><th>b</th></tr><tr><td rowspan=2>1</td><td>2</td></tr><tr><td>3</td></tr></table>", "| a | b |\n| --- | --- |\n| 1 | 2 |\n| | 3 |"},
		{"blocks in a cell", "<table><tr><th>a</th></tr><tr><td><p>x</p><ul><li>y</li></ul></td></tr></table>", "| a |\n| --- |\n| x y |"},
		{"a bar within a word", "<table><tr><th>op</th><th>x</th></tr><tr><td>a||b</td><td>y</td></tr></table>", "| op | x |\n| --- | --- |\n| a||b | y |"},
		{"a bar alone is escaped", "<table><tr><th>op</th><th>x</th></tr><tr><td>|</td><td>a | b</td></tr></table>", `| op | x |` + "\n| --- | --- |\n" + `| \| | a \| b |`},
		{"a link in a cell", `<table><tr><th>a</th><th>b</th></tr><tr><td><a href="/x">1</a></td><td>2</td></tr></table>`, "| a | b |\n| --- | --- |\n| [1](/x) | 2 |"},
		{"a layout by its role", "<table role=presentation><tr><td>a</td><td>b</td></tr></table>", "a\nb"},
		{"a layout of tables", "<table><tr><td>a</td><td><table><tr><td>b</td><td>c</td></tr></table></td></tr></table>", "a\n\n| b | c |"},
		{"lines of code in a cell keep their row", "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>1<pre>if x:\n\n  y</pre></td></tr><tr><td>2</td><td>z</td></tr></table>", "| a | b |\n| --- | --- |\n| 1 | 1\n\n```\nif x:\n\n  y\n```\n| 2 | z |"},
		{"lines of code before another cell stand in one", "<table><tr><th>a</th><th>b</th></tr><tr><td><pre>if x:\n\n  y</pre></td><td>1</td></tr></table>", "| a | b |\n| --- | --- |\n| if x: ⏎   y | 1 |"},
		{"a table in a cell keeps its row", "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td><table><tr><td>x</td><td>y</td></tr><tr><td>z</td></tr></table></td></tr></table>", "| a | b |\n| --- | --- |\n| 1 | x, y; z |"},
		{"one column is a list", "<table><tr><td>a</td></tr><tr><td>b</td></tr></table>", "a\nb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := text(t, c.in); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"the page's own origin is a path", `<p><a href="https://example.com/a?b=c">x</a></p>`, "[x](/a?b=c)"},
		{"relative to the page", `<p><a href="other">x</a> <a href="../up">y</a></p>`, "[x](/dir/other) [y](/up)"},
		{"another site", `<p><a href="https://go.dev/doc">x</a></p>`, "[x](https://go.dev/doc)"},
		{"without a scheme", `<p><a href="//go.dev/doc">x</a></p>`, "[x](https://go.dev/doc)"},
		{"a place in the page", `<p><a href="#top">x</a></p>`, "[x](#top)"},
		{"a program is no target", `<p><a href="javascript:alert(1)">x</a> <a href="data:text/html,y">y</a></p>`, "x y"},
		{"brackets and blanks are escaped", `<p><a href="/a (b)">x</a></p>`, "[x](/a%20%28b%29)"},
		{"a link without text is none", `<p>a <a href="/x"></a>b</p>`, "a b"},
		{"a link around blocks stands in its first line", `<a href="/x"><h3>Title</h3><p>More</p></a>`, "### [Title](/x)\n\nMore"},
		{"a picture that is a link", `<p><a href="/x"><img alt="Map"></a></p>`, "[image: Map](/x)"},
		{"the mark of a heading's place is no link", `<h2>Title <a href="#title">¶</a></h2>`, "## Title"},
		{"a heading's link for copying goes, whatever its words", `<h2>Title<a class="headerlink" href="#title">Link to this heading</a></h2>`, "## Title"},
		{"a heading that is a link stays", `<h2><a class="anchor-link" href="#title">Title</a></h2>`, "## Title"},
		{"the number of a note needs no target", `<p>so<sup><a href="#cite_note-2">[2]</a></sup> and <a href="/dir/page#fn3">[n 3]</a></p>`, "so[2] and [n 3]"},
		{"side by side they are not glued", `<p><a href="/a">Log in</a><a href="/b">Sign up</a></p>`, "[Log in](/a) [Sign up](/b)"},
		{"a long query is cut", `<p><a href="/a?` + strings.Repeat("x", 300) + `">x</a></p>`, "[x](/a?…)"},
		{"letters of any script are read", `<p><a href="/wiki/%E6%97%A5%E6%9C%AC_%28a%29%20b%E2%80%AE">x</a> <a href="/größe">y</a></p>`, "[x](/wiki/日本_%28a%29%20b%E2%80%AE) [y](/größe)"},
		{"a mail address", `<p><a href="mailto:a@example.com">write</a></p>`, "[write](mailto:a@example.com)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := text(t, c.in); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	t.Run("a base changes what relative targets mean", func(t *testing.T) {
		t.Parallel()
		p := HTML([]byte(`<head><base href="https://cdn.example.org/v2/"></head>`+page(`<p><a href="a">x</a> <a href="/b">y</a> <a href="https://example.com/c">z</a></p>`)), Options{URL: "https://example.com/"})
		if want := "[x](https://cdn.example.org/v2/a) [y](https://cdn.example.org/b) [z](/c)\n"; !strings.HasPrefix(p.Text, want) {
			t.Errorf("got %.120q, want %q", p.Text, want)
		}
	})
	t.Run("without an address targets stay as they are", func(t *testing.T) {
		t.Parallel()
		p := HTML([]byte(page(`<p><a href="a">x</a> <a href="/b">y</a></p>`)), Options{})
		if want := "[x](a) [y](/b)\n"; !strings.HasPrefix(p.Text, want) {
			t.Errorf("got %.60q, want %q", p.Text, want)
		}
	})
}

func TestHiddenText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"display:none is not read", `<p>a</p><div style="color:red; DISPLAY : none">b</div>`, "a"},
		{"hidden is not read", `<p>a</p><p hidden>b</p>`, "a"},
		{"visibility is not read", `<p>a <span style="visibility:hidden!important">b</span>c</p>`, "a c"},
		{"aria-hidden is not read", `<p>a</p><p aria-hidden="true">b</p>`, "a"},
		{"what a search in the page finds is read", `<p hidden="until-found">a</p>`, "a"},
		{"scripts, styles and templates are not read", `<script>a</script><style>b</style><template>c</template><p>d</p>`, "d"},
		{"invisible characters are not read", "<p>a\u200b\U000E0041b\u202e</p>", "ab"},
		{"closed details are read", "<details><summary>a</summary><p>b</p></details>", "a\n\nb"},
		{"a closed dialog is not read", "<p>a</p><dialog>b</dialog>", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := text(t, c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":                                "plain",
		"  a\n b ":                             "a b",
		"Go <b>is</b> f<em>un</em>":            "Go is fun",
		"AT&amp;T &lt;b&gt;":                   "AT&T <b>",
		"&amp;lt; once":                        "&lt; once",
		"a<br>b<p>c":                           "a b c",
		"x<script>evil()</script>y":            "xy",
		"1 < 2":                                "1 < 2",
		"hid\u200bden\u00ad":                   "hidden",
		"<img src=x onerror=alert(1)>a<style>": "a",
	} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}
