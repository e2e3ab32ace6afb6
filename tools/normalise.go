package tools

import (
	"bytes"
	"encoding/json"
	"strings"
)

// normalise repairs args and checks them: what it returns fits s, or the error
// is an *arc.Error that names every problem. Nothing is guessed: a repair is made
// only where the schema leaves one reading.
//
//   - no arguments, null and "" are {}
//   - a string that holds the object, an array or an object is that
//   - "3" is 3 and "true" is true where only such a value fits; 3 is "3" likewise
//   - 3.0 and 3e0 are 3 where a whole number is wanted
//   - null for a property that may be left out, and that takes no null, is absent
//   - a string is the one item of a list of strings, if it has no comma or newline
//
// Where a union of types fits, what was sent stands. What no repair touches keeps
// its bytes. Normalising the outcome again changes nothing.
func (s *schema) normalise(args json.RawMessage) (json.RawMessage, error) {
	sent, nodes, err := readArguments(args)
	if err != nil {
		return nil, refuse([]string{"the arguments " + err.Error()}, 0)
	}
	steps := stepsPerCall + stepsPerNode*nodes
	f := fitter{repair: true, steps: &steps, foldsCase: s.foldsCase}
	v := f.fit(s, sent, "")
	if len(f.problems) == 0 && v != sent {
		// The forms of a schema may disagree about a repair, so the outcome has
		// the last word.
		f.repair = false
		f.fit(s, v, "")
	}
	if steps < 0 && len(f.problems) == 0 {
		f.problem("", "cannot be checked, the tool's schema is too intricate")
	}
	if len(f.problems) > 0 {
		return nil, refuse(f.problems, f.more)
	}
	return v.appendTo(nil), nil
}

// readArguments reads args as an object if they can be one.
func readArguments(args json.RawMessage) (*value, int, error) {
	empty := &value{kind: object, raw: []byte("{}")}
	args = bytes.TrimSpace(args)
	if len(args) == 0 {
		return empty, 1, nil
	}
	v, nodes, err := read(args)
	if err != nil {
		return nil, 0, err
	}
	if v.kind == text {
		inner := strings.TrimSpace(v.text)
		if inner == "" {
			return empty, 1, nil
		}
		if inner[0] == '{' {
			return read([]byte(inner))
		}
	}
	if v.kind == null {
		return empty, 1, nil
	}
	return v, nodes, nil
}

// mend returns v as what s wants, if s wants one type and v can be read as that,
// and v itself otherwise.
func (s *schema) mend(v *value) *value {
	if v.kind == number && s.wanted&typeInteger != 0 && s.wanted&typeNumber == 0 {
		return wholeNumber(v)
	}
	if s.wanted&typesOf(v) != 0 {
		return v
	}
	switch s.only() {
	case typeInteger:
		if n := numberIn(v); n != nil {
			return wholeNumber(n)
		}
	case typeNumber:
		if n := numberIn(v); n != nil {
			return n
		}
	case typeBoolean:
		if v.kind == text && (v.text == "true" || v.text == "false") {
			return &value{kind: boolean, truth: v.text == "true"}
		}
	case typeString:
		if v.kind == number {
			return &value{kind: text, text: v.text}
		}
	case typeObject:
		if o := valueIn(v, object); o != nil {
			return o
		}
	case typeArray:
		if a := valueIn(v, array); a != nil {
			return a
		}
		if v.kind == text && strings.TrimSpace(v.text) != "" && !strings.ContainsAny(v.text, ",\n\r") &&
			s.items != nil && s.items.only() == typeString {
			return &value{kind: array, items: []*value{v}}
		}
	}
	return v
}

// wholeNumber writes a whole number without a point or an exponent.
func wholeNumber(v *value) *value {
	if !strings.ContainsAny(v.text, ".eE") {
		return v
	}
	if r := exact(v.text); r != nil && r.IsInt() {
		return &value{kind: number, text: r.Num().String()}
	}
	return v
}

// numberIn is the number that a string holds, and nothing else.
func numberIn(v *value) *value {
	lit := strings.TrimSpace(v.text)
	if v.kind != text || lit == "" || lit[0] != '-' && (lit[0] < '0' || lit[0] > '9') || !json.Valid([]byte(lit)) {
		return nil
	}
	return &value{kind: number, text: lit}
}

// valueIn is the array or object that a string holds.
func valueIn(v *value, k kind) *value {
	lit := strings.TrimSpace(v.text)
	if v.kind != text || lit == "" || lit[0] != '[' && lit[0] != '{' {
		return nil
	}
	inner, _, err := read([]byte(lit))
	if err != nil || inner.kind != k {
		return nil
	}
	return inner
}
