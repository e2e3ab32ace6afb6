package wire

import (
	"encoding/json"
	"fmt"
	"strings"
)

// geminiRules are those of Gemini's own schemas, a part of OpenAPI's.
type geminiRules struct{}

func (geminiRules) inline() bool { return true }

// geminiKeywords are all that there are; another one costs the request.
const geminiKeywords = "type format description nullable enum maxItems minItems properties required minProperties " +
	"maxProperties minLength maxLength pattern anyOf propertyOrdering default items minimum maximum"

func (geminiRules) change(t *translation, s *object, at spot) {
	t.single(s, at)
	t.fewest(s, at)
	t.onlyStrings(s, at)
	t.openLimits(s, at)
	if isAny(*s) {
		if !at.root() {
			t.inString(s, at, "any value")
		}
		return
	}
	t.oneType(s)
	if s.has("anyOf") {
		t.alone(s, at)
		return
	}
	if freeForm(*s) && !at.root() {
		t.inString(s, at, "an object")
		return
	}
	kinds, _ := types(*s)
	kind := strings.Join(kinds, "")
	switch format := s.str("format"); {
	case format == "":
	case kind == "string" && (format == "date-time" || format == "enum"):
	case kind == "integer" && (format == "int32" || format == "int64"):
	case kind == "number" && (format == "float" || format == "double"):
	default:
		t.forget(s, at, "format")
	}
	if kind == "array" && (!s.has("items") || s.get("items")[0] != '{') {
		t.forget(s, at, "items")
		t.lose(at, "items became strings, since they have to be something")
		s.set("items", json.RawMessage(`{"type":"string"}`))
	}
	if string(s.get("additionalProperties")) != "" {
		if s.get("additionalProperties")[0] == '{' {
			t.forget(s, at, "additionalProperties")
		}
		s.drop("additionalProperties") // a session refuses what is not named
	}
	if s.has("required") {
		t.known(s, at)
	}
	if names := properties(*s); len(names) > 1 && !s.has("propertyOrdering") {
		s.set("propertyOrdering", encode(names))
	}
	t.keep(s, at, geminiKeywords)
}

// onlyStrings makes const an enum, and leaves an enum to strings.
func (t *translation) onlyStrings(s *object, at spot) {
	if c := s.get("const"); c != nil && !s.has("enum") {
		s.set("enum", list([]json.RawMessage{c}))
		s.drop("const")
	}
	if !s.has("enum") {
		return
	}
	var words []json.RawMessage
	for _, v := range parseList(s.get("enum")) {
		switch {
		case string(v) == "null":
			s.set("nullable", json.RawMessage("true"))
		case v[0] != '"':
			describe(s, "one of "+clip(string(s.get("enum"))))
			t.forget(s, at, "enum")
			return
		default:
			words = append(words, v)
		}
	}
	if len(words) == 0 {
		t.forget(s, at, "enum")
		return
	}
	if _, null := types(*s); null {
		s.set("nullable", json.RawMessage("true"))
	}
	s.set("enum", list(words))
	s.set("type", json.RawMessage(`"string"`))
}

// openLimits makes limits that leave their own value out ones that do not.
func (t *translation) openLimits(s *object, at spot) {
	for _, pair := range [...][2]string{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		open, shut := pair[0], pair[1]
		v := s.get(open)
		if v == nil {
			continue
		}
		if !s.has(shut) && json.Unmarshal(v, new(float64)) == nil {
			t.lose(at, "%s %s became %s", open, clip(string(v)), shut)
			(*s)[s.index(open)] = member{shut, v}
			continue
		}
		t.forget(s, at, open)
	}
}

// oneType says null with nullable, and several types with anyOf.
func (t *translation) oneType(s *object) {
	kinds, null := types(*s)
	if null {
		s.set("nullable", json.RawMessage("true"))
	}
	switch {
	case len(kinds) == 1:
		s.set("type", encode(kinds[0]))
	case len(kinds) > 1 && !s.has("anyOf"):
		var any []json.RawMessage
		for _, k := range kinds {
			any = append(any, json.RawMessage(fmt.Sprintf(`{"type":%s}`, encode(k))))
		}
		(*s)[s.index("type")] = member{"anyOf", list(any)}
	case len(kinds) == 0 && s.has("type"): // null alone
		s.set("type", json.RawMessage(`"string"`))
	case len(kinds) > 1:
		s.drop("type")
	}
}

// fewest leaves of alternatives those that are not null, and none if that is one.
func (t *translation) fewest(s *object, at spot) {
	for range maxDepth {
		alternatives(s)
		if !s.has("anyOf") {
			return
		}
		var rest []object
		for _, raw := range parseList(s.get("anyOf")) {
			o, _ := parseObject(raw)
			o, _ = t.resolve(o, at)
			if kinds, null := types(o); null && len(kinds) == 0 {
				s.set("nullable", json.RawMessage("true"))
				continue
			}
			rest = append(rest, o)
		}
		if len(rest) > 1 {
			var all []json.RawMessage
			for _, o := range rest {
				all = append(all, o.raw())
			}
			s.set("anyOf", list(all))
			return
		}
		s.drop("anyOf")
		for _, o := range rest {
			for _, m := range o {
				if !s.has(m.name) {
					s.set(m.name, m.value)
				}
			}
		}
	}
	t.forget(s, at, "anyOf")
}

// alone leaves anyOf by itself: nothing may stand beside it. What is said of all
// the alternatives is said of each.
func (t *translation) alone(s *object, at spot) {
	all := parseList(s.get("anyOf"))
	for i, raw := range all {
		o, _ := parseObject(raw)
		for _, name := range [...]string{"description", "nullable"} {
			if v := s.get(name); v != nil && !o.has(name) {
				o.set(name, v)
			}
		}
		all[i] = o.raw()
	}
	s.set("anyOf", list(all))
	s.drop("description", "nullable", "default")
	t.keep(s, at, "anyOf")
}
