package worker

import (
	"slices"
	"strings"
	"testing"
)

func TestStandardErrorIsBounded(t *testing.T) {
	t.Parallel()
	s := &stderr{explain: func(line string) string { return strings.TrimSpace(line) }}
	for i := range 1000 {
		s.write([]byte(strings.Repeat("x", 100_000)))
		s.write([]byte{'\n', 'a' + byte(i%26), 'a' + byte(i/26), '\n'})
	}
	tail, _ := s.end()
	if len(tail) != keptStderr || cap(s.tail) > 4*keptStderr || cap(s.line) > 4096 {
		t.Errorf("%d bytes are kept, in %d and %d", len(tail), cap(s.tail), cap(s.line))
	}
	if w := s.take(); len(w) != maxWarnings || w[0] != "aa" {
		t.Errorf("the warnings are %q", w)
	}
	if w := s.take(); len(w) != 0 {
		t.Errorf("the warnings come again: %q", w)
	}
}

func TestLinesComeInPieces(t *testing.T) {
	t.Parallel()
	s := &stderr{explain: func(line string) string {
		if line == "no fonts" {
			return "fonts_missing"
		}
		return ""
	}}
	for _, piece := range []string{"no", " fon", "ts", "\n\nno fonts\nfatal error: out of", " memory"} {
		s.write([]byte(piece))
	}
	if w := s.take(); !slices.Equal(w, []string{"fonts_missing"}) {
		t.Errorf("the warnings are %q", w)
	}
	if _, memory := s.end(); !memory {
		t.Error("the last words, that memory ran out, were not understood")
	}
}
