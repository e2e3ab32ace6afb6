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

func TestLinesOf(t *testing.T) {
	for _, c := range []struct {
		text     string
		from, to int
		want     string
	}{
		{"a\nb\nc\n", 0, 2, "a\nb\n"}, {"a\nb\nc\n", 1, 9, "b\nc\n"}, {"a\nb", 1, 2, "b"},
		{"a\nb", 2, 9, ""}, {"a\n", 1, 2, ""}, {"", 0, 1, ""}, {"\n\n", 1, 2, "\n"},
	} {
		if got := string(linesOf([]byte(c.text), c.from, c.to)); got != c.want {
			t.Errorf("lines %d to %d of %q are %q, want %q", c.from, c.to, c.text, got, c.want)
		}
	}
}
