package wire

import (
	"encoding/json"
	"slices"
)

// flat is a schema without alternatives at its root, where providers refuse them:
// one such tool would cost the whole request. Their properties are all its own
// then, and of all the alternatives at once those are required that all of allOf
// require. It says what was lost.
func flat(schema json.RawMessage) (json.RawMessage, []Loss) {
	root, err := parseObject(schema)
	if err != nil {
		return schema, nil
	}
	t := translation{root: root, found: map[string]object{}}
	out := t.flatten(slices.Clone(root))
	if len(t.lost) == 0 && string(root.get("type")) == `"object"` {
		return schema, nil
	}
	out.set("type", json.RawMessage(`"object"`))
	return out.raw(), t.lost
}

// flatten is flat of a root, whose own reference is resolved.
func (t *translation) flatten(root object) object {
	own, err := parseObject(root.get("properties"))
	if err != nil {
		own = object{}
	}
	named := map[string]bool{} // a list would be looked through for each
	for _, p := range own {
		named[p.name] = true
	}
	var required []string
	_ = json.Unmarshal(root.get("required"), &required)
	found := false
	for _, keyword := range [...]string{"allOf", "anyOf", "oneOf"} {
		for _, raw := range parseList(root.get(keyword)) {
			inner, err := parseObject(raw)
			if err != nil {
				continue
			}
			inner, _ = t.resolve(inner, spot{})
			more, err := parseObject(inner.get("properties"))
			if err != nil {
				continue
			}
			found = true
			for _, p := range more {
				if !named[p.name] {
					own, named[p.name] = append(own, p), true
				}
			}
			var needs []string
			if keyword == "allOf" && json.Unmarshal(inner.get("required"), &needs) == nil {
				required = append(required, needs...)
			}
		}
		if root.has(keyword) {
			t.lose(spot{}, "%s became one object of all their properties", keyword)
			root.drop(keyword)
		}
	}
	t.forget(&root, spot{}, "enum", "const", "not")
	if found {
		root.set("properties", own.raw())
		slices.Sort(required)
		root.set("required", encode(slices.Compact(required)))
	}
	return root
}
