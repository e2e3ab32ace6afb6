//go:build cgo && !nocgo && !extlib

package fitz

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc/docs"
)

// labeled is a file of one page whose labels are a tree.
func labeled(tree string, more objects) []byte {
	o := page(words("one"), more)
	o[1] = "<</Type/Catalog/Pages 2 0 R/PageLabels " + tree + ">>"
	return o.pdf("")
}

// A Roman number of two milliard took seconds a page, and a negative one had no end.
func TestLabelsThatWouldTakeLongAreNotRead(t *testing.T) {
	t.Parallel()
	if !guardedFits() {
		t.Skip("no labels are read without the guard")
	}
	many := strings.Repeat("0<</S/D>>", 10_001)
	for _, c := range []struct {
		name, tree string
		more       objects
		label      string
		read       bool
	}{
		{"a Roman number", "<</Nums[0<</S/r/St 14>>]>>", nil, "xiv", true},
		{"one with words before it, in a tree", "<</Kids[6 0 R]>>", objects{6: "<</Nums[0<</P(A-)/S/R/St 3>>]>>"}, "A-III", true},
		{"no labels", "null", nil, "", true},
		{"a number of two milliard", "<</Nums[0<</S/R/St 2147483647>>]>>", nil, "", false},
		{"the same further down", "<</Kids[6 0 R]>>", objects{6: "<</Nums[0<</S/r/St 2147483647>>]>>"}, "", false},
		{"a negative one", "<</Nums[0<</S/R/St -5000>>]>>", nil, "", false},
		{"a tree that goes round", "<</Kids[6 0 R]>>", objects{6: "<</Kids[6 0 R]>>"}, "", false},
		{"more than anybody has", "<</Nums[" + many + "]>>", nil, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, err := guarded{memory: 64 << 20}.Open(t.Context(), source(t, labeled(c.tree, c.more)), docs.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			done := make(chan string, 1)
			go func() {
				got, err := d.Pages(t.Context(), 1, 1, docs.WantText|docs.WantLabel)
				if err != nil || len(got) != 1 {
					done <- fmt.Sprint(got, err)
					return
				}
				p := got[0]
				done <- fmt.Sprintf("%s %q %v", strings.TrimSpace(p.Text), p.Label, slices.Contains(p.Warnings, docs.WarnLabelsNotRead))
			}()
			select {
			case got := <-done:
				if want := fmt.Sprintf("one %q %v", c.label, !c.read); got != want {
					t.Errorf("the page is %s, want %s", got, want)
				}
			case <-time.After(time.Minute):
				t.Fatal("it takes without end")
			}
		})
	}
}
