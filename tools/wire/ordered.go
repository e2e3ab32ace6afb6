package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// object is a JSON object whose members keep their order, and whose values keep
// their bytes: providers show a model the properties as they stand.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

var errNoObject = errors.New("it is not a JSON object")

// parseObject reads raw. Of a name that is there twice, the later value counts.
func parseObject(raw []byte) (object, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errNoObject
	}
	var o object
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := t.(string)
		if !ok {
			return nil, errNoObject
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		if seen[name] {
			o.set(name, value)
			continue
		}
		seen[name] = true
		o = append(o, member{name, value})
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("%w alone", errNoObject)
	}
	return o, nil
}

// parseList reads the elements of a JSON array; of anything else it has none.
func parseList(raw json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

func (o object) index(name string) int {
	return slices.IndexFunc(o, func(m member) bool { return m.name == name })
}

// get is the value of name, or nil.
func (o object) get(name string) json.RawMessage {
	if i := o.index(name); i >= 0 {
		return o[i].value
	}
	return nil
}

func (o object) has(name string) bool { return o.index(name) >= 0 }

// str is the value of name if that is a string.
func (o object) str(name string) string {
	var s string
	_ = json.Unmarshal(o.get(name), &s)
	return s
}

// set gives name a value, where it stands, or at the end.
func (o *object) set(name string, value json.RawMessage) {
	if i := o.index(name); i >= 0 {
		(*o)[i].value = value
		return
	}
	*o = append(*o, member{name, value})
}

// drop takes name out.
func (o *object) drop(names ...string) {
	*o = slices.DeleteFunc(*o, func(m member) bool { return slices.Contains(names, m.name) })
}

// raw is o as JSON.
func (o object) raw() json.RawMessage {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, encode(m.name)...)
		b = append(b, ':')
		b = append(b, m.value...)
	}
	return append(b, '}')
}

// fields makes an object of names and values in turn. A value is a
// json.RawMessage, which keeps its bytes, or what encode takes; a member whose
// value is nil is left out.
func fields(pairs ...any) object {
	var o object
	for i := 0; i+1 < len(pairs); i += 2 {
		if raw, ok := pairs[i+1].(json.RawMessage); ok && raw == nil || pairs[i+1] == nil {
			continue
		}
		o = append(o, member{pairs[i].(string), encode(pairs[i+1])})
	}
	return o
}

// list joins values to an array.
func list(values []json.RawMessage) json.RawMessage {
	return slices.Concat([]byte{'['}, bytes.Join(asBytes(values), []byte{','}), []byte{']'})
}

func asBytes(values []json.RawMessage) [][]byte {
	out := make([][]byte, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// encode is v as JSON without HTML escaping: what is a sign in a file is one byte
// here too. v is a string, a number, a bool, a list or a map of these, or raw.
func encode(v any) json.RawMessage {
	switch v := v.(type) {
	case json.RawMessage:
		return v
	case object:
		return v.raw()
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return json.RawMessage("null") // nothing of ours: see above
	}
	return bytes.TrimSpace(b.Bytes())
}

// isObject reports whether raw is valid JSON of an object.
func isObject(raw []byte) bool {
	b := bytes.TrimLeft(raw, " \t\r\n")
	return len(b) > 0 && b[0] == '{' && json.Valid(b)
}

// number is the value of name if that is a whole number, and 0 otherwise.
func (o object) number(name string) int {
	var n int
	_ = json.Unmarshal(o.get(name), &n)
	return n
}
