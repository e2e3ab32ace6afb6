package wire

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/arcseat/arc/internal/plainjson"
)

// Providers show a model the properties as they stand, and take back what they have
// written only if it is unchanged.
type (
	object = plainjson.Object
	member = plainjson.Member
)

// parseList reads the elements of a JSON array; of anything else it has none.
func parseList(raw json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
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
		o = append(o, member{Name: pairs[i].(string), Value: encode(pairs[i+1])})
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
		return v.Raw()
	}
	b, err := plainjson.Marshal(v)
	if err != nil {
		return json.RawMessage("null") // nothing of ours: see above
	}
	return b
}

// isObject reports whether raw is valid JSON of an object.
func isObject(raw []byte) bool {
	b := bytes.TrimLeft(raw, " \t\r\n")
	return len(b) > 0 && b[0] == '{' && json.Valid(b)
}
