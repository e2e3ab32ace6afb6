package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Limits of a schema. A service's may come from anywhere.
const (
	maxSchemaBytes = 256 << 10
	maxSchemaNodes = 4096
)

// A schema is a compiled JSON Schema: the keywords that decide about arguments.
// Others, and patterns that RE2 does not know or that are too large, are ignored:
// what a service checks, it checks itself.
type schema struct {
	foldsCase bool // on a root: it is decoded by encoding/json, which takes Path for path

	never  bool  // the schema false
	types  types // as the keyword says; 0: any
	wanted types // what can fit at all, all keywords taken together
	enum   []*value
	weight int // of enum, in bytes

	min, max, over, under, multiple *big.Rat
	minLength, maxLength            int
	minItems, maxItems              int
	unique                          bool
	pattern                         *pattern

	properties map[string]*schema
	required   []string
	patterns   []patternSchema
	additional *schema // nil: anything
	prefix     []*schema
	items      *schema

	ref                 *schema
	allOf, anyOf, oneOf []*schema
	not                 *schema
}

type patternSchema struct {
	pattern *pattern
	schema  *schema
}

// types is a set of JSON types.
type types uint8

const (
	typeNull types = 1 << iota
	typeBoolean
	typeInteger
	typeNumber
	typeString
	typeArray
	typeObject
	anyType types = 1<<iota - 1
)

var typesByName = map[string]types{
	"null": typeNull, "boolean": typeBoolean, "integer": typeInteger, "number": typeNumber,
	"string": typeString, "array": typeArray, "object": typeObject,
}

// typesOf says which types v has; a whole number has two.
func typesOf(v *value) types {
	switch v.kind {
	case null:
		return typeNull
	case boolean:
		return typeBoolean
	case text:
		return typeString
	case array:
		return typeArray
	case object:
		return typeObject
	}
	if _, ok := short(v.text); ok {
		return typeInteger | typeNumber
	}
	if r := exact(v.text); r != nil && r.IsInt() {
		return typeInteger | typeNumber
	}
	return typeNumber
}

// compile reads the schema of a tool's arguments.
func compile(raw json.RawMessage) (*schema, error) {
	if len(raw) > maxSchemaBytes {
		return nil, fmt.Errorf("its schema has %d bytes, more than %d", len(raw), maxSchemaBytes)
	}
	root, _, err := read(raw)
	if err != nil {
		return nil, fmt.Errorf("its schema: the contents %w", err)
	}
	c := compiler{root: root, refs: make(map[string]*schema)}
	s, err := c.schema(root, 0)
	if err != nil {
		return nil, fmt.Errorf("its schema %w", err)
	}
	if s.types != typeObject {
		return nil, errors.New("its schema is not one of an object")
	}
	c.settle()
	return s, nil
}

// A compiler compiles one schema; local references share what they point at.
type compiler struct {
	root     *value
	refs     map[string]*schema
	nodes    []*schema
	patterns int // the size of all
}

func (c *compiler) schema(v *value, depth int) (*schema, error) {
	if depth > maxDepth {
		return nil, errors.New("is too deep")
	}
	s, err := c.node()
	if err != nil {
		return nil, err
	}
	return s, c.fill(s, v, depth)
}

func (c *compiler) node() (*schema, error) {
	if len(c.nodes) >= maxSchemaNodes {
		return nil, errors.New("is too large")
	}
	s := &schema{minLength: -1, maxLength: -1, minItems: -1, maxItems: -1}
	c.nodes = append(c.nodes, s)
	return s, nil
}

func (c *compiler) fill(s *schema, v *value, depth int) error {
	if v.kind == boolean {
		s.never = !v.truth
		return nil
	}
	if v.kind != object {
		return errors.New("has something other than an object where a schema belongs")
	}
	for _, m := range v.members {
		if err := c.keyword(s, m.name, m.value, depth+1); err != nil {
			return err
		}
	}
	if n := v.get("nullable"); n != nil && n.truth && s.types != 0 {
		s.types |= typeNull
	}
	return nil
}

// keyword adds one keyword. One whose value is of the wrong form is ignored, as
// an unknown one is.
func (c *compiler) keyword(s *schema, name string, v *value, depth int) (err error) {
	switch name {
	case "type":
		return s.setTypes(v)
	case "enum":
		s.enum, s.weight = v.items, len(v.raw)
	case "const":
		s.enum, s.weight = []*value{v}, len(v.raw)
	case "minimum":
		s.min = limitOf(v)
	case "maximum":
		s.max = limitOf(v)
	case "exclusiveMinimum":
		s.over = limitOf(v)
	case "exclusiveMaximum":
		s.under = limitOf(v)
	case "multipleOf":
		if s.multiple = limitOf(v); s.multiple != nil && s.multiple.Sign() <= 0 {
			s.multiple = nil
		}
	case "minLength":
		s.minLength = count(v)
	case "maxLength":
		s.maxLength = count(v)
	case "minItems":
		s.minItems = count(v)
	case "maxItems":
		s.maxItems = count(v)
	case "uniqueItems":
		s.unique = v.kind == boolean && v.truth
	case "pattern":
		if v.kind == text {
			s.pattern = c.pattern(v.text)
		}
	case "required":
		for _, r := range v.items {
			s.required = append(s.required, r.text)
		}
	case "properties":
		s.properties = make(map[string]*schema, len(v.members))
		for _, m := range v.members {
			if s.properties[m.name], err = c.schema(m.value, depth); err != nil {
				return err
			}
		}
	case "patternProperties":
		return c.patternProperties(s, v, depth)
	case "additionalProperties":
		s.additional, err = c.schema(v, depth)
	case "items":
		if v.kind == array { // before 2020 a list stood here
			s.prefix, err = c.list(v, depth)
			return err
		}
		s.items, err = c.schema(v, depth)
	case "prefixItems":
		s.prefix, err = c.list(v, depth)
	case "allOf":
		s.allOf, err = c.list(v, depth)
	case "anyOf":
		s.anyOf, err = c.list(v, depth)
	case "oneOf":
		s.oneOf, err = c.list(v, depth)
	case "not":
		s.not, err = c.schema(v, depth)
	case "$ref":
		s.ref, err = c.reference(v.text)
	}
	return err
}

