package fakemodel

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// A Request is what a model was asked, whatever the wire format.
type Request struct {
	Path   string // of the wire format: /v1/messages
	Model  string
	System string
	Tools  []Tool
	Turns  []Turn
	Stream bool
	Raw    []byte // the body as it came
}

// A Tool is one that the request lists.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage
}

// A Turn is one side's part of a conversation: the model's (Text and Calls), or
// the other side's (the Results of the calls before it, then Text).
type Turn struct {
	Model   bool
	Text    string
	Calls   []ToolCall
	Results []Result
	Images  int // beside the text
}

// A ToolCall is a call as the model makes it.
type ToolCall struct {
	ID, Name string
	Args     json.RawMessage
}

// A Result answers a call.
type Result struct {
	ID, Name string // Name is the call's
	Text     string
	IsError  bool // as Anthropic clients say; other wire formats cannot
	Images   int
}

// Header is the JSON object on the first line of the text; nil if there is none.
// Numbers are json.Number.
func (r Result) Header() map[string]any {
	line, _, _ := strings.Cut(r.Text, "\n")
	dec := json.NewDecoder(strings.NewReader(line))
	dec.UseNumber()
	var h map[string]any
	if dec.Decode(&h) != nil || dec.More() {
		return nil
	}
	return h
}

// Tool finds a listed tool.
func (r *Request) Tool(name string) (Tool, bool) {
	for _, t := range r.Tools {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

// names are the listed tools' names.
func (r *Request) names() []string {
	names := make([]string, len(r.Tools))
	for i, t := range r.Tools {
		names[i] = t.Name
	}
	return names
}

// Last is the newest result of the tool, or of any tool if tool is empty.
func (r *Request) Last(tool string) (Result, bool) {
	for i := len(r.Turns) - 1; i >= 0; i-- {
		rs := r.Turns[i].Results
		for j := len(rs) - 1; j >= 0; j-- {
			if tool == "" || rs[j].Name == tool {
				return rs[j], true
			}
		}
	}
	return Result{}, false
}

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
		case seen[t.Name]:
			return fmt.Errorf("tool %s is listed twice", t.Name)
		}
		seen[t.Name] = true
		var s struct{ Type string }
		if json.Unmarshal(t.Schema, &s) != nil || s.Type != "object" {
			return fmt.Errorf("the schema of tool %s is not of an object", t.Name)
		}
	}
	switch {
	case len(r.Turns) == 0:
		return fmt.Errorf("there are no messages")
	case r.Turns[0].Model:
		return fmt.Errorf("the first message is the model's")
	case r.Turns[len(r.Turns)-1].Model:
		return fmt.Errorf("the last message is the model's: there is nothing to answer")
	}
	return r.pair()
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
