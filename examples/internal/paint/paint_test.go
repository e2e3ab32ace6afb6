package paint

import (
	"os"
	"testing"
)

func TestAPipeGetsPlainText(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if s := New(w); s.Colour || s.Width != PlainWidth {
		t.Errorf("got colour %v, width %d", s.Colour, s.Width)
	}
}

func TestColoursAreATerminalsThatWantsThem(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		terminal      bool
		noColor, term string
		want          bool
	}{
		{true, "", "xterm-256color", true},
		{true, "", "", true},
		{true, "1", "xterm-256color", false},
		{true, "", "dumb", false},
		{false, "", "xterm-256color", false},
	} {
		env := map[string]string{"NO_COLOR": tt.noColor, "TERM": tt.term}
		if got := coloured(tt.terminal, func(k string) string { return env[k] }); got != tt.want {
			t.Errorf("%+v: got %v", tt, got)
		}
	}
}
