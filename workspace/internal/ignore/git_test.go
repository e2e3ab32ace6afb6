package ignore_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var wantDecisions = flag.Int("decisions", 1500, "decisions to compare with git's")

// TestDecidesAsGitDoes compares with git check-ignore on random patterns in
// random trees.
func TestDecidesAsGitDoes(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here to compare with")
	}
	decisions, ignored, wrong := 0, 0, 0
	for seed := 0; decisions < *wantDecisions; seed++ {
		r := rand.New(rand.NewPCG(1, uint64(seed)))
		paths, files := randomTree(r)
		git := checkIgnore(t, paths, files)
		for _, p := range paths {
			decisions++
			if git[strings.TrimSuffix(p, "/")] {
				ignored++
			}
			if got, want := decide(files, p), git[strings.TrimSuffix(p, "/")]; got != want {
				if wrong++; wrong <= 5 {
					t.Errorf("%s ignored: %v, git says %v, by %q", p, got, want, files)
				}
			}
		}
	}
	t.Logf("%d decisions, %d of them ignored, %d wrong", decisions, ignored, wrong)
	if ignored*20 < decisions || ignored*20 > decisions*19 {
		t.Errorf("%d of %d ignored says little", ignored, decisions)
	}
}

var (
	nameParts    = []string{"a", "b", "ab", "foo", "foo.log", "x.go", "[a]", "a b", "a ", "!a", "#a", `a\b`, "B", "-", "a-b", "]", "é", ".x", "build"}
	patternParts = []string{"a", "b", "ab", "foo", "*", "**", "?", "*.log", "*.go", "[a-c]", "[!a]", "[^b-]", "[]a]", "[[:alpha:]]", "[[:upper:]x]", "[a", "[[:no:]]", "[z-a]", "[a-", "[\\]]", "[[:a]", `\*`, `\a`, `\ `, " ", "#", "!", `\`, "é", "-", "build", ".x", "x"}
)

// randomTree makes paths, directories with a trailing slash, and patterns for
// some directories.
func randomTree(r *rand.Rand) (paths []string, files map[string]string) {
	dirs := []string{""}
	taken := map[string]bool{}
	for range 48 {
		d := dirs[r.IntN(len(dirs))]
		p := d + nameParts[r.IntN(len(nameParts))]
		if taken[p] || strings.Count(p, "/") > 3 {
			continue
		}
		taken[p] = true
		if r.IntN(5) < 2 {
			dirs = append(dirs, p+"/")
			p += "/"
		}
		paths = append(paths, p)
	}
	files = map[string]string{}
	for _, d := range dirs {
		if d == "" || r.IntN(3) == 0 {
			files[strings.TrimSuffix(d, "/")] = randomPatterns(r)
		}
	}
	return paths, files
}

func randomPatterns(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(6) {
		if r.IntN(3) == 0 {
			b.WriteString("!")
		}
		if r.IntN(4) == 0 {
			b.WriteString("/")
		}
		for i := range 1 + r.IntN(3) {
			if i > 0 {
				b.WriteString("/")
			}
			for range 1 + r.IntN(2) {
				b.WriteString(patternParts[r.IntN(len(patternParts))])
			}
		}
		b.WriteString([]string{"", "", "", "/", "/", " ", "//"}[r.IntN(7)])
		b.WriteString([]string{"\n", "\n", "\n", "\r\n", "\n\n"}[r.IntN(5)])
	}
	return b.String()
}

func checkIgnore(t *testing.T, paths []string, files map[string]string) map[string]bool {
	t.Helper()
	dir := t.TempDir()
	for _, p := range paths {
		full := filepath.Join(dir, p)
		var err error
		if strings.HasSuffix(p, "/") {
			err = os.MkdirAll(full, 0o755)
		} else {
			err = os.WriteFile(full, nil, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for d, text := range files {
		if err := os.WriteFile(filepath.Join(dir, d, ".gitignore"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := func(stdin string, args ...string) []byte {
		c := exec.Command("git", append([]string{"-C", dir, "-c", "core.excludesFile=", "-c", "core.ignoreCase=false"}, args...)...)
		c.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		c.Stdin = strings.NewReader(stdin)
		var out, problem bytes.Buffer
		c.Stdout, c.Stderr = &out, &problem
		if err := c.Run(); err != nil && c.ProcessState.ExitCode() != 1 {
			t.Fatalf("git %v: %v: %s", args, err, problem.Bytes())
		}
		return out.Bytes()
	}
	git("", "init", "-q")
	var stdin strings.Builder
	for _, p := range paths {
		stdin.WriteString(strings.TrimSuffix(p, "/") + "\x00")
	}
	said := map[string]bool{}
	for p := range strings.SplitSeq(string(git(stdin.String(), "check-ignore", "--no-index", "--stdin", "-z")), "\x00") {
		said[p] = true
	}
	return said
}
