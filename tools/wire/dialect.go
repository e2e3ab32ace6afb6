package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arcseat/arc/internal/plainjson"
)

// A Dialect is what a server takes of JSON Schema. Whatever a schema loses in one,
// a session still checks arguments against all of it.
type Dialect string

// The dialects.
const (
	// JSONSchema is the schema as it is, byte for byte. ([Format.Tools] alone takes
	// alternatives from its root, which no provider has there.)
	JSONSchema Dialect = ""

	// GeminiLegacy is Gemini's field parameters, for servers without
	// parametersJsonSchema: one type, strings in enum, no additionalProperties and
	// no exclusive limits. A nested object without properties, and any value, is
	// JSON in a string.
	GeminiLegacy Dialect = "gemini-legacy"

	// Grammar is for llama.cpp and servers like it, which make one grammar of all
	// tools: no repetitions of 2,000 and more, no object without properties, no
	// pattern without anchors. It gives an empty object a property that [Format.Read]
	// takes out again, and closes objects, so that it names what is accepted and not
	// published.
	Grammar Dialect = "grammar"

	// Scalar is for servers that take one type and no alternatives, as older ones
	// of Ollama's: the first that is not null, with the rest in the description.
	Scalar Dialect = "scalar"

	// OpenAIStrict is for strict mode: every property is required, and null where
	// it was optional; defaults are in descriptions; objects are closed, so that it
	// names what is accepted and not published.
	OpenAIStrict Dialect = "openai-strict"
)

// A Loss is one thing that a schema says and its dialect cannot.
type Loss struct {
	Tool string // "" of [Dialect.Schema]
	At   string // the property, as in subtasks[].title; "" is the schema itself
	What string // such as "maxLength 65536 dropped"
}

// String is a line for a log.
func (l Loss) String() string {
	s := ""
	for _, part := range []string{l.Tool, l.At} {
		if part != "" {
			s += part + ": "
		}
	}
	return s + l.What
}

// closes reports whether a model can give nothing that the dialect does not name.
func (d Dialect) closes() bool { return d == Grammar || d == OpenAIStrict }

// Bounds of what is rewritten. Schemas of services are a stranger's, and
// references in them can stand for more than they are long.
const (
	maxDepth = 40
	maxNodes = 5000
	maxBytes = 1 << 20
)

// errTooMuch says that a schema is beyond them.
var errTooMuch = errors.New("it is too large or too deep")

// Schema is the schema of an object in the dialect, and what it lost. Properties
// keep their order. The error says that schema is not an object's, or is too large
// (1 MiB), too deep (40) or has too many parts (5,000) to be rewritten; JSONSchema
// leaves it as it is and takes any valid object. It is pure, and the same again for what it has made.
func (d Dialect) Schema(schema json.RawMessage) (json.RawMessage, []Loss, error) {
	if !isObject(schema) {
		return nil, nil, plainjson.ErrNoObject
	}
	rules, ok := map[Dialect]rules{GeminiLegacy: geminiRules{}, Grammar: grammarRules{}, Scalar: scalarRules{}, OpenAIStrict: strictRules{}}[d]
	switch {
	case d == JSONSchema:
		return schema, nil, nil
	case !ok:
		return nil, nil, fmt.Errorf("there is no dialect %q", string(d))
	case len(schema) > maxBytes:
		return nil, nil, errTooMuch
	}
	root, err := plainjson.ParseObject(schema)
	if err != nil {
		return nil, nil, err
	}
	t := translation{rules: rules, root: root, found: map[string]object{}}
	top, at := t.resolve(slices.Clone(root), spot{}) // a reference is no object
	top = t.flatten(top)
	top.Set("type", json.RawMessage(`"object"`)) // arguments are nothing else
	out, err := t.object(top, at)
	if err != nil {
		return nil, nil, err
	}
	return out.Raw(), t.lost, nil
}

// rules are a dialect's. change makes of s what the dialect has in its place, all
// but the schemas inside of it, which are changed later.
type rules interface {
	change(t *translation, s *object, at spot)
	inline() bool // there are no references in it
}

// A spot is where a schema stands in another.
type spot struct {
	path  string
	depth int
	refs  []string // references on the way, for those that lead back
}

func (s spot) root() bool { return s.depth == 0 }

func (s spot) in(name string) spot {
	name = clip(name) // it stands in the path of all that is inside of it
	if s.path != "" && !strings.HasPrefix(name, "[") {
		name = "." + name
	}
	return spot{s.path + name, s.depth + 1, s.refs}
}

