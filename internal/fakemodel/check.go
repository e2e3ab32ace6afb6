package fakemodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

var fitting = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// check holds a request to the rules that all providers share: names fit and
// are listed once, a schema is an object's, each call is answered once and in
// the turn that follows it.
func (r *Request) check() error {
	seen := map[string]bool{}
	for _, t := range r.Tools {
		switch {
		case !fitting.MatchString(t.Name):
			return fmt.Errorf("tool name %q does not match %s", t.Name, fitting)
		case seen[t.Namespace+" "+t.Name]:
			return fmt.Errorf("tool %s is listed twice", t.Name)
		}
		seen[t.Namespace+" "+t.Name] = true
		if err := t.fits(); err != nil {
			return err
		}
	}
	switch {
	case len(r.Turns) == 0:
		return errors.New("there are no messages")
	case r.Turns[0].Model:
		return errors.New("the first message is the model's")
	case r.Turns[len(r.Turns)-1].Model:
		return errors.New("the last message is the model's: there is nothing to answer")
	}
	return r.pair()
}

// fits holds a function's schema to what all providers want of its root.
func (t Tool) fits() error {
	if t.Type != "" {
		return nil
	}
	var root map[string]json.RawMessage
	kind := ""
	if json.Unmarshal(t.Schema, &root) != nil || json.Unmarshal(root["type"], &kind) != nil || kind != "object" && !(t.shouts && kind == "OBJECT") {
		return fmt.Errorf("the schema of tool %s is not of an object", t.Name)
	}
	for _, word := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} {
		if root[word] != nil {
			return fmt.Errorf("the schema of tool %s has %s at its root", t.Name, word)
		}
	}
	return nil
}

// pair joins results to the calls of the turn before, or says what is amiss.
func (r *Request) pair() error {
	used := map[string]bool{}
	open := map[string]string{} // id → name, of the turn before
	for i := range r.Turns {
		t := &r.Turns[i]
		for j := range t.Results {
			id := t.Results[j].ID
			name, ok := open[id]
			if !ok {
				return fmt.Errorf("the result of %q answers no call of the message before it, or answers it twice", id)
			}
			t.Results[j].Name = name
			delete(open, id)
		}
		for id, name := range open {
			return fmt.Errorf("the call %q of %s is not answered in the next message", id, name)
		}
		for _, c := range t.Calls {
			if used[c.ID] || !fitting.MatchString(c.ID) {
				return fmt.Errorf("call id %q is used twice or does not match %s", c.ID, fitting)
			}
			used[c.ID], open[c.ID] = true, c.Name
		}
	}
	return nil
}

// strict holds a schema to the rules of OpenAI's strict functions: each object is
// closed and has all its properties required, and there are no defaults.
func strict(schema json.RawMessage) error {
	var s struct {
		Type       json.RawMessage            `json:"type"` // one, or several
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		Additional *bool                      `json:"additionalProperties"`
		Items      json.RawMessage            `json:"items"`
		AnyOf      []json.RawMessage          `json:"anyOf"`
		Default    json.RawMessage            `json:"default"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return err
	}
	switch {
	case s.Default != nil:
		return errors.New("default is not permitted")
	case bytes.Contains(s.Type, []byte(`"object"`)) && (s.Additional == nil || *s.Additional):
		return errors.New("additionalProperties must be false")
	case len(s.Properties) != len(s.Required):
		return errors.New("required must name every property")
	}
	inner := s.AnyOf
	for _, p := range s.Properties {
		inner = append(inner, p)
	}
	if s.Items != nil {
		inner = append(inner, s.Items)
	}
	for _, p := range inner {
		if err := strict(p); err != nil {
			return err
		}
	}
	return nil
}
