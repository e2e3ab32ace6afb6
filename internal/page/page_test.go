package page_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arcseat/arc/internal/page"
	"pgregory.net/rapid"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		s    string
		max  int
		want int
	}{
		{"", 5, 0}, {"abc", 5, 3}, {"abc", 2, 2}, {"abc", 0, 0}, {"abc", -1, 0},
		{"é", 1, 0}, {"aé", 2, 1}, {"aé", 3, 3}, {"漢字", 5, 3}, {"a😀b", 4, 1}, {"a😀b", 5, 5},
		{"a\xffb", 2, 2}, {"\x80\x80\x80\x80\x80", 3, 3}, {"a\xe6\xbcz", 2, 2},
	} {
		if got := page.Cut(c.s, c.max); got != c.want {
			t.Errorf("Cut(%q, %d) = %d, want %d", c.s, c.max, got, c.want)
		}
		if got := page.Cut([]byte(c.s), c.max); got != c.want {
			t.Errorf("Cut of the bytes %q, %d = %d, want %d", c.s, c.max, got, c.want)
		}
	}
}

func TestPagesOfACutJoinToTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOf(rapid.SampledFrom([]byte("a\x80\xe2\x82\xac\xf0\x9f\x98\x80\xff\xc3"))).Draw(t, "bytes")
		size := rapid.IntRange(utf8.UTFMax, 9).Draw(t, "size")
		var joined strings.Builder
		for rest := b; len(rest) > 0; {
			n := page.Cut(rest, size)
			if n == 0 {
				t.Fatalf("stuck at %q", rest)
			}
			joined.WriteString(string([]rune(string(rest[:n]))))
			rest = rest[n:]
		}
		if want := string([]rune(string(b))); joined.String() != want {
			t.Fatalf("pages decode to %q, the whole to %q", joined.String(), want)
		}
	})
}

func TestWhole(t *testing.T) {
	for _, c := range []struct {
		b    string
		want int
	}{
		{"", 0}, {"abc", 3}, {"a\xc3", 1}, {"a\xe6\xbc", 1}, {"a\xf0\x9f\x98", 1}, {"aé", 3}, {"a\xff", 2}, {"\x80\x80\x80\x80", 4}, {"a\xe6z", 3},
	} {
		if got := page.Whole([]byte(c.b)); got != c.want {
			t.Errorf("Whole(%q) = %d, want %d", c.b, got, c.want)
		}
	}
}

func FuzzWholeDecodesAsItStands(f *testing.F) {
	f.Add([]byte("a\xe6\xbc"), []byte("\xa2z"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		whole := append(bytes.Clone(a), b...)
		n := page.Whole(a)
		got := string([]rune(string(a[:n]))) + string([]rune(string(whole[n:])))
		if want := string([]rune(string(whole))); got != want {
			t.Fatalf("held back at %d: %q, want %q", n, got, want)
		}
	})
}

func TestFirst(t *testing.T) {
	for _, c := range []struct {
		s    string
		max  int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"漢字é!", 3, "漢字é"}, {"a\xff\xffb", 2, "a\xff"}, {"abc", 0, ""},
	} {
		if got := page.First(c.s, c.max); got != c.want {
			t.Errorf("First(%q, %d) = %q, want %q", c.s, c.max, got, c.want)
		}
	}
}
