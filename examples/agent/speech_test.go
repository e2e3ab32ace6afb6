package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/arcseat/arc/examples/internal/paint"
	"pgregory.net/rapid"
)

func TestASpeechLooksAsIfItHadComeAtOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("aé漢 \n\t\x1b"))).Draw(t, "text")
		width := rapid.IntRange(3, 12).Draw(t, "width")
		var streamed, whole bytes.Buffer
		s := &speech{screen: &screen{Paper: paint.Paper{Out: &streamed, Width: width}}}
		for rest := []rune(text); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			s.hear(string(rest[:n]))
			rest = rest[n:]
		}
		s.end()
		(&screen{Paper: paint.Paper{Out: &whole, Width: width}}).words(text)
		if streamed.String() != whole.String() {
			t.Errorf("%q is shown as\n%q\nwant\n%q", text, streamed.String(), whole.String())
		}
	})
}

func TestASpeechIsShownWordByWord(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	sc := &screen{Paper: paint.Paper{Out: &out, Width: 20}}
	s := &speech{screen: sc}
	var seen []string
	for _, piece := range []string{"Let me lo", "ok at the ", "naïve file.\n\nThen", " more"} {
		s.hear(piece)
		seen = append(seen, out.String())
	}
	s.end()
	sc.note("And a note.")
	want := []string{"\nLet me", "\nLet me look at the", "\nLet me look at the\nnaïve file.", "\nLet me look at the\nnaïve file.\n\nThen"}
	if got := strings.Join(seen, "|"); got != strings.Join(want, "|") {
		t.Errorf("got  %q\nwant %q", seen, want)
	}
	if got, want := out.String(), want[3]+" more\nAnd a note.\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
