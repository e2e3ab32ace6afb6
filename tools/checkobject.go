package tools

import (
	"fmt"
	"slices"
	"strings"
)

// fitObject fits the properties of v: those that s names, those that a pattern
// of s fits, and the others.
func (f *fitter) fitObject(s *schema, v *value, at string) *value {
	if !f.afford(len(s.required)*len(v.members) + len(s.patterns)*len(v.members)) {
		f.giveUp(at)
		return v
	}
	members := make([]member, 0, len(v.members))
	changed := false
	var unknown []string
	for _, m := range v.members {
		place := within(at, m.name)
		fitted := m.value
		p := s.properties[m.name]
		switch {
		case p != nil && f.repair && m.value.kind == null && !slices.Contains(s.required, m.name) && !f.fits(p, m.value):
			changed = true // null for what may be absent: absent
			continue
		case p != nil:
			fitted = f.fit(p, m.value, place)
		case f.folded(s, m.name) != "":
			f.problem(at, "has no property %s; did you mean %s?", quote(m.name), quote(f.folded(s, m.name)))
			unknown = append(unknown, m.name)
		default:
			var known bool
			if fitted, known = f.fitOther(s, m, place); !known {
				f.unknown(s, m.name, at)
				unknown = append(unknown, m.name)
			}
		}
		changed = changed || fitted != m.value
		members = append(members, member{m.name, fitted})
	}
	for _, name := range s.required {
		if v.get(name) == nil {
			f.missing(s, v, name, at, unknown)
		}
	}
	if !changed {
		return v
	}
	return &value{kind: object, members: members}
}

// fitOther fits a property that s does not name; known is false if s is closed
// to it.
func (f *fitter) fitOther(s *schema, m member, place string) (v *value, known bool) {
	v = m.value
	work := 0
	for _, p := range s.patterns {
		work += workPerStep + len(m.name)*p.pattern.size
	}
	if !f.afford(work) {
		f.giveUp(place)
		return v, true
	}
	for _, p := range s.patterns {
		if p.pattern.MatchString(m.name) {
			v, known = f.fit(p.schema, v, place), true
		}
	}
	switch {
	case known || s.additional == nil:
		return v, true
	case s.additional.never:
		return v, false
	}
	return f.fit(s.additional, v, place), true
}

// folded is the property that encoding/json would take name for, although the
// schema was checked under another. Such a one would slip past every check.
func (f *fitter) folded(s *schema, name string) string {
	if !f.foldsCase {
		return ""
	}
	for p := range s.properties {
		if strings.EqualFold(p, name) {
			return p
		}
	}
	return ""
}

func (f *fitter) unknown(s *schema, name, at string) {
	if f.full() {
		return
	}
	*f.steps -= len(s.properties) / 8
	names := s.names()
	has := "it has none"
	if len(names) > 0 {
		has = "it has " + list(names)
	}
	did := ""
	if n := f.near(name, names); n != "" {
		did = fmt.Sprintf(" (did you mean %s?)", quote(n))
	}
	f.problem(at, "has no property %s%s; %s", quote(name), did, has)
}

// missing names a required property that is not there, and the one that was
// perhaps meant to be it.
func (f *fitter) missing(s *schema, v *value, name, at string, unknown []string) {
	const maxOthers = 20
	if f.full() {
		return
	}
	var others []string
	for _, m := range v.members[:min(len(v.members), maxOthers)] {
		if s.properties[m.name] == nil && !slices.Contains(unknown, m.name) {
			others = append(others, m.name)
		}
	}
	instead := ""
	if n := f.near(name, others); n != "" {
		instead = fmt.Sprintf("; %s is no property of this tool", quote(n))
	}
	f.problem(within(at, name), "is missing%s", instead)
}

// within is the place of a property.
func within(at, name string) string {
	name = clip(name, maxShown)
	if at == "" {
		return name
	}
	return at + "." + name
}
