// Package plainjson reads and writes JSON that stays as it was written: members keep
// their order, numbers their digits, and a sign that HTML would escape is one byte.
package plainjson

import (
	"bytes"
	"encoding/json"
)

// Marshal is v as compact JSON without HTML escaping. The error is that of
// json.Marshal.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

// Quote is s as JSON.
func Quote(s string) json.RawMessage {
	b, _ := Marshal(s) // a string always can be
	return b
}
