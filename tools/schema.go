package tools

import (
	"encoding"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/invopop/jsonschema"
)

// Closed, as a blank field (`_ tools.Closed`), closes the schema of a struct and
// of the structs inside it: a property that it does not name is refused.
type Closed struct{}

// Strict, as a blank field, refuses what Closed does, without a word of it in the
// published schema: for a tool whose schema is given and open, and where a misspelt
// property would do harm.
type Strict struct{}

// Schema derives the JSON Schema of A, a struct, from its tags; see the package
// comment for them. It is compact, in the order of the fields, and made anew at
// each call. The error names every tag that would have no effect.
func Schema[A any]() (json.RawMessage, error) {
	published, _, err := schemasOf(reflect.TypeFor[A]())
	return published, err
}

// schemasOf derives two schemas of t: what a model is shown, and what its
// arguments are checked against, which has the check tags and the additive
// properties as well.
func schemasOf(t reflect.Type) (published, checked json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil { // of a type's own JSONSchema method
			err = fmt.Errorf("the schema of %s cannot be made: %v", t, p)
		}
	}()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, nil, fmt.Errorf("arguments are %s, must be a struct", t)
	}
	if err := derivable(t, nil); err != nil {
		return nil, nil, err
	}
	d := deriver{checked: true}
	if checked, err = d.derive(t); err != nil {
		return nil, nil, err
	}
	d.checked = false
	published, err = d.derive(t)
	return published, checked, err
}

// derivable reports types for which the reflector would panic or never end.
func derivable(t reflect.Type, above []reflect.Type) error {
	if slices.Contains(above, t) {
		return fmt.Errorf("%s contains itself, which a schema without references cannot say", t)
	}
	if saysItself(t) || readsText(t) {
		return nil
	}
	if readsJSON(t) && t != reflect.TypeFor[time.Time]() && !hasProperties(t) || t == reflect.TypeFor[url.URL]() {
		return fmt.Errorf("%s is not read from an object of its fields, so it needs a method JSONSchema", t)
	}
	above = append(above, t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return derivable(t.Elem(), above)
	case reflect.Struct:
		for f := range t.Fields() {
			if name, _ := propertyName(f); name == "" && !f.Anonymous {
				continue
			}
			if err := derivable(f.Type, above); err != nil {
				return err
			}
		}
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return fmt.Errorf("%s has no JSON form", t)
		}
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer, reflect.Uintptr:
		return fmt.Errorf("%s has no JSON form", t)
	}
	return nil
}

// saysItself reports whether t has a schema of its own.
func saysItself(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[interface{ JSONSchema() *jsonschema.Schema }]())
}

