package arc_test

import (
	"bytes"
	"go/format"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheReadmesHosts builds each program of the README as a module of its own. The
// first is a host of arc, tools and workspace. What such a host downloads and checks is
// at most 30 lines of go.sum, it needs no C compiler, and its binary, with all that
// debuggers want, has at most 8 MB.
func TestTheReadmesHosts(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := strings.Split(string(readme), "```go\npackage ")[1:] // other blocks are lines of one
	if len(programs) < 2 {
		t.Fatal("the README has no programs")
	}
	for n, block := range programs {
		program, _, _ := strings.Cut(block, "```")
		dir := hostModule(t, "package "+program)
		if t.Failed() || n > 0 {
			continue
		}
		sum, err := os.ReadFile(filepath.Join(dir, "go.sum"))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(sum, []byte("\n")); n > 30 {
			t.Errorf("go.sum of a host has %d lines:\n%s", n, sum)
		}
		build := hostCommand(dir, "build", "-o", "host", ".")
		build.Env = append(build.Env, "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("without cgo the README's first program is not built: %v\n%s", err, out)
		}
		binary, err := os.Stat(filepath.Join(dir, "host"))
		if err != nil {
			t.Fatal(err)
		}
		if binary.Size() > 8e6 {
			t.Errorf("the binary of a host has %d bytes", binary.Size())
		}
		t.Logf("a host has %d lines of go.sum and a binary of %d bytes", bytes.Count(sum, []byte("\n")), binary.Size())
	}
}

// hostModule vets a program of the README as a module in a folder, which it returns.
func hostModule(t *testing.T, program string) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if formatted, err := format.Source([]byte(program)); err != nil || string(formatted) != program {
		t.Errorf("the README's program is not formatted: %v", err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":  "module host\n\ngo 1.26.5\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + root + "\n",
		"host.go": program,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := hostCommand(dir, "mod", "tidy").CombinedOutput(); err != nil {
		t.Skipf("the modules of a new host cannot be looked up here: %s", out)
	}
	if out, err := hostCommand(dir, "vet", ".").CombinedOutput(); err != nil {
		t.Errorf("the README's program does not compile: %s", out)
	}
	return dir
}

// hostCommand is a go command in the module of a host.
func hostCommand(dir string, args ...string) *exec.Cmd {
	c := exec.Command("go", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local")
	return c
}

// pages are the pages to read, each with its content.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md").Output()
	if err != nil {
		t.Skipf("this is no checkout: %v", err)
	}
	all := map[string]string{}
	for name := range strings.FieldsSeq(string(out)) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(b)
	}
	return all
}

// TestWhatThePagesNameIsThere finds a dead link, a program that is not there, and a
// target that make does not have.
func TestWhatThePagesNameIsThere(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	var (
		link    = regexp.MustCompile(`\]\(([^)\s#]+)\)`)
		folder  = regexp.MustCompile(`go (?:run|test|install)(?: -\S+)* (\./[\w/]+)`)
		target  = regexp.MustCompile(`(?:^|[\x60\n])make ([a-z-]+)`)
		program = regexp.MustCompile("`(examples/[\\w/.-]+)`")
	)
	found := 0
	for name, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			if found++; !strings.Contains(m[1], "://") {
				if _, err := os.Stat(filepath.Join(filepath.Dir(name), filepath.FromSlash(m[1]))); err != nil {
					t.Errorf("%s has a dead link: %v", name, err)
				}
			}
		}
		for _, named := range []*regexp.Regexp{folder, program} {
			for _, m := range named.FindAllStringSubmatch(page, -1) {
				if _, err := os.Stat(m[1]); err != nil {
					t.Errorf("%s names %s: %v", name, m[1], err)
				}
			}
		}
		for _, m := range target.FindAllStringSubmatch(page, -1) {
			if !strings.Contains(string(makefile), "\n"+m[1]+":") {
				t.Errorf("%s names make %s, which is not there", name, m[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("there are only %d links; the test looks in the wrong place", found)
	}
}

// TestEachProgramHasItsPage holds that each folder of examples that is for people has a
// README, which says how to start it.
func TestEachProgramHasItsPage(t *testing.T) {
	folders, err := os.ReadDir("examples")
	if err != nil {
		t.Fatal(err)
	}
	all := pages(t)
	for _, d := range folders {
		if !d.IsDir() || d.Name() == "internal" {
			continue
		}
		page := all["examples/"+d.Name()+"/README.md"]
		if !strings.HasPrefix(page, "# "+d.Name()+"\n") || !strings.Contains(page, "\n```sh\n") {
			t.Errorf("examples/%s has no README.md that begins with its name and has a command to start with", d.Name())
		}
	}
}

// TestTheReadmesTools holds the table of tools against those that there are.
func TestTheReadmesTools(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	counted, err := os.ReadFile(filepath.Join("examples", "local", "testdata", "tokens.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for line := range strings.Lines(string(counted)) {
		name, _, _ := strings.Cut(line, "\t")
		there[name] = true
	}
	_, table, _ := strings.Cut(string(readme), "| tool | what it does |")
	table, _, _ = strings.Cut(table, "\n\n")
	told := map[string]bool{}
	for row := range strings.Lines(table) {
		names, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " |")
		stem := ""
		for _, name := range strings.Split(names, ", ") {
			if strings.HasPrefix(name, "_") {
				name = stem + name
			} else if i := strings.LastIndex(name, "_"); i > 0 {
				stem = name[:i]
			}
			if regexp.MustCompile(`^[a-z_]+$`).MatchString(name) && !strings.HasPrefix(name, "arc_seat_") {
				told[name] = true
			}
		}
	}
	if got, want := slices.Sorted(maps.Keys(told)), slices.Sorted(maps.Keys(there)); !slices.Equal(got, want) {
		t.Errorf("the README has the tools\n%v, and there are\n%v", got, want)
	}
}
