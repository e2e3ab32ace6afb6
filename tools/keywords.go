package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"
)

// The keywords that a jsonschema tag may have: those that a model reads, and those
// that its arguments are checked against. The reflector drops every other one, and
// those that don't belong to the property's type, without a word.
var (
	keywordsOfAny  = []string{"title", "description", "type", "oneof_type", "anyof_type"}
	keywordsOfType = map[string][]string{
		"string":  {"minLength", "maxLength", "pattern", "default", "example", "enum"},
		"integer": keywordsOfNumber,
		"number":  keywordsOfNumber,
		"array":   {"minItems", "maxItems", "uniqueItems"},
		"boolean": {"default"},
	}
	keywordsOfNumber = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "default", "example", "enum"}

	// keywordsUnchecked would promise a model what nobody holds it to.
	keywordsUnchecked = []string{
		"format", "readOnly", "writeOnly", "minProperties", "maxProperties", "propertyNames", "dependentRequired",
		"contains", "minContains", "maxContains", "contentEncoding", "contentMediaType", "unevaluatedProperties", "if", "then", "else",
	}

	// keywordsOfExtras have the same form there as in a schema, words for a model
	// first. minimum is there for a property that has several types.
	keywordsOfExtras = []string{"title", "$comment", "deprecated", "type", "minimum", "pattern", "uniqueItems"}
)

var typeNames = []string{"string", "integer", "number", "boolean", "array", "object", "null"}

var (
	errNotChecked = errors.New("it would be published and not checked")
	errNoPair     = errors.New("must be keyword=value")
)

// typesIn are the types that p may have; none: any.
func typesIn(p *jsonschema.Schema) []string {
	switch list := p.Extras["type"].(type) {
	case string:
		return []string{list}
	case []string:
		return list
	}
	if p.Type == "" {
		return nil
	}
	return []string{p.Type}
}

// mayRepeat reports whether a keyword makes a list in the tag called key.
func mayRepeat(p *jsonschema.Schema, key, name string) bool {
	switch name {
	case "enum", "example":
		return true
	case "type":
		return key == tagExtras
	case "default":
		return p.Type == "array"
	}
	return false
}

// bearer is p or, as the reflector does it, p's items, if the keyword is not one
// of lists.
func bearer(p *jsonschema.Schema, name string) *jsonschema.Schema {
	if p.Type == "array" && p.Items != nil && !slices.Contains(keywordsOfType["array"], name) {
		return p.Items
	}
	return p
}

// checkKeyword reports why kw of a jsonschema tag has no effect on p.
func checkKeyword(p *jsonschema.Schema, kw string) error {
	name, val, ok := strings.Cut(kw, "=")
	switch {
	case !ok && name == "nullable":
		return nil
	case !ok && name == "required":
		return errors.New("a property is required when its json tag has no omitempty")
	case !ok:
		return errNoPair
	case name == "type", name == "oneof_type", name == "anyof_type":
		return typeList(strings.Split(val, ";"))
	case slices.Contains(keywordsOfAny, name):
		return nil
	case slices.Contains(keywordsUnchecked, name):
		return errNotChecked
	case p.Type == "array" && strings.Contains(val, "="):
		return errors.New("a value for a list cannot hold =")
	}
	b := bearer(p, name)
	switch {
	case b.Type == "":
		return errors.New("the property has no single type, so it belongs into jsonschema_extras or a check tag")
	case !slices.Contains(keywordsOfType[b.Type], name):
		return fmt.Errorf("it is no keyword of a property of type %s", b.Type)
	case b != p && name == "default" && b.Type != "string":
		return errors.New("only a list of strings can have a default")
	}
	return checkKeywordValue(b.Type, name, val)
}

func typeList(names []string) error {
	for _, n := range names {
		if !slices.Contains(typeNames, n) {
			return fmt.Errorf("%q is no type", n)
		}
	}
	return nil
}