// readsJSON and readsText report whether t decodes itself from JSON, or else from a
// string.
func readsJSON(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

func readsText(t reflect.Type) bool {
	return !readsJSON(t) && reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// hasProperties is false for a struct that keeps to itself what it has, so that the
// reflector could say nothing of it.
func hasProperties(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return true
	}
	for f := range t.Fields() {
		if name, _ := propertyName(f); name != "" || f.Anonymous {
			return true
		}
	}
	return false
}

// textual is the schema of types that decode themselves from a string, of which
// the reflector would show the fields.
func textual(t reflect.Type) *jsonschema.Schema {
	if readsText(t) && !saysItself(t) {
		return &jsonschema.Schema{Type: "string"}
	}
	return nil
}

// A deriver makes one of the two schemas. With the checked one, which has all tags
// in it, it collects what is wrong with them.
type deriver struct {
	checked  bool
	problems []string
}

func (d *deriver) derive(t reflect.Type) (json.RawMessage, error) {
	d.problems = nil
	r := jsonschema.Reflector{Anonymous: true, DoNotReference: true, AllowAdditionalProperties: true, Mapper: textual}
	s := r.ReflectFromType(t)
	s.Version = ""
	d.object(t, s, "", false, make(map[string]string))
	if len(d.problems) > 0 {
		return nil, fmt.Errorf("%s", strings.Join(d.problems, "; "))
	}
	if len(s.Required) == 0 && s.AdditionalProperties == nil {
		// The source's open schemas say so when they require nothing; the
		// reflector leaves an empty list out.
		s.Extras = map[string]any{"required": []string{}}
	}
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return unescapeHTML(b), nil
}

// object finishes s, which the reflector made of struct t: it closes it, drops
// what is not published and adds what is only checked. names are the fields by
// their name in JSON, those of the structs around an embedded one among them.
func (d *deriver) object(t reflect.Type, s *jsonschema.Schema, at string, closed bool, names map[string]string) {
	for f := range t.Fields() {
		closed = closed || f.Type == reflect.TypeFor[Closed]() || d.checked && f.Type == reflect.TypeFor[Strict]()
	}
	if closed {
		s.AdditionalProperties = jsonschema.FalseSchema
	}
	for f := range t.Fields() {
		name, optional := propertyName(f)
		if d.checked {
			d.field(f, name, at, names)
		}
		if name == "" {
			if e := indirect(f.Type); f.Anonymous && e.Kind() == reflect.Struct {
				d.object(e, s, at, closed, names)
			}
			continue
		}
		p, ok := s.Properties.Get(name)
		if !ok {
			continue
		}
		d.property(f, p, at+name, closed)
		additive, ok := f.Tag.Lookup(tagAdditive)
		switch {
		case !ok:
			continue
		case additive != "true":
			d.problem(at+name, `has additive tag %q, must be "true" or left out`, additive)
		case !optional:
			d.problem(at+name, "is additive and required, which nobody could know")
		}
		if !d.checked {
			s.Properties.Delete(name)
		}
	}
}

// field reports what is wrong with f before its keywords are looked at.
func (d *deriver) field(f reflect.StructField, name, at string, names map[string]string) {
	if name == "" {
		d.tagKeys(f, at+f.Name)
		d.notProperty(f, at+f.Name)
		return
	}
	d.tagKeys(f, at+name)
	d.jsonTag(f, at+name)
	if other, ok := names[name]; ok {
		d.problem(at+name, "is the json name of both %s and %s", other, f.Name)
	}
	names[name] = f.Name
	if f.Anonymous && !f.IsExported() {
		d.notProperty(f, at+name)
	}
}

func (d *deriver) property(f reflect.StructField, p *jsonschema.Schema, at string, closed bool) {
	if slices.Contains(strings.Split(f.Tag.Get(tagSchema), ","), "nullable") && len(p.OneOf) > 0 {
		p = p.OneOf[0] // where the reflector puts the property itself
	}
	if d.checked {
		d.tags(f, p, at)
	}
	if list := typesIn(p); p.Extras["type"] != nil {
		p.Extras["type"], p.Type = list, "" // one in the tag still means a list
	}
	if d.checked && hasKeywords(f) {
		d.coherent(p, at)
	}
	d.inside(f.Type, p, at, closed)
}

// inside goes to the structs within a property's type.
func (d *deriver) inside(t reflect.Type, p *jsonschema.Schema, at string, closed bool) {
	t = indirect(t)
	switch {
	case saysItself(t), readsText(t):
	case t.Kind() == reflect.Struct && p.Properties != nil:
		d.object(t, p, at+".", closed, make(map[string]string))
	case (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && p.Items != nil:
		d.inside(t.Elem(), p.Items, at+"[]", closed)
	case t.Kind() == reflect.Map && p.AdditionalProperties != nil:
		d.inside(t.Elem(), p.AdditionalProperties, at+"{}", closed)
	}
}

func (d *deriver) problem(at, format string, args ...any) {
	d.problems = append(d.problems, at+" "+fmt.Sprintf(format, args...))
}

// propertyName is the name of f in JSON, empty if it has none of its own, and
// whether it may be left out.
func propertyName(f reflect.StructField) (name string, optional bool) {
	tag, ok := f.Tag.Lookup("json")
	name, opts, _ := strings.Cut(tag, ",")
	switch {
	case tag == "-", strings.Split(f.Tag.Get(tagSchema), ",")[0] == "-", !f.IsExported() && !f.Anonymous:
		return "", false
	case f.Anonymous && (!ok || name == "") && indirect(f.Type).Kind() == reflect.Struct:
		return "", false
	case name == "":
		name = f.Name
	}
	for o := range strings.SplitSeq(opts, ",") {
		optional = optional || o == "omitempty" || o == "omitzero"
	}
	return name, optional
}

func indirect(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// unescapeHTML writes <, > and & as themselves: a description costs a model
// tokens, and nobody puts a schema into a page.
func unescapeHTML(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 == len(b) {
			out = append(out, b[i])
			continue
		}
		if i+6 <= len(b) {
			if c, ok := map[string]byte{`\u003c`: '<', `\u003e`: '>', `\u0026`: '&'}[string(b[i:i+6])]; ok {
				out = append(out, c)
				i += 5
				continue
			}
		}
		out = append(out, b[i], b[i+1])
		i++
	}
	return out
}
