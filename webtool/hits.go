package webtool

import (
	"strings"
	"unicode/utf8"

	"github.com/arcseat/arc/webtool/internal/render"
	"github.com/arcseat/arc/webtool/internal/visible"
)

// Sizes of what a model sees of a hit, in runes.
const (
	maxTitle     = 200
	maxSnippet   = 500
	maxPublished = 40
)

// cleanHits keeps the provider's order and drops what no model should open: URLs that
// are not http or https, that hold credentials, or that lead to a page that is there
// already.
func cleanHits(found []Hit, most int) []Hit {
	hits := make([]Hit, 0, most)
	seen := map[string]bool{}
	for _, h := range found {
		if len(hits) == most {
			break
		}
		t, err := parseTarget(h.URL, nil)
		if err != nil {
			continue
		}
		same := withoutTracking(t)
		if seen[same] {
			continue
		}
		seen[same] = true
		line := textLine
		if h.HTML {
			line = render.Line
		}
		title := cutRunes(line(h.Title), maxTitle)
		if title == "" {
			title = t.host
		}
		link := t.text
		if t.fragment != "" && len(link)+1+len(t.fragment) <= maxURL {
			link += "#" + t.fragment
		}
		hits = append(hits, Hit{
			Title:     title,
			URL:       link,
			Snippet:   cutRunes(line(h.Snippet), maxSnippet),
			Published: cutRunes(textLine(h.Published), maxPublished),
		})
	}
	return hits
}

// textLine is s as one line, without invisible characters.
func textLine(s string) string { return strings.Join(strings.Fields(visible.Strip(s)), " ") }

// withoutTracking is a URL without the parameters that only say where a reader came
// from: two that differ in them are one page.
func withoutTracking(t *target) string {
	u := *t.url
	var kept []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(part, "=")
		if part == "" || strings.HasPrefix(name, "utm_") || name == "gclid" || name == "fbclid" {
			continue
		}
		kept = append(kept, part)
	}
	u.RawQuery, u.ForceQuery = strings.Join(kept, "&"), false
	return u.String()
}

// cutRunes is s, or the words of it that fit into max runes with an ellipsis.
func cutRunes(s string, max int) string {
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	n := 0
	for i := range s {
		if n++; n == max {
			s = s[:i]
			break
		}
	}
	if i := strings.LastIndexByte(s, ' '); i > len(s)/2 {
		s = s[:i]
	}
	return s + "…"
}
