package main

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

var retell = flag.Bool("retell", false, "write the README's transcript anew")

// What differs from run to run, and how it stands in the README.
var varies = []struct {
	was *regexp.Regexp
	now string
}{
	{regexp.MustCompile(`\n {4}`), " "},              // a line that was wrapped
	{regexp.MustCompile(`→ [0-9.]+ m?s ?(·)?`), "→"}, // how long it took
	{regexp.MustCompile(` · duration_sec [0-9.]+| \([0-9.]+s\)`), ""},
	{regexp.MustCompile(`(?m)^ +→\n`), ""},                                            // that is all there was to say
	{regexp.MustCompile(`(change|sp)_(\w+_)?[a-z0-9]{4,}`), "${1}_…"},                 // ids
	{regexp.MustCompile(`[0-9a-f]{8}…`), "…"},                                         // hashes
	{regexp.MustCompile(`(→( [^·\n]*·){3})[^\n]*`), "$1 …"},                           // three facts of a result are enough
	{regexp.MustCompile(`\t| {4,}[0-9.]+s|  +\(cached\)`), ""},                        // what go test says of itself
	{regexp.MustCompile(`(?s)^.*\n(The rules say 100\.00[^\n]*)`), "$1"},              // from the edit on
	{regexp.MustCompile(`(?m)^[0-9]+ calls, [^\n]*\n`), "17 calls, 15 requests: …\n"}, // tokens depend on the wire format
	{regexp.MustCompile(`[ ]+\n`), "\n"},
}

// transcript is what a person saw of the demonstration, from the edit on.
func transcript(out string) string {
	for _, v := range varies {
		out = v.was.ReplaceAllString(out, v.now)
	}
	return strings.TrimSpace(out) + "\n"
}

// theReadmeTells fails unless the README has the transcript of this run.
func theReadmeTells(t *testing.T, out string) {
	t.Helper()
	const file, begin, end = "../../README.md", "<!-- go test ./examples/agent -run FixAFailing -retell -->\n```console\n", "```\n"
	readme, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(readme), begin)
	told, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no transcript behind %q", file, begin)
	}
	seen := transcript(out)
	if told == seen {
		return
	}
	if !*retell {
		t.Errorf("the README tells\n%s\nand this run was\n%s\nwhich go test ./examples/agent -run FixAFailing -retell writes down", told, seen)
		return
	}
	if err := os.WriteFile(file, []byte(before+begin+seen+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
