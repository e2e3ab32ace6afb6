package webtool_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/arcseat/arc/webtool"
)

func TestCompressedBodies(t *testing.T) {
	t.Parallel()
	t.Run("gzip that is damaged, or that nobody asked for", func(t *testing.T) {
		t.Parallel()
		for encoding, body := range map[string]string{"gzip": "this is no gzip at all", "br": "x", "gzip, gzip": "x", "aws-chunked, br": "x"} {
			n := network(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", encoding)
				io.WriteString(w, body)
			}))
			refused(t, open(t, n, nil), webtool.Reader{}, "http://example.com/", webtool.DecodeError)
		}
	})
	packed := func(s string) string {
		var b strings.Builder
		z := gzip.NewWriter(&b)
		io.WriteString(z, s)
		z.Close()
		return b.String()
	}
	t.Run("a page whose server forgot to say that it is gzip is read", func(t *testing.T) {
		t.Parallel()
		for media, body := range map[string]string{"text/html; charset=gbk": "<p>\xc4\xe3\xba\xc3", "text/plain": "你好\n", "": "<!doctype html><p>你好"} {
			r := fetch(t, open(t, network(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{media}
				io.WriteString(w, packed(body))
			})), nil), "http://example.com/")
			if r.Text != "你好\n" {
				t.Errorf("%q: it is %s %q, notes %v", media, r.Kind, r.Text, r.Notes)
			}
		}
	})
	t.Run("gzip with something behind it is whole, in parts is joined, and broken off is short", func(t *testing.T) {
		t.Parallel()
		words := packed("The words.")
		for name, c := range map[string]struct {
			body, text string
			short      bool
		}{
			"alone":                   {words, "The words.", false},
			"a zero":                  {words + "\x00", "The words.", false},
			"many zeros":              {words + strings.Repeat("\x00", 1000), "The words.", false},
			"a line":                  {words + "\r\n", "The words.", false},
			"markup":                  {words + "<!-- served in 3 ms -->", "The words.", false},
			"what begins like gzip":   {words + "\x1f\x8b and is none", "The words.", false},
			"another part":            {words + packed(" More."), "The words. More.", false},
			"another part, and zeros": {words + packed(" More.") + "\x00\x00", "The words. More.", false},
			"half of another part":    {words + packed(" More.")[:20], "The words. More.", true},
			"nothing at all":          {"", "", false},
		} {
			n := network(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				if strings.HasSuffix(r.URL.Path, ".gz") {
					w.Header().Set("Content-Type", "application/gzip")
				} else {
					w.Header().Set("Content-Encoding", "gzip")
				}
				io.WriteString(w, c.body)
			}))
			w := open(t, n, nil)
			if r := fetch(t, w, "http://example.com/"); !strings.HasPrefix(c.text, r.Text) || !c.short && r.Text != c.text || r.Truncated != c.short {
				t.Errorf("%s: it is %q, notes %v", name, r.Text, r.Notes)
			}
			if c.body == "" {
				continue
			}
			if r := fetch(t, w, "http://example.com/file.gz"); !strings.HasPrefix(c.text, r.Text) || !c.short && r.Text != c.text || r.Truncated != c.short {
				t.Errorf("%s, as a file: it is %q, notes %v", name, r.Text, r.Notes)
			}
		}
	})
	t.Run("what is no way of compressing changes nothing", func(t *testing.T) {
		t.Parallel()
		for _, encoding := range []string{"utf-8", "none", "aws-chunked", "identity", "8bit"} {
			n := network(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", encoding)
				io.WriteString(w, "<p>The words.")
			}))
			if r := fetch(t, open(t, n, nil), "http://example.com/"); r.Text != "The words.\n" {
				t.Errorf("%s makes it %q", encoding, r.Text)
			}
		}
	})
}
