package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/plainjson"
)

// A Reply is the model's turn.
type Reply struct {
	Text  string     // its words to the user
	Calls []arc.Call // in its order; each ID is the only one of the conversation

	// Messages are the turn as it came, whatever else is in it: the next request
	// has them before the results. There are none if the model said nothing.
	Messages []json.RawMessage

	Stop  Stop   // why it is over
	Why   string // the provider's own word for Stop
	Usage Usage  // what it cost
}

// Stop says why a model's turn is over.
type Stop uint8

// The reasons.
const (
	Ended   Stop = iota // it has said what it wanted
	Calling             // it waits for the results of Calls
	Cut                 // its answer is longer than it may be; calls may be half there
	Refused             // it, or its provider, will not go on
	Paused              // send the conversation again: it goes on, or was not understood
)

// Usage is what a turn cost, in tokens. What a provider does not tell is 0.
type Usage struct {
	Input     int // all of the request
	Cached    int // of Input: read from the provider's cache
	Written   int // of Input: written to it
	Output    int // all of the reply
	Reasoning int // of Output
}

// Read reads the body of a response that was not streamed. What it does not know
// in it stays in Messages and means nothing here. Arguments are as the model wrote
// them, JSON or not: the session answers what it cannot read. The error says that
// body is no response: an error's body, or not the provider's.
func (f *Format) Read(body []byte) (Reply, error) {
	if !json.Valid(body) {
		return Reply{}, fmt.Errorf("wire: the response is not JSON: %s", clip(string(body)))
	}
	r, err := f.traits.grammar.read(f, body)
	if err != nil {
		return Reply{}, err
	}
	if len(r.Calls) > 0 && r.Stop == Ended {
		r.Stop = Calling
	}
	return r, nil
}

// ProviderError is the message in the body of an error of any provider's, or "".
func ProviderError(body []byte) string {
	o, err := plainjson.ParseObject(bytes.TrimSpace(body))
	if err != nil {
		if all := parseList(body); len(all) > 0 { // Gemini's streams
			return ProviderError(all[0])
		}
		return ""
	}
	var words string
	if json.Unmarshal(o.Get("error"), &words) == nil && words != "" {
		return words
	}
	if inner, err := plainjson.ParseObject(o.Get("error")); err == nil && inner.Text("message") != "" {
		return inner.Text("message")
	}
	return o.Text("message")
}

// failure is the error for a body that has none of what a response has.
func failure(body []byte) error {
	if words := ProviderError(body); words != "" {
		return fmt.Errorf("wire: the provider answered: %s", clipTo(words, 500))
	}
	return fmt.Errorf("wire: the response has nothing of a model's turn: %s", clip(string(body)))
}

// An origin is how a call came.
type origin struct {
	kind    kind
	id      string // the provider's own; "" where it gave none
	name    string // the provider's own: an action of a toolset, a tool
	toolset string // of Anthropic's
	checks  json.RawMessage
	refused *arc.Error // it was not put to the tool

	// held is what a call with safety checks asked for that was refused. OpenAI takes
	// no answer to it but one that acknowledges the checks, so it is left out of the
	// conversation.
	held json.RawMessage
}

type kind uint8

const (
	function   kind = iota
	computer        // the provider's computer tool
	toolSearch      // the provider's search, that the host carries out
)

// nothing are arguments that the tool computer refuses: those of a native call
// that was refused before. What the model is told is why that was.
var nothing = json.RawMessage(`{"actions":[]}`)

// admit makes a call of one that came. raw is a native call as it came.
func (f *Format) admit(o origin, args, raw json.RawMessage) arc.Call {
	c := arc.Call{Name: o.name, Args: args}
	switch {
	case o.kind == computer:
		c.Name = f.nativeTool()
		var err error
		if c.Args, err = ComputerArgs(f.computer, raw); err != nil {
			c.Args, o.refused = nothing, asError(err)
		}
	case o.kind == toolSearch:
		c.Name = searchName
	case f.opts.Dialect == Grammar:
		c.Args = withoutPlaceholder(args)
	}
	c.ID = f.number(o.id)
	if o.kind == computer && o.refused == nil && !f.leave(c, o.checks) {
		c.Args, o.refused = nothing, &arc.Error{
			Code: arc.Forbidden, Message: "the operator has not acknowledged the safety checks of this call; do it another way, or ask the operator.",
		}
	}
	if o.refused != nil && len(parseList(o.checks)) > 0 {
		o.held = raw
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.origins[c.ID] = o
	return c
}

// number is an id that no call of the conversation has: id, or a new one. Some
// servers send none, or the same one again and again.
func (f *Format) number(id string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n := len(f.ids) + 1; id == "" || f.ids[id]; n++ {
		id = fmt.Sprintf("call_%d", n)
	}
	f.ids[id] = true
	return id
}

// origin is how c came. A call that is not known, of a conversation that a host has
// kept elsewhere, came as an ordinary one.
func (f *Format) origin(c arc.Call) origin {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o, ok := f.origins[c.ID]; ok {
		return o
	}
	return origin{id: c.ID, name: c.Name}
}

// leave asks the host whether a call with safety checks may be done.
func (f *Format) leave(c arc.Call, raw json.RawMessage) bool {
	var checks []SafetyCheck
	for _, r := range parseList(raw) {
		if o, err := plainjson.ParseObject(r); err == nil {
			checks = append(checks, SafetyCheck{o.Text("id"), o.Text("code"), o.Text("message")})
		}
	}
	if len(checks) == 0 {
		return len(parseList(raw)) == 0
	}
	return f.opts.Acknowledge != nil && f.opts.Acknowledge(c, checks)
}

// arguments are what a model wrote for a call: a string of JSON, or an object from
// servers that do not put it into one.
func arguments(raw json.RawMessage) json.RawMessage {
	var s string
	switch {
	case json.Unmarshal(raw, &s) == nil && s != "":
		return json.RawMessage(s)
	case len(raw) == 0, raw[0] == '"', string(raw) == "null":
		return json.RawMessage("{}")
	}
	return raw
}

// mend makes item, a call as its provider wrote it, one that the provider takes back:
// arguments that are no object become none, in the member and the form that the
// provider has for them, and its name is speakable. It reports whether item is another.
func (f *Format) mend(item *object, name string, args json.RawMessage, member, none string) (changed bool) {
	if !isObject(args) {
		item.Set(member, json.RawMessage(none))
		changed = true
	}
	if said := f.speakable(name); said != name {
		item.Set("name", encode(said))
		changed = true
	}
	return changed
}

// renumber gives item the id that its call has here, and reports whether it came with
// another.
func (f *Format) renumber(item *object, member string, o origin, c arc.Call) bool {
	if c.ID == o.id {
		return false
	}
	f.rename(c.ID)
	item.Set(member, encode(c.ID))
	return true
}

// speakable is the name of a call as it goes back to the provider. One that a model
// made up, such as functions.read, or none at all, would have every further request
// refused.
func (f *Format) speakable(name string) string {
	if f.traits.names.MatchString(name) {
		return name
	}
	name = strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if name = name[:min(len(name), 64)]; !f.traits.names.MatchString(name) {
		return "unnamed"
	}
	return name
}

// rename says that the provider now knows the call of that id by it, as the model's
// turn in the conversation does.
func (f *Format) rename(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.origins[id]
	o.id = id
	f.origins[id] = o
}

// declares reports whether a tool of that name is declared.
func (f *Format) declares(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.known[name]
	return ok
}
