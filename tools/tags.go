package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"
)

// The keywords that a jsonschema tag may have. The reflector drops every other
// one, and those that don't belong to the property's type, without a word.
var (
	keywordsOfAny    = []string{"title", "description", "type", "oneof_type", "anyof_type"}
	keywordsOfString = []string{"minLength", "maxLength", "pattern", "format", "default", "example", "enum", "readOnly", "writeOnly"}
	keywordsOfNumber = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "default", "example", "enum"}
	keywordsOfArray  = []string{"minItems", "maxItems", "uniqueItems"}
	keywordsOfBool   = []string{"default"}
)

// tags reports each keyword of f's jsonschema and jsonschema_extras tags that
// has no effect on p.
func (d *deriver) tags(f reflect.StructField, p *jsonschema.Schema, at string) {
	for _, kw := range splitTag(f.Tag.Get("jsonschema")) {
		if err := checkKeyword(p, kw); err != nil {
			d.problem(at, "has jsonschema tag %q: %v", kw, err)
		}
	}
	for _, kw := range splitTag(f.Tag.Get("jsonschema_extras")) {
		name, val, ok := strings.Cut(kw, "=")
		_, err := strconv.Atoi(val)
		switch {
		case !ok:
			d.problem(at, "has jsonschema_extras tag %q, must be keyword=value", kw)
		case name == "minimum" && err != nil:
			d.problem(at, "has jsonschema_extras tag %q, must be a whole number", kw)
		case name == "type" && !slices.Contains(typeNames, val):
			d.problem(at, "has jsonschema_extras tag %q, which is no type", kw)
		}
	}
	if list, ok := p.Extras["type"].(string); ok {
		p.Extras["type"] = []string{list} // one in the tag still means a list
	}
}

var typeNames = []string{"string", "integer", "number", "boolean", "array", "object", "null"}

func checkKeyword(p *jsonschema.Schema, kw string) error {
	name, val, ok := strings.Cut(kw, "=")
	if !ok {
		if name == "required" || name == "nullable" {
			return nil
		}
		return errors.New("must be keyword=value")
	}
	if slices.Contains(keywordsOfAny, name) {
		return nil
	}
	if p.Type == "array" && !slices.Contains(keywordsOfArray, name) && p.Items != nil {
		p = p.Items // the reflector hands the rest on to the items
	}
	if !slices.Contains(map[string][]string{
		"string": keywordsOfString, "integer": keywordsOfNumber, "number": keywordsOfNumber,
		"array": keywordsOfArray, "boolean": keywordsOfBool,
	}[p.Type], name) {
		if p.Type == "" {
			return errors.New("the property has no single type, so it belongs into jsonschema_extras or a check tag")
		}
		return fmt.Errorf("it is no keyword of a property of type %s", p.Type)
	}
	return checkKeywordValue(p.Type, name, val)
}

func checkKeywordValue(typ, name, val string) error {
	switch name {
	case "minLength", "maxLength", "minItems", "maxItems":
		if _, err := strconv.ParseUint(val, 10, 31); err != nil {
			return errors.New("must be a whole number")
		}
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return numberValue(val)
	case "default", "enum", "example":
		switch typ {
		case "integer", "number":
			return numberValue(val)
		case "boolean":
			if val != "true" && val != "false" {
				return errors.New("must be true or false")
			}
		}
	}
	return nil
}

func numberValue(val string) error {
	if _, err := strconv.ParseFloat(val, 64); err != nil || !json.Valid([]byte(val)) {
		return errors.New("must be a number")
	}
	return nil
}

// setKeyword adds a constraint of a check tag to p.
func setKeyword(p *jsonschema.Schema, kw string) error {
	name, val, ok := strings.Cut(kw, "=")
	if !ok {
		return errors.New("must be keyword=value")
	}
	if p.Type == "array" && !slices.Contains(keywordsOfArray, name) && p.Items != nil {
		p = p.Items
	}
	if err := checkKeywordValue(p.Type, name, val); err != nil {
		return err
	}
	length := func() *uint64 { n, _ := strconv.ParseUint(val, 10, 31); return &n }
	switch name {
	case "minimum":
		p.Minimum = json.Number(val)
	case "maximum":
		p.Maximum = json.Number(val)
	case "exclusiveMinimum":
		p.ExclusiveMinimum = json.Number(val)
	case "exclusiveMaximum":
		p.ExclusiveMaximum = json.Number(val)
	case "multipleOf":
		p.MultipleOf = json.Number(val)
	case "minLength":
		p.MinLength = length()
	case "maxLength":
		p.MaxLength = length()
	case "minItems":
		p.MinItems = length()
	case "maxItems":
		p.MaxItems = length()
	case "pattern":
		p.Pattern = val
	case "enum":
		var v any = val
		if p.Type == "integer" || p.Type == "number" {
			v = json.Number(val)
		}
		p.Enum = append(p.Enum, v)
	default:
		return errors.New("it is no keyword that can be checked")
	}
	return nil
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
