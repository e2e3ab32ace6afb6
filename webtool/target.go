package webtool

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/arcseat/arc"
)

// maxURL is in bytes: what browsers and servers take, and twice what a result's
// header could hold if they were longer.
const maxURL = 4096

// A target is a URL that was checked: absolute, http or https, without credentials,
// its host in ASCII, its default port and fragment off.
type target struct {
	url      *url.URL
	text     string // url as a string
	fragment string // as written
	host     string // without port and brackets
	port     uint16
}

// parseTarget checks what a model, or a server, has written. Relative URLs are taken
// from base, if there is one.
func parseTarget(raw string, base *target) (*target, error) {
	raw = strings.TrimSpace(raw)
	if len(raw) > maxURL {
		return nil, invalidURL("too_long", fmt.Sprintf("the URL is longer than %d bytes; use a shorter one.", maxURL))
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, invalidURL("malformed", "this is not a URL; write it as https://host/path.")
	}
	if base != nil {
		u = base.url.ResolveReference(u)
	}
	switch {
	case u.User != nil:
		return nil, invalidURL("credentials_in_url", "a URL with a user name or password is not fetched; leave them out.")
	case u.Scheme == "" || u.Opaque != "" && u.Scheme != "http" && u.Scheme != "https" && strings.Contains(u.Scheme, "."):
		return nil, notAbsolute(raw)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, invalidURL("unsupported_scheme", "only http and https URLs are fetched; use one of those.")
	case u.Host == "" || u.Opaque != "":
		return nil, invalidURL("malformed", "the URL names no host; write it as https://host/path.")
	}
	t := &target{url: u, fragment: u.EscapedFragment()}
	if err := t.setHost(); err != nil {
		return nil, err
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.Fragment, u.RawFragment = "", ""
	u.RawQuery = escapeQuery(u.RawQuery)
	t.text = u.String()
	if len(t.text) > maxURL {
		return nil, invalidURL("too_long", fmt.Sprintf("the URL is longer than %d bytes; use a shorter one.", maxURL))
	}
	return t, nil
}

// notAbsolute offers the URL that was perhaps meant.
func notAbsolute(raw string) error {
	e := invalidURL("not_absolute", "the URL is not absolute; write it with https:// in front.")
	if t, err := parseTarget("https://"+strings.TrimLeft(raw, "/"), nil); err == nil && strings.Contains(t.host, ".") {
		e.Next = &arc.Next{Tool: fetchName, Arguments: map[string]string{"url": t.text}}
	}
	return e
}

func (t *target) setHost() error {
	bad := invalidURL("malformed", "the URL's host is no host name; check its spelling.")
	u := t.url
	host := u.Hostname()
	addr, err := netip.ParseAddr(host)
	switch {
	case err == nil && strings.IndexFunc(addr.Zone(), noZone) >= 0:
		return bad
	case err == nil:
		host = addr.String()
	case strings.Contains(u.Host, "["):
		return bad
	default:
		if host, err = asciiHost(host); err != nil {
			return bad
		}
		if addr, err = netip.ParseAddr(host); err != nil && endsInNumber(host) {
			// Octal, hexadecimal and shortened addresses mean different things to
			// different resolvers.
			return invalidURL("bad_address", "the URL's host is an address in an unusual form; write four decimal numbers, or a name.")
		}
	}
	t.host, t.port = host, 80
	if u.Scheme == "https" {
		t.port = 443
	}
	def := t.port
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return invalidURL("malformed", "the URL's port is not a number below 65536; leave it out, or correct it.")
		}
		t.port = uint16(n)
	}
	u.Host = host
	if addr.Is6() {
		u.Host = "[" + host + "]"
	}
	if t.port != def {
		u.Host = net.JoinHostPort(host, strconv.Itoa(int(t.port)))
	}
	return nil
}

// noZone says what the name of an interface, behind a link-local address, does not have
// here: only these are written the same in an address and in a URL.
func noZone(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-", r)
}

// asciiHost is host as it is looked up: what stands for an ASCII letter has become one.
func asciiHost(host string) (string, error) {
	for i := range len(host) {
		if host[i] >= 0x80 {
			var err error
			if host, err = idna.Lookup.ToASCII(host); err != nil {
				return "", err
			}
			break
		}
	}
	host = strings.ToLower(host)
	for i := range len(host) {
		switch c := host[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_', c == '.':
		default:
			return "", strconv.ErrSyntax
		}
	}
	if host == "" || len(host) > 253 || strings.Contains(host, "..") || host[0] == '.' {
		return "", strconv.ErrSyntax
	}
	return host, nil
}

// endsInNumber reports whether resolvers may take host for an IPv4 address (URL
// standard, "ends in a number").
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	hex, ok := strings.CutPrefix(last, "0x")
	return ok && strings.Trim(hex, "0123456789abcdef") == ""
}

// escapeQuery makes a query what may stand in a request line, without touching what
// is escaped already.
func escapeQuery(q string) string {
	var b strings.Builder
	for i := range len(q) {
		if c := q[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
