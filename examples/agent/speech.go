package main

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/examples/internal/trouble"
)

// A speech shows what the model says word by word, as it comes, wrapped to the screen.
// Between its first word and its end nothing else is shown. It is used from one
// goroutine.
type speech struct {
	*screen
	word   []rune // that is not whole yet
	column int
	lines  int // line ends that are due before the next word
	begun  bool
}

// hear takes the next piece of the text.
func (s *speech) hear(piece string) {
	for _, r := range piece {
		if !unicode.IsSpace(r) {
			s.word = append(s.word, r)
			continue
		}
		s.show()
		if r == '\n' && s.begun {
			s.lines++
		}
	}
}

// show writes the word that is whole now.
func (s *speech) show() {
	word := paint.Clean(string(s.word))
	s.word = s.word[:0]
	if word == "" {
		return
	}
	if !s.begun {
		s.mu.Lock()
		s.begun, s.lines = true, 1
	}
	n := utf8.RuneCountInString(word)
	if s.lines == 0 && s.column+1+n > s.Width {
		s.lines = 1
	}
	before := " "
	if s.lines > 0 {
		before, s.column = strings.Repeat("\n", s.lines), 0
	}
	s.lines = 0
	for i, part := range paint.Wrap(word, s.Width) { // of a word that is longer than a line
		if i > 0 {
			before, s.column = "\n", 0
		}
		fmt.Fprint(s.Out, before, part)
		s.column += len(strings.Trim(before, "\n")) + utf8.RuneCountInString(part)
	}
}

// end is the end of the text.
func (s *speech) end() {
	s.show()
	if s.begun {
		fmt.Fprintln(s.Out)
		s.mu.Unlock()
	}
	*s = speech{screen: s.screen}
}

// again shows that the model is asked once more, and why.
func (s *speech) again(why error, wait time.Duration) {
	s.note("%s; asking again in %s", trouble.Line(why), duration(wait))
}
