package pdfium_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/pdfium"
)

// engine is what the tests share: the module is compiled once.
var engine *pdfium.Engine

// cacheDir has the compiled module: $ARC_PDFIUM_CACHE, or a directory that goes with
// the tests. The race detector makes the compiler ten times slower, so a run with it
// is better given what a run without has compiled.
var cacheDir = os.Getenv("ARC_PDFIUM_CACHE")

func TestMain(m *testing.M) {
	var err error
	own := cacheDir == ""
	if own {
		cacheDir, err = os.MkdirTemp("", "arc-pdfium")
	}
	if err == nil {
		pdfium.TestCacheDir = cacheDir
		engine, err = pdfium.New(&pdfium.Options{CacheDir: cacheDir})
	}
	if err == nil { // else a busy machine's first files are told to try again
		err = engine.Warm(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	engine.Close()
	if own {
		os.RemoveAll(cacheDir)
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// sourceOf is the file at path as an engine is given it.
func sourceOf(t *testing.T, path string) docs.Source {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	sum := sha256.Sum256(content)
	return docs.Source{File: f, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
}

// write makes a file of content.
func write(t *testing.T, content string) docs.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.pdf")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return sourceOf(t, path)
}

// open opens a file that must open.
func open(t *testing.T, e docs.Engine, src docs.Source) docs.Document {
	t.Helper()
	d, err := e.Open(context.Background(), src, docs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// pages reads pages, and the document must outlive that.
func pages(t *testing.T, d docs.Document, first, last int, want docs.Want) []docs.Page {
	t.Helper()
	got, err := d.Pages(context.Background(), first, last, want)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
