package wire

import "encoding/json"

// echoes are fields of a message that come in pieces. What a model thinks comes in
// thousands of them, so that they are joined once, at the end.
type echoes struct {
	all    []*echoed
	byName map[string]*echoed
}

// An echoed field is a string, a list, or the last value that has come.
type echoed struct {
	name  string
	text  texts
	list  []json.RawMessage
	value json.RawMessage
	kind  byte // how a piece begins: '"', '[', or anything else
}

// grow adds a piece of a field: strings and lists come in pieces.
func (e *echoes) grow(m member) {
	if string(m.Value) == "null" {
		return
	}
	f := e.byName[m.Name]
	if f == nil {
		if e.byName == nil {
			e.byName = map[string]*echoed{}
		}
		f = &echoed{name: m.Name}
		e.byName[m.Name], e.all = f, append(e.all, f)
	}
	if kind := m.Value[0]; kind != f.kind { // it is another thing now
		*f = echoed{name: m.Name, kind: kind}
	}
	switch f.kind {
	case '"':
		var s string
		_ = json.Unmarshal(m.Value, &s) // it is one
		f.text.add(s)
	case '[':
		f.list = append(f.list, parseList(m.Value)...)
	default:
		f.value = m.Value
	}
}

// fields are the fields, in the order in which they began.
func (e *echoes) fields() object {
	var o object
	for _, f := range e.all {
		switch f.kind {
		case '"':
			f.value = f.text.json()
		case '[':
			f.value = list(f.list)
		}
		o = append(o, member{Name: f.name, Value: f.value})
	}
	return o
}
