package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/seat"
)

// A state of an exchange in the table, and how it is drawn.
type drawn struct {
	word  string
	style paint.Style
	means string
}

var (
	inside   = drawn{"in", paint.Plain, "the next turn remembers it"}
	nextOut  = drawn{"next out", paint.Blue, "in, and the first to fall out"}
	beyond   = drawn{"beyond", paint.Faint, "too old"}
	excluded = drawn{"excluded", paint.Faint, "taken out by an operator"}
)

// drawContext draws what the seat remembers as a table, oldest first.
func (o *operator) drawContext(c seat.Context) {
	o.heading("room %s, seat %s · revision %d · %s", o.room, c.Seat.MembershipID, c.HistoryRevision, budget(c))
	o.surroundings(c.Busy, c.Queued, c.QueuedTotal, c.PendingWakes)
	for _, id := range c.PendingNotices {
		o.faint("to be told: the reply of %s was edited", id)
	}
	if c.Notes != nil {
		o.faint("notes: version %d, %s characters, saved in %s", c.Notes.Version, thousands(c.Notes.Chars), c.Notes.SavedBy)
	}
	if len(c.Entries) == 0 {
		o.say("It remembers nothing yet.")
		return
	}
	o.say("")
	text := max((o.paper.Width-columns-2)/2, 12)
	o.paper.Row(paint.Bold, o.row("#", "state", "turn", "chars", "prompt", "reply", text), columns)
	seen := map[drawn]bool{}
	marks := map[string]bool{}
	in := 0
	for _, e := range c.Entries {
		state := inside
		switch {
		case e.State == seat.Beyond:
			state = beyond
		case e.State == seat.Excluded:
			state = excluded
		case e.NextToFallOut:
			state = nextOut
		}
		if e.State == seat.InWindow {
			in++
		}
		seen[state] = true
		replayed := e.State == seat.InWindow
		reply := words(e.Reply.TextView, replayed)
		if e.Reply.Edited {
			reply, marks[edited] = edited+" "+reply, true
		}
		if replayed && (e.Prompt.Clipped || e.Reply.Clipped) {
			marks[clipped] = true
		}
		o.paper.Row(state.style, o.row(fmt.Sprint(e.Seq), state.word, string(e.TurnID), thousands(e.Prompt.Chars+e.Reply.Chars), words(e.Prompt.TextView, replayed), reply, text), columns)
	}
	o.say("")
	o.faint("%d in the window of %d, %d beyond, %d excluded", in, c.WindowSize, c.BeyondTotal, c.ExcludedTotal)
	for _, d := range []drawn{inside, nextOut, beyond, excluded} {
		if seen[d] {
			o.faint("%s: %s", d.word, d.means)
		}
	}
	if marks[edited] {
		o.faint("%s: rewritten by an operator", edited)
	}
	if marks[clipped] {
		o.faint("%s: over the budget; its first 240 characters, its length and its hash are replayed", clipped)
	}
	if before := unlisted(c); before > 0 {
		o.faint("not all are listed; status pages through the rest: -before %d", before)
	}
}

// unlisted is the number of the turn before which those are that the context leaves out:
// behind the oldest that it lists of their kind. 0: there are none.
func unlisted(c seat.Context) (before int64) {
	for state, total := range map[string]int64{seat.Beyond: c.BeyondTotal, seat.Excluded: c.ExcludedTotal} {
		listed, oldest := int64(0), int64(0)
		for _, e := range c.Entries {
			if e.State == state {
				if listed++; listed == 1 {
					oldest = e.Seq
				}
			}
		}
		if listed < total {
			before = max(before, oldest)
		}
	}
	return before
}

const (
	edited  = "✎"
	clipped = "✂"
	// columns are those before the texts.
	columns = 5 + 2 + 8 + 2 + 21 + 2 + 7 + 2
)

func (o *operator) row(number, state, turn, chars, prompt, reply string, text int) string {
	return fmt.Sprintf("%5s  %-8s  %-21s  %7s  %s  %s", number, state, turn, chars, pad(prompt, text), paint.Cut(reply, text))
}

// pad cuts or fills s to n columns.
func pad(s string, n int) string {
	s = paint.Cut(s, n)
	return s + strings.Repeat(" ", max(n-len([]rune(s)), 0))
}

// words are a text on one line. Of what is not replayed only the start is listed, which
// says nothing of a budget.
func words(t seat.TextView, replayed bool) string {
	s := strings.Join(strings.Fields(paint.Clean(strings.ReplaceAll(t.Text+t.Head, "\n", " "))), " ")
	if t.Clipped && replayed {
		return clipped + " " + s
	}
	return s
}

func budget(c seat.Context) string {
	s := "budget " + thousands(c.MaxChars) + " characters"
	if !c.Exact {
		s += " (not the one that the next turn has)"
	}
	return s
}

// thousands groups the digits of n.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// surroundings are what a seat is in and what is to come.
func (o *operator) surroundings(busy *seat.BusyState, queued []seat.Queued, all int64, wakes []seat.PendingWake) {
	if busy != nil {
		state := busy.State
		if state == "unknown" {
			state = "running or interrupted, which only its owner can tell"
		}
		o.say("In the turn %s, %s; it began %s.", busy.ActiveTurnID, state, clock(busy.Since))
	}
	for _, q := range queued {
		o.faint("queued: %s: %s (%s)", q.Kind, q.Preview, q.ID)
	}
	if more := all - int64(len(queued)); more > 0 {
		o.faint("queued: %d more", more)
	}
	for _, w := range wakes {
		what, by := w.Kind, ""
		if w.Target != "" {
			what, by = what+" for "+w.Target, " at the latest"
		}
		o.faint("to come: %s, %s%s (%s)", what, clock(w.DueAt), by, w.ID)
	}
}

func clock(t time.Time) string { return t.Local().Format(time.DateTime) }

func (o *operator) heading(format string, args ...any) {
	o.paper.Para(paint.Bold, fmt.Sprintf(format, args...))
}

func (o *operator) say(format string, args ...any) {
	o.paper.Para(paint.Plain, fmt.Sprintf(format, args...))
}

func (o *operator) faint(format string, args ...any) {
	o.paper.Para(paint.Faint, fmt.Sprintf(format, args...))
}
