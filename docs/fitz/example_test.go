//go:build cgo && !nocgo && !arc_noreexec

package fitz_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
	"github.com/arcseat/arc/docs/fitz"
)

// Hosts give the engine to docs.New; this is what package docs does with it.
func Example() {
	ctx := context.Background()
	engine, err := fitz.New(ctx, nil)
	if err != nil {
		fmt.Println(err) // what is missing, and how to get it
		return
	}
	defer engine.Close()

	content := docstest.File{Title: "A letter", Pages: []docstest.Page{{Lines: []string{"Dear reader,"}}}}.Bytes()
	f, err := os.CreateTemp("", "letter")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	os.Remove(f.Name()) // the engine reads from the open file
	if _, err := f.Write(content); err != nil {
		fmt.Println(err)
		return
	}
	sum := sha256.Sum256(content)
	d, err := engine.Open(ctx, docs.Source{File: f, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}, docs.OpenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	info, err := d.Info(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	pages, err := d.Pages(ctx, 1, info.Pages, docs.WantText)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, %d page: %q\n", info.Metadata.Title, info.Pages, pages[0].Text)
	// Output: A letter, 1 page: "Dear reader,\n\n"
}
