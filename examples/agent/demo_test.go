package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestUsable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"":                                 false,
		"off":                              false,
		"relative/cache":                   false,
		file:                               false,
		filepath.Join(file, "x"):           false,
		dir:                                true,
		filepath.Join(dir, "new", "cache"): true,
	} {
		if got := usable(name); got != want {
			t.Errorf("a cache in %q is usable: %v, want %v", name, got, want)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, "new", "cache")); err != nil || len(left) != 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}

// No t.Parallel: the environment is the process's.
func TestACacheThatCannotBeUsedIsReplaced(t *testing.T) {
	scratch := t.TempDir()
	for _, odd := range []string{"off", "relative", "/dev/null/cache"} {
		t.Setenv("GOCACHE", odd)
		if got, want := goCache(scratch), filepath.Join(scratch, "cache"); got != want {
			t.Errorf("GOCACHE=%s: got %s, want %s", odd, got, want)
		}
	}
	t.Setenv("GOCACHE", filepath.Join(scratch, "mine"))
	if got, want := goCache(scratch), filepath.Join(scratch, "mine"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheDemonstrationsProjectIsCopiedUnderItsRealNames(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shop")
	if err := copyDemo(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "README.md", "cart.go", "cart_test.go", "discount.go", "rules.pdf"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