// checkExtra reports why kw of a jsonschema_extras tag has no effect on a property
// of some types.
func checkExtra(types []string, kw string) error {
	name, val, ok := strings.Cut(kw, "=")
	switch {
	case !ok:
		return errNoPair
	case strings.HasPrefix(name, "x-"):
		return nil
	case slices.Contains(keywordsUnchecked, name):
		return errNotChecked
	case !slices.Contains(keywordsOfExtras, name):
		return fmt.Errorf("it is none of %s, nor x-…", strings.Join(keywordsOfExtras, ", "))
	}
	switch name {
	case "type":
		return typeList([]string{val})
	case "minimum":
		if _, err := strconv.Atoi(val); err != nil {
			return errors.New("must be a whole number here")
		}
	case "title", "$comment":
		return nil
	case "deprecated":
		return checkTrue(val)
	}
	return checkOfTypes(types, name, val)
}

// checkOfTypes reports why a keyword that is checked has no effect on a property
// of some types.
func checkOfTypes(types []string, name, val string) error {
	if types == nil {
		types = typeNames
	}
	for _, t := range types {
		if slices.Contains(keywordsOfType[t], name) {
			return checkKeywordValue(t, name, val)
		}
	}
	return fmt.Errorf("it is no keyword of a property of type %s", strings.Join(types, " or "))
}

func checkKeywordValue(typ, name, val string) error {
	switch name {
	case "minLength", "maxLength", "minItems", "maxItems":
		if _, err := strconv.ParseUint(val, 10, 31); err != nil {
			return errors.New("must be a whole number")
		}
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return numberValue(val)
	case "multipleOf":
		if err := numberValue(val); err != nil {
			return err
		}
		if r, ok := new(big.Rat).SetString(val); !ok || r.Sign() <= 0 {
			return errors.New("must be more than 0")
		}
	case "uniqueItems":
		return checkTrue(val)
	case "pattern":
		if _, err := regexp.Compile(val); err != nil {
			return fmt.Errorf("it is no pattern of Go's: %w", err)
		}
		if new(compiler).pattern(val) == nil {
			return errors.New("the pattern is too large")
		}
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

func checkTrue(val string) error {
	if val != "true" {
		return errors.New("must be true, or left out")
	}
	return nil
}

func numberValue(val string) error {
	if _, err := strconv.ParseFloat(val, 64); err != nil || !json.Valid([]byte(val)) {
		return errors.New("must be a number")
	}
	return nil
}

// setKeyword adds the constraint kw of a check tag to p, a property of some types.
func setKeyword(p *jsonschema.Schema, types []string, kw string) error {
	name, val, ok := strings.Cut(kw, "=")
	if !ok {
		return errNoPair
	}
	if b := bearer(p, name); b != p {
		p, types = b, typesIn(b)
	}
	length := func() *uint64 { n, _ := strconv.ParseUint(val, 10, 31); return &n }
	set, ok := map[string]func(){
		"minimum":          func() { p.Minimum = json.Number(val) },
		"maximum":          func() { p.Maximum = json.Number(val) },
		"exclusiveMinimum": func() { p.ExclusiveMinimum = json.Number(val) },
		"exclusiveMaximum": func() { p.ExclusiveMaximum = json.Number(val) },
		"multipleOf":       func() { p.MultipleOf = json.Number(val) },
		"minLength":        func() { p.MinLength = length() },
		"maxLength":        func() { p.MaxLength = length() },
		"minItems":         func() { p.MinItems = length() },
		"maxItems":         func() { p.MaxItems = length() },
		"uniqueItems":      func() { p.UniqueItems = true },
		"pattern":          func() { p.Pattern = val },
		"enum": func() {
			var v any = val
			if p.Type == "integer" || p.Type == "number" {
				v = json.Number(val)
			}
			p.Enum = append(p.Enum, v)
		},
	}[name]
	if !ok {
		return errors.New("it is no keyword that can be checked")
	}
	if err := checkOfTypes(types, name, val); err != nil {
		return err
	}
	set()
	return nil
}
