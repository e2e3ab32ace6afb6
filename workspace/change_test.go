package workspace

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestChangedSpan: it is what a comparison of two lists of lines comes to.
func TestChangedSpan(t *testing.T) {
	lines := func(b []byte) [][]byte {
		l := bytes.SplitAfter(b, newline)
		if n := len(l); len(l[n-1]) == 0 {
			l = l[:n-1]
		}
		return l
	}
	text := rapid.Custom(func(t *rapid.T) []byte {
		return bytes.Join(rapid.SliceOfN(rapid.SampledFrom([][]byte{[]byte("a"), []byte("b"), newline, newline}), 0, 12).Draw(t, "text"), nil)
	})
	rapid.Check(t, func(t *rapid.T) {
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		a, b := lines(before), lines(after)
		first := 0
		for first < len(a) && first < len(b) && bytes.Equal(a[first], b[first]) {
			first++
		}
		endA, endB := len(a), len(b)
		for endA > first && endB > first && bytes.Equal(a[endA-1], b[endB-1]) {
			endA--
			endB--
		}
		gotFirst, gotA, gotB := changedSpan(before, after)
		if gotFirst != first || gotA != endA || gotB != endB {
			t.Fatalf("%q and %q: got %d %d %d, want %d %d %d", before, after, gotFirst, gotA, gotB, first, endA, endB)
		}
	})
}
