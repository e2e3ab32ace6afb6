package seat_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

func exchanges(n int, text func(i int) string) []seat.Exchange {
	var list []seat.Exchange
	for i := n; i > 0; i-- { // newest first
		list = append(list, seat.Exchange{Turn: arc.TurnID(fmt.Sprint("turn_", i)), Seq: int64(i), Prompt: text(i), Reply: "r"})
	}
	return list
}

func TestReplay(t *testing.T) {
	t.Parallel()
	long := func(i int) string { return strings.Repeat("é", 300) + fmt.Sprint(i) }
	t.Run("holds the newest 12, the oldest first", func(t *testing.T) {
		t.Parallel()
		got := seat.BuildReplay(exchanges(20, func(i int) string { return fmt.Sprint(i) }), 1000)
		if len(got) != 12 || got[0].Seq != 9 || got[11].Seq != 20 {
			t.Errorf("got %v", got)
		}
	})
	t.Run("clips the first that passes the budget and every older one, however small", func(t *testing.T) {
		t.Parallel()
		list := exchanges(4, long)
		list[2].Prompt = strings.Repeat("x", 241) // older, and would fit
		got := seat.BuildReplay(list, 302+100)
		var clipped []bool
		for _, e := range got {
			clipped = append(clipped, e.Prompt.Clipped)
		}
		if fmt.Sprint(clipped) != "[true true true false]" {
			t.Errorf("clipped %v", clipped)
		}
		if e := got[0].Prompt; utf8.RuneCountInString(e.Text) != 240 || e.Chars != 301 || len(e.SHA256) != 64 {
			t.Errorf("got %+v", e)
		}
		if e := got[0].Reply; e.Clipped || e.Text != "r" {
			t.Errorf("a short part is clipped: %+v", e)
		}
	})
	t.Run("keeps the newest whole even where it alone passes the budget", func(t *testing.T) {
		t.Parallel()
		if got := seat.BuildReplay(exchanges(1, long), 1); got[0].Prompt.Clipped {
			t.Error("it is clipped")
		}
	})
	t.Run("gives a turn without a reply a marker, so that roles alternate", func(t *testing.T) {
		t.Parallel()
		got := seat.BuildReplay([]seat.Exchange{{Prompt: "b", Ended: seat.StatusFailed}, {Prompt: "a", Ended: seat.StatusWaiting}}, 100)
		if got[0].Reply.Text != "(no reply: turn ended waiting)" || got[1].Reply.Text != "(no reply: turn failed)" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a stand-in says what it stands for", func(t *testing.T) {
		t.Parallel()
		text := seat.Text{Text: "abc", Chars: 500, SHA256: "f00", Clipped: true}
		if got := text.String(); got != "[clipped: 500 characters, sha256 f00; it begins:]\nabc" {
			t.Errorf("got %q", got)
		}
	})
}

// The rules of a replay, for any history.
func TestReplayProperties(t *testing.T) {
	t.Parallel()
	texts := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("aé漢😀\n")), 0, 600, -1), 0, 40)
	rapid.Check(t, func(t *rapid.T) {
		prompts := texts.Draw(t, "prompts")
		list := exchanges(len(prompts), func(i int) string { return prompts[i-1] })
		budget := rapid.IntRange(1, 8000).Draw(t, "budget")
		got := seat.BuildReplay(list, budget)
		if len(got) != min(len(list), seat.Window) {
			t.Fatalf("%d entries", len(got))
		}
		used, clipping := 0, false
		for i := range got {
			e, x := got[len(got)-1-i], list[i] // newest first
			if e.Seq != x.Seq {
				t.Fatalf("entry %d is %d, want %d", i, e.Seq, x.Seq)
			}
			n := utf8.RuneCountInString(x.Prompt)
			if e.Prompt.Chars != n || !strings.HasPrefix(x.Prompt, e.Prompt.Text) || !utf8.ValidString(e.Prompt.Text) {
				t.Fatalf("entry %d is no head of its text", i)
			}
			clipping = clipping || i > 0 && used+n+1 > budget
			used += n + 1
			if want := clipping && n > seat.Head; e.Prompt.Clipped != want {
				t.Fatalf("entry %d: clipped %v, want %v", i, e.Prompt.Clipped, want)
			}
			if !e.Prompt.Clipped && e.Prompt.Text != x.Prompt {
				t.Fatalf("entry %d is not whole", i)
			}
		}
	})
}
