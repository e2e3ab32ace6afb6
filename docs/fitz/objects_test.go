//go:build cgo && !nocgo && !extlib

package fitz

import (
	"fmt"
	"strings"
	"testing"

	"github.com/arcseat/arc/docs"
)

// A long file has more objects than there is memory for, and those of a page are
// not wanted again.
func TestTheObjectsOfPagesDoNotAddUp(t *testing.T) {
	t.Parallel()
	const pages = 2000
	long := strings.Repeat("a", 100)
	var fonts, kids strings.Builder
	for n := range 100 { // some 17 KiB of objects for each page
		fmt.Fprintf(&fonts, "/%s%d 3 0 R", long, n)
	}
	content := "BT /" + long + "0 12 Tf 50 700 Td (text) Tj ET"
	o := objects{
		1: "<</Type/Catalog/Pages 2 0 R>>",
		3: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		4: stream(content, ""),
	}
	for n := range pages {
		page, resources := 10+2*n, 11+2*n
		fmt.Fprintf(&kids, "%d 0 R ", page)
		o[page] = fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources %d 0 R>>", resources)
		o[resources] = "<</Font<<" + fonts.String() + ">>>>"
	}
	o[2] = fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", pages, kids.String())
	d, err := guarded{memory: 28 << 20}.Open(t.Context(), source(t, o.pdf("")), docs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	got, err := d.Pages(t.Context(), 1, pages, docs.WantText)
	if err != nil || len(got) != pages {
		t.Fatalf("%d pages, %v", len(got), err)
	}
	for _, p := range got {
		if p.Err != nil || strings.TrimSpace(p.Text) != "text" {
			t.Fatalf("page %d is %q, %v", p.Number, p.Text, p.Err)
		}
	}
}
