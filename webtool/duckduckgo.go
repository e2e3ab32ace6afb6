package webtool

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// browserAgent introduces the one provider that answers browsers alone.
const browserAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

// DuckDuckGoLite reads the page that DuckDuckGo has for small browsers. It is no API:
// it may change or refuse at any time, so it is the last of a chain, if it is in one
// at all. Its name is duckduckgo-lite.
func DuckDuckGoLite(o *ProviderOptions) Searcher {
	return &duckDuckGo{newAPI("duckduckgo-lite", "https://lite.duckduckgo.com", 0, o)}
}

type duckDuckGo struct{ *api }

func (d *duckDuckGo) Search(ctx context.Context, q Query) ([]Hit, error) {
	r, err := d.get(ctx, "/lite/", url.Values{"q": {q.Text}}, http.Header{"User-Agent": {browserAgent}, "Accept": {"text/html"}})
	if err != nil {
		return nil, err
	}
	doc, broken := goquery.NewDocumentFromReader(bytes.NewReader(r.body))
	if r.status == http.StatusAccepted || r.status == http.StatusForbidden || broken == nil && challenged(doc) {
		return nil, d.failed(ProviderBlocked, "challenge", r.status, nil)
	}
	if err := d.check(r); err != nil {
		return nil, err
	}
	if broken != nil {
		return nil, d.failed(ProviderParseError, "not_html", r.status, broken)
	}
	hits := liteHits(doc)
	if len(hits) == 0 && doc.Find(liteLink).Length() == 0 && !strings.Contains(doc.Text(), "No results") {
		return nil, d.failed(ProviderParseError, "no_links", r.status, nil)
	}
	return hits, nil
}

const liteLink = "a.result-link"

// challenged reports whether a page asks for proof of a person, whatever its status. It
// goes by elements: the words may be those of a result.
func challenged(doc *goquery.Document) bool {
	return doc.Find(`#challenge-form, [class*="anomaly-modal"], script[src*="/anomaly.js"], form[action*="/anomaly.js"]`).Length() > 0 ||
		doc.Find(liteLink).Length() == 0 && strings.Contains(doc.Text(), "bots use DuckDuckGo too")
}

// liteHits reads the rows of the page's one table: a link, and in a later row its
// snippet. Advertisements look the same but for their row, or lead to y.js.
func liteHits(doc *goquery.Document) []Hit {
	var hits []Hit
	skip := false
	doc.Find(liteLink + ", td.result-snippet").Each(func(_ int, s *goquery.Selection) {
		if s.Is("td") {
			if len(hits) > 0 && !skip && hits[len(hits)-1].Snippet == "" {
				hits[len(hits)-1].Snippet, _ = s.Html()
			}
			return
		}
		href, _ := s.Attr("href")
		href, ok := direct(href)
		if skip = !ok || s.Closest(".result-sponsored").Length() > 0; skip {
			return
		}
		title, _ := s.Html()
		hits = append(hits, Hit{Title: title, URL: href, HTML: true})
	})
	return hits
}

// direct is where a link of the page leads in the end; false for an advertisement.
func direct(href string) (string, bool) {
	base := &url.URL{Scheme: "https", Host: "duckduckgo.com", Path: "/"}
	u, err := base.Parse(strings.TrimSpace(href))
	if err != nil {
		return "", false
	}
	if u.Host != base.Host && !strings.HasSuffix(u.Host, "."+base.Host) {
		return u.String(), true
	}
	if strings.HasPrefix(u.Path, "/l/") {
		if to := u.Query().Get("uddg"); to != "" {
			return direct(to)
		}
	}
	return u.String(), !strings.HasPrefix(u.Path, "/y.js")
}
