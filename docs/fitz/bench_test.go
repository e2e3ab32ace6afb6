//go:build cgo && !nocgo

package fitz

import (
	"fmt"
	"testing"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
)

// BenchmarkPages reads a book in batches of 12: in a worker, and in this process.
// The ratio is what isolation costs.
func BenchmarkPages(b *testing.B) {
	const pages, batch = 600, 12
	var book docstest.File
	for n := range pages {
		var lines []string
		for l := range 40 {
			lines = append(lines, fmt.Sprintf("Page %d, line %d: the quick brown fox jumps over the lazy dog.", n+1, l+1))
		}
		book.Pages = append(book.Pages, docstest.Page{Lines: lines})
	}
	content := book.Bytes()
	for _, c := range []struct {
		name   string
		engine func() docs.Engine
	}{
		{"worker", func() docs.Engine { return newEngine(b, nil) }},
		{"in process", func() docs.Engine { return guarded{memory: 384 << 20} }},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := c.engine()
			src := source(b, content)
			for b.Loop() {
				d, err := e.Open(b.Context(), src, docs.OpenOptions{})
				if err != nil {
					b.Fatal(err)
				}
				for first := 1; first <= pages; first += batch {
					if _, err := d.Pages(b.Context(), first, min(pages, first+batch-1), docs.WantText); err != nil {
						b.Fatal(err)
					}
				}
				d.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/pages, "µs/page")
		})
	}
}

// BenchmarkOpen is a whole life: a process, the opening of a small file, its
// page, and the end of the process.
func BenchmarkOpen(b *testing.B) {
	e := newEngine(b, nil)
	src := source(b, good)
	for b.Loop() {
		d, err := e.Open(b.Context(), src, docs.OpenOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := d.Pages(b.Context(), 1, 1, docs.WantText); err != nil {
			b.Fatal(err)
		}
		d.Close()
	}
}
