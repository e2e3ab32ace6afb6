package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// judge runs a row's checks and makes lines of the card of what they say; tell hears the
// output of those that fail.
func (r row) judge(ctx context.Context, root string, tell func(string)) (lines []line) {
	for _, c := range r.checks {
		rep, err := c.run(ctx, root, cmp.Or(r.limit, 2*time.Minute))
		if err != nil {
			tell(rep.rest)
			lines = append(lines, r.without(fail, err.Error()))
			continue
		}
		lines = append(lines, r.sum(c, rep, tell)...)
	}
	if r.count {
		return r.counted(lines)
	}
	if len(lines) == 0 {
		lines = append(lines, r.without(fail, "its tests pass and say nothing"))
	}
	return lines
}

// without is a line without a value.
func (r row) without(v verdict, what string) line {
	return line{name: r.name, verdict: v, what: what}
}

// sum makes lines of what one check has come to: what its tests say of themselves, and
// those of its tests that fail, are skipped or are not there. Of a row that counts, each
// test is a line.
func (r row) sum(c check, rep *report, tell func(string)) (lines []line) {
	for i, l := range rep.lines {
		if l.name != r.name || r.count {
			continue
		}
		if by := rep.by[i]; rep.ended[by] == "fail" {
			l.verdict, l.what = fail, l.what+", but "+by+" fails"
		}
		lines = append(lines, l)
	}
	told := false
	for _, name := range c.tests {
		top, _, _ := strings.Cut(name, "/")
		switch rep.ended[top] {
		case "pass", "bench":
			switch why := rep.skipped[top]; {
			case r.count:
				lines = append(lines, r.without(pass, name))
			case why != "" && !slices.Contains(rep.by, top): // a part without which there is nothing to say
				lines = append(lines, r.without(skip, name+": "+why))
			}
		case "fail":
			if !told {
				tell(rep.rest)
				told = true
			}
			if r.count || !slices.Contains(rep.by, top) {
				lines = append(lines, r.without(fail, name+" fails"))
			}
		case "skip":
			lines = append(lines, r.without(skip, name+": "+rep.skipped[top]))
		default:
			lines = append(lines, r.without(fail, fmt.Sprintf("there is no %s in %s", name, c.dir)))
		}
	}
	return lines
}

// counted are the lines of a row that counts: of those tests that did not pass, and of
// how many did.
func (r row) counted(lines []line) []line {
	passed := 0
	total := line{name: r.name, target: fmt.Sprint("= ", len(lines)), verdict: pass, what: r.about}
	var rest []line
	for _, l := range lines {
		if l.verdict == pass {
			passed++
			continue
		}
		if total.verdict != fail {
			total.verdict = l.verdict
		}
		rest = append(rest, l)
	}
	total.value = fmt.Sprint(passed)
	return append(rest, total)
}
