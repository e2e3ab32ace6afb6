package paint

import (
	"bytes"
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

func TestAParagraphIsWrappedAndLosesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		width      int
		text, want string
	}{
		{40, "short", "short\n"},
		{44, "  file turn_abcdefghijklmnop can be undone again", "  file turn_abcdefghijklmnop can be undone\n    again\n"},
		{10, "turn_abcdefghijklmnop turn_bbcdefghijklmnop", "turn_abcdefghijklmnop\n  turn_bbcdefghijklmnop\n"},
		{60, "", "\n"},
	} {
		var out bytes.Buffer
		Paper{Out: &out, Width: tt.width}.Para(Plain, tt.text)
		if out.String() != tt.want {
			t.Errorf("%q at %d: got %q, want %q", tt.text, tt.width, out.String(), tt.want)
		}
	}
}

func TestARowKeepsItsFirstColumns(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	Paper{Out: &out, Width: 10}.Row(Plain, "1  turn_abcdefghijklmnop  a prompt", 24)
	if want := "1  turn_abcdefghijklmnop…\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
