// Package robots reads robots.txt files (RFC 9309). Everything is pure and bounded by
// the size of its input.
package robots

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// MaxBytes is how much of a file is read; RFC 9309 asks for no less.
const MaxBytes = 500 << 10

// Rules are what one file says to one crawler.
type Rules struct{ rules []rule }

type rule struct {
	pattern string
	allow   bool
}

// Parse reads what file says to the crawler whose product token is agent: the groups
// that name it, or else those for all.
func Parse(file []byte, agent string) *Rules {
	file = bytes.TrimPrefix(file[:min(len(file), MaxBytes)], []byte("\ufeff"))
	var ours, all []rule
	found := false              // a group that names the agent
	toUs, toAll := false, false // whom the group at hand is for
	header := false             // its user-agent lines are being read
	for line := range strings.FieldsFuncSeq(string(file), func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, _, _ = strings.Cut(line, "#")
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "user-agent":
			if !header {
				toUs, toAll, header = false, false, true
			}
			token, _, _ := strings.Cut(value, "/")
			toUs = toUs || strings.EqualFold(strings.TrimSpace(token), agent)
			toAll = toAll || value == "*"
			found = found || toUs
		case "allow", "disallow":
			header = false
			r := rule{canonical(value), len(strings.TrimSpace(name)) == len("allow")}
			if toUs {
				ours = append(ours, r)
			}
			if toAll {
				all = append(all, r)
			}
		}
	}
	if found {
		return &Rules{ours}
	}
	return &Rules{all}
}

// Allows reports whether path, with its query, may be fetched: as it is written, and as
// servers read it, without dot segments and doubled slashes. The longest pattern that
// matches decides, an allow before a disallow.
func (r *Rules) Allows(path string) bool {
	path = canonical(path)
	read := resolved(path)
	return r.allows(path) && (read == path || r.allows(read))
}

// resolved is a path, in canonical spelling, as it leads through folders.
func resolved(path string) string {
	path, query, asks := strings.Cut(path, "?")
	var segments []string
	for s := range strings.SplitSeq(path, "/") {
		switch s {
		case "", ".":
		case "..":
			segments = segments[:max(len(segments)-1, 0)]
		default:
			segments = append(segments, s)
		}
	}
	folder := len(segments) > 0 && (strings.HasSuffix(path, "/") || strings.HasSuffix(path, "/.") || strings.HasSuffix(path, "/.."))
	path = "/" + strings.Join(segments, "/")
	if folder {
		path += "/"
	}
	if asks {
		path += "?" + query
	}
	return path
}

func (r *Rules) allows(path string) bool {
	if path == "/robots.txt" {
		return true
	}
	allowed, longest := true, 0
	for _, x := range r.rules {
		if n := len(x.pattern); n > 0 && (n > longest || n == longest && x.allow) && matches(x.pattern, path) {
			allowed, longest = x.allow, n
		}
	}
	return allowed
}

// canonical spells a path in the one way: what need not be escaped is not, what has to
// be is (RFC 9309, 2.2.2).
func canonical(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '%' && i+2 < len(path) {
			if v, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				c = byte(v)
				i += 2
				if !unreserved(c) {
					fmt.Fprintf(&b, "%%%02X", c)
					continue
				}
			}
		}
		if c >= 0x80 || c <= ' ' {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func unreserved(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// matches reports whether pattern fits the start of path, or all of it if it ends in $.
func matches(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(path, parts[0]) {
		return false
	}
	path = path[len(parts[0]):]
	for i, part := range parts[1:] {
		if whole && i == len(parts)-2 {
			return strings.HasSuffix(path, part)
		}
		at := strings.Index(path, part)
		if at < 0 {
			return false
		}
		path = path[at+len(part):]
	}
	return !whole || path == ""
}
