package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// A screen shows a person what the agent says and does. It is safe for
// concurrent use.
type screen struct {
	width   int // columns; longer lines are cut
	colour  bool
	project string // its folder, which is shown as a dot

	mu    sync.Mutex
	out   io.Writer
	shown string // id of the call that was shown last
	open  int    // calls without an answer yet
	calls int
}

const (
	bodyLines  = 8   // of a text; the model gets all of it
	longValue  = 50  // columns of a value that stands among others
	plainWidth = 100 // columns when nobody says how wide the screen is
	maxWidth   = 120 // longer lines are hard to read
)

// newScreen fits a screen to where it is shown: colours and width are a
// terminal's, and NO_COLOR (no-color.org) and a dumb terminal are heard. A pipe
// gets plain text.
func newScreen(out *os.File) *screen {
	s := &screen{out: out, width: plainWidth}
	fd := int(out.Fd())
	terminal := term.IsTerminal(fd)
	s.colour = coloured(terminal, os.Getenv)
	if w, _, err := term.GetSize(fd); terminal && err == nil && w > 0 {
		s.width = min(w, maxWidth)
	}
	return s
}

// coloured reports whether colours are wanted.
func coloured(terminal bool, getenv func(string) string) bool {
	return terminal && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// A style is an ANSI colour or weight.
type style string

const (
	bold  style = "1"
	faint style = "2"
	red   style = "31"
	green style = "32"
	blue  style = "36"
)

// line writes one line, cut to the screen. The caller holds mu.
func (s *screen) line(st style, indent, text string) {
	text = strings.TrimRight(cut(clean(text), s.width-len([]rune(indent))), " ")
	if s.colour && st != "" && text != "" {
		text = "\x1b[" + string(st) + "m" + text + "\x1b[0m"
	}
	fmt.Fprintln(s.out, strings.TrimRight(indent+text, " "))
}

// words shows what the model says, in full.
func (s *screen) words(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line("", "", "")
	for l := range strings.Lines(strings.TrimSpace(text)) {
		for _, part := range wrap(l, s.width) {
			s.line("", "", part)
		}
	}
}

// note shows a line of the program itself.
func (s *screen) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line(faint, "", fmt.Sprintf(format, args...))
}

// heading shows a line that stands out, after an empty one.
func (s *screen) heading(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line("", "", "")
	s.line(bold, "", text)
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
		s.line("", "", "")
	}
	s.open++
	s.shown = c.ID
	short, long := s.parts(fields(c.Args), nil)
	s.line(bold, "● ", c.Name+"  "+short)
	for _, f := range long {
		switch f.name {
		case "old_string":
			s.block(red, "  - ", f.value)
		case "new_string":
			s.block(green, "  + ", f.value)
		default:
			s.block(faint, "  ", s.fill(f, 2))
		}
	}
}

func (s *screen) ended(c arc.Call, r *arc.Result, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	args := fields(c.Args)
	if s.shown != c.ID { // another call has started meanwhile: whose answer is this?
		short, _ := s.parts(args, nil)
		s.line("", "", "")
		s.line(faint, "○ ", c.Name+"  "+short)
	}
	s.open--
	s.shown = c.ID
	bare := *r
	bare.Body = ""
	head, err := bare.AppendText(nil)
	switch {
	case err != nil: // a session has seen to it that results can be shown
		s.line(red, "  ✗ ", err.Error())
		return
	case r.Err != nil:
		s.line(red, "  ✗ ", fmt.Sprintf("%s · %s", duration(took), r.Err.Code))
		s.block(faint, "  │ ", s.fill(field{"message", r.Err.Message}, 4))
	default:
		short, long := s.parts(fields(head), args)
		s.line(blue, "  → ", strings.TrimSuffix(duration(took)+" · "+short, " · "))
		for _, f := range long {
			s.block(faint, "  │ ", s.fill(f, 4))
		}
	}
	s.block(faint, "  │ ", r.Body)
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
	return strings.Join(wrap(f.name+": "+f.value, s.width-indent), "\n")
}

// duration is how long something took, to a person.
func duration(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// block shows the first lines of a text.
func (s *screen) block(st style, indent, text string) {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if i == bodyLines && len(lines) > bodyLines+1 {
			s.line(faint, indent, fmt.Sprintf("… %d more lines", len(lines)-i))
			return
		}
		s.line(st, indent, l)
	}
}
