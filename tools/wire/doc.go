// Package wire speaks with models' providers in their own words: what a session
// lists becomes a request's tools, what a model sends becomes calls, and what the
// calls come to becomes messages. It makes no connections: a host posts the bytes.
//
// # Overview
//
// A [Provider] is one of four wire formats: Anthropic's Messages, OpenAI's
// Responses and Chat Completions, which Ollama, llama.cpp and others speak too, and
// Gemini's generateContent. A [Format] is one conversation in one of them. It
//
//   - declares tools ([Format.Tools]) of a [Surface], which a tools.Session is, in
//     the [Dialect] of JSON Schema that the server takes, and says what was lost;
//   - reads replies, whole ([Format.Read]) or streamed ([Format.ReadStream],
//     [Format.Stream]), as a [Reply];
//   - writes messages ([Format.AppendUser], [Format.AppendResults]) and requests
//     ([Format.Request]). Messages are bytes that are kept and joined, so that each
//     request begins as the one before and a provider's cache can serve it.
//
// A model that brings its own computer tool (arc.Model.Native) is shown that and
// not ours, and its calls run through ours all the same: one executor, with one
// set of checks. [ComputerArgs] is that step by itself, for hosts that talk to a
// provider in another way.
//
// What the providers differ in:
//
//	              pictures of results        deferred tools            computer tool
//	Anthropic     in the result              defer_loading and         four versions
//	                                         tool_reference
//	OpenAI        in the result              tool_search, carried      two versions
//	                                         out by the client
//	OpenAIChat    in a user's message        the list is sent again    none
//	Gemini        in the result (3 and on)   the list is sent again    none here
//
// # Usage
//
//	format, err := wire.New(wire.Anthropic, turn.Env, nil)
//	conversation := format.AppendUser(nil, task)
//	for {
//		list, lost, err := format.Tools(session)
//		body, err := format.Request(wire.Request{Model: model, Messages: conversation, Tools: list})
//		// post body to the provider's Path, with the format's Headers
//		reply, err := format.Read(response)
//		conversation = append(conversation, reply.Messages...)
//		if reply.Stop != wire.Calling {
//			break
//		}
//		results := session.Run(ctx, reply.Calls)
//		conversation, err = format.AppendResults(conversation, reply.Calls, results)
//	}
//
// # Trust
//
// What a model sends is data: calls are for the session to check and to allow, and
// a native call that cannot be read exactly is refused rather than guessed; the
// session is then given arguments that the tool refuses too. The
// safety checks that OpenAI attaches to a call are put to the host
// (Options.Acknowledge), without whose leave the call is refused. Responses and
// schemas may be anyone's: none of them makes this package panic, and what is too
// large or too deep is refused or simplified.
//
// # Concurrency
//
// A Format is safe for concurrent use; a [Stream] is one goroutine's. Functions
// keep nothing.
//
// # Errors
//
// Errors of [ComputerArgs] are *arc.Error with the code invalid_arguments, for the
// model; their Detail has a reason. All others are the host's.
package wire
