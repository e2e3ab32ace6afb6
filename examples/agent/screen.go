package main

import (
	"context"
	"fmt"
	"io"
	"os"
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
	width  int // columns; longer lines are cut
	colour bool

	mu    sync.Mutex
	out   io.Writer
	shown string // id of the call that was shown last
	calls int
}

const (
	bodyLines  = 8   // of a result; the model gets all of it
	plainWidth = 100 // columns when nobody says how wide the screen is
	maxWidth   = 120 // longer lines are hard to read
)

// newScreen fits a screen to where it is shown: colours and width are a
// terminal's, and NO_COLOR (no-color.org) and a dumb terminal are heard. A pipe
// gets plain text.
func newScreen(out *os.File) *screen {
	s := &screen{out: out, width: plainWidth}
	if fd := int(out.Fd()); term.IsTerminal(fd) {
		s.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if w, _, err := term.GetSize(fd); err == nil && w > 0 {
			s.width = min(w, maxWidth)
		}
	}
	return s
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
	s.shown = c.ID
	s.line("", "", "")
	var short []string
	var long []field
	for _, f := range fields(c.Args) {
		if strings.Contains(f.value, "\n") || f.name == "old_string" || f.name == "new_string" {
			long = append(long, f)
			continue
		}
		short = append(short, f.name+" "+f.value)
	}
	s.line(bold, "● ", c.Name+"  "+strings.Join(short, " · "))
	for _, f := range long {
		sign, st := "  ", faint
		switch f.name {
		case "old_string":
			sign, st = "- ", red
		case "new_string":
			sign, st = "+ ", green
		}
		s.block(st, "  "+sign, f.value)
	}
}

func (s *screen) ended(c arc.Call, r *arc.Result, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown != c.ID { // another call has started meanwhile
		s.line(bold, "● ", c.Name+"  answers")
	}
	s.shown = c.ID
	took = took.Round(time.Millisecond)
	bare := *r
	bare.Body = ""
	head, err := bare.AppendText(nil)
	if err != nil { // a session has seen to it that results can be shown
		s.line(red, "  ✗ ", err.Error())
		return
	}
	if r.Err != nil {
		s.line(red, "  ✗ ", fmt.Sprintf("%s · %s · %s", took, r.Err.Code, r.Err.Message))
	} else {
		parts := []string{took.String()}
		for _, f := range fields(head) {
			parts = append(parts, f.name+" "+f.value)
		}
		s.line(blue, "  → ", strings.Join(parts, " · "))
	}
	s.block(faint, "  │ ", r.Body)
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
