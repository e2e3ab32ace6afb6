package content

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func convert(t *testing.T, body []byte, o Options) *Document {
	t.Helper()
	d, err := Convert(t.Context(), body, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A patience ends when it has been asked for its end some times.
type patience struct {
	context.Context
	left int
}

func (p *patience) Err() error {
	if p.left--; p.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestNobodyWaitsForTheTextOfAPageThatNobodyWants(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"a long page":                              strings.Repeat("<p>Some <b>words", 100_000),
		"a long page of one word":                  "<p>" + strings.Repeat("x", 1_000_000),
		"a page too deep to be parsed into a tree": strings.Repeat("<div>", 200_000) + "words",
	}
	for name, in := range pages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := &patience{t.Context(), 20}
			d, err := Convert(ctx, []byte(in), Options{ContentType: "text/html; charset=utf-8"})
			if d != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("it is %v, %v", d, err)
			}
			if more := -ctx.left; more > 10 {
				t.Errorf("it goes on for %d more pieces", more)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, media := range []string{"text/plain", "application/json", "application/rss+xml", "image/png"} {
		if d, err := Convert(ctx, []byte("<rss></rss>"), Options{ContentType: media}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: it is %v, %v", media, d, err)
		}
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	pdf, png, gz := "%PDF-1.7\n\x00\xff", "\x89PNG\r\n\x1a\n\x00\x00", "\x1f\x8b\x08\x00\x00"
	for _, c := range []struct {
		name, url, header, body string
		kind                    Kind
		text                    string
	}{
		{"a page", "", "text/html; charset=utf-8", "<p>Hello", Page, "Hello\n"},
		{"an XHTML page", "", "application/xhtml+xml", "<p>Hello", Page, "Hello\n"},
		{"an XHTML page whose empty elements close themselves", "", "application/xhtml+xml", "<html><head><title/><script/></head><body><p>Hello</p></body></html>", Page, "Hello\n"},
		{"a page that nothing declares", "", "", "<!doctype html><p>Hello", Page, "Hello\n"},
		{"a page served as plain text", "https://example.com/", "text/plain", "<!DOCTYPE html><p>Hello", Page, "Hello\n"},
		{"source code that is a page stays source", "https://example.com/a.html", "text/plain", "<!DOCTYPE html><p>Hello", Text, "<!DOCTYPE html><p>Hello"},
		{"markdown", "", "text/markdown", "# A\r\n\r\nb < c", Markdown, "# A\n\nb < c"},
		{"markdown by its name", "https://example.com/README.md", "text/plain; charset=utf-8", "# A\n", Markdown, "# A\n"},
		{"plain text", "", "text/plain", "a\r\nb\x1b[31m", Text, "a\nb"},
		{"a program", "", "application/javascript", "let a = '<p>'", Text, "let a = '<p>'"},
		{"a table of values", "", "text/csv", "a,b\n1,2\n", Text, "a,b\n1,2\n"},
		{"JSON is indented and its numbers stay", "", "application/json", `{"a":1.10,"b":[12345678901234567890]}`, JSON, "{\n  \"a\": 1.10,\n  \"b\": [\n    12345678901234567890\n  ]\n}\n"},
		{"JSON by its bytes", "", "application/octet-stream", `{"a":1}`, JSON, "{\n  \"a\": 1\n}\n"},
		{"broken JSON is shown as it is", "", "application/ld+json", `{"a":`, JSON, `{"a":`},
		{"deep JSON is shown as it is", "", "application/json", strings.Repeat("[", 100) + strings.Repeat("]", 100), JSON, strings.Repeat("[", 100) + strings.Repeat("]", 100)},
		{"XML", "", "application/xml", "<a>\r\n<b/></a>", XML, "<a>\n<b/></a>"},
		{"a drawing is XML", "", "image/svg+xml", "<svg><text>x</text></svg>", XML, "<svg><text>x</text></svg>"},
		{"a PDF file", "", "application/pdf", pdf, PDF, ""},
		{"a PDF file under another name", "", "text/html", pdf, PDF, ""},
		{"an image", "", "image/png", png, Image, ""},
		{"an image that nothing declares", "", "", png, Image, ""},
		{"an image served as a page", "", "text/html", png, Image, ""},
		{"an archive", "", "application/gzip", gz, Binary, ""},
		{"a film", "", "video/mp4", "x", Binary, ""},
		{"bytes served as text are not shown", "", "text/plain", "a\x00b\x01\x02", Binary, ""},
		{"nothing", "", "", "", Text, ""},
		{"UTF-16 is text", "", "text/plain", "\xff\xfeh\x00i\x00", Text, "hi"},
		{"UTF-16 that only the header tells", "", "text/plain; charset=utf-16le", "\xe5\x65\x2c\x67\x9e\x8a\n\x00\xe5\x65\x2c\x67", Text, "日本語\n日本"},
		{"UTF-16 that only its bytes tell", "", "text/html", wide("<title>T</title><p>日本語のテキスト\u3000と words"), Page, "日本語のテキスト　と words\n"},
		{"a page with a NUL in it is a page", "", "text/html", "<!doctype html><title>T</title><p>Words with a NUL\x00 in them.", Page, "Words with a NUL in them.\n"},
		{"a log with a NUL in it is text", "", "text/plain", strings.Repeat("a line of a log\n", 10) + "\x00\n", Text, strings.Repeat("a line of a log\n", 10) + "\n"},
		{"a program's numbers are no UTF-16", "", "text/plain", strings.Repeat("\x01\x00\x02\x00\x03\x00", 20), Binary, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := convert(t, []byte(c.body), Options{URL: c.url, ContentType: c.header})
			if d.Kind != c.kind || d.Text != c.text {
				t.Errorf("got %s %q, want %s %q", d.Kind, d.Text, c.kind, c.text)
			}
		})
	}
}

// wide is s in UTF-16, little-endian, without a byte order mark.
func wide(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

func TestFeeds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, header, in, title, want string }{
		{"RSS", "application/rss+xml", `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>https://example.com</link><description>All of it</description>
<item><title>One &amp; two</title><link>https://example.com/1</link><pubDate>Mon, 02 Jan 2006 15:04:05 GMT</pubDate><description><![CDATA[<p>First <b>item</b></p>]]></description></item>
<item><title>Three</title><guid>https://example.com/3</guid></item></channel></rss>`, "News",
			"# News\n\nAll of it\n\n## One & two\nhttps://example.com/1\nMon, 02 Jan 2006 15:04:05 GMT\nFirst item\n\n## Three\nhttps://example.com/3\n"},
		{"Atom", "text/xml", `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><entry><title>One</title><link rel="edit" href="https://example.com/e"/><link href="https://example.com/1"/>
<updated>2006-01-02T15:04:05Z</updated><content type="xhtml"><div><p>First</p><p>item</p></div></content></entry></feed>`, "News",
			"# News\n\n## One\nhttps://example.com/1\n2006-01-02T15:04:05Z\n\nFirst\n\nitem\n"},
		{"an entry's whole text, author and file", "application/rss+xml", `<rss version="2.0"><channel><title>Pod</title><item><title>One</title><dc:creator>Ann</dc:creator><enclosure url="https://example.com/1.mp3" type="audio/mpeg"/>
<description>Short.</description><content:encoded><![CDATA[<p>Long, with <a href="https://example.org/x">a link</a>.</p><pre>a
  b</pre>]]></content:encoded></item></channel></rss>`, "Pod",
			"# Pod\n\n## One\nby Ann\nfile: https://example.com/1.mp3\n\nLong, with [a link](https://example.org/x).\n\n```\na\n  b\n```\n"},
		{"an author's name and a link in xhtml", "application/atom+xml", `<feed><title>News</title><entry><title>One</title><author><name>Ann</name><email>a@example.com</email></author><content type="xhtml"><div>a &lt; b, <a href="/x">see</a></div></content></entry></feed>`, "News",
			"# News\n\n## One\nby Ann\na < b, [see](/x)\n"},
		{"markup that is not ended, and a control character", "application/rss+xml", "<rss><channel><title>News</title><item><title>One</title><description>a<br>b\x0bc</description></item><item><title>Two</title></item></channel></rss>", "News",
			"# News\n\n## One\n\na\nb c\n\n## Two\n"},
		{"a JSON feed", "application/feed+json", `{"version":"https://jsonfeed.org/version/1.1","title":"News","items":[{"id":"1","url":"https://example.com/1","title":"One","content_html":"<p>First</p>"}]}`, "News",
			"# News\n\n## One\nhttps://example.com/1\nFirst\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := convert(t, []byte(c.in), Options{ContentType: c.header})
			if d.Kind != Feed || d.Title != c.title || d.Text != c.want {
				t.Errorf("got %s %q\n%s\nwant\n%s", d.Kind, d.Title, d.Text, c.want)
			}
		})
	}
	t.Run("a feed that was cut lists what came", func(t *testing.T) {
		t.Parallel()
		d := convert(t, []byte(`<feed><title>News</title><entry><title>One</title></entry><entry><title>Tw`), Options{ContentType: "application/atom+xml", Truncated: true})
		if d.Kind != Feed || d.Text != "# News\n\n## One\n\n" {
			t.Errorf("got %s\n%s", d.Kind, d.Text)
		}
	})
	t.Run("the last of 150 entries is there, whatever is wrong in each", func(t *testing.T) {
		t.Parallel()
		for _, wrong := range []string{"<br>", "\x0b", "&nothing;", "<", "< b", "<a href=x", "]]>"} {
			in := "<rss><channel><title>News</title>" + strings.Repeat("<item><title>one</title><description>a"+wrong+" b</description></item>", 150) + "<item><title>The last</title></item></channel></rss>"
			if d := convert(t, []byte(in), Options{ContentType: "application/rss+xml"}); !strings.Contains(d.Text, "The last") || strings.Count(d.Text, "one") != 150 {
				t.Errorf("with %q the %s has %d entries and ends in %q", wrong, d.Kind, strings.Count(d.Text, "one"), d.Text[max(len(d.Text)-40, 0):])
			}
		}
	})
	t.Run("a feed with a text that is not ended is shown as it is", func(t *testing.T) {
		t.Parallel()
		const in = "<rss><channel><title>News</title><item><title>One<link>x</link></item><item>Two</item></channel></rss>"
		if d := convert(t, []byte(in), Options{ContentType: "application/rss+xml"}); d.Kind != XML || d.Text != in {
			t.Errorf("got %s\n%s", d.Kind, d.Text)
		}
	})
	t.Run("a site map is no feed", func(t *testing.T) {
		t.Parallel()
		if d := convert(t, []byte(`<urlset><url><loc>https://example.com/</loc></url></urlset>`), Options{ContentType: "application/xml"}); d.Kind != XML || !strings.Contains(d.Text, "<loc>") {
			t.Errorf("got %s %q", d.Kind, d.Text)
		}
	})
}

