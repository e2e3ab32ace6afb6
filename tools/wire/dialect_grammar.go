package wire

import (
	"encoding/json"
	"strings"

	"github.com/arcseat/arc/internal/plainjson"
)

// grammarRules are those of servers that make a grammar of a schema.
type grammarRules struct{}

func (grammarRules) inline() bool { return false }

// maxRepeats is how often a grammar may repeat something.
const maxRepeats = 2000

// placeholder is the property of an object that has none.
const placeholder = "arc_unused"

func (grammarRules) change(t *translation, s *object, at spot) {
	for _, n := range [...]string{"maxLength", "minLength", "maxItems", "minItems"} {
		var times float64
		if json.Unmarshal(s.Get(n), &times) == nil && times >= maxRepeats {
			t.forget(s, at, n)
		}
	}
	if p := s.Text("pattern"); s.Has("pattern") && (!strings.HasPrefix(p, "^") || !strings.HasSuffix(p, "$")) {
		t.forget(s, at, "pattern")
	}
	if ref := s.Text("$ref"); s.Has("$ref") {
		if _, ok := t.lookup(ref); !ok { // nothing is fetched for a grammar
			t.forget(s, at, "$ref")
		}
	}
	t.forget(s, at, "not", "if", "then", "else", "contains", "minContains", "maxContains", "patternProperties",
		"propertyNames", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties", "unevaluatedItems", "uniqueItems")
	if freeForm(*s) && (at.root() || closed(*s)) {
		s.Set("properties", json.RawMessage(`{"`+placeholder+`":{"type":"boolean","description":"leave out"}}`))
		s.Drop("required")
	} else if freeForm(*s) {
		s.Drop("properties") // any object
	}
}

// withoutPlaceholder takes out of arguments what the dialect put into their schema.
func withoutPlaceholder(args json.RawMessage) json.RawMessage {
	if !strings.Contains(string(args), `"`+placeholder+`"`) {
		return args
	}
	out, _ := pruned(args, 0)
	return out
}

// pruned is v without the placeholder at any depth.
func pruned(v json.RawMessage, depth int) (json.RawMessage, bool) {
	if depth > maxDepth || len(v) == 0 || !strings.Contains(string(v), `"`+placeholder+`"`) {
		return v, false
	}
	if o, err := plainjson.ParseObject(v); err == nil {
		o.Drop(placeholder)
		for i := range o {
			o[i].Value, _ = pruned(o[i].Value, depth+1)
		}
		return o.Raw(), true
	}
	if all := parseList(v); all != nil {
		for i := range all {
			all[i], _ = pruned(all[i], depth+1)
		}
		return list(all), true
	}
	return v, false
}
