package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// A Request is what a provider is asked.
type Request struct {
	Model, System string            // System may be empty
	Messages      []json.RawMessage // the conversation: what the Append methods and [Reply.Messages] made
	Tools         json.RawMessage   // of [Format.Tools]
	MaxTokens     int               // of the reply; 0: 16,000 for Anthropic, which must be told, and the provider's own limit else
	Stream        bool              // the reply is for [Format.ReadStream]

	// Extra are further fields, such as temperature or store. One that is there
	// already is replaced. What OpenAI is not to store ("store": false) it has to be
	// given back whole ("include": ["reasoning.encrypted_content"]). Anthropic caches only what it is told to:
	// "cache_control": {"type": "ephemeral"} has it keep the conversation so far.
	Extra map[string]any
}

// Request is the body of a request: r's messages and tools stand in it byte for
// byte, so that the beginning of the next request is that of this one, on which
// providers' caches depend. The error says that a field of Extra is not JSON.
func (f *Format) Request(r Request) ([]byte, error) {
	body := f.traits.grammar.request(f, r)
	for _, name := range slices.Sorted(maps.Keys(r.Extra)) {
		b, err := json.Marshal(r.Extra[name])
		if err != nil {
			return nil, fmt.Errorf("wire: the field %s of the request: %w", name, err)
		}
		body.Set(name, b)
	}
	return body.Raw(), nil
}

// some is v, or nil for an empty list, which servers do not take.
func some(v []json.RawMessage) json.RawMessage {
	if len(v) == 0 {
		return nil
	}
	return list(v)
}

// positive is n, or nil for none.
func positive(n int) any {
	if n <= 0 {
		return nil
	}
	return n
}

// whether is true, or nil.
func whether(b bool) any {
	if !b {
		return nil
	}
	return true
}
