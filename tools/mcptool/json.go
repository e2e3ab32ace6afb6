package mcptool

import (
	"bytes"
	"encoding/json"
	"errors"
)

// A member is one of an object's. The SDK decodes schemas and structured results into
// maps, which lose the order of properties and the digits of large numbers; they are read
// here instead.
type member struct {
	name  string
	value json.RawMessage
}

var errNoObject = errors.New("not an object")

// members are those of an object, in their order.
func members(raw json.RawMessage) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(errNoObject, err)
	}
	var all []member
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: t.(string)} // the decoder takes nothing else here
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	_, err := dec.Token()
	return all, err
}

// object joins members to an object.
func object(all []member) json.RawMessage {
	out := []byte{'{'}
	for i, m := range all {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, text(m.name)...)
		out = append(out, ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

// text is s as JSON, < and & as they are.
func text(s string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always can be
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// compact is raw without the space between its parts.
func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// Members of a tool's _meta in which keepOriginals puts what the SDK would lose.
const (
	originalSchema = "arcseat/input-schema" // as a string
	execution      = "arcseat/execution"
)

// keepOriginals rewrites the result of a response so that the SDK hands it on unchanged:
// what a tool says of its schema and of how it runs stands in its _meta as well, and
// structured content becomes a string that holds it.
func keepOriginals(result json.RawMessage) json.RawMessage {
	if !bytes.Contains(result, []byte(`"structuredContent"`)) && !bytes.Contains(result, []byte(`"inputSchema"`)) {
		return result
	}
	all, err := members(result)
	if err != nil {
		return result
	}
	for i, m := range all {
		switch m.name {
		case "structuredContent":
			if string(m.value) != "null" {
				all[i].value = text(string(m.value))
			}
		case "tools":
			var list []json.RawMessage
			if json.Unmarshal(m.value, &list) != nil {
				return result
			}
			for j := range list {
				list[j] = keepSchema(list[j])
			}
			all[i].value, _ = json.Marshal(list) // of valid parts
		}
	}
	return object(all)
}

func keepSchema(tool json.RawMessage) json.RawMessage {
	all, err := members(tool)
	if err != nil {
		return tool
	}
	var meta, kept []member
	at := -1
	for i, m := range all {
		switch m.name {
		case "inputSchema":
			kept = append(kept, member{originalSchema, text(string(m.value))})
		case "execution":
			kept = append(kept, member{execution, m.value})
		case "_meta":
			at = i
			meta, _ = members(m.value) // what is no object says nothing
		}
	}
	with := member{"_meta", object(append(meta, kept...))}
	if at >= 0 {
		all[at] = with
	} else {
		all = append(all, with)
	}
	return object(all)
}
