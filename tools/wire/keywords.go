package wire

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/arcseat/arc/internal/plainjson"
)

// annotations say nothing of which values fit, so that losing one is no loss.
var annotations = [...]string{"$schema", "$id", "$comment", "$anchor", "examples", "deprecated", "readOnly", "writeOnly", "title"}

// keep takes out all but the keywords of an allow list. The values of those that
// bind are told as lost.
func (t *translation) keep(s *object, at spot, allowed string) {
	for _, m := range slices.Clone(*s) {
		switch {
		case slices.Contains(strings.Fields(allowed), m.Name):
		case slices.Contains(annotations[:], m.Name), m.Name == "$defs", m.Name == "definitions":
			s.Drop(m.Name)
		default:
			t.forget(s, at, m.Name)
		}
	}
}

// describe adds words to a description, in brackets, once.
func describe(s *object, words string) {
	d := s.Text("description")
	words = "(" + words + ")"
	switch {
	case strings.Contains(d, words):
		return
	case d != "":
		d += " "
	}
	s.Set("description", encode(d+words))
}

// types are those in the keyword type, null apart.
func types(s object) (kinds []string, null bool) {
	raw := s.Get("type")
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		kinds = []string{one}
	} else {
		_ = json.Unmarshal(raw, &kinds)
	}
	null = slices.Contains(kinds, "null")
	kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "null" || k == "" })
	return kinds, null
}

// properties are the names in the keyword.
func properties(s object) []string {
	p, _ := plainjson.ParseObject(s.Get("properties"))
	var names []string
	for _, m := range p {
		names = append(names, m.Name)
	}
	return names
}

// closed reports whether s refuses what it does not name.
func closed(s object) bool { return string(s.Get("additionalProperties")) == "false" }

// single merges an allOf of one schema into s, and what that refers to; one of more
// is beyond a dialect without it.
func (t *translation) single(s *object, at spot) {
	for range maxDepth {
		all := parseList(s.Get("allOf"))
		if len(all) != 1 {
			break
		}
		inner, err := plainjson.ParseObject(all[0])
		if err != nil {
			break
		}
		s.Drop("allOf")
		for _, m := range inner {
			if !s.Has(m.Name) {
				s.Set(m.Name, m.Value)
			}
		}
		*s, at = t.resolve(*s, at)
	}
	t.forget(s, at, "allOf")
}

// alternatives makes anyOf of oneOf.
func alternatives(s *object) {
	if one := s.Get("oneOf"); one != nil && !s.Has("anyOf") {
		s.Set("anyOf", one)
		s.Drop("oneOf")
	}
}

// inString makes of s a string that holds the value as JSON, which a session reads
// as what the tool wants.
func (t *translation) inString(s *object, at spot, what string) {
	t.lose(at, "%s became JSON in a string", what)
	d := s.Text("description")
	*s = object{{Name: "type", Value: json.RawMessage(`"string"`)}}
	if d != "" {
		s.Set("description", encode(d))
	}
	describe(s, what+", as JSON")
}

// isAny reports whether s says nothing of the kind of its values.
func isAny(s object) bool {
	for _, k := range []string{"type", "anyOf", "oneOf", "allOf", "enum", "const", "$ref"} {
		if s.Has(k) {
			return false
		}
	}
	return true
}

// freeForm reports whether s is an object that names no properties.
func freeForm(s object) bool {
	kinds, _ := types(s)
	return slices.Contains(kinds, "object") && len(kinds) == 1 && len(properties(s)) == 0
}

// known keeps those of required that are properties; a server refuses others.
func (t *translation) known(s *object, at spot) {
	names := map[string]bool{}
	for _, n := range properties(*s) {
		names[n] = true
	}
	var required []string
	if json.Unmarshal(s.Get("required"), &required) != nil {
		s.Drop("required")
		return
	}
	kept := slices.DeleteFunc(slices.Clone(required), func(n string) bool { return !names[n] })
	for _, n := range required {
		if !names[n] {
			t.lose(at, "required %s dropped, which is no property", clip(n))
		}
	}
	if len(kept) == 0 {
		s.Drop("required")
		return
	}
	s.Set("required", encode(kept))
}
