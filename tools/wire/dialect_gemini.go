package wire

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/arcseat/arc/internal/plainjson"
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
	if s.Has("anyOf") {
		t.alone(s, at)
		return
	}
	if freeForm(*s) && !at.root() {
		t.inString(s, at, "an object")
		return
	}
	kinds, _ := types(*s)
	kind := strings.Join(kinds, "")
	switch format := s.Text("format"); {
	case format == "":
	case kind == "string" && (format == "date-time" || format == "enum"):
	case kind == "integer" && (format == "int32" || format == "int64"):
	case kind == "number" && (format == "float" || format == "double"):
	default:
		t.forget(s, at, "format")
	}
	if kind == "array" && (!s.Has("items") || s.Get("items")[0] != '{') {
		t.forget(s, at, "items")
		t.lose(at, "items became strings, since they have to be something")
		s.Set("items", json.RawMessage(`{"type":"string"}`))
	}
	if string(s.Get("additionalProperties")) != "" {
		if s.Get("additionalProperties")[0] == '{' {
			t.forget(s, at, "additionalProperties")
		}
		s.Drop("additionalProperties") // a session refuses what is not named
	}
	if s.Has("required") {
		t.known(s, at)
	}
	if names := properties(*s); len(names) > 1 && !s.Has("propertyOrdering") {
		s.Set("propertyOrdering", encode(names))
	}
	t.keep(s, at, geminiKeywords)
}

// onlyStrings makes const an enum, and leaves an enum to strings.
func (t *translation) onlyStrings(s *object, at spot) {
	if c := s.Get("const"); c != nil && !s.Has("enum") {
		s.Set("enum", list([]json.RawMessage{c}))
		s.Drop("const")
	}
	if !s.Has("enum") {
		return
	}
	var words []json.RawMessage
	for _, v := range parseList(s.Get("enum")) {
		switch {
		case string(v) == "null":
			s.Set("nullable", json.RawMessage("true"))
		case v[0] != '"':
			describe(s, "one of "+clip(string(s.Get("enum"))))
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
		s.Set("nullable", json.RawMessage("true"))
	}
	s.Set("enum", list(words))
	s.Set("type", json.RawMessage(`"string"`))
}

// openLimits makes limits that leave their own value out ones that do not.
func (t *translation) openLimits(s *object, at spot) {
	for _, pair := range [...][2]string{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		open, shut := pair[0], pair[1]
		v := s.Get(open)
		if v == nil {
			continue
		}
		if !s.Has(shut) && json.Unmarshal(v, new(float64)) == nil {
			t.lose(at, "%s %s became %s", open, clip(string(v)), shut)
			(*s)[s.Index(open)] = member{Name: shut, Value: v}
			continue
		}
		t.forget(s, at, open)
	}
}

// oneType says null with nullable, and several types with anyOf.
func (t *translation) oneType(s *object) {
	kinds, null := types(*s)
	if null {
		s.Set("nullable", json.RawMessage("true"))
	}
	switch {
	case len(kinds) == 1:
		s.Set("type", encode(kinds[0]))
	case len(kinds) > 1 && !s.Has("anyOf"):
		var any []json.RawMessage
		for _, k := range kinds {
			any = append(any, json.RawMessage(fmt.Sprintf(`{"type":%s}`, encode(k))))
		}
		(*s)[s.Index("type")] = member{Name: "anyOf", Value: list(any)}
	case len(kinds) == 0 && s.Has("type"): // null alone
		s.Set("type", json.RawMessage(`"string"`))
	case len(kinds) > 1:
		s.Drop("type")
	}
}

// fewest leaves of alternatives those that are not null, and none if that is one.
func (t *translation) fewest(s *object, at spot) {
	for range maxDepth {
		alternatives(s)
		if !s.Has("anyOf") {
			return
		}
		var rest []object
		for _, raw := range parseList(s.Get("anyOf")) {
			o, _ := plainjson.ParseObject(raw)
			o, _ = t.resolve(o, at)
			if kinds, null := types(o); null && len(kinds) == 0 {
				s.Set("nullable", json.RawMessage("true"))
				continue
			}
			rest = append(rest, o)
		}
		if len(rest) > 1 {
			var all []json.RawMessage
			for _, o := range rest {
				all = append(all, o.Raw())
			}
			s.Set("anyOf", list(all))
			return
		}
		s.Drop("anyOf")
		for _, o := range rest {
			for _, m := range o {
				if !s.Has(m.Name) {
					s.Set(m.Name, m.Value)
				}
			}
		}
	}
	t.forget(s, at, "anyOf")
}

// alone leaves anyOf by itself: nothing may stand beside it. What is said of all
// the alternatives is said of each.
func (t *translation) alone(s *object, at spot) {
	all := parseList(s.Get("anyOf"))
	for i, raw := range all {
		o, _ := plainjson.ParseObject(raw)
		for _, name := range [...]string{"description", "nullable"} {
			if v := s.Get(name); v != nil && !o.Has(name) {
				o.Set(name, v)
			}
		}
		all[i] = o.Raw()
	}
	s.Set("anyOf", list(all))
	s.Drop("description", "nullable", "default")
	t.keep(s, at, "anyOf")
}
