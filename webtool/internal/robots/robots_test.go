package robots_test

import (
	"strings"
	"testing"

	"github.com/arcseat/arc/webtool/internal/robots"
)

func TestAllows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, path string
		want             bool
	}{
		{"an empty file allows all", "", "/a", true},
		{"a group for all", "User-agent: *\nDisallow: /a", "/ab", false},
		{"elsewhere", "User-agent: *\nDisallow: /a", "/b", true},
		{"no value disallows nothing", "User-agent: *\nDisallow:", "/a", true},
		{"the agent's own group replaces that for all", "User-agent: *\nDisallow: /\n\nUser-agent: Arc-WebTool/2\nDisallow: /x", "/a", true},
		{"and is obeyed", "User-agent: *\nAllow: /\nUser-agent: arc-webtool\nDisallow: /x", "/x/y", false},
		{"two names share a group", "User-agent: other\nUser-agent: arc-webtool\nDisallow: /", "/", false},
		{"two groups of one name are one", "User-agent: arc-webtool\nDisallow: /a\nUser-agent: b\nDisallow: /\nUser-agent: arc-webtool\nDisallow: /c", "/c", false},
		{"another agent's group", "User-agent: other\nDisallow: /", "/", true},
		{"the longest pattern decides", "User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true},
		{"whatever its place", "User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/b/c", true},
		{"allow wins a draw", "User-agent: *\nDisallow: /a\nAllow: /a", "/a", true},
		{"a star", "User-agent: *\nDisallow: /*/private", "/x/private/y", false},
		{"an end", "User-agent: *\nDisallow: /*.pdf$", "/x/a.pdf", false},
		{"an end that is not there", "User-agent: *\nDisallow: /*.pdf$", "/x/a.pdf?x=1", true},
		{"an end after a repetition", "User-agent: *\nDisallow: /a*b$", "/ab/b", false},
		{"an end without a star", "User-agent: *\nDisallow: /a$", "/ab", true},
		{"an escaped letter is that letter", "User-agent: *\nDisallow: /private", "/%70riv%61te", false},
		{"in a pattern too", "User-agent: *\nDisallow: /%7Eown/\nDisallow: /é", "/~own/x", false},
		{"what has to be escaped is the same in either case", "User-agent: *\nDisallow: /a%2fb\nDisallow: /é", "/%c3%a9", false},
		{"an escaped slash is no slash", "User-agent: *\nDisallow: /a/b", "/a%2Fb", true},
		{"a dot segment leads nowhere else", "User-agent: *\nDisallow: /private", "/public/../private/a", false},
		{"nor does an escaped one", "User-agent: *\nDisallow: /private", "/public/%2e%2E/./private", false},
		{"a segment of three dots is a name", "User-agent: *\nDisallow: /private", "/.../private", true},
		{"above the top is the top", "User-agent: *\nDisallow: /private", "/../../private", false},
		{"a doubled slash is one", "User-agent: *\nDisallow: /private/", "//private//", false},
		{"and is itself, to a pattern with one", "User-agent: *\nDisallow: /*//", "/a//b", false},
		{"a folder keeps its slash", "User-agent: *\nDisallow: /a/$", "/a/b/..", false},
		{"dots and slashes of a query stay", "User-agent: *\nDisallow: /private", "/a?to=/..//private", true},
		{"no detour to the file itself", "User-agent: *\nDisallow: /", "/x/../robots.txt", false},
		{"comments, blanks, CR and a byte order mark", "\ufeffUSER-AGENT : * # all\r\nDISALLOW : /a # here\r\n", "/a", false},
		{"the file itself", "User-agent: *\nDisallow: /", "/robots.txt", true},
		{"what stands past the limit is not read", "User-agent: *\n" + strings.Repeat("#\n", robots.MaxBytes/2) + "Disallow: /", "/", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := robots.Parse([]byte(c.file), "arc-webtool").Allows(c.path); got != c.want {
				t.Errorf("allowed: %t", got)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /*a*b$\nAllow: /", "/ab")
	f.Fuzz(func(t *testing.T, file, path string) {
		// What a file forbids to all it also forbids to an agent that it does not name.
		allowed := robots.Parse([]byte(file), "arc-webtool").Allows(path)
		closed := robots.Parse([]byte("User-agent: *\nDisallow: /\n"), "arc-webtool").Allows(path)
		if closed && path != "/robots.txt" && !strings.Contains(path, "%") && strings.HasPrefix(path, "/") || path == "/robots.txt" && !allowed {
			t.Errorf("%q is allowed: %t", path, allowed)
		}
	})
}
