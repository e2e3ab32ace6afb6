package plainjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// An Object is a JSON object whose members keep their order, and whose values keep
// their bytes. Of a name that is there twice, the first is meant; ParseObject makes none
// such.
type Object []Member

// A Member is a name and its value.
type Member struct {
	Name  string          // unquoted
	Value json.RawMessage // as it came
}

// ErrNoObject says that something is other JSON, or none.
var ErrNoObject = errors.New("it is not a JSON object")

// ParseObject reads raw. Of a name that is there twice, the later value counts.
func ParseObject(raw []byte) (Object, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, ErrNoObject
	}
	var o Object
	at := map[string]int{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := Member{Name: t.(string)} // the decoder takes nothing else here
		if err := d.Decode(&m.Value); err != nil {
			return nil, err
		}
		if i, twice := at[m.Name]; twice {
			o[i] = m
			continue
		}
		at[m.Name] = len(o)
		o = append(o, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("%w alone", ErrNoObject)
	}
	return o, nil
}

// Index is where the member called name is, or -1.
func (o Object) Index(name string) int {
	return slices.IndexFunc(o, func(m Member) bool { return m.Name == name })
}

// Get is the value of name, or nil.
func (o Object) Get(name string) json.RawMessage {
	if i := o.Index(name); i >= 0 {
		return o[i].Value
	}
	return nil
}

// Has reports whether there is a member called name.
func (o Object) Has(name string) bool { return o.Index(name) >= 0 }

// Text is the value of name if that is a string, and "" otherwise.
func (o Object) Text(name string) string {
	var s string
	_ = json.Unmarshal(o.Get(name), &s)
	return s
}

// Int is the value of name if that is a whole number, and 0 otherwise.
func (o Object) Int(name string) int {
	var n int
	_ = json.Unmarshal(o.Get(name), &n)
	return n
}

// Set gives name a value, where it stands, or at the end.
func (o *Object) Set(name string, value json.RawMessage) {
	if i := o.Index(name); i >= 0 {
		(*o)[i].Value = value
		return
	}
	*o = append(*o, Member{name, value})
}

// Drop takes the members called names out.
func (o *Object) Drop(names ...string) {
	*o = slices.DeleteFunc(*o, func(m Member) bool { return slices.Contains(names, m.Name) })
}

// Raw is o as JSON.
func (o Object) Raw() json.RawMessage {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, Quote(m.Name)...)
		b = append(b, ':')
		b = append(b, m.Value...)
	}
	return append(b, '}')
}
