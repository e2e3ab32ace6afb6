package computer

import (
	"fmt"
	"image"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/arcseat/arc"
)

// Limits of actions.
const (
	maxText         = 10_000 // characters that one action types
	maxScroll       = 50     // notches
	standardScroll  = 3
	maxDuration     = 100 * time.Second // of one wait or held key
	standardWait    = time.Second
	maxCallDuration = 5 * time.Minute // of all of a call together
)

// A step is an action that is known to make sense.
type step struct {
	action Action
	rule   rule
	at     *image.Point // native; nil: where the pointer is
	from   *image.Point
	mods   chord
	keys   []chord
	text   string
	dx, dy int // one notch
	amount int
	region image.Rectangle // native
	time   time.Duration
}

// places are the pixels that s goes to, in order; a nil one is where the pointer is.
func (s step) places() []*image.Point {
	if s.from != nil {
		return []*image.Point{s.from, s.at}
	}
	return []*image.Point{s.at}
}

// A plan is a call that is known to make sense; nothing of it has happened yet.
type plan struct {
	steps   []step
	skipped int     // after a zoom
	shows   bool    // a picture is attached
	limit   float64 // the limit in force, if a larger number was asked for
	notes   notes
}

// notes are short words on what was not as it was asked for.
type notes []string

func (n *notes) add(word string) {
	for _, w := range *n {
		if w == word {
			return
		}
	}
	*n = append(*n, word)
}

// sketch checks what can be checked without looking at the screen: all problems at
// once.
func (t keyTable) sketch(actions []Action, most int) (*plan, error) {
	if most < 1 {
		most = 1
	}
	if n := len(actions); n < 1 || n > most {
		return nil, invalid("batch", "actions has %d entries; send 1 to %d.", n, most)
	}
	p := &plan{}
	var problems []string
	var first error
	var total time.Duration
	for i, a := range actions {
		if p.skipped == 0 && i > 0 && actions[i-1].Action == Zoom {
			p.skipped = len(actions) - i
		}
		into := p
		if p.skipped > 0 {
			into = &plan{} // it has to make sense, and nothing comes of it
		}
		s, err := t.step(a, into)
		if err != nil {
			if first == nil {
				first = err
			}
			problems = append(problems, fmt.Sprintf("actions[%d]: %s", i, sentence(err)))
			continue
		}
		if p.skipped > 0 {
			continue
		}
		total += s.time
		p.steps = append(p.steps, s)
		p.shows = p.shows || !s.rule.readOnly
	}
	switch {
	case len(problems) == 1 && len(actions) == 1:
		return nil, first
	case len(problems) > 0:
		return nil, several(first, problems)
	case total > maxCallDuration:
		return nil, invalid("too_long", "waiting and holding keys would take %s; a call may spend %s on it.", total, maxCallDuration)
	}
	return p, nil
}

// several is one refusal for all problems of a batch, with the code of the first.
func several(first error, problems []string) error {
	e := &arc.Error{Code: arc.InvalidArguments, Message: "nothing was done: " + clip(strings.Join(problems, "; "), 900)}
	e.Detail = struct {
		Problems []string `json:"problems"`
	}{problems[:min(len(problems), 20)]}
	if known, ok := first.(*arc.Error); ok && len(problems) == 1 {
		e.Code, e.Detail = known.Code, known.Detail
	}
	return e
}

func sentence(err error) string {
	if e, ok := err.(*arc.Error); ok {
		return strings.TrimSuffix(e.Message, ".")
	}
	return err.Error()
}

// step checks one action by itself.
func (t keyTable) step(a Action, p *plan) (step, error) {
	r, ok := ruleOf(a.Action)
	if !ok {
		return step{}, invalid("action", "there is no action %q.", clip(string(a.Action), 40))
	}
	s := step{action: a, rule: r}
	given := a.given()
	for _, f := range fieldNames {
		switch {
		case r.needs&f.field != 0 && given&f.field == 0:
			return s, invalid("missing", "%s needs %s.", a.Action, f.name)
		case given&f.field&^(r.needs|r.may) == 0:
		case f.field == scrolling, f.field == duration && !r.input:
			p.notes.add("ignored_" + strings.Fields(f.name)[0]) // it would change nothing
		default:
			return s, invalid("not_taken", "%s takes no %s; leave it out or use the action that does.", a.Action, f.name)
		}
	}
	if err := arity(a); err != nil {
		return s, err
	}
	var err error
	switch r.kind {
	case Type:
		s.text, err = typable(a.Text)
	case PressKey, HoldKey:
		if s.keys, err = t.chords(a.Text); err == nil && r.kind == HoldKey && len(s.keys) != 1 {
			err = invalid("too_many_keys", "hold_key holds one key or chord such as 'shift' or 'ctrl+a'.")
		}
	default:
		if r.may&text != 0 {
			s.mods, err = t.modifiers(a.Text)
		}
	}
	if err != nil {
		return s, err
	}
	if r.kind == Scroll {
		err = s.notches(a, p)
	}
	if r.kind == Wait || r.kind == HoldKey {
		err = s.seconds(a.Duration, p)
	}
	return s, err
}

