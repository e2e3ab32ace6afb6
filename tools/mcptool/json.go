package mcptool

import (
	"bytes"
	"encoding/json"

	"github.com/arcseat/arc/internal/plainjson"
)

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
	all, err := plainjson.ParseObject(result)
	if err != nil {
		return result
	}
	for i, m := range all {
		switch m.Name {
		case "structuredContent":
			if string(m.Value) != "null" {
				all[i].Value = plainjson.Quote(string(m.Value))
			}
		case "tools":
			var list []json.RawMessage
			if json.Unmarshal(m.Value, &list) != nil {
				return result
			}
			for j := range list {
				list[j] = keepSchema(list[j])
			}
			all[i].Value, _ = json.Marshal(list) // of valid parts
		}
	}
	return all.Raw()
}

func keepSchema(tool json.RawMessage) json.RawMessage {
	all, err := plainjson.ParseObject(tool)
	if err != nil {
		return tool
	}
	var meta, kept plainjson.Object
	at := -1
	for i, m := range all {
		switch m.Name {
		case "inputSchema":
			kept = append(kept, plainjson.Member{Name: originalSchema, Value: plainjson.Quote(string(m.Value))})
		case "execution":
			kept = append(kept, plainjson.Member{Name: execution, Value: m.Value})
		case "_meta":
			at = i
			meta, _ = plainjson.ParseObject(m.Value) // what is no object says nothing
		}
	}
	with := plainjson.Member{Name: "_meta", Value: append(meta, kept...).Raw()}
	if at >= 0 {
		all[at] = with
	} else {
		all = append(all, with)
	}
	return all.Raw()
}
