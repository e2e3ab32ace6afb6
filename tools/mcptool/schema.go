package mcptool

import (
	"encoding/json"
	"slices"

	"github.com/arcseat/arc/internal/page"
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
	all, err := members(raw)
	if err != nil {
		return json.RawMessage(anyObject), true
	}
	kept := []member{{"type", json.RawMessage(`"object"`)}}
	for _, m := range all {
		switch {
		case m.name != "type":
			kept = append(kept, m)
		case string(compact(m.value)) == string(kept[0].value):
			return raw, false
		default:
			changed = true
		}
	}
	return object(kept), changed
}

// undated is a schema without the version of the language that it is in, which some
// providers refuse and which limits nothing.
func undated(raw json.RawMessage) json.RawMessage {
	all, err := members(raw)
	if err != nil {
		return compact(raw)
	}
	return compact(object(slices.DeleteFunc(all, func(m member) bool { return m.name == "$schema" })))
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
	all, err := members(raw)
	if err != nil || depth > maxSlim {
		return compact(raw)
	}
	var kept []member
	for _, m := range all {
		switch {
		case slices.Contains(onlyWords, m.name):
			continue
		case m.name == "description":
			if m.value = shortText(m.value, words); m.value == nil {
				continue
			}
		case slices.Contains(namedSchemas, m.name):
			if named, err := members(m.value); err == nil {
				for i := range named {
					named[i].value = slim(named[i].value, depth+1, words)
				}
				m.value = object(named)
			}
		case slices.Contains(listSchemas, m.name):
			var list []json.RawMessage
			if json.Unmarshal(m.value, &list) == nil {
				for i := range list {
					list[i] = slim(list[i], depth+1, words)
				}
				m.value, _ = json.Marshal(list) // of valid parts
			}
		case slices.Contains(oneSchema, m.name):
			m.value = slim(m.value, depth+1, words)
		}
		kept = append(kept, member{m.name, compact(m.value)})
	}
	return object(kept)
}

// flat is a schema that names its properties and which of them are required, and with
// types also of what type each is.
func flat(raw json.RawMessage, types bool) json.RawMessage {
	all, err := members(raw)
	if err != nil {
		return json.RawMessage(anyObject)
	}
	out := []member{{"type", json.RawMessage(`"object"`)}}
	for _, m := range all {
		switch m.name {
		case "required":
			out = append(out, member{m.name, compact(m.value)})
		case "properties":
			props, err := members(m.value)
			if err != nil {
				continue
			}
			for i := range props {
				props[i].value = flatProperty(props[i].value, types)
			}
			out = append(out, member{m.name, object(props)})
		}
	}
	return object(out)
}

func flatProperty(raw json.RawMessage, types bool) json.RawMessage {
	all, err := members(raw)
	if err != nil || !types {
		return json.RawMessage("{}")
	}
	var out []member
	for _, m := range all {
		switch m.name {
		case "type":
			out = append(out, member{m.name, compact(m.value)})
		case "description":
			if d := shortText(m.value, 80); d != nil {
				out = append(out, member{m.name, d})
			}
		}
	}
	return object(out)
}

// shortText is a JSON string on one line of at most limit bytes, or nil.
func shortText(raw json.RawMessage, limit int) json.RawMessage {
	var s string
	if limit == 0 || json.Unmarshal(raw, &s) != nil {
		return nil
	}
	return text(oneLine(s, limit))
}

// clip is at most limit bytes of s, and says with its last character that it is cut.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return s[:page.Cut(s, limit-len("…"))] + "…"
}
