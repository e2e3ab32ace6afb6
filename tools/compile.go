package tools

import (
	"encoding/json"
	"errors"
)

// A schema is a compiled JSON Schema.
type schema struct {
	foldsCase bool // what is decoded by encoding/json, which takes Path for path
}

func compile(raw json.RawMessage) (*schema, error) {
	var s struct{ Type any }
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	if s.Type != "object" {
		return nil, errors.New("its schema is not of an object")
	}
	return &schema{}, nil
}

func (s *schema) normalise(args json.RawMessage) (json.RawMessage, error) {
	if len(args) == 0 {
		return json.RawMessage("{}"), nil
	}
	if !json.Valid(args) {
		return nil, refuse([]string{"the arguments are not JSON"})
	}
	return args, nil
}
