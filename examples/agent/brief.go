package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// A field is one name and value of a JSON object, for a person's eye.
type field struct{ name, value string }

// fields are an object's, in their order, as brief shows values. What is empty, or
// no object, has none.
func fields(object []byte) []field {
	dec := json.NewDecoder(bytes.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var list []field
	for dec.More() {
		name, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			break
		}
		if v := brief(value); v != "" {
			list = append(list, field{fmt.Sprint(name), v})
		}
	}
	return list
}

// brief is a value in a few words: of a hash its start, of a nested value what
// is in it (an object of a list on a line of its own, a number with its name), of
// null and false nothing.
func brief(value json.RawMessage) string {
	var parts []string
	switch value[0] {
	case 'n', 'f':
		return ""
	case '"':
		var s string
		_ = json.Unmarshal(value, &s) // a decoder has read it once
		if len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" {
			return s[:8] + "…"
		}
		return s
	case '[':
		var list []json.RawMessage
		_ = json.Unmarshal(value, &list)
		between := ", "
		for _, v := range list {
			if v[0] == '{' {
				between = "\n"
			}
			parts = append(parts, brief(v))
		}
		return strings.Join(parts, between)
	case '{':
		for _, f := range fields(value) {
			switch _, err := strconv.Atoi(f.value); {
			case f.value == "0": // of many counts the few that say something
			case err == nil:
				parts = append(parts, f.name+" "+f.value)
			default:
				parts = append(parts, f.value)
			}
		}
		return strings.Join(parts, ": ")
	}
	return string(value)
}
