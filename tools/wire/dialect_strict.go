package wire

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/arcseat/arc/internal/plainjson"
)

// strictRules are those of OpenAI's strict mode.
type strictRules struct{}

func (strictRules) inline() bool { return false }

const (
	strictKeywords = "type description enum const properties required additionalProperties items anyOf $ref $defs definitions " +
		"pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems"
	strictFormats = "date-time time date duration email hostname ipv4 ipv6 uuid"
)

func (strictRules) change(t *translation, s *object, at spot) {
	if s.Has("$ref") {
		if _, ok := t.lookup(s.Text("$ref")); ok {
			t.keep(s, at, "$ref $defs definitions") // nothing may stand beside it
			return
		}
		t.forget(s, at, "$ref")
	}
	t.single(s, at)
	alternatives(s)
	if d := s.Get("default"); d != nil {
		s.Drop("default")
		describe(s, "default "+clip(string(d)))
	}
	if isAny(*s) {
		s.Set("type", json.RawMessage(`["string","number","boolean","null"]`))
		t.lose(at, "any value became text, a number, true or false, or null")
	}
	if freeForm(*s) && !at.root() && !closed(*s) {
		t.inString(s, at, "an object")
		return
	}
	kinds, _ := types(*s)
	if slices.Contains(kinds, "object") {
		t.strictObject(s, at)
	}
	if slices.Contains(kinds, "array") && (!s.Has("items") || s.Get("items")[0] != '{') {
		t.forget(s, at, "items")
		t.lose(at, "items became strings, since they have to be something")
		s.Set("items", json.RawMessage(`{"type":"string"}`))
	}
	if f := s.Text("format"); s.Has("format") && !slices.Contains(strings.Fields(strictFormats), f) {
		t.forget(s, at, "format")
	}
	t.keep(s, at, strictKeywords)
}

// strictObject closes an object and requires all of it.
func (t *translation) strictObject(s *object, at spot) {
	var required []string
	_ = json.Unmarshal(s.Get("required"), &required)
	p, err := plainjson.ParseObject(s.Get("properties"))
	if err != nil {
		p = object{}
	}
	names := []string{}
	for i := range p {
		names = append(names, p[i].Name)
		if !slices.Contains(required, p[i].Name) {
			p[i].Value = optional(p[i].Value)
		}
	}
	if open := s.Get("additionalProperties"); open != nil && !closed(*s) {
		t.lose(at, "additionalProperties %s dropped", clip(string(open)))
	}
	s.Set("properties", p.Raw())
	s.Set("required", encode(names))
	s.Set("additionalProperties", json.RawMessage("false"))
}

// optional lets a value be null, which a session takes for one that was left out.
func optional(raw json.RawMessage) json.RawMessage {
	const null, nullSchema = "null", `{"type":"null"}`
	s, err := plainjson.ParseObject(raw)
	if err != nil || isAny(s) {
		return raw
	}
	kinds, already := types(s)
	if s.Has("enum") {
		if all := parseList(s.Get("enum")); !slices.ContainsFunc(all, func(v json.RawMessage) bool { return string(v) == null }) {
			s.Set("enum", list(append(all, json.RawMessage(null))))
		}
	}
	if c := s.Get("const"); c != nil {
		s.Drop("const")
		all := []json.RawMessage{c}
		if string(c) != null {
			all = append(all, json.RawMessage(null))
		}
		s.Set("enum", list(all))
	}
	switch {
	case already:
	case len(kinds) > 0:
		s.Set("type", encode(append(kinds, "null")))
	case s.Has("anyOf"), s.Has("oneOf"):
		alternatives(&s)
		all := parseList(s.Get("anyOf"))
		if slices.ContainsFunc(all, takesNull) {
			return s.Raw()
		}
		s.Set("anyOf", list(append(all, json.RawMessage(nullSchema))))
	case s.Has("$ref"), s.Has("allOf"):
		return fields("anyOf", list([]json.RawMessage{raw, json.RawMessage(nullSchema)})).Raw()
	}
	return s.Raw()
}

// takesNull reports whether null is one of a schema's types.
func takesNull(raw json.RawMessage) bool {
	s, err := plainjson.ParseObject(raw)
	_, null := types(s)
	return err == nil && null
}