func TestNotes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, header, body, want string }{
		{"a guess", "text/html", "<p>caf\xe9</p>", CharsetGuessed},
		{"a byte without a meaning", "text/html; charset=utf-8", "<p>日本語日本語\xff</p>", DecodeErrors},
		{"a shell", "text/html", "<div id=root></div><script src=x></script>", ScriptRendered},
		{"hidden text", "text/html", "<p>x</p><script></script><div hidden>" + strings.Repeat("Much more text. ", 20) + "</div>", HiddenTextIncluded},
		{"a check for robots", "text/html", "<title>Just a moment...</title>", PossibleChallenge},
		{"a form", "text/html", "<form>Sign in <input type=password></form>", PossibleLogin},
		{"depth", "text/html", strings.Repeat("<div>", 600) + "x", DeepMarkup},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if d := convert(t, []byte(c.body), Options{ContentType: c.header}); !slices.Contains(d.Notes, c.want) {
				t.Errorf("notes = %q, want %s", d.Notes, c.want)
			}
		})
	}
	t.Run("an ordinary page has none", func(t *testing.T) {
		t.Parallel()
		if d := convert(t, []byte("<p>Hello"), Options{ContentType: "text/html; charset=utf-8"}); len(d.Notes) > 0 {
			t.Errorf("notes = %q", d.Notes)
		}
	})
}

