package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAScoreIsReadAndJudged(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]line{
		"x_test.go:12: score: tokens 637 ≤ 700 of the first list":    {"tokens", "637", "≤ 700", pass, "of the first list"},
		"x_test.go:12: score: tokens 701 ≤ 700 of the first list":    {"tokens", "701", "≤ 700", fail, "of the first list"},
		"score: webtext 0.983 ≥ 0.91 F1":                             {"webtext", "0.983", "≥ 0.91", pass, "F1"},
		"score: webtext 0.90 ≥ 0.91 F1":                              {"webtext", "0.90", "≥ 0.91", fail, "F1"},
		"score: modes 184 = 184 places":                              {"modes", "184", "= 184", pass, "places"},
		"score: modes 183 = 184 places":                              {"modes", "183", "= 184", fail, "places"},
		"score: modes 1.2.3 = 184 a number that is none":             {"modes", "1.2.3", "= 184", fail, "a number that is none"},
		"a_test.go:8: b_test.go:9: score: ssrf 231 ≥ 200 of a child": {"ssrf", "231", "≥ 200", pass, "of a child"},
	} {
		if got, ok := scored(said); !ok || got != want {
			t.Errorf("%q is %+v, %v", said, got, ok)
		}
	}
	for _, said := range []string{"", "score: tokens many ≤ 700 of them", "tokens 637 ≤ 700 of the first list"} {
		if got, ok := scored(said); ok {
			t.Errorf("%q is %+v", said, got)
		}
	}
}

// What go test says, for a check of a test that passes, one that fails, one that is
// skipped and one that is not there.
const said = `{"Action":"run","Test":"TestA"}
{"Action":"output","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"run","Test":"TestA/part"}
{"Action":"output","Test":"TestA/part","Output":"    a_test.go:1: score: row 9 ≤ 4 things\n"}
{"Action":"output","Test":"TestA/part","Output":"    a_test.go:1: score: row 3 ≤ 4 things\n"}
{"Action":"pass","Test":"TestA/part"}
{"Action":"pass","Test":"TestA"}
{"Action":"run","Test":"TestB"}
{"Action":"output","Test":"TestB","Output":"    a_test.go:2: score: row 2 ≤ 4 things\n"}
{"Action":"fail","Test":"TestB"}
{"Action":"run","Test":"TestC"}
{"Action":"output","Test":"TestC","Output":"    a_test.go:3: Xvfb is not installed\n"}
{"Action":"output","Test":"TestC","Output":"--- SKIP: TestC (0.00s)\n"}
{"Action":"skip","Test":"TestC"}
not of go test's
`

func TestWhatGoTestSaysIsJudged(t *testing.T) {
	t.Parallel()
	r := row{name: "row", checks: []check{{dir: "a", tests: []string{"TestA/part", "TestB", "TestC", "TestD"}}}}
	var told strings.Builder
	got := r.sum(r.checks[0], read([]byte(said)), func(s string) { told.WriteString(s) })
	want := []line{
		{"row", "3", "≤ 4", pass, "things"},
		{"row", "2", "≤ 4", fail, "things, but TestB fails"},
		{"row", "", "", skip, "TestC: a_test.go:3: Xvfb is not installed"},
		{"row", "", "", fail, "there is no TestD in a"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
	if !strings.Contains(told.String(), "not of go test's") {
		t.Errorf("of the failure it tells %q", told.String())
	}
}

func TestARowThatCountsIsAsGoodAsItsWorstTest(t *testing.T) {
	t.Parallel()
	r := row{name: "jobs", about: "what users do", count: true}
	passed, skipped, failed := r.without(pass, "TestA"), r.without(skip, "TestB: no Xvfb"), r.without(fail, "TestC fails")
	for _, c := range []struct {
		lines, rest []line
		value       string
		verdict     verdict
	}{
		{[]line{passed, passed, passed}, nil, "3", pass},
		{[]line{passed, skipped, passed}, []line{skipped}, "2", skip},
		{[]line{passed, failed, skipped}, []line{failed, skipped}, "1", fail},
	} {
		want := append(c.rest, line{"jobs", c.value, "= 3", c.verdict, "what users do"})
		if got := r.counted(c.lines); !slices.Equal(got, want) {
			t.Errorf("%+v are counted as\n%+v", c.lines, got)
		}
	}
}

func TestTestsAreChosenExactly(t *testing.T) {
	t.Parallel()
	for want, tests := range map[string][]string{
		"-run ^TestA$|^TestB$":               {"TestA", "TestB"},
		"-run ^TestStore$/agrees|^TestB$":    {"TestStore/agrees", "TestB"},
		"-run ^$ -bench ^BenchmarkA$/./move": {"BenchmarkA/./move"},
		"-run ^TestA$ -bench ^BenchmarkA$":   {"TestA", "BenchmarkA"},
	} {
		if got := strings.Join(check{tests: tests}.patterns(), " "); got != want {
			t.Errorf("%v are %s, want %s", tests, got, want)
		}
	}
}

// A test that is renamed is renamed here, or its row is no longer judged.
func TestEachRowsTestsAreThere(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	for _, r := range rows {
		if len(r.name) > nameWidth || r.about == "" || len(r.checks) == 0 {
			t.Errorf("the row %+v is not whole", r)
		}
		for _, c := range r.checks {
			there := functions(t, filepath.Join(root, filepath.FromSlash(c.dir)))
			for _, name := range c.tests {
				if top, _, _ := strings.Cut(name, "/"); !there[top] {
					t.Errorf("%s: there is no %s in %s", r.name, top, c.dir)
				}
			}
		}
	}
}

// The page has the rows, and the agent's page the jobs that are judged.
func TestThePagesSayWhatIsJudged(t *testing.T) {
	t.Parallel()
	const begin = "| row | what is judged |\n|---|---|\n"
	_, got, _ := strings.Cut(page(t, "README.md"), begin)
	var want strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&want, "| %s | %s |\n", r.name, r.about)
	}
	if got != want.String() {
		t.Errorf("the page has the rows\n%s, and there are\n%s", got, want.String())
	}

	agent := filepath.Join("..", "agent")
	i := slices.IndexFunc(rows, func(r row) bool { return r.name == "jobs" })
	var told []string
	for _, m := range regexp.MustCompile(`(?m)^\| \d+ \| .* \| \[(Test\w+)\]\((\w+\.go)\) \|$`).FindAllStringSubmatch(page(t, filepath.Join(agent, "README.md")), -1) {
		told = append(told, m[1])
		if !strings.Contains(page(t, filepath.Join(agent, m[2])), "\nfunc "+m[1]+"(") {
			t.Errorf("%s is not in %s", m[1], m[2])
		}
	}
	if judged := rows[i].checks[0].tests; len(told) != 12 || !slices.Equal(told, judged) {
		t.Errorf("the agent's page has the jobs\n%v, and judged are\n%v", told, judged)
	}
}

