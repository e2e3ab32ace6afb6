package main

import (
	"fmt"
	"regexp"
	"strconv"
)

// A verdict is what a line of the card comes to.
type verdict string

const (
	pass verdict = "PASS"
	fail verdict = "FAIL"
	skip verdict = "SKIP"
)

// A line is a line of the card.
type line struct {
	name, value, target string
	verdict
	what string // what the value is of, or why there is none
}

func (l line) String() string {
	return fmt.Sprintf("%-*s %9s  %-9s %-4s  %s", nameWidth, l.name, l.value, l.target, l.verdict, l.what)
}

// A score is what a test says of itself: "score: NAME VALUE OP TARGET WHAT".
var score = regexp.MustCompile(`score: (\S+) (-?[0-9.]+) ([≤≥=]) (-?[0-9.]+) (.+)`)

// scored is the line that a test's output has for the card, if it has one.
func scored(output string) (line, bool) {
	m := score.FindStringSubmatch(output)
	if m == nil {
		return line{}, false
	}
	l := line{name: m[1], value: m[2], target: m[3] + " " + m[4], verdict: fail, what: m[5]}
	value, err := strconv.ParseFloat(m[2], 64)
	target, err2 := strconv.ParseFloat(m[4], 64)
	if err != nil || err2 != nil {
		return l, true
	}
	if m[3] == "≤" && value <= target || m[3] == "≥" && value >= target || m[3] == "=" && value == target {
		l.verdict = pass
	}
	return l, true
}
