package workspace

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSlipsAreThoseOfATable compares with the plain way to count them: a table of
// all beginnings of both names.
func TestSlipsAreThoseOfATable(t *testing.T) {
	t.Parallel()
	count := func(a, b []rune) int {
		d := make([][]int, len(a)+1)
		for i := range d {
			d[i] = make([]int, len(b)+1)
			for j := range d[i] {
				switch {
				case i == 0 || j == 0:
					d[i][j] = i + j
				default:
					d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+1)
					if a[i-1] == b[j-1] {
						d[i][j] = min(d[i][j], d[i-1][j-1])
					}
					if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
						d[i][j] = min(d[i][j], d[i-2][j-2]+1)
					}
				}
			}
		}
		return d[len(a)][len(b)]
	}
	name := rapid.StringMatching(`[abé]{0,7}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := []rune(name.Draw(t, "a")), []rune(name.Draw(t, "b"))
		for most := range 4 {
			if got, want := slipsApart(a, b, most), count(a, b) <= most; got != want {
				t.Fatalf("%q and %q are %d slips apart; at most %d: %v", string(a), string(b), count(a, b), most, got)
			}
		}
	})
}

func TestLikeness(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ab", 2000)
	for _, c := range []struct {
		a, b string
		want likeness
	}{
		{"main.go", "main.go", sameSpelling},
		{"mian.go", "main.go", oneSlip},
		{"main.ts", "main.go", sameStem},
		{"mainn.ts", "main.go", unlike},
		{"nian.go", "main.go", twoSlips},
		{"f1", "f2", unlike},
		{".rc", ".env", unlike},
		{long + "x", long + "y", oneSlip},
		{long, long[1:] + "xyz", unlike},
	} {
		if got := likenessOf(c.a, c.b); got != c.want {
			t.Errorf("%.20q and %.20q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
