package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
)

// A screen shows a person what the agent says and does. It is safe for
// concurrent use.
type screen struct {
	paint.Paper
	project string // its folder, which is shown as a dot

	mu    sync.Mutex
	shown string // id of the call that was shown last
	open  int    // calls without an answer yet
	calls int
}

const (
	bodyLines = 8  // of a text; the model gets all of it
	longValue = 50 // columns of a value that stands among others
)

// words shows what the model says, in full.
func (s *screen) words(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Line(paint.Plain, "", "")
	for l := range strings.Lines(strings.TrimSpace(text)) {
		for _, part := range paint.Wrap(l, s.Width) {
			s.Line(paint.Plain, "", part)
		}
	}
}

// note shows a line of the program itself.
func (s *screen) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Para(paint.Faint, fmt.Sprintf(format, args...))
}

// digest shows what a model is told at a checkpoint of what it did before.
func (s *screen) digest(messages []seat.Said, prompt string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Line(paint.Plain, "", "")
	s.Line(paint.Faint, "", "A checkpoint: the conversation goes on from the notes and what was done.")
	_, text, _ := strings.Cut(messages[len(messages)-1].Text, "[checkpoint]")
	_, done, _ := strings.Cut(strings.TrimSuffix(text, prompt), "\n")
	s.block(paint.Faint, "  │ ", hashes.ReplaceAllString(done, "$1…"))
}

// hashes are cut to their start.
var hashes = regexp.MustCompile(`\b([0-9a-f]{8})[0-9a-f]{56}\b`)

// heading shows a line that stands out, after an empty one.
func (s *screen) heading(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Line(paint.Plain, "", "")
	s.Line(paint.Bold, "", text)
}

// called is how many calls were shown.
func (s *screen) called() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// watch is a middleware that shows each call when it starts and each result
// when it is there.
func (s *screen) watch(next tools.Handler) tools.Handler {
	return func(ctx context.Context, c arc.Call) *arc.Result {
		s.began(c)
		start := time.Now()
		r := next(ctx, c)
		s.ended(c, r, time.Since(start))
		return r
	}
}

func (s *screen) began(c arc.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.open == 0 { // calls that run side by side stand together
		s.Line(paint.Plain, "", "")
	}
	s.open++
	s.shown = c.ID
	short, long := s.parts(fields(c.Args), nil)
	s.Line(paint.Bold, "● ", c.Name+"  "+short)
	for _, f := range long {
		switch f.name {
		case "old_string":
			s.block(paint.Red, "  - ", f.value)
		case "new_string":
			s.block(paint.Green, "  + ", f.value)
		default:
			s.block(paint.Faint, "  ", s.fill(f, 2))
		}
	}
}

func (s *screen) ended(c arc.Call, r *arc.Result, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	args := fields(c.Args)
	if s.shown != c.ID { // another call has started meanwhile: whose answer is this?
		short, _ := s.parts(args, nil)
		s.Line(paint.Plain, "", "")
		s.Line(paint.Faint, "○ ", c.Name+"  "+short)
	}
	s.open--
	s.shown = c.ID
	bare := *r
	bare.Body = ""
	head, err := bare.AppendText(nil)
	switch {
	case err != nil: // a session has seen to it that results can be shown
		s.Line(paint.Red, "  ✗ ", err.Error())
		return
	case r.Err != nil:
		s.Line(paint.Red, "  ✗ ", fmt.Sprintf("%s · %s", duration(took), r.Err.Code))
		s.refusal(r.Err)
	default:
		short, long := s.parts(fields(head), args)
		for i, l := range paint.Wrap(strings.TrimSuffix(duration(took)+" · "+short, " · "), s.Width-4) {
			s.Line(paint.Blue, map[bool]string{true: "  → ", false: "    "}[i == 0], l)
		}
		for _, f := range long {
			s.block(paint.Faint, "  │ ", s.fill(f, 4))
		}
	}
	s.block(paint.Faint, "  │ ", r.Body)
}

// refusal shows why a call was refused: the message, and each problem on its own, once.
func (s *screen) refusal(e *arc.Error) {
	var d struct{ Problems []string }
	if b, err := json.Marshal(e.Detail); err != nil || json.Unmarshal(b, &d) != nil {
		d.Problems = nil
	}
	if len(d.Problems) == 0 || !strings.Contains(e.Message, d.Problems[0]) {
		s.block(paint.Faint, "  │ ", s.fill(field{"message", e.Message}, 4))
	}
	for _, p := range d.Problems {
		for i, l := range paint.Wrap(p, s.Width-6) {
			s.Line(paint.Faint, map[bool]string{true: "  │ - ", false: "  │   "}[i == 0], l)
		}
	}
}

// parts are an object's fields for the screen: those that fit on a line, joined,
// and those that want lines of their own. What known says already is left out.
func (s *screen) parts(list, known []field) (line string, long []field) {
	var short []string
	for _, f := range list {
		if s.project != "" {
			f.value = strings.ReplaceAll(f.value, s.project, ".")
		}
		switch {
		case slices.Contains(known, f):
		case len(f.value) > longValue, strings.Contains(f.value, "\n"), strings.HasSuffix(f.name, "_string"):
			long = append(long, f)
		default:
			short = append(short, f.name+" "+f.value)
		}
	}
	// Whatever order a model writes them in, old text stands above new.
	slices.SortStableFunc(long, func(a, b field) int {
		return cmp.Compare(map[string]int{"new_string": 1}[a.name], map[string]int{"new_string": 1}[b.name])
	})
	return strings.Join(short, " · "), long
}

// fill is a long field as lines: its own, each to be cut, or else the one that it
// has, wrapped to what an indent leaves of the screen.
func (s *screen) fill(f field, indent int) string {
	if strings.Contains(f.value, "\n") {
		return f.name + ": " + f.value
	}
	return strings.Join(paint.Wrap(f.name+": "+f.value, s.Width-indent), "\n")
}

// duration is how long something took, to a person.
func duration(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// block shows the first lines of a text.
func (s *screen) block(st paint.Style, indent, text string) {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if i == bodyLines && len(lines) > bodyLines+1 {
			s.Line(paint.Faint, indent, fmt.Sprintf("… %d more lines", len(lines)-i))
			return
		}
		s.Line(st, indent, l)
	}
}
