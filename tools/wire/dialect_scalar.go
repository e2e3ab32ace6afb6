package wire

import (
	"encoding/json"
	"strings"

	"github.com/arcseat/arc/internal/plainjson"
)

// scalarRules are those of servers for which a type is one word.
type scalarRules struct{}

func (scalarRules) inline() bool { return true }

func (scalarRules) change(t *translation, s *object, at spot) {
	t.single(s, at)
	alternatives(s)
	t.firstOf(s, at)
	kinds, _ := types(*s)
	if len(kinds) > 1 || s.Has("type") && s.Get("type")[0] != '"' {
		if len(kinds) == 0 {
			kinds = []string{"string"}
		}
		s.Set("type", encode(kinds[0]))
		if rest := kinds[1:]; len(rest) > 0 {
			t.lose(at, "the types %s became a remark", strings.Join(rest, ", "))
			describe(s, "or "+clip(strings.Join(rest, ", ")))
		}
	}
	s.Drop("$defs", "definitions")
}

// firstOf takes the first of alternatives that is not null for all of them.
func (t *translation) firstOf(s *object, at spot) {
	if !s.Has("anyOf") {
		return
	}
	all := parseList(s.Get("anyOf"))
	s.Drop("anyOf", "oneOf")
	var first object
	var rest []string
	for _, a := range all {
		o, err := plainjson.ParseObject(a)
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
		if !s.Has(m.Name) {
			s.Set(m.Name, m.Value)
		}
	}
	if len(rest) > 0 {
		t.lose(at, "the alternatives %s became a remark", clip(strings.Join(rest, ", ")))
		describe(s, "or "+clip(strings.Join(rest, ", ")))
	}
	if isAny(*s) {
		s.Set("type", json.RawMessage(`"string"`))
	}
	if s.Has("anyOf") || s.Has("oneOf") { // of the first one
		t.forget(s, at, "anyOf", "oneOf")
	}
}
