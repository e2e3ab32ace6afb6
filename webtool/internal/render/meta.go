package render

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/arcseat/arc/webtool/internal/visible"
)

// meta is what a page says of itself outside its text.
type meta struct {
	title       string
	description string
	base        string
	refresh     string
	root        *html.Node
	scripts     bool
	product     bool // it is the page of something that is sold
}

// readMeta reads the head.
func readMeta(root *html.Node, at *url.URL) meta {
	m := meta{root: root}
	head := find(root, "head")
	if head == nil {
		return m
	}
	d := goquery.NewDocumentFromNode(head)
	m.title = line(d.Find("title").First().Text())
	m.base, _ = d.Find("base[href]").First().Attr("href")
	d.Find("meta").Each(func(_ int, s *goquery.Selection) {
		content, _ := s.Attr("content")
		name := strings.ToLower(s.AttrOr("property", s.AttrOr("name", "")))
		switch {
		case content == "":
		case name == "og:title" && m.title == "":
			m.title = line(content)
		case name == "og:type":
			m.product = strings.Contains(strings.ToLower(content), "product")
		case strings.HasPrefix(name, "product:price"):
			m.product = true
		case name == "og:description" || name == "description" && m.description == "":
			m.description = line(content)
		case strings.EqualFold(s.AttrOr("http-equiv", ""), "refresh"):
			m.refresh = Refresh(content, at, m.baseOf(at))
		}
	})
	m.scripts = d.Find("script").Length() > 0
	return m
}

// baseOf is what relative links of the page at that address are resolved against.
func (m *meta) baseOf(at *url.URL) *url.URL {
	if at == nil || m.base == "" {
		return at
	}
	if b, err := at.Parse(m.base); err == nil && (b.Scheme == "http" || b.Scheme == "https") {
		return b
	}
	return at
}

// Refresh is where a <meta refresh> or a Refresh header of at most one second leads, with
// base for relative links; empty: nowhere, or to the page itself. What is nil is unknown.
func Refresh(content string, at, base *url.URL) string {
	delay, rest, ok := strings.Cut(content, ";")
	if !ok {
		if delay, rest, ok = strings.Cut(content, ","); !ok {
			return ""
		}
	}
	if s, err := strconv.ParseFloat(strings.TrimSpace(delay), 64); err != nil || s > 1 || s < 0 {
		return ""
	}
	rest = strings.TrimSpace(rest)
	if len(rest) >= 3 && strings.EqualFold(rest[:3], "url") {
		if after := strings.TrimSpace(rest[3:]); strings.HasPrefix(after, "=") {
			rest = strings.TrimSpace(after[1:])
		}
	}
	rest = strings.Trim(rest, "\"' ")
	u, err := url.Parse(rest)
	if rest == "" || err != nil {
		return ""
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	if at != nil && u.String() == at.String() {
		return ""
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}

// article is the text of an article that a page carries as JSON-LD: its body, or its
// description.
func (m *meta) article() string {
	var body, description string
	goquery.NewDocumentFromNode(m.root).Find(`script[type="application/ld+json"]`).Each(func(_ int, s *goquery.Selection) {
		var v any
		if json.Unmarshal([]byte(s.Text()), &v) == nil {
			seek(v, 0, &body, &description)
		}
	})
	if len(body) > len(description) {
		return body
	}
	return description
}

// seek finds the longest articleBody and description in v.
func seek(v any, depth int, body, description *string) {
	if depth > 8 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			seek(x, depth+1, body, description)
		}
	case map[string]any:
		for k, x := range v {
			s, ok := x.(string)
			switch {
			case !ok:
				seek(x, depth+1, body, description)
			case (k == "articleBody" || k == "text" || k == "reviewBody") && len(s) > len(*body):
				*body = s
			case k == "description" && len(s) > len(*description):
				*description = s
			}
		}
	}
}

// line is s as one visible line.
func line(s string) string {
	return strings.Join(strings.Fields(visible.Strip(s)), " ")
}

// find is the first element of that name below n, n included, in document order.
func find(n *html.Node, name string) *html.Node {
	if n.Type == html.ElementNode && n.Data == name {
		return n
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		if f := find(c, name); f != nil {
			return f
		}
	}
	return nil
}

// findWith is the first element of that name with that attribute below n.
func findWith(n *html.Node, name, key, value string) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		if c.Data == name && strings.EqualFold(attr(c, key), value) {
			return c
		}
		if f := findWith(c, name, key, value); f != nil {
			return f
		}
	}
	return nil
}