// arity checks how many numbers a coordinate and a region have.
func arity(a Action) error {
	for _, c := range [...]struct {
		name string
		n    []int
		want int
	}{{"coordinate", a.Coordinate, 2}, {"start_coordinate", a.StartCoordinate, 2}, {"region", a.Region, 4}} {
		if len(c.n) != 0 && len(c.n) != c.want {
			return invalid("arity", "%s has %d numbers and needs %d.", c.name, len(c.n), c.want)
		}
	}
	return nil
}

// notches reads the direction and amount of scrolling.
func (s *step) notches(a Action, p *plan) error {
	switch a.ScrollDirection {
	case "up":
		s.dy = -1
	case "down":
		s.dy = 1
	case "left":
		s.dx = -1
	case "right":
		s.dx = 1
	default:
		return invalid("direction", "scroll needs a scroll_direction: up, down, left or right.")
	}
	s.amount = a.ScrollAmount
	switch {
	case s.amount == 0:
		s.amount = standardScroll
	case s.amount < 0:
		return invalid("amount", "scroll_amount is %d; give 1 to %d, and the other direction to scroll back.", s.amount, maxScroll)
	case s.amount > maxScroll:
		s.amount, p.limit = maxScroll, maxScroll
	}
	return nil
}

// seconds reads a duration.
func (s *step) seconds(d float64, p *plan) error {
	switch {
	case d == 0:
		s.time = standardWait
	case d < 0 || math.IsNaN(d):
		return invalid("duration", "duration is %v; give seconds, more than 0.", d)
	case d > maxDuration.Seconds():
		s.time, p.limit = maxDuration, maxDuration.Seconds()
	default:
		s.time = time.Duration(d * float64(time.Second))
	}
	return nil
}

// typable is text as a Desktop takes it, or why no keyboard types it.
func typable(s string) (string, error) {
	if n := utf8.RuneCountInString(s); n > maxText {
		return "", invalid("too_long", "text has %d characters; type at most %d at a time.", n, maxText)
	}
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
	at := 0
	for i, r := range s {
		bad := unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\b' && r != '\x1b'
		if _, n := utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && n < 2 {
			bad = true
		}
		if bad {
			return "", untypable(r, at)
		}
		at++
	}
	return s, nil
}

func untypable(r rune, at int) error {
	return &arc.Error{
		Code:    UntypableText,
		Message: fmt.Sprintf("no key types the character U+%04X; leave it out, and use key for special keys.", r),
		Detail: struct {
			Character string `json:"character"`
			At        int    `json:"at"`
		}{fmt.Sprintf("U+%04X", r), at},
	}
}

// locate reads the coordinates of p in the frames in which they will stand: that
// of the model's latest picture until a screenshot among the actions, then the
// whole screen as full shows it.
func (p *plan) locate(have *view, full view) error {
	for i := range p.steps {
		s := &p.steps[i]
		err := s.locate(have, full, p)
		if err != nil {
			if len(p.steps) > 1 {
				e, ok := err.(*arc.Error)
				if ok {
					e.Message = fmt.Sprintf("nothing was done, because of actions[%d]: %s", i, e.Message)
				}
			}
			return err
		}
		if s.rule.kind == Screenshot {
			have = &full
		}
	}
	return nil
}

func (s *step) locate(have *view, full view, p *plan) error {
	a := s.action
	if a.given()&(coordinate|startCoordinate|region) == 0 {
		return nil
	}
	switch {
	case have == nil:
		return &arc.Error{Code: NoFrame, Message: "there is no screenshot yet to read coordinates in; this answer has one, so read them off it and call again."}
	case have.gen != full.gen:
		return &arc.Error{Code: StaleFrame, Message: "the screen has changed its size since your latest picture; read coordinates off the one in this answer and call again."}
	}
	v := *have
	v.grid = full.grid
	var err error
	if len(a.Region) > 0 {
		s.region, err = v.region(a.Region[0], a.Region[1], a.Region[2], a.Region[3])
		return err
	}
	for _, c := range [...]struct {
		n  []int
		to **image.Point
	}{{a.Coordinate, &s.at}, {a.StartCoordinate, &s.from}} {
		if len(c.n) == 0 {
			continue
		}
		if v.grid && (c.n[0] == gridSize || c.n[1] == gridSize) {
			p.notes.add("1000_is_999")
		}
		pt, err := v.point(c.n[0], c.n[1])
		if err != nil {
			return err
		}
		*c.to = &pt
	}
	return nil
}
