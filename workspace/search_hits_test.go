package workspace

import (
	"bytes"
	"strings"
	"testing"

	"github.com/arcseat/arc/workspace/internal/fold"
	"pgregory.net/rapid"
)

func TestLastNewlineIsThatOfBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.SampledFrom([]byte{'\n', '\n' - 1, '\n' + 1, '\n' | 0x80, 0, 0x7f, 0x80, 0xff}), 0, 40).Draw(t, "text")
		if got, want := lastNewline(b), bytes.LastIndexByte(b, '\n'); got != want {
			t.Fatalf("the last newline of %q is at %d, want %d", b, got, want)
		}
	})
}

// TestHitsOfFilesThatFollowEachOther: the hits of a file stay as they were while
// those of the next are put behind them, wherever memory for these is found.
func TestHitsOfFilesThatFollowEachOther(t *testing.T) {
	t.Parallel()
	sc := newScanner(fold.New("needle"))
	found := make([]finding, 20)
	for i := range found {
		text := strings.Repeat(strings.Repeat("x", i)+" needle\nhay\n", i)
		if err := sc.file(ctx, strings.NewReader(text), &found[i], 0, 1000); err != nil {
			t.Fatal(err)
		}
	}
	for i := range found {
		if n := len(found[i].hits.at); n != i {
			t.Errorf("file %d has %d hits", i, n)
		}
		for j, h := range found[i].hits.at {
			if text := string(found[i].hits.text(j)); h.line != 2*j+1 || text != strings.Repeat("x", i)+" needle" {
				t.Errorf("hit %d of file %d is line %d, %q", j, i, h.line, text)
			}
		}
	}
}
