// Package reports keeps the lists of bugs that users of other tools reported honest:
// each is a kind of bug with the names of the tests that it became, and each of these
// tests has to exist. It is for tests alone.
package reports

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Check fails t where list has not n kinds, or names a test that is in no file of the
// patterns (filepath.Glob's, from the folder of the calling package). Each row of the
// list is a kind and then its tests, one at least, as go test -run takes them, with the
// words of a subtest as they stand in the code.
func Check(t testing.TB, n int, list [][]string, patterns ...string) {
	t.Helper()
	var all strings.Builder
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if name == "reportindex_test.go" {
				continue
			}
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(b)
		}
	}
	sources := all.String()
	if len(list) != n {
		t.Errorf("%d kinds are listed, want %d", len(list), n)
	}
	for _, row := range list {
		if len(row) < 2 {
			t.Errorf("%q has no test", row)
			continue
		}
		for _, name := range row[1:] {
			top, sub, _ := strings.Cut(name, "/")
			if !strings.Contains(sources, "func "+top+"(t ") || sub != "" && !strings.Contains(sources, strconv.Quote(sub)) {
				t.Errorf("%s: there is no test %q", row[0], name)
			}
		}
	}
}
