package fold_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arcseat/arc/workspace/internal/fold"
	"pgregory.net/rapid"
)

func TestIndex(t *testing.T) {
	for _, c := range []struct {
		name, query, text string
		start, end        int
	}{
		{"the empty query is found at once", "", "abc", 0, 0},
		{"letters fold both ways", "MuTeX", "a sync.mUtEx", 7, 12},
		{"what is no letter does not fold", "a[", "A{ A[", 3, 5},
		{"an @ is no small form of a backquote", "@`", "`@ @`", 3, 5},
		{"the first of two is found", "ab", "xAbaB", 1, 3},
		{"a false start is left behind", "aab", "aaab", 1, 4},
		{"the Kelvin sign is a k", "kelvin", "K\u212aelvin \u212aELVIN", 1, 9},
		{"a k is a Kelvin sign", "\u212a", "ok", 1, 2},
		{"the long s is an s", "success", "\u017fucce\u017fs", 0, 9},
		{"all sigmas are one", "σοφοσ", "ΣΟΦΟΣ σοφος", 0, 10},
		{"the last sigma is one too", "ς", "xΣ", 1, 3},
		{"ß is ẞ", "straße", "STRAẞE", 0, 8},
		{"ß is not ss", "straße", "STRASSE", -1, -1},
		{"i is not İ", "istanbul", "İSTANBUL", -1, -1},
		{"i is not ı", "I", "ı", -1, -1},
		{"Cyrillic folds", "привет", "скажи ПРИВЕТ", 11, 23},
		{"accented letters fold", "É", "caf\u00e9", 3, 5},
		{"composed and decomposed differ", "\u00e9", "e\u0301", -1, -1},
		{"offsets are those of the text, whose folded form is longer", "needle", "ȺȺȺ x Needle", 9, 15},
		{"invalid bytes around are no matter", "abc", "\xff\xfeABC\xc3", 2, 5},
		{"a match at the very end", "z", "....................Z", 20, 21},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			start, end := fold.New(c.query).Index([]byte(c.text))
			if start != c.start || end != c.end {
				t.Errorf("Index of %q in %q is %d, %d; want %d, %d", c.query, c.text, start, end, c.start, c.end)
			}
		})
	}
}

func TestMaxLenCoversEveryForm(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]int{"": 0, "abc": 3, "ok": 4, "ⱥ": 3, "ss": 4} {
		if got := fold.New(query).MaxLen(); got != want {
			t.Errorf("MaxLen of %q is %d, want %d", query, got, want)
		}
	}
}

func TestDenseTextIsSearchedLikeAnyOther(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"tea", "aet", "e t", "ee", "ate!", "t\u017f"} {
		for pad := range 40 {
			text := []byte(strings.Repeat("eat et ", 500) + strings.Repeat("x", pad) + strings.ToUpper(query) + " tail")
			sameAsRegexp(t, query, text)
		}
	}
}

// alphabet has forms of every length and bytes that are no characters.
var alphabet = []string{"k", "K", "\u212a", "s", "S", "\u017f", "a", "A", "Ⱥ", "ⱥ", "ß", "ẞ", "σ", "ς", "Σ", "i", "I", "İ", "ı", "@", "`", "[", "{", " ", "\n", "é", "É", "п", "П", "\xff", "\xc3", "\xe2\x84", "ǆ", "ǅ", "Ǆ", "t", "T"}

func TestFindsWhatRegexpFinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, 200).Draw(t, "text"), ""))
		query := strings.ToValidUTF8(strings.Join(rapid.SliceOfN(rapid.SampledFrom(alphabet), 1, 4).Draw(t, "query"), ""), "")
		if at := rapid.IntRange(0, len(text)).Draw(t, "cut"); rapid.Bool().Draw(t, "from the text") {
			query = strings.ToValidUTF8(string(text[at:min(len(text), at+6)]), "")
		}
		sameAsRegexp(t, query, text)
	})
}

func FuzzFindsWhatRegexpFinds(f *testing.F) {
	f.Add("needle", []byte("ȺȺȺ x NEEDLE"))
	f.Add("k", []byte("\u212a"))
	f.Add("the", []byte(strings.Repeat("tetete hthe ", 20)))
	f.Fuzz(func(t *testing.T, query string, text []byte) {
		// regexp takes an invalid byte for U+FFFD; bytes as they stand do not.
		if !utf8.ValidString(query) || strings.ContainsRune(query, utf8.RuneError) {
			t.Skip()
		}
		sameAsRegexp(t, query, text)
	})
}

func sameAsRegexp(t interface {
	Helper()
	Fatalf(string, ...any)
}, query string, text []byte) {
	t.Helper()
	m := fold.New(query)
	start, end := m.Index(text)
	narrow := m.Finder().Narrow()
	narrow.Reset(text)
	if s, e := narrow.Next(0); s != start || e != end {
		t.Fatalf("Index of %q in %q is %d, %d, and %d, %d without wide instructions", query, text, start, end, s, e)
	}
	want := regexp.MustCompile("(?i)" + regexp.QuoteMeta(query)).FindIndex(text)
	if want == nil {
		want = []int{-1, -1}
	}
	if start != want[0] || end != want[1] {
		t.Fatalf("Index of %q in %q is %d, %d; regexp says %d, %d", query, text, start, end, want[0], want[1])
	}
}

// TestAFinderFindsAllThatRegexpFinds: from one match to the next, in texts of any
// kind one after the other.
func TestAFinderFindsAllThatRegexpFinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		query := strings.ToValidUTF8(strings.Join(rapid.SliceOfN(rapid.SampledFrom(alphabet), 1, 4).Draw(t, "query"), ""), "")
		if query == "" {
			t.Skip()
		}
		finder, expr := fold.New(query).Finder(), regexp.MustCompile("(?i)"+regexp.QuoteMeta(query))
		if rapid.Bool().Draw(t, "narrow") {
			finder.Narrow()
		}
		for range rapid.IntRange(1, 70).Draw(t, "texts") {
			parts := rapid.SliceOfN(rapid.SampledFrom(append(alphabet, query, strings.ToUpper(query), strings.Repeat("et", 50))), 0, 40).Draw(t, "text")
			text := []byte(strings.Join(parts, ""))
			finder.Reset(text)
			var got, want [][]int
			for from := 0; ; {
				start, end := finder.Next(from)
				if start < 0 {
					break
				}
				got = append(got, []int{start, end})
				from = end
			}
			want = expr.FindAllIndex(text, -1)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%q in %q is found at %v, regexp says %v", query, text, got, want)
			}
		}
	})
}

func ExampleMatcher_Index() {
	text := []byte("ȺȺȺ x Needle")
	start, end := fold.New("needle").Index(text)
	fmt.Println(start, end, string(text[start:end]))
	// Output: 9 15 Needle
}

func BenchmarkIndex(b *testing.B) {
	text := bytes.Repeat([]byte("\tif err := mu.Lock(ctx); err != nil { // the rest of the line\n\t\treturn err\n\t}\n"), 1000)
	for _, query := range []string{"mutex", "zzqxjk", "the rest off", "return error", "json", "привет"} {
		b.Run(query, func(b *testing.B) {
			m := fold.New(query)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				m.Index(text)
			}
		})
	}
}
