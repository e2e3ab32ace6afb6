// Package paint writes lines for a person: cut or wrapped to the screen, coloured
// where it has colours, and without what would write to a terminal on its own.
package paint

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// Paper is what lines are written on.
type Paper struct {
	Out    io.Writer // where lines go
	Width  int       // columns; longer lines are cut
	Colour bool      // styles are shown
}

const (
	PlainWidth = 100 // columns when nobody says how wide the screen is
	maxWidth   = 120 // longer lines are hard to read
)

// New fits lines to where they are shown: colours and width are a terminal's, and
// NO_COLOR (no-color.org) and a dumb terminal are heard. A pipe gets plain text.
func New(out *os.File) Paper {
	p := Paper{Out: out, Width: PlainWidth}
	fd := int(out.Fd())
	terminal := term.IsTerminal(fd)
	p.Colour = coloured(terminal, os.Getenv)
	if w, _, err := term.GetSize(fd); terminal && err == nil && w > 0 {
		p.Width = min(w, maxWidth)
	}
	return p
}

// coloured reports whether colours are wanted.
func coloured(terminal bool, getenv func(string) string) bool {
	return terminal && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// A Style is an ANSI colour or weight.
type Style string

// The styles. Plain is as the terminal is.
const (
	Plain Style = ""
	Bold  Style = "1"
	Faint Style = "2"
	Red   Style = "31"
	Green Style = "32"
	Blue  Style = "36"
)

// Line writes one line, cut to the screen.
func (p Paper) Line(st Style, indent, text string) {
	text = strings.TrimRight(Cut(Clean(text), p.Width-len([]rune(indent))), " ")
	if p.Colour && st != Plain && text != "" {
		text = "\x1b[" + string(st) + "m" + text + "\x1b[0m"
	}
	fmt.Fprintln(p.Out, strings.TrimRight(indent+text, " "))
}

// Para writes a paragraph, wrapped to the screen: its later lines stand two columns
// further in than its first. A word is broken only where it is longer than the screen.
func (p Paper) Para(st Style, text string) {
	text = Clean(text)
	if utf8.RuneCountInString(text) <= p.Width {
		p.Line(st, "", text)
		return
	}
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	for i, l := range Wrap(text, max(p.Width-len(indent)-2, minWidth)) {
		if i == 1 {
			indent += "  "
		}
		p.Width = max(p.Width, len(indent)+minWidth) // nothing more is cut
		p.Line(st, indent, l)
	}
}

// minWidth is room for any id.
const minWidth = 40

// Row writes a line of a table, cut to the screen but never within its first keep
// columns.
func (p Paper) Row(st Style, text string, keep int) {
	p.Width = max(p.Width, keep+1)
	p.Line(st, "", text)
}

// Count is a number of things: 1 turn, 2 turns.
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Clean takes out what would move the cursor or colour the screen: what tools
// answer is somebody else's text.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r) && r == '\n', unicode.IsControl(r) && r == '\r':
			return -1
		case unicode.IsControl(r):
			return '·'
		}
		return r
	}, strings.ReplaceAll(s, "\t", "    "))
}

// Cut shortens a line to n columns.
func Cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= max(n, 1) {
		return s
	}
	return string(r[:max(n, 1)-1]) + "…"
}

// Wrap breaks a paragraph into lines of at most n columns: at spaces, and within
// a word that is longer.
func Wrap(s string, n int) []string {
	var lines []string
	now := ""
	n = max(n, 1)
	for w := range strings.FieldsSeq(s) {
		if r := []rune(w); len(r) > n {
			if now != "" {
				lines, now = append(lines, now), ""
			}
			for ; len(r) > n; r = r[n:] {
				lines = append(lines, string(r[:n]))
			}
			w = string(r)
		}
		switch {
		case now == "":
			now = w
		case utf8.RuneCountInString(now)+1+utf8.RuneCountInString(w) > n:
			lines, now = append(lines, now), w
		default:
			now += " " + w
		}
	}
	return append(lines, now)
}
