package wire

import (
	"encoding/json"
	"slices"
	"strings"
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
	if s.has("$ref") {
		if _, ok := t.lookup(s.str("$ref")); ok {
			t.keep(s, at, "$ref $defs definitions") // nothing may stand beside it
			return
		}
		t.forget(s, at, "$ref")
	}
	t.single(s, at)
	alternatives(s)
	if d := s.get("default"); d != nil {
		s.drop("default")
		describe(s, "default "+clip(string(d)))
	}
	if isAny(*s) {
		s.set("type", json.RawMessage(`["string","number","boolean","null"]`))
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
	if slices.Contains(kinds, "array") && (!s.has("items") || s.get("items")[0] != '{') {
		t.forget(s, at, "items")
		t.lose(at, "items became strings, since they have to be something")
		s.set("items", json.RawMessage(`{"type":"string"}`))
	}
	if f := s.str("format"); s.has("format") && !slices.Contains(strings.Fields(strictFormats), f) {
		t.forget(s, at, "format")
	}
	t.keep(s, at, strictKeywords)
}

// strictObject closes an object and requires all of it.
func (t *translation) strictObject(s *object, at spot) {
	var required []string
	_ = json.Unmarshal(s.get("required"), &required)
	p, err := parseObject(s.get("properties"))
	if err != nil {
		p = object{}
	}
	names := []string{}
	for i := range p {
		names = append(names, p[i].name)
		if !slices.Contains(required, p[i].name) {
			p[i].value = optional(p[i].value)
		}
	}
	if open := s.get("additionalProperties"); open != nil && !closed(*s) {
		t.lose(at, "additionalProperties %s dropped", clip(string(open)))
	}
	s.set("properties", p.raw())
	s.set("required", encode(names))
	s.set("additionalProperties", json.RawMessage("false"))
}

// optional lets a value be null, which a session takes for one that was left out.
func optional(raw json.RawMessage) json.RawMessage {
	const null, nullSchema = "null", `{"type":"null"}`
	s, err := parseObject(raw)
	if err != nil || isAny(s) {
		return raw
	}
	kinds, already := types(s)
	if s.has("enum") {
		if all := parseList(s.get("enum")); !slices.ContainsFunc(all, func(v json.RawMessage) bool { return string(v) == null }) {
			s.set("enum", list(append(all, json.RawMessage(null))))
		}
	}
	if c := s.get("const"); c != nil {
		s.drop("const")
		all := []json.RawMessage{c}
		if string(c) != null {
			all = append(all, json.RawMessage(null))
		}
		s.set("enum", list(all))
	}
	switch {
	case already:
	case len(kinds) > 0:
		s.set("type", encode(append(kinds, "null")))
	case s.has("anyOf"), s.has("oneOf"):
		alternatives(&s)
		all := parseList(s.get("anyOf"))
		if slices.ContainsFunc(all, takesNull) {
			return s.raw()
		}
		s.set("anyOf", list(append(all, json.RawMessage(nullSchema))))
	case s.has("$ref"), s.has("allOf"):
		return fields("anyOf", list([]json.RawMessage{raw, json.RawMessage(nullSchema)})).raw()
	}
	return s.raw()
}

// takesNull reports whether null is one of a schema's types.
func takesNull(raw json.RawMessage) bool {
	s, err := parseObject(raw)
	_, null := types(s)
	return err == nil && null
}
