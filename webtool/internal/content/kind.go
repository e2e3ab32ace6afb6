package content

import (
	"bytes"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/arcseat/arc/webtool/internal/charset"
)

// A Kind is what a body turned out to be.
type Kind string

// The kinds.
const (
	Page     Kind = "page"     // HTML, rendered
	Markdown Kind = "markdown" // as it stands
	Text     Kind = "text"     // as it stands
	JSON     Kind = "json"     // as it stands
	XML      Kind = "xml"      // as it stands
	Feed     Kind = "feed"     // RSS, Atom or JSON feed, as a list of entries
	PDF      Kind = "pdf"      // no text here: the host may have a reader
	Image    Kind = "image"    // no text
	Binary   Kind = "binary"   // no text: audio, video, archives, anything else
)

// kindOf decides what a body is, from its header, or from its bytes where the header
// is silent, says nothing, or is what servers send for files that they do not know.
func kindOf(body []byte, o Options) (Kind, string) {
	media, _, err := mime.ParseMediaType(o.ContentType)
	if err != nil {
		media, _, _ = strings.Cut(o.ContentType, ";")
		media = strings.ToLower(strings.TrimSpace(media))
	}
	if !strings.Contains(media, "/") {
		media = ""
	}
	// A PDF by its first bytes is one whatever it is called.
	if bytes.HasPrefix(bytes.TrimLeft(body[:min(len(body), 1024)], " \t\r\n"), []byte("%PDF-")) {
		return PDF, "application/pdf"
	}
	switch media {
	case "", "text/plain", "application/octet-stream", "binary/octet-stream", "application/x-download", "application/force-download", "application/unknown", "unknown/unknown", "*/*":
		return sniff(body, media, o)
	}
	k := kindOfMedia(media)
	if k != Binary && k != PDF && k != Image && binary(body, o.ContentType) {
		return sniffed(body) // a picture or an archive under a wrong name
	}
	if (k == XML || k == Text || k == Page) && isFeed(body) {
		k = Feed
	}
	return k, media
}

func kindOfMedia(media string) Kind {
	top, sub, _ := strings.Cut(media, "/")
	switch {
	case media == "text/html" || media == "application/xhtml+xml" || media == "application/vnd.wap.xhtml+xml":
		return Page
	case sub == "markdown" || sub == "x-markdown" || sub == "x-web-markdown":
		return Markdown
	case sub == "json" || strings.HasSuffix(sub, "+json") || sub == "x-json" || media == "text/json":
		return JSON
	case sub == "rss+xml" || sub == "atom+xml" || sub == "rdf+xml":
		return Feed
	case media == "image/svg+xml":
		return XML
	case sub == "xml" || strings.HasSuffix(sub, "+xml") || sub == "xml-dtd":
		return XML
	case sub == "pdf" || sub == "x-pdf":
		return PDF
	case top == "image":
		return Image
	case top == "text" || top == "message":
		return Text
	case top == "application" && textual(sub):
		return Text
	}
	return Binary
}

// textual are the types of text that do not say so.
func textual(sub string) bool {
	switch sub {
	case "javascript", "x-javascript", "ecmascript", "typescript", "x-sh", "x-shellscript", "x-python", "x-perl", "x-ruby", "x-php", "x-httpd-php", "sql", "x-sql", "toml", "yaml", "x-yaml",
		"x-ndjson", "ndjson", "jsonl", "x-jsonlines", "x-tex", "x-latex", "x-subrip", "x-mpegurl", "vnd.apple.mpegurl", "graphql", "rtf", "x-www-form-urlencoded", "csv",
		"x-httpd-cgi", "postscript", "x-diff", "x-patch", "pgp-signature", "pgp-keys", "manifest":
		return true
	}
	return strings.HasSuffix(sub, "+yaml") || strings.HasSuffix(sub, "+toml")
}

// sniff decides by the bytes, and by the name in the URL where they are plain text.
func sniff(body []byte, media string, o Options) (Kind, string) {
	if len(body) == 0 {
		if media == "" {
			media = "text/plain"
		}
		return Text, media
	}
	if binary(body, o.ContentType) {
		return sniffed(body)
	}
	if media == "text/plain" {
		// Named text: source code that quotes HTML stays text. What begins as a whole
		// page, or as a feed, was misnamed.
		if isFeed(body) {
			return Feed, media
		}
		if wholePage(body) && !sourceName(o.URL) {
			return Page, "text/html"
		}
		if markdownName(o.URL) {
			return Markdown, media
		}
		return Text, media
	}
	if isFeed(body) {
		return Feed, "application/xml"
	}
	head := bytes.TrimLeft(trimBOM(body[:min(len(body), 512)]), " \t\r\n")
	switch {
	case wholePage(body) || strings.HasPrefix(http.DetectContentType(body), "text/html"):
		return Page, "text/html"
	case bytes.HasPrefix(head, []byte("<?xml")):
		return XML, "text/xml"
	case len(head) > 0 && (head[0] == '{' || head[0] == '[') && looksJSON(body, o.Truncated):
		return JSON, "application/json"
	case markdownName(o.URL):
		return Markdown, "text/markdown"
	}
	return Text, "text/plain"
}

// sniffed is the kind of bytes that are no text.
func sniffed(body []byte) (Kind, string) {
	media, _, _ := strings.Cut(http.DetectContentType(body), ";")
	switch k := kindOfMedia(media); k {
	case Image, PDF:
		return k, media
	}
	if strings.HasPrefix(media, "text/") {
		media = "application/octet-stream"
	}
	return Binary, media
}

// binary reports whether bytes are no text: a signature names them, or more than one in
// fifty of the first 8 KiB is a character that no text has. A page, or a log, with a few
// NULs in it is one all the same; in UTF-16 half of the bytes may be.
func binary(body []byte, header string) bool {
	head := body[:min(len(body), 8<<10)]
	// DetectContentType calls text with a control character binary.
	if m := http.DetectContentType(head); !strings.HasPrefix(m, "text/") && m != "application/octet-stream" {
		return true
	}
	if charset.Wide(body, header) {
		return false
	}
	controls := 0
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b {
			controls++
		}
	}
	return controls*50 > len(head)
}

func trimBOM(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) }

// wholePage reports whether a body begins as an HTML document does, not as a piece
// of one.
func wholePage(body []byte) bool {
	head := bytes.ToLower(bytes.TrimLeft(trimBOM(body[:min(len(body), 2048)]), " \t\r\n"))
	for bytes.HasPrefix(head, []byte("<!--")) || bytes.HasPrefix(head, []byte("<?xml")) {
		end := bytes.IndexByte(head, '>')
		if end < 0 {
			return false
		}
		head = bytes.TrimLeft(head[end+1:], " \t\r\n")
	}
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

// ext is the extension of the file that a URL names, in lower case with its dot.
func ext(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(path.Ext(u.Path))
}

func markdownName(address string) bool {
	switch ext(address) {
	case ".md", ".markdown", ".mdx", ".mdown":
		return true
	}
	return false
}

// sourceName reports whether a URL names a file whose text is meant to be read as it
// stands, such as a raw file of a repository.
func sourceName(address string) bool { return ext(address) != "" }