func page(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// functions are those of a folder's test files.
func functions(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				all[f.Name.Name] = true
			}
		}
	}
	return all
}

func TestWhatTheProgramPrints(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args, stdout, stderr string
		code                 int
	}{
		{"-only search -list", "search        searching beside ripgrep\n                workspace: TestSearchBesideRipgrep\n", "", 0},
		{"-only search,model -time 0s", "search                            SKIP  left out, the 0s are over; -time gives more\n" +
			"model                             SKIP  left out, the 0s are over; -time gives more\n", "", 0},
		{"-only serach", "", "scorecard: there is no row \"serach\"; -list has those that there are; -h says more\n", 2},
		{"search", "", "scorecard: \"search\" is too much; rows are named by -only; -h says more\n", 2},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), strings.Fields(c.args), &stdout, &stderr); code != c.code || stdout.String() != c.stdout || stderr.String() != c.stderr {
			t.Errorf("%s: code %d\n%q\n%q", c.args, code, stdout.String(), stderr.String())
		}
	}
}

// Checks of a small module, as go test runs them.
func TestARowIsRunAndJudged(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, content := range map[string]string{
		"go.mod": "module small\n\ngo 1.26\n",
		"a/a_test.go": `package a

import "testing"

func TestGood(t *testing.T)   { t.Log("score: row 3 ≤ 4 things") }
func TestBad(t *testing.T)    { t.Log("score: row 3 ≤ 4 others"); t.Error("too bad") }
func TestLate(t *testing.T)   { select {} }
func TestAbsent(t *testing.T) { t.Skip("no display") }
func TestQuiet(t *testing.T)  {}
func BenchmarkAbsent(b *testing.B) { b.Skip("no Xvfb") }
func BenchmarkLacking(b *testing.B) {
	b.Run("one", func(b *testing.B) { b.Skip("no scrot") })
}
func BenchmarkParts(b *testing.B) {
	b.Run("one", func(b *testing.B) { for b.Loop() {} })
	b.Log("score: row 12.5 ≥ 10 times")
}
`,
		"broken/b_test.go": "package broken\n\nfunc TestGood(t *testing.T) {}\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	good := line{"row", "3", "≤ 4", pass, "things"}
	for name, c := range map[string]struct {
		check check
		limit time.Duration
		want  []line
		told  string // among what is said of the failure
	}{
		"a test that passes, one that fails, one that is skipped": {check{dir: "a", tests: []string{"TestGood", "TestBad", "TestAbsent"}}, 0, []line{
			good, {"row", "3", "≤ 4", fail, "others, but TestBad fails"}, {"row", "", "", skip, "TestAbsent: a_test.go:8: no display"},
		}, "too bad"},
		"a test without a figure":       {check{dir: "a", tests: []string{"TestQuiet"}}, 0, []line{{"row", "", "", fail, "its tests pass and say nothing"}}, ""},
		"a benchmark with parts":        {check{dir: "a", tests: []string{"BenchmarkParts/one"}, flags: []string{"-test.benchtime", "2x"}}, 0, []line{{"row", "12.5", "≥ 10", pass, "times"}}, ""},
		"a benchmark that lacks a part": {check{dir: "a", tests: []string{"BenchmarkLacking"}}, 0, []line{{"row", "", "", skip, "BenchmarkLacking: a_test.go:12: no scrot"}}, ""},
		"a benchmark that is skipped":   {check{dir: "a", tests: []string{"BenchmarkAbsent"}}, 0, []line{{"row", "", "", skip, "BenchmarkAbsent: a_test.go:10: no Xvfb"}}, ""},
		"a test that takes long":        {check{dir: "a", tests: []string{"TestLate"}}, time.Second, []line{{"row", "", "", fail, "TestLate fails"}}, "timed out"},
		"a test that is not there":      {check{dir: "a", tests: []string{"TestGone"}}, 0, []line{{"row", "", "", fail, "there is no TestGone in a"}}, ""},
		"a package with a fault":        {check{dir: "broken", tests: []string{"TestGood"}}, 0, []line{{"row", "", "", fail, "go test in broken: exit status 1"}}, "undefined: testing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told strings.Builder
			got := row{name: "row", checks: []check{c.check}, limit: c.limit}.judge(t.Context(), root, func(s string) { told.WriteString(s) })
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%+v, want\n%+v", got, c.want)
			}
			if !strings.Contains(told.String(), c.told) {
				t.Errorf("of the failure it tells %q", told.String())
			}
		})
	}
}