func TestAnchor(t *testing.T) {
	t.Parallel()
	d := convert(t, []byte(`<p>a<h2 id="größe">B</h2><h2 id="x%20y">C</h2>`), Options{ContentType: "text/html; charset=utf-8"})
	for fragment, want := range map[string]string{"#größe": "## B", "gr%C3%B6%C3%9Fe": "## B", "x%20y": "## C", "größe:~:text=b": "## B"} {
		at, ok := d.Anchor(fragment)
		if !ok || !strings.HasPrefix(d.Text[at:], want) {
			t.Errorf("Anchor(%q) = %d, %t, want where %q stands", fragment, at, ok, want)
		}
	}
	for _, fragment := range []string{"", "#", "none", "%zz", ":~:text=b"} {
		if _, ok := d.Anchor(fragment); ok {
			t.Errorf("Anchor(%q) is known", fragment)
		}
	}
}

// TestSharedFiles converts the shared files of other types.
func TestSharedFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "..", "..", "shared", "data", "web")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the shared files are not here")
	}
	for _, c := range []struct {
		file, header, words string
		kind                Kind
	}{
		{"types/feed1.atom", "application/atom+xml", "# ", Feed},
		{"types/feed2.rss", "application/rss+xml", "## ", Feed},
		{"types/feed.json", "application/feed+json", "## ", Feed},
		{"types/sitemap.xml", "application/xml", "<loc>", XML},
		{"types/sitemap.xml.gz", "application/gzip", "", Binary},
		{"types/copyright-release.pdf", "application/pdf", "", PDF},
		{"types/llvm-cov-show-01.png", "image/png", "", Image},
		{"types/argparse.rst.txt", "text/plain; charset=utf-8", "argparse", Text},
		{"types/swagger-package.json", "application/json", "swagger", JSON},
		{"types/redundant-urls.txt", "text/plain", "http", Text},
		{"spa/cra-template_template_public_index.html", "text/html", "You need to enable JavaScript", Page},
		{"search/ddg_anomaly_202.html", "text/html", "DuckDuckGo", Page},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile(filepath.Join(dir, c.file))
			if err != nil {
				t.Skip(err)
			}
			d := convert(t, body, Options{URL: "https://example.com/" + c.file, ContentType: c.header})
			if d.Kind != c.kind || !strings.Contains(d.Text, c.words) || c.words == "" && d.Text != "" {
				t.Errorf("got %s %.200q, want %s with %q", d.Kind, d.Text, c.kind, c.words)
			}
		})
	}
}

