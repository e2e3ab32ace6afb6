// Package wire reads what model providers send. Today that is one thing: calls of
// the desktop tools that providers have trained their models for, which it turns
// into arguments of the tool computer.
//
// # Overview
//
// A model that brings its own computer tool (arc.Model.Native) is not shown ours,
// and its calls run through ours all the same: one executor, with one set of
// checks. [ComputerArgs] takes such a call as the provider sent it, and the
// [Version] of the tool that the host declared, and says what it is in our words.
// It does not declare tools, and does not render results for a provider.
//
// # Usage
//
//	args, err := wire.ComputerArgs(wire.AnthropicComputer20251124, block)
//	if err != nil {
//		return err // an *arc.Error, for the model
//	}
//	result := session.Call(ctx, arc.Call{ID: id, Name: "computer", Args: args})
//
// # Trust
//
// A call is a model's: what is read is data, and what cannot be read exactly is
// refused rather than guessed. Whether the actions may be done is for the session
// and the executor to decide, as with any call. The safety checks that OpenAI may
// attach to a call (pending_safety_checks) are not looked at: the host puts them
// to its operator before it calls.
//
// # Concurrency
//
// Functions keep nothing and may be called from many goroutines.
//
// # Errors
//
// Errors are *arc.Error with the code invalid_arguments. Their Detail has a reason.
package wire
