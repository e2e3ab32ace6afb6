package webtool

import (
	"net/netip"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever is written, a URL that is taken has one spelling, which is ASCII, and names
// its host and nothing else.
func FuzzTarget(f *testing.F) {
	for _, s := range []string{
		"http://example.com/a?b#c", "HTTPS://EXAMPLE.com:443/%7e?q=\"é", "http://[::1%25lo]:80/", "http://[::%25\xec]", "http://①②⑦.⓪.⓪.①/", "http://a:b@c/", "//x", "http://0x7f.1/",
		"http://bücher.example/ü?ü#ü", "http://example.com:80:80/", "http:\\\\example.com", "http://[::ffff:1.2.3.4]/", "http://example.com/?a b", " http://x.y/ ",
	} {
		f.Add(s, "/next?x#y")
	}
	f.Fuzz(func(t *testing.T, raw, location string) {
		first, err := parseTarget(raw, nil)
		if err != nil {
			return
		}
		check := func(x *target) {
			again, err := parseTarget(x.text, nil)
			if err != nil || again.text != x.text || again.host != x.host || again.port != x.port {
				t.Fatalf("%q becomes %q, and that %+v, %v", raw, x.text, again, err)
			}
			if strings.IndexFunc(x.text, func(r rune) bool { return r <= ' ' || r >= utf8.RuneSelf }) >= 0 || len(x.text) > maxURL {
				t.Fatalf("%q becomes %q", raw, x.text)
			}
			if x.url.User != nil || x.url.Hostname() != x.host || x.url.Fragment != "" {
				t.Fatalf("%q becomes %+v", raw, x.url)
			}
			if _, err := netip.ParseAddr(x.host); err != nil && endsInNumber(x.host) {
				t.Fatalf("%q has the host %q", raw, x.host)
			}
		}
		check(first)
		if next, err := parseTarget(location, first); err == nil {
			check(next)
		}
	})
}