// A translation is one schema on its way into a dialect.
type translation struct {
	rules rules
	root  object            // for references
	found map[string]object // what they refer to
	nodes int
	size  int
	lost  []Loss
}

func (t *translation) lose(at spot, format string, args ...any) {
	t.lost = append(t.lost, Loss{At: at.path, What: fmt.Sprintf(format, args...)})
}

// forget takes keywords out of s and says so.
func (t *translation) forget(s *object, at spot, names ...string) {
	for _, n := range names {
		if v := s.Get(n); v != nil {
			t.lose(at, "%s %s dropped", clip(n), clip(string(v)))
			s.Drop(n)
		}
	}
}

// schema translates any schema: true, false or an object.
func (t *translation) schema(raw json.RawMessage, at spot) (json.RawMessage, error) {
	s, err := plainjson.ParseObject(raw)
	if err != nil {
		var b bool
		if json.Unmarshal(raw, &b) != nil {
			return nil, fmt.Errorf("%s is not a schema", at.path)
		}
		if !b {
			t.lose(at, "false became any value")
		}
		s = object{}
	}
	out, err := t.object(s, at)
	if err != nil {
		return nil, err
	}
	return out.Raw(), nil
}

func (t *translation) object(s object, at spot) (object, error) {
	if t.nodes++; t.nodes > maxNodes || at.depth > maxDepth {
		return nil, errTooMuch
	}
	s = slices.Clone(s)
	if t.rules.inline() {
		s, at = t.resolve(s, at)
	}
	for _, m := range s { // what references bring in counts each time
		t.size += len(m.Name)
		if !holdsSchemas(m.Name) {
			t.size += len(m.Value)
		}
	}
	if t.size > maxBytes {
		return nil, errTooMuch
	}
	t.rules.change(t, &s, at)
	for i := range s {
		if err := t.inside(&s[i], at); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// inside translates the schemas in a keyword.
func (t *translation) inside(m *member, at spot) (err error) {
	switch m.Name {
	case "properties", "$defs", "definitions":
		inner, err := plainjson.ParseObject(m.Value)
		if err != nil {
			return fmt.Errorf("%s is not an object", m.Name)
		}
		for i := range inner {
			below := at.in(inner[i].Name)
			if m.Name != "properties" {
				below = at.in(m.Name).in(inner[i].Name)
			}
			if inner[i].Value, err = t.schema(inner[i].Value, below); err != nil {
				return err
			}
		}
		m.Value = inner.Raw()
	case "items", "additionalProperties":
		if m.Value[0] == '{' {
			m.Value, err = t.schema(m.Value, at.in("[]"))
		}
	case "anyOf", "oneOf", "allOf", "prefixItems":
		inner := parseList(m.Value)
		for i := range inner {
			if inner[i], err = t.schema(inner[i], at.in(fmt.Sprintf("[%d]", i))); err != nil {
				return err
			}
		}
		m.Value = list(inner)
	}
	return err
}

func holdsSchemas(keyword string) bool {
	switch keyword {
	case "properties", "$defs", "definitions", "items", "additionalProperties", "anyOf", "oneOf", "allOf", "prefixItems":
		return true
	}
	return false
}

// resolve puts in the place of a reference what it refers to. One that leads back
// to itself, or nowhere, is any value.
func (t *translation) resolve(s object, at spot) (object, spot) {
	for s.Has("$ref") {
		ref := s.Text("$ref")
		s.Drop("$ref")
		target, ok := t.lookup(ref)
		switch {
		case !ok || slices.Contains(at.refs, ref):
			t.lose(at, "$ref %s became any value", clip(ref))
			return s, at
		case len(at.refs) > maxDepth:
			return s, at
		}
		at.refs = append(slices.Clone(at.refs), ref)
		for _, m := range target {
			if !s.Has(m.Name) {
				s.Set(m.Name, m.Value)
			}
		}
	}
	return s, at
}

// lookup follows a reference such as #/$defs/name into the schema.
func (t *translation) lookup(ref string) (object, bool) {
	if o, ok := t.found[ref]; ok {
		return o, o != nil
	}
	t.found[ref] = nil
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	here := t.root
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if name == "" {
			continue
		}
		name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
		next, err := plainjson.ParseObject(here.Get(name))
		if err != nil {
			return nil, false
		}
		here = next
	}
	t.found[ref] = here
	return here, true
}
