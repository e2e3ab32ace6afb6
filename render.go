package arc

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"
)

var _ encoding.TextAppender = (*Result)(nil)

// AppendText appends what a model sees of r: one line of compact JSON (the
// fields of Data, then next_call, notices and error; no HTML escaping), and if
// there is a Body, a newline and the Body exactly as it is. Without a header it
// is the Body alone; one that begins with a brace, whatever blanks stand before
// it, is preceded by {} on a line of its own, so that it cannot pass for a header.
// Data with a field of one of those three names stands under "data" instead, so
// that a stranger's data cannot pass for the host's words. The error says that Data or an error's Detail does not marshal to an object.
func (r *Result) AppendText(dst []byte) ([]byte, error) {
	if r == nil {
		return append(dst, "{}"...), nil
	}
	head, err := appendObject(nil, r.Data)
	if err != nil {
		return dst, err
	}
	head = nest(head, "data", "next_call", "notices", "error")
	rest, err := appendObject(nil, struct {
		Next    *Next    `json:"next_call,omitempty"`
		Notices []string `json:"notices,omitempty"`
		Err     *Error   `json:"error,omitempty"`
	}{r.Next, r.Notices, r.Err})
	if err != nil {
		return dst, err
	}
	head = joinObjects(head, rest)
	if len(head) > len("{}") || r.Body == "" || strings.HasPrefix(strings.TrimLeftFunc(r.Body, blank), "{") {
		dst = append(dst, head...)
		if r.Body == "" {
			return dst, nil
		}
		dst = append(dst, '\n')
	}
	return append(dst, r.Body...), nil
}

// blank is what a reader does not see at the start of a text; U+FEFF is a byte
// order mark there.
func blank(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' }

// String is AppendText for logs, tests and examples.
func (r *Result) String() string {
	b, err := r.AppendText(nil)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// appendObject appends v as compact JSON without HTML escaping. A nil is {}.
func appendObject(dst []byte, v any) ([]byte, error) {
	var buf bytes.Buffer
	if v != nil {
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			return dst, err
		}
	}
	b := bytes.TrimSpace(buf.Bytes())
	if len(b) == 0 || string(b) == "null" {
		return append(dst, "{}"...), nil
	}
	if b[0] != '{' {
		return dst, errors.New("arc: data is not a JSON object")
	}
	return append(dst, b...), nil
}

// nest puts an object that has a field of one of the names under a name of its
// own.
func nest(object []byte, under string, names ...string) []byte {
	suspect := bytes.Contains(object, []byte(`\u`)) // which can spell any name
	for _, n := range names {
		suspect = suspect || bytes.Contains(object, []byte(`"`+n+`"`))
	}
	if !suspect {
		return object
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) == nil {
		suspect = slices.ContainsFunc(names, func(n string) bool { _, ok := fields[n]; return ok })
	}
	if !suspect {
		return object
	}
	return slices.Concat([]byte(`{"`+under+`":`), object, []byte{'}'})
}

// joinObjects puts the fields of b after those of a.
func joinObjects(a, b []byte) []byte {
	switch {
	case len(b) <= len("{}"):
		return a
	case len(a) <= len("{}"):
		return b
	}
	a[len(a)-1] = ','
	return append(a, b[1:]...)
}
