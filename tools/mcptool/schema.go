package mcptool

import (
	"encoding/json"
	"slices"

	"github.com/arcseat/arc/internal/page"
	"github.com/arcseat/arc/internal/plainjson"
)

// Limits of a schema, in bytes.
const (
	maxSchema    = 8 << 10 // of one that is listed
	maxCanonical = 1 << 20 // of one that is looked into at all
)

// anyObject is what is left of a schema that nothing can be made of.
const anyObject = `{"type":"object"}`

// published is the schema with which a tool is listed, and whether that is less than
// what the service says. Each form is tried in turn: fits reports whether the arguments
// can be checked against one. What is left out makes a schema weaker and never stricter,
// so that no call is refused that the service would take.
func published(raw json.RawMessage, fits func(json.RawMessage) bool) (schema json.RawMessage, reduced bool) {
	if len(raw) > maxCanonical {
		return json.RawMessage(anyObject), true
	}
	whole, changed := ofObject(raw)
	forms := []func(json.RawMessage) json.RawMessage{
		undated,
		func(s json.RawMessage) json.RawMessage { return slim(s, 0, 160) },
		func(s json.RawMessage) json.RawMessage { return slim(s, 0, 0) },
		func(s json.RawMessage) json.RawMessage { return flat(s, true) },
		func(s json.RawMessage) json.RawMessage { return flat(s, false) },
	}
	for i, form := range forms {
		if s := form(whole); len(s) <= maxSchema && fits(s) {
			return s, changed || i > 0
		}
	}
	return json.RawMessage(anyObject), true
}

// ofObject is raw as the schema of an object, which the arguments of a tool are. The
// protocol asks for that, and services forget it: no schema, or one without a type, is
// completed. One that says another thing is changed.
func ofObject(raw json.RawMessage) (schema json.RawMessage, changed bool) {
	if string(compact(raw)) == "null" {
		return json.RawMessage(anyObject), false
	}
	all, err := plainjson.ParseObject(raw)
	if err != nil {
		return json.RawMessage(anyObject), true
	}
	kept := plainjson.Object{{Name: "type", Value: json.RawMessage(`"object"`)}}
	for _, m := range all {
		switch {
		case m.Name != "type":
			kept = append(kept, m)
		case string(compact(m.Value)) == string(kept[0].Value):
			return raw, false
		default:
			changed = true
		}
	}
	return kept.Raw(), changed
}

// undated is a schema without the version of the language that it is in, which some
// providers refuse and which limits nothing.
func undated(raw json.RawMessage) json.RawMessage {
	all, err := plainjson.ParseObject(raw)
	if err != nil {
		return compact(raw)
	}
	return compact(slices.DeleteFunc(all, func(m plainjson.Member) bool { return m.Name == "$schema" }).Raw())
}

// Keywords by what stands in them.
var (
	namedSchemas = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
	listSchemas  = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	oneSchema    = []string{"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems"}
	onlyWords    = []string{"title", "examples", "example", "default", "$comment", "$schema", "$id", "deprecated", "readOnly", "writeOnly", "markdownDescription"}
)

// maxSlim is how deep a schema is looked into. What lies deeper stays as it is.
const maxSlim = 12

// slim is a schema without the words that say nothing of what is allowed, and with
// descriptions of at most words bytes.
func slim(raw json.RawMessage, depth, words int) json.RawMessage {
	all, err := plainjson.ParseObject(raw)
	if err != nil || depth > maxSlim {
		return compact(raw)
	}
	var kept plainjson.Object
	for _, m := range all {
		switch {
		case slices.Contains(onlyWords, m.Name):
			continue
		case m.Name == "description":
			if m.Value = shortText(m.Value, words); m.Value == nil {
				continue
			}
		case slices.Contains(namedSchemas, m.Name):
			if named, err := plainjson.ParseObject(m.Value); err == nil {
				for i := range named {
					named[i].Value = slim(named[i].Value, depth+1, words)
				}
				m.Value = named.Raw()
			}
		case slices.Contains(listSchemas, m.Name):
			var list []json.RawMessage
			if json.Unmarshal(m.Value, &list) == nil {
				for i := range list {
					list[i] = slim(list[i], depth+1, words)
				}
				m.Value, _ = json.Marshal(list) // of valid parts
			}
		case slices.Contains(oneSchema, m.Name):
			m.Value = slim(m.Value, depth+1, words)
		}
		kept = append(kept, plainjson.Member{Name: m.Name, Value: compact(m.Value)})
	}
	return kept.Raw()
}

// flat is a schema that names its properties and which of them are required, and with
// types also of what type each is.
func flat(raw json.RawMessage, types bool) json.RawMessage {
	all, err := plainjson.ParseObject(raw)
	if err != nil {
		return json.RawMessage(anyObject)
	}
	out := plainjson.Object{{Name: "type", Value: json.RawMessage(`"object"`)}}
	for _, m := range all {
		switch m.Name {
		case "required":
			out = append(out, plainjson.Member{Name: m.Name, Value: compact(m.Value)})
		case "properties":
			props, err := plainjson.ParseObject(m.Value)
			if err != nil {
				continue
			}
			for i := range props {
				props[i].Value = flatProperty(props[i].Value, types)
			}
			out = append(out, plainjson.Member{Name: m.Name, Value: props.Raw()})
		}
	}
	return out.Raw()
}

func flatProperty(raw json.RawMessage, types bool) json.RawMessage {
	all, err := plainjson.ParseObject(raw)
	if err != nil || !types {
		return json.RawMessage("{}")
	}
	var out plainjson.Object
	for _, m := range all {
		switch m.Name {
		case "type":
			out = append(out, plainjson.Member{Name: m.Name, Value: compact(m.Value)})
		case "description":
			if d := shortText(m.Value, 80); d != nil {
				out = append(out, plainjson.Member{Name: m.Name, Value: d})
			}
		}
	}
	return out.Raw()
}

// shortText is a JSON string on one line of at most limit bytes, or nil.
func shortText(raw json.RawMessage, limit int) json.RawMessage {
	var s string
	if limit == 0 || json.Unmarshal(raw, &s) != nil {
		return nil
	}
	return plainjson.Quote(oneLine(s, limit))
}

// clip is at most limit bytes of s, and says with its last character that it is cut.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return s[:page.Cut(s, limit-len("…"))] + "…"
}
