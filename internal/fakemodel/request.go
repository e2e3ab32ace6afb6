package fakemodel

import (
	"encoding/json"
	"strings"
)

// A Request is what a model was asked, whatever the wire format.
type Request struct {
	Path   string // where it was asked: /v1/messages
	Model  string // the name that was asked for
	System string // the system prompt
	Tools  []Tool // all that are listed
	Turns  []Turn // the conversation
	Stream bool   // the answer is to come in pieces
	Raw    []byte // the body as it came

	foreign bool // the client names tools in its own way
	events  bool // Gemini's stream is one of events, and not a list
	thinks  bool // the client lets the model think before it answers
	caches  bool // the prompt's beginning may come from the provider's cache
}

// A Tool is one that the request lists.
type Tool struct {
	Name        string          // as the client lists it
	Description string          // the same
	Schema      json.RawMessage // nil if the tool is the provider's own

	Type      string // of a provider's own tool: computer_20251124; empty: a function
	Namespace string // that its calls have to name; empty: none
	Deferred  bool   // the client holds its definition back until a search finds it
	shouts    bool   // its schema may write types in capitals
}

// A Turn is one side's part of a conversation: the model's (Text and Calls), or
// the other side's (the Results of the calls before it, then Text).
type Turn struct {
	Model   bool       // it is the model's
	Text    string     // what was said
	Calls   []ToolCall // the model's
	Results []Result   // of the calls before
	Images  int        // beside the text

	thought bool // the model's thinking came back before all else
}

// A ToolCall is a call as the model makes it.
type ToolCall struct {
	ID   string          // the provider's or the client's
	Name string          // of the tool
	Args json.RawMessage // an object

	numbered bool // by this server: the client sent no id
}

// A Result answers a call.
type Result struct {
	ID, Name string // the call's
	Text     string // all of its texts
	IsError  bool   // as Anthropic's and Gemini's clients say; OpenAI's cannot
	Images   int    // beside the text

	foreign bool // the client may have put lines of its own before the text
}

// Header is the JSON object on the first line of the text; nil if there is none.
// Numbers are json.Number. A foreign client may have put lines of its own before it.
func (r Result) Header() map[string]any {
	for line := range strings.Lines(r.Text) {
		dec := json.NewDecoder(strings.NewReader(line))
		dec.UseNumber()
		var h map[string]any
		if dec.Decode(&h) == nil && !dec.More() {
			return h
		}
		if !r.foreign {
			break
		}
	}
	return nil
}

// Tool finds a listed tool that the model may call. A provider's own tool that is
// a set is found by any name that no other has. Of a foreign client's tools one of a
// server comes before one of the client's own, which may have the same name.
func (r *Request) Tool(name string) (Tool, bool) {
	var exact, found, served []Tool
	for _, t := range r.Tools {
		switch {
		case t.Deferred:
		case r.foreign && t.served() && r.is(t.Name, name):
			served = append(served, t)
		case t.Name == name:
			exact = append(exact, t)
		case r.is(t.Name, name), t.set():
			found = append(found, t)
		}
	}
	for _, list := range [][]Tool{served, exact, found} {
		if len(list) > 0 {
			return list[0], len(list) == 1
		}
	}
	return Tool{}, false
}

// served reports whether a foreign client says that the tool is a server's.
func (t Tool) served() bool {
	return strings.HasPrefix(t.Name, "mcp_") || strings.HasPrefix(t.Namespace, "mcp_")
}

// set reports whether the calls of a provider's own tool have names of their own.
func (t Tool) set() bool {
	return strings.HasPrefix(t.Type, "computer_toolset_") || t.Type == "computerUse"
}

// is reports whether the tool that the request lists is the one that a script
// calls name. Vendors' clients put the names of a server and of their own before it.
func (r *Request) is(listed, name string) bool {
	return listed == name || r.foreign && strings.HasSuffix(listed, "_"+name)
}

// names are the names of the tools that may be called.
func (r *Request) names() []string {
	var names []string
	for _, t := range r.Tools {
		if !t.Deferred {
			names = append(names, t.Name)
		}
	}
	return names
}

// Last is the newest result of the tool, or of any tool if tool is empty.
func (r *Request) Last(tool string) (Result, bool) {
	for i := len(r.Turns) - 1; i >= 0; i-- {
		rs := r.Turns[i].Results
		for j := len(rs) - 1; j >= 0; j-- {
			if tool == "" || r.is(rs[j].Name, tool) {
				return rs[j], true
			}
		}
	}
	return Result{}, false
}

// turn is the newest turn if it is of that side, or else a new one.
func (r *Request) turn(model bool) *Turn {
	if n := len(r.Turns); n == 0 || r.Turns[n-1].Model != model {
		r.Turns = append(r.Turns, Turn{Model: model})
	}
	return &r.Turns[len(r.Turns)-1]
}
