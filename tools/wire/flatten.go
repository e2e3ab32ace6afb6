package wire

import (
	"encoding/json"
	"slices"

	"github.com/arcseat/arc/internal/plainjson"
)

// flat is a schema without alternatives at its root, where providers refuse them:
// one such tool would cost the whole request. Their properties are all its own
// then, and of all the alternatives at once those are required that all of allOf
// require. It says what was lost.
func flat(schema json.RawMessage) (json.RawMessage, []Loss) {
	root, err := plainjson.ParseObject(schema)
	if err != nil {
		return schema, nil
	}
	t := translation{root: root, found: map[string]object{}}
	out := t.flatten(slices.Clone(root))
	if len(t.lost) == 0 && string(root.Get("type")) == `"object"` {
		return schema, nil
	}
	out.Set("type", json.RawMessage(`"object"`))
	return out.Raw(), t.lost
}

// flatten is flat of a root, whose own reference is resolved.
func (t *translation) flatten(root object) object {
	own, err := plainjson.ParseObject(root.Get("properties"))
	if err != nil {
		own = object{}
	}
	named := map[string]bool{} // a list would be looked through for each
	for _, p := range own {
		named[p.Name] = true
	}
	var required []string
	_ = json.Unmarshal(root.Get("required"), &required)
	found := false
	for _, keyword := range [...]string{"allOf", "anyOf", "oneOf"} {
		for _, raw := range parseList(root.Get(keyword)) {
			inner, err := plainjson.ParseObject(raw)
			if err != nil {
				continue
			}
			inner, _ = t.resolve(inner, spot{})
			more, err := plainjson.ParseObject(inner.Get("properties"))
			if err != nil {
				continue
			}
			found = true
			for _, p := range more {
				if !named[p.Name] {
					own, named[p.Name] = append(own, p), true
				}
			}
			var needs []string
			if keyword == "allOf" && json.Unmarshal(inner.Get("required"), &needs) == nil {
				required = append(required, needs...)
			}
		}
		if root.Has(keyword) {
			t.lose(spot{}, "%s became one object of all their properties", keyword)
			root.Drop(keyword)
		}
	}
	t.forget(&root, spot{}, "enum", "const", "not")
	if found {
		root.Set("properties", own.Raw())
		slices.Sort(required)
		root.Set("required", encode(slices.Compact(required)))
	}
	return root
}
