package tools

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"
)

// Tags of a field that this package reads beside json.
const (
	tagSchema      = "jsonschema"
	tagDescription = "jsonschema_description"
	tagExtras      = "jsonschema_extras"
	tagCheck       = "check"
	tagAdditive    = "additive"
)

// ourTags has the longer names first, which those that begin alike are closer to.
var ourTags = []string{tagDescription, tagExtras, tagSchema, tagCheck, tagAdditive}

// foreignTags are other libraries' that look like ours.
var foreignTags = []string{"bson", "jsonapi", "jsonb", "jsonpath", "jsonpb", "schema"}

// tagKeys reports what of f's tag nobody reads, whatever its keys hold: parts that
// are not well-formed, a key that is there twice, and a key that was perhaps meant
// to be one of ours.
func (d *deriver) tagKeys(f reflect.StructField, at string) {
	var seen []string
	for rest := strings.TrimLeft(string(f.Tag), " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		key, after, _ := strings.Cut(rest, ":")
		val, err := strconv.QuotedPrefix(after)
		if err != nil || val[0] != '"' || key == "" || strings.ContainsAny(key, " \t\",") {
			d.problem(at, `has a tag that is not key:"value" at %s`, clip(rest, maxShown))
			return
		}
		rest = after[len(val):]
		if slices.Contains(seen, key) {
			d.problem(at, "has the tag key %s twice", key)
		}
		seen = append(seen, key)
		known := append(slices.Clone(ourTags), "json")
		if slices.Contains(known, key) || slices.Contains(foreignTags, key) {
			continue
		}
		for _, meant := range near(key, known, 1) {
			d.problem(at, "has the tag key %s, which nobody reads; did you mean %s?", key, meant)
		}
	}
}

// notProperty reports a field that has tags of a property and is none.
func (d *deriver) notProperty(f reflect.StructField, at string) {
	json, named := f.Tag.Lookup("json")
	e := indirect(f.Type)
	switch {
	case f.Anonymous && !f.IsExported() && (f.Type.Kind() == reflect.Pointer || e.Kind() != reflect.Struct):
		// also with a name of its own: encoding/json cannot set it
		d.problem(at, "is embedded, and %s is not exported, so that no value can be put there", f.Type)
		return
	case !f.IsExported() && !f.Anonymous && named && json != "-":
		d.problem(at, "has a json tag, and is not exported")
		return
	}
	for _, key := range ourTags {
		if v, ok := f.Tag.Lookup(key); ok && (key != tagSchema || v != "-") {
			d.problem(at, "has the tag %s, and is no property", key)
		}
	}
}

// jsonTag reports a name or an option of f's json tag that encoding/json passes over.
func (d *deriver) jsonTag(f reflect.StructField, at string) {
	name, opts, some := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" || strings.ContainsAny(name, "\"'`\\") {
		d.problem(at, "has the json name %s, which no property can have", quote(name))
	}
	if !some {
		return
	}
	for o := range strings.SplitSeq(opts, ",") {
		if !slices.Contains([]string{"", "omitempty", "omitzero", "string"}, o) {
			d.problem(at, "has the json option %q, which there is not", o)
		}
	}
}

// tags reports each keyword of f's tags that has no effect on its property p, and
// adds to p what is only checked.
func (d *deriver) tags(f reflect.StructField, p *jsonschema.Schema, at string) {
	types := typesIn(p)
	seen := map[string]string{} // the tag in which a keyword stands
	if _, ok := f.Tag.Lookup(tagDescription); ok {
		seen["description"] = tagDescription
	}
	for _, key := range []string{tagSchema, tagExtras, tagCheck} {
		for _, kw := range splitTag(f.Tag.Get(key)) {
			var err error
			switch key {
			case tagSchema:
				err = checkKeyword(p, kw)
			case tagExtras:
				err = checkExtra(types, kw)
			case tagCheck:
				err = setKeyword(p, types, kw)
			}
			if err != nil {
				d.problem(at, "has %s tag %q: %v", key, kw, err)
				continue
			}
			name, _, _ := strings.Cut(kw, "=")
			if in := seen[name]; in != "" && (in != key || !mayRepeat(p, key, name)) || seen[kw] != "" {
				d.problem(at, "has the keyword %s twice", kw)
			}
			seen[name], seen[kw] = key, key
		}
	}
}

// hasKeywords reports whether f's tags say more of it than its type does.
func hasKeywords(f reflect.StructField) bool {
	return f.Tag.Get(tagSchema)+f.Tag.Get(tagExtras)+f.Tag.Get(tagCheck) != ""
}

// splitTag splits a tag at its commas; \, is a comma of a value.
func splitTag(tag string) []string {
	if tag == "" {
		return nil
	}
	const comma = "\x00"
	parts := strings.Split(strings.ReplaceAll(tag, `\,`, comma), ",")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(p, comma, ",")
	}
	return parts
}
