package wire

import (
	"encoding/json"
	"strings"
)

// scalarRules are those of servers for which a type is one word.
type scalarRules struct{}

func (scalarRules) inline() bool { return true }

func (scalarRules) change(t *translation, s *object, at spot) {
	t.single(s, at)
	alternatives(s)
	t.firstOf(s, at)
	kinds, _ := types(*s)
	if len(kinds) > 1 || s.has("type") && s.get("type")[0] != '"' {
		if len(kinds) == 0 {
			kinds = []string{"string"}
		}
		s.set("type", encode(kinds[0]))
		if rest := kinds[1:]; len(rest) > 0 {
			t.lose(at, "the types %s became a remark", strings.Join(rest, ", "))
			describe(s, "or "+clip(strings.Join(rest, ", ")))
		}
	}
	s.drop("$defs", "definitions")
}

// firstOf takes the first of alternatives that is not null for all of them.
func (t *translation) firstOf(s *object, at spot) {
	if !s.has("anyOf") {
		return
	}
	all := parseList(s.get("anyOf"))
	s.drop("anyOf", "oneOf")
	var first object
	var rest []string
	for _, a := range all {
		o, err := parseObject(a)
		if err != nil {
			continue
		}
		o, _ = t.resolve(o, at)
		kinds, null := types(o)
		switch {
		case null && len(kinds) == 0:
		case first == nil:
			first = o
		case len(kinds) > 0:
			rest = append(rest, kinds...)
		default:
			rest = append(rest, "another value")
		}
	}
	for _, m := range first {
		if !s.has(m.name) {
			s.set(m.name, m.value)
		}
	}
	if len(rest) > 0 {
		t.lose(at, "the alternatives %s became a remark", clip(strings.Join(rest, ", ")))
		describe(s, "or "+clip(strings.Join(rest, ", ")))
	}
	if isAny(*s) {
		s.set("type", json.RawMessage(`"string"`))
	}
	if s.has("anyOf") || s.has("oneOf") { // of the first one
		t.forget(s, at, "anyOf", "oneOf")
	}
}
