package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	array
	object
)

// A value is JSON with everything kept that a repair must not lose: the order of
// properties, the digits of numbers, and the bytes as they were sent. It is not
// changed after it was read; a repair makes another.
type value struct {
	kind    kind
	truth   bool
	text    string // a string's characters; a number as it is written
	items   []*value
	members []member
	raw     []byte // as sent; nil if made by a repair
}

type member struct {
	name  string
	value *value
}

// maxDepth is how deep arguments and schemas may nest. No tool comes near; what
// does is a mistake or an attack on whoever reads it.
const maxDepth = 64

// Limits of one JSON text. The largest text that a tool takes is 8 MiB, which a
// model may escape to six times that; each value costs many times its bytes.
const (
	maxBytes  = 64 << 20
	maxValues = 200_000
)

// A reader reads one JSON text, which is known to be one, into values.
type reader struct {
	data  []byte
	at    int // the next byte
	nodes int
}

// read reads data, which holds one JSON value and nothing else. It refuses what
// encoding/json would change or choose from without a word: bytes that are not
// UTF-8, halves of surrogate pairs, and a property that is there twice. The error
// reads on after a subject ("the arguments …"). nodes is how many values it has.
func read(data []byte) (v *value, nodes int, err error) {
	if len(data) > maxBytes {
		return nil, 0, fmt.Errorf("have %d bytes, and may have %d", len(data), maxBytes)
	}
	if i := invalidUTF8(data); i >= 0 {
		return nil, 0, fmt.Errorf("have a byte at offset %d that is not UTF-8", i)
	}
	if !json.Valid(data) {
		return nil, 0, notJSON(data)
	}
	r := reader{data: data}
	v, err = r.value(1)
	return v, r.nodes, err
}

// notJSON says where data is none.
func notJSON(data []byte) error {
	var whole json.RawMessage
	var se *json.SyntaxError
	if errors.As(json.Unmarshal(data, &whole), &se) {
		return fmt.Errorf("are not JSON: at byte %d, %s", se.Offset, se.Error())
	}
	return errors.New("are not JSON")
}

func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		c, n := utf8.DecodeRune(b[i:])
		if c == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// next is the next byte that is more than a blank or what stands between values.
func (r *reader) next() byte {
	for {
		switch c := r.data[r.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			r.at++
		default:
			return c
		}
	}
}

func (r *reader) value(depth int) (*value, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nest deeper than %d", maxDepth)
	}
	if r.nodes++; r.nodes > maxValues {
		return nil, fmt.Errorf("hold more than %d values", maxValues)
	}
	c := r.next()
	begin := r.at
	v := &value{}
	var err error
	switch c {
	case 'n':
		v.kind = null
		r.at += len("null")
	case 't':
		v.kind, v.truth = boolean, true
		r.at += len("true")
	case 'f':
		v.kind = boolean
		r.at += len("false")
	case '"':
		v.kind = text
		v.text, err = r.text()
	case '[':
		v.kind = array
		err = r.array(v, depth)
	case '{':
		v.kind = object
		err = r.object(v, depth)
	default:
		v.kind = number
		for r.at < len(r.data) && strings.IndexByte("+-.0123456789eE", r.data[r.at]) >= 0 {
			r.at++
		}
		v.text = string(r.data[begin:r.at])
	}
	if err != nil {
		return nil, err
	}
	v.raw = r.data[begin:r.at:r.at]
	return v, nil
}

// text reads a string.
func (r *reader) text() (string, error) {
	begin := r.at
	escaped := false
	for r.at++; r.data[r.at] != '"'; r.at++ {
		if r.data[r.at] == '\\' {
			escaped = true
			r.at++
		}
	}
	r.at++
	raw := r.data[begin:r.at]
	if !escaped {
		return string(raw[1 : len(raw)-1]), nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", fmt.Errorf("are not JSON: at byte %d, %w", r.at, err)
	}
	if strings.Contains(s, "\uFFFD") && halfSurrogate(raw) {
		return "", fmt.Errorf("have one half of a surrogate pair in the text that ends at byte %d; write the character itself", r.at)
	}
	return s, nil
}

func (r *reader) array(v *value, depth int) error {
	for r.at++; r.next() != ']'; {
		item, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		v.items = append(v.items, item)
	}
	r.at++
	return nil
}

