package ignore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/arcseat/arc/workspace/internal/ignore"
)

// decide walks down to path, which ends in a slash if it is a directory; files
// are the patterns of each directory, by its path.
func decide(files map[string]string, path string) bool {
	names := strings.Split(strings.TrimSuffix(path, "/"), "/")
	rules, at := &ignore.Rules{}, ""
	for i, name := range names {
		inside := strings.TrimSuffix(at, "/")
		own := ""
		if i > 0 {
			own = names[i-1]
		}
		rules = rules.Enter(own, ignore.Parse([]byte(files[inside])))
		if rules.Ignored(name, i < len(names)-1 || strings.HasSuffix(path, "/")) {
			return true
		}
		at += name + "/"
	}
	return false
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		name, patterns string
		ignored, kept  []string
	}{
		{"a name is meant anywhere", "out", []string{"out", "out/", "a/out", "out/x"}, []string{"outer", "a/about"}},
		{"a trailing slash means directories", "out/", []string{"out/", "a/out/", "out/x"}, []string{"out", "a/out"}},
		{"a leading slash means here", "/out", []string{"out", "out/x"}, []string{"a/out"}},
		{"a slash inside means here too", "a/out", []string{"a/out"}, []string{"b/a/out", "out"}},
		{"the last pattern wins", "*.log\n!keep.log", []string{"a.log", "d/b.log"}, []string{"keep.log", "d/keep.log"}},
		{"nothing is brought back from an ignored directory", "out/\n!out/keep", []string{"out/keep"}, nil},
		{"a directory is brought back with what is in it", "/*\n!/src/", []string{"a", "b/"}, []string{"src/", "src/x"}},
		{"a star stays within a name", "a/*/c", []string{"a/b/c"}, []string{"a/c", "a/b/d/c"}},
		{"two stars pass directories, or none", "a/**/c", []string{"a/c", "a/b/c", "a/b/d/c"}, []string{"c", "b/a/c"}},
		{"two stars in front", "**/c", []string{"c", "a/c", "a/b/c"}, []string{"cc"}},
		{"two stars behind", "a/**", []string{"a/b", "a/b/c"}, []string{"a", "a/"}},
		{"two stars inside a name are one", "a**c", []string{"abc", "ac"}, []string{"b/a/d/c"}},
		{"classes", "[a-c][!x][[:digit:]]", []string{"ab1", "a-2"}, []string{"db1", "ax1", "abc"}},
		{"a bracket in a class", "[]a]x", []string{"]x", "ax"}, []string{"bx"}},
		{"a class that does not end matches nothing", "a[b", nil, []string{"a[b", "ab"}},
		{"escapes", `\!a` + "\n" + `\#b` + "\n" + `c\*`, []string{"!a", "#b", "c*"}, []string{"a", "b", "cc"}},
		{"trailing spaces go, escaped ones stay", "a   \nb\\ ", []string{"a", "b "}, []string{"a ", "b"}},
		{"comments, empty lines and line ends of Windows", "# x\r\n\r\nout\r\n", []string{"out"}, []string{"# x"}},
		{"a byte order mark is no part of the first pattern", "\ufeffout", []string{"out"}, nil},
		{"a question mark is one byte", "a?c", []string{"abc"}, []string{"ac", "a/c"}},
		{"bin and out are nobody's to hide", "", nil, []string{"bin/", "out/", "dist/", "vendor/", "go.lock"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"": c.patterns}
			for _, p := range c.ignored {
				if !decide(files, p) {
					t.Errorf("%q does not ignore %q", c.patterns, p)
				}
			}
			for _, p := range c.kept {
				if decide(files, p) {
					t.Errorf("%q ignores %q", c.patterns, p)
				}
			}
		})
	}
}

func TestADeeperFileOutranksTheOneAbove(t *testing.T) {
	t.Parallel()
	files := map[string]string{"": "*.log\n/x/y", "a": "!*.log\nz", "x": "!y"}
	for path, want := range map[string]bool{"b.log": true, "a/b.log": false, "z": false, "a/z": true, "a/b/z": true, "x/y": false} {
		if got := decide(files, path); got != want {
			t.Errorf("%s is ignored: %v, want %v", path, got, want)
		}
	}
}

func TestAHostilePatternTakesNoTime(t *testing.T) {
	t.Parallel()
	// Tried again at every star, these would take longer than the universe lasts.
	for _, p := range []string{strings.Repeat("*a", 60) + "b", strings.Repeat("**/a*", 40) + "b", strings.Repeat("[a]*", 60) + "b"} {
		rules := (&ignore.Rules{}).Enter("", ignore.Parse([]byte("x/"+p)))
		if rules.Enter("x").Ignored(strings.Repeat("a", 255), false) {
			t.Errorf("%q matches", p)
		}
	}
}

func FuzzNeverPanics(f *testing.F) {
	f.Add("a/**/[!b-d]\\ \n!*.go", "a/x/e.go")
	f.Add("[[:alpha:]-z][", "b")
	f.Fuzz(func(t *testing.T, patterns, path string) {
		path = strings.Trim(path, "/")
		first := decide(map[string]string{"": patterns}, path)
		if again := decide(map[string]string{"": patterns + "\n"}, path); again != first {
			t.Errorf("an empty line at the end of %q changes %q", patterns, path)
		}
	})
}

func ExampleRules() {
	root := (&ignore.Rules{}).Enter("", ignore.Parse([]byte("*.log\nbuild/\n")))
	sub := root.Enter("sub", ignore.Parse([]byte("!keep.log\n")))
	fmt.Println(root.Ignored("build", true), root.Ignored("keep.log", false), sub.Ignored("keep.log", false))
	// Output: true true false
}