func FuzzConvert(f *testing.F) {
	f.Add([]byte("<p>a"), "text/html; charset=gbk", "https://example.com/a.md")
	f.Add([]byte(`{"version":"https://jsonfeed.org/version/1","items":[{"title":"\u0000"}]}`), "application/json", "")
	f.Add([]byte("<rss><channel><item><title>a<b>c</title><link/><entry></item>"), "application/xml", "x")
	f.Add([]byte("\xff\xfe<\x00p\x00>\x00"), "", "")
	f.Fuzz(func(t *testing.T, body []byte, header, address string) {
		d := convert(t, body, Options{URL: address, ContentType: header})
		if !utf8.ValidString(d.Text) || !utf8.ValidString(d.Title) {
			t.Errorf("the text is no UTF-8: %q %q", d.Title, d.Text)
		}
		if len(body) > 64 && len(d.Text) > 6*len(body) {
			t.Errorf("%d bytes became %d", len(body), len(d.Text))
		}
		if d.MainEnd < 0 || d.MainEnd > len(d.Text) {
			t.Errorf("main ends at %d of %d", d.MainEnd, len(d.Text))
		}
		switch d.Kind {
		case PDF, Image, Binary:
			if d.Text != "" {
				t.Errorf("%s has text", d.Kind)
			}
		}
	})
}
