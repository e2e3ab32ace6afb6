package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/paint"
)

// shown is what a screen shows of one call, its duration left out.
func shown(t *testing.T, s *screen, args string, r *arc.Result) string {
	t.Helper()
	var out bytes.Buffer
	s.Out = &out
	c := arc.Call{ID: "c1", Name: "tool", Args: []byte(args)}
	s.began(c)
	s.ended(c, r, 1500*time.Millisecond)
	return out.String()
}

func TestACallOnTheScreen(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, args string
		result     arc.Result
		want       string
	}{
		{
			"arguments and fields stand on a line each, hashes short, nothing twice",
			`{"path":"a.go","expected_sha256":"` + strings.Repeat("ab", 32) + `"}`,
			arc.Result{Data: map[string]any{"lines": 3, "notes": []string{"x", "y"}, "path": "a.go"}, Body: "one\ntwo\n"},
			`
● tool  path a.go · expected_sha256 abababab…
  → 1.5 s · lines 3 · notes x, y
  │ one
  │ two
`,
		},
		{
			"an edit looks like a difference",
			`{"path":"a.go","old_string":"one","new_string":"eins\nzwei"}`,
			arc.Result{},
			`
● tool  path a.go
  - one
  + eins
  + zwei
  → 1.5 s
`,
		},
		{
			"a refusal says why",
			`{}`,
			arc.Result{Err: &arc.Error{Code: arc.Stale, Message: "read it again."}},
			`
● tool
  ✗ 1.5 s · stale
  │ message: read it again.
`,
		},
		{
			"a long result is shown in part",
			`{}`,
			arc.Result{Body: strings.Repeat("line\n", 20)},
			"\n● tool\n  → 1.5 s\n" + strings.Repeat("  │ line\n", 8) + "  │ … 12 more lines\n",
		},
		{
			"a long line is cut",
			`{}`,
			arc.Result{Body: strings.Repeat("ä", 100)},
			"\n● tool\n  → 1.5 s\n  │ " + strings.Repeat("ä", 55) + "…\n",
		},
		{
			"what would move the cursor or colour the screen is taken out",
			`{"command":"printf '\u001b[2J'"}`,
			arc.Result{Body: "\x1b[31mred\x1b[0m\tand\r\nover\x07"},
			`
● tool  command printf '·[2J'
  → 1.5 s
  │ ·[31mred·[0m    and
  │ over·
`,
		},
		{
			"the next call that a result names is named, and what is nested is told",
			`{}`,
			arc.Result{Data: map[string]any{"missing": []missing{{"tests", "red", ""}}, "note": strings.Repeat("many words ", 10)}, Next: &arc.Next{Tool: "read", Arguments: map[string]any{"path": "b"}}},
			`
● tool
  → 1.5 s · missing tests: red · next_call read: b
  │ note: many words many words many words many words many
  │ words many words many words many words many words many
  │ words
`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := shown(t, &screen{Paper: paint.Paper{Width: 60}}, tt.args, &tt.result); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
	t.Run("the project's folder is a dot, and many things stand on a line each", func(t *testing.T) {
		t.Parallel()
		got := shown(t, &screen{Paper: paint.Paper{Width: 30}, project: "/home/me/shop"}, `{"cwd":"/home/me/shop/sub"}`,
			&arc.Result{Data: map[string]any{"missing": []missing{{"tests", "are red", "make them green"}, {"notes", "", ""}}}})
		want := `
● tool  cwd ./sub
  → 1.5 s
  │ missing: tests: are red: …
  │ notes
`
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("colours are around the text and nowhere else", func(t *testing.T) {
		t.Parallel()
		got := shown(t, &screen{Paper: paint.Paper{Width: 40, Colour: true}}, `{"old_string":"a"}`, &arc.Result{Body: "b"})
		want := "\n● \x1b[1mtool\x1b[0m\n  - \x1b[31ma\x1b[0m\n  → \x1b[36m1.5 s\x1b[0m\n  │ \x1b[2mb\x1b[0m\n"
		if got != want {
			t.Errorf("got %q\nwant %q", got, want)
		}
	})
	t.Run("calls that run side by side are told apart", func(t *testing.T) {
		t.Parallel()
		var out bytes.Buffer
		s := &screen{Paper: paint.Paper{Width: 40, Out: &out}}
		a, b := arc.Call{ID: "1", Name: "first", Args: []byte(`{"n":1}`)}, arc.Call{ID: "2", Name: "second", Args: []byte(`{"n":2}`)}
		s.began(a)
		s.began(b)
		s.ended(a, &arc.Result{Body: "A"}, time.Second)
		s.ended(b, &arc.Result{Body: "B"}, time.Second)
		want := "\n● first  n 1\n● second  n 2\n\n○ first  n 1\n  → 1.0 s\n  │ A\n\n○ second  n 2\n  → 1.0 s\n  │ B\n"
		if out.String() != want {
			t.Errorf("got\n%s\nwant\n%s", out.String(), want)
		}
	})
}

func TestWordsAreWrapped(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := &screen{Paper: paint.Paper{Width: 10, Out: &out}}
	s.words("  ")
	s.words("one two three four\n\nfive\x1b[2J a-word-of-18-letters")
	if want := "\none two\nthree four\n\nfive·[2J\na-word-of-\n18-letters\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestTheScreenWatchesWithoutChangingAnything(t *testing.T) {
	t.Parallel()
	s := &screen{Paper: paint.Paper{Width: 40, Out: &bytes.Buffer{}}}
	want := &arc.Result{Body: "as it was"}
	var seen arc.Call
	got := s.watch(func(_ context.Context, c arc.Call) *arc.Result {
		seen = c
		return want
	})(t.Context(), arc.Call{ID: "7", Name: "tool"})
	if got != want || seen.ID != "7" || s.calls != 1 {
		t.Errorf("got %v of %v after %d calls", got, seen, s.calls)
	}
}
