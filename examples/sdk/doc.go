// Package sdk is the loop of an agent on the vendors' own Go SDKs: Anthropic's,
// OpenAI's and Google's.
//
// # Overview
//
// [Anthropic], [OpenAI] and [Gemini] each do one task: the model is asked through the
// SDK's client, which has the keys, the repeats and the time limits, its calls are run by
// a session of a tools.Set, and the results go back, until it calls nothing. Package wire
// writes the JSON of the tools and of the results, and reads the calls; the SDKs
// take it as it is, so that a schema arrives byte for byte, in its own order. The
// rest of a request is made of the SDK's own types, for a host to change.
//
// It is a module of its own, because the SDKs are large. A host that needs none of them
// posts what package wire makes itself; examples/agent does.
//
// # Usage
//
//	client := anthropic.NewClient() // with the key in ANTHROPIC_API_KEY
//	words, err := sdk.Anthropic(ctx, client, "claude-sonnet-4-5", set, turn, "What fails?")
//
// # Trust
//
// What a model sends is data: the session checks arguments and allows each call, or
// does not.
//
// # Concurrency
//
// The functions keep nothing, and may be called from many goroutines at once.
//
// # Errors
//
// Those of the SDKs, as they are, and of package wire. What a tool refuses is an answer
// to the model and no error.
package sdk

import "encoding/json"

// each makes a value of an SDK's of each in a JSON array. An empty list has none.
func each[T any](list json.RawMessage, one func(any) T) ([]T, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(list, &raw); err != nil {
		return nil, err
	}
	return all(raw, one), nil
}

// all makes a value of an SDK's of each message.
func all[T any](raw []json.RawMessage, one func(any) T) []T {
	values := make([]T, len(raw))
	for i := range raw {
		values[i] = one(raw[i])
	}
	return values
}
