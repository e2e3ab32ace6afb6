package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// content is a message's content: a string, or a list of parts.
type content []part

type part struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	ToolName  string          `json:"tool_name"`
	Content   content         `json:"content"`
	IsError   bool            `json:"is_error"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
}

func (c *content) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*c = content{{Type: "string", Text: s}}
		return nil
	}
	return json.Unmarshal(b, (*[]part)(c))
}

// text joins the parts of text, of the kinds named, line by line, and counts the images; other
// kinds are errors. A plain string is text everywhere.
func (c content) text(image string, kinds ...string) (text string, images int, err error) {
	var texts []string
	for _, p := range c {
		switch {
		case p.Type == "string", slices.Contains(kinds, p.Type):
			texts = append(texts, p.Text)
		case p.Type == image:
			images++
		default:
			return "", 0, fmt.Errorf("content of type %q is not understood here", p.Type)
		}
	}
	return strings.Join(texts, "\n"), images, nil
}

// decode reads a JSON body, with the place of a mistake in the error.
func decode(body []byte, v any) error {
	err := json.Unmarshal(body, v)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("the body is not JSON: %w at byte %d", err, syntax.Offset)
	}
	return err
}

// object checks that arguments are a JSON object.
func object(args []byte) error {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(args, &m); err != nil || m == nil {
		return fmt.Errorf("the arguments %q are not a JSON object", args)
	}
	return nil
}
