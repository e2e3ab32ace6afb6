package anchors

import (
	"bytes"
	"context"
	"net/url"
	"strings"

	readability "codeberg.org/readeck/go-readability/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"github.com/markusmobius/go-trafilatura"
	"golang.org/x/net/html"

	"github.com/arcseat/arc/webtool/internal/content"
)

// A reader makes text of a page: the part that it takes for the page's own, and all
// that it returns.
type reader struct {
	name string
	read func(page []byte) (main, all string)
}

var here = &url.URL{Scheme: "https", Host: "example.com", Path: "/page"}

func readers() []reader {
	markdown := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	return []reader{
		{"html.Parse alone", func(page []byte) (string, string) {
			_, err := html.Parse(bytes.NewReader(page))
			_ = err
			return "", ""
		}},
		{"webtool", func(page []byte) (string, string) {
			d, err := content.Convert(context.Background(), page, content.Options{URL: here.String(), ContentType: "text/html; charset=utf-8"})
			if err != nil {
				return "", ""
			}
			return d.Text[:d.MainEnd], d.Text
		}},
		{"go-readability", func(page []byte) (string, string) {
			a, err := readability.FromReader(bytes.NewReader(page), here)
			if err != nil {
				return "", ""
			}
			var b strings.Builder
			if a.Node == nil || a.RenderText(&b) != nil {
				return "", ""
			}
			return b.String(), b.String()
		}},
		{"go-trafilatura", func(page []byte) (string, string) {
			r, err := trafilatura.Extract(bytes.NewReader(page), trafilatura.Options{OriginalURL: here, ExcludeComments: true})
			if err != nil {
				return "", ""
			}
			return r.ContentText, r.ContentText
		}},
		{"html-to-markdown", func(page []byte) (string, string) {
			s, err := markdown.ConvertString(string(page))
			if err != nil {
				return "", ""
			}
			return s, s
		}},
	}
}