// fewMembers are looked through faster than a map is made.
const fewMembers = 16

func (r *reader) object(v *value, depth int) error {
	var seen map[string]bool // once there are more than a few
	for r.at++; r.next() != '}'; {
		name, err := r.text()
		if err != nil {
			return err
		}
		if len(v.members) == fewMembers {
			seen = make(map[string]bool)
			for _, m := range v.members {
				seen[m.name] = true
			}
		}
		if seen[name] || seen == nil && v.get(name) != nil {
			return fmt.Errorf("have the property %s twice", quote(name))
		}
		if seen != nil {
			seen[name] = true
		}
		val, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		v.members = append(v.members, member{name, val})
	}
	r.at++
	return nil
}

// halfSurrogate reports whether raw, a JSON string, has an escape that is one
// half of a surrogate pair without the other.
func halfSurrogate(raw []byte) bool {
	unit := func(i int) rune {
		if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(string(raw[i+2:i+6]), 16, 16)
		if err != nil {
			return -1
		}
		return rune(n)
	}
	for i := 0; i < len(raw); {
		u := unit(i)
		switch {
		case raw[i] != '\\':
			i++
		case u < 0:
			i += 2
		case !utf16.IsSurrogate(u):
			i += 6
		case utf16.DecodeRune(u, unit(i+6)) == utf8.RuneError:
			return true
		default:
			i += 12
		}
	}
	return false
}

// appendTo writes v: what no repair touched stands as it was sent.
func (v *value) appendTo(dst []byte) []byte {
	if v.raw != nil {
		return append(dst, v.raw...)
	}
	switch v.kind {
	case null:
		return append(dst, "null"...)
	case boolean:
		return strconv.AppendBool(dst, v.truth)
	case number:
		return append(dst, v.text...)
	case text:
		return appendText(dst, v.text)
	case array:
		dst = append(dst, '[')
		for i, item := range v.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendTo(dst)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i, m := range v.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, m.name), ':')
		dst = m.value.appendTo(dst)
	}
	return append(dst, '}')
}

func appendText(dst []byte, s string) []byte {
	b, err := json.Marshal(s)
	if err != nil { // no string fails
		return append(dst, `""`...)
	}
	return append(dst, unescapeHTML(b)...)
}

func (v *value) get(name string) *value {
	for _, m := range v.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// equal is equality of JSON values: numbers by what they are worth, objects in
// any order.
func (v *value) equal(w *value) bool {
	if v.kind != w.kind || len(v.items) != len(w.items) || len(v.members) != len(w.members) {
		return false
	}
	switch v.kind {
	case boolean:
		return v.truth == w.truth
	case text:
		return v.text == w.text
	case number:
		a, b := exact(v.text), exact(w.text)
		return v.text == w.text || a != nil && b != nil && a.Cmp(b) == 0
	}
	for i := range v.items {
		if !v.items[i].equal(w.items[i]) {
			return false
		}
	}
	if len(v.members) == 0 {
		return true
	}
	others := make(map[string]*value, len(w.members))
	for _, m := range w.members {
		others[m.name] = m.value
	}
	for _, m := range v.members {
		if o := others[m.name]; o == nil || !m.value.equal(o) {
			return false
		}
	}
	return true
}

// short is a whole number of so few digits that nothing can be lost of it, as most
// are. What is done with such a one needs no room.
func short(lit string) (n int64, ok bool) {
	const most = 15 // digits that a float64 holds
	if len(lit) > most || strings.ContainsAny(lit, ".eE") {
		return 0, false
	}
	n, err := strconv.ParseInt(lit, 10, 64)
	return n, err == nil
}

// exact is the number that lit, a JSON number, stands for. It is nil for one that
// would take the room of a small file: no tool wants it.
func exact(lit string) *big.Rat {
	const maxDigits, maxExponent = 1000, 400
	mantissa, exp, ok := strings.Cut(strings.ToLower(lit), "e")
	if len(mantissa) > maxDigits {
		return nil
	}
	if n, err := strconv.Atoi(exp); ok && (err != nil || n > maxExponent || n < -maxExponent) {
		return nil
	}
	r, ok := new(big.Rat).SetString(lit)
	if !ok {
		return nil
	}
	return r
}