func (s *schema) setTypes(v *value) error {
	names := v.items
	if v.kind == text {
		names = []*value{v}
	}
	for _, n := range names {
		t, ok := typesByName[n.text]
		if !ok {
			return fmt.Errorf("has the type %s, which there is not", quote(n.text))
		}
		s.types |= t
	}
	return nil
}

func (c *compiler) list(v *value, depth int) ([]*schema, error) {
	var list []*schema
	for _, item := range v.items {
		s, err := c.schema(item, depth)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func (c *compiler) patternProperties(s *schema, v *value, depth int) error {
	for _, m := range v.members {
		sub, err := c.schema(m.value, depth)
		if err != nil {
			return err
		}
		p := c.pattern(m.name)
		if p == nil {
			// Which names it means is unknown, so it allows all and says nothing of them.
			p = &pattern{Regexp: regexp.MustCompile("")}
			if sub, err = c.node(); err != nil {
				return err
			}
		}
		s.patterns = append(s.patterns, patternSchema{p, sub})
	}
	return nil
}

// reference follows a $ref that is a pointer into this schema. Others are ignored:
// nothing is fetched.
func (c *compiler) reference(ref string) (*schema, error) {
	if s, ok := c.refs[ref]; ok {
		return s, nil
	}
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return nil, nil // elsewhere, or at an $anchor
	}
	if plain, err := url.PathUnescape(pointer); err == nil {
		pointer = plain // RFC 6901, section 6
	}
	v := c.root
	for _, part := range strings.Split(pointer, "/")[1:] {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		if i, err := strconv.Atoi(part); err == nil && v.kind == array && i >= 0 && i < len(v.items) {
			v = v.items[i]
		} else if v = v.get(part); v == nil {
			return nil, fmt.Errorf("has the reference %s, which leads nowhere", quote(ref))
		}
	}
	s, err := c.node()
	if err != nil {
		return nil, err
	}
	c.refs[ref] = s           // before it is filled, so that it may refer to itself
	return s, c.fill(s, v, 0) // how deep it stands in the text was looked at when it was read
}

// maxRounds is how far want follows schemas that stand in the same place.
const maxRounds = 8

// settle works out which types fit each node at all. Nodes refer to each other,
// so it goes round, each time one reference further; a round costs no more than
// the schema is long, whatever its shape.
func (c *compiler) settle() {
	for _, n := range c.nodes {
		n.wanted = anyType
	}
	for range maxRounds {
		changed := false
		for _, n := range slices.Backward(c.nodes) {
			w := n.want()
			changed = changed || w != n.wanted
			n.wanted = w
		}
		if !changed {
			return
		}
	}
}

// want is what s wants, going by what the schemas in its place want so far.
func (s *schema) want() types {
	if s.never {
		return 0
	}
	w := anyType
	if s.types != 0 {
		w = s.types
		if w&typeNumber != 0 {
			w |= typeInteger
		}
	}
	if s.enum != nil {
		var t types
		for _, e := range s.enum {
			t |= typesOf(e)
		}
		w &= t
	}
	if s.ref != nil {
		w &= s.ref.wanted
	}
	for _, a := range s.allOf {
		w &= a.wanted
	}
	for _, some := range [][]*schema{s.anyOf, s.oneOf} {
		if len(some) == 0 {
			continue
		}
		var t types
		for _, a := range some {
			t |= a.wanted
		}
		w &= t
	}
	return w
}

// only is the one type that s wants, null apart, or 0 if there are several.
func (s *schema) only() types {
	w := s.wanted &^ typeNull
	if w == typeInteger|typeNumber {
		return typeNumber
	}
	if w&(w-1) != 0 {
		return 0
	}
	return w
}

// names are the properties of s by name.
func (s *schema) names() []string {
	var names []string
	for n := range s.properties {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

func limitOf(v *value) *big.Rat {
	if v.kind != number {
		return nil
	}
	return exact(v.text)
}

func count(v *value) int {
	r := limitOf(v)
	if r == nil || !r.IsInt() || !r.Num().IsInt64() || r.Sign() < 0 || r.Num().BitLen() > 31 {
		return -1
	}
	return int(r.Num().Int64())
}
