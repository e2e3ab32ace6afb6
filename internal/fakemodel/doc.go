// Package fakemodel is a model that follows a script: an HTTP server on
// loopback that speaks the wire formats of model providers, so that an agent, a
// loop or a vendor's client can be run end to end without a key or a network.
//
// # Overview
//
// A [Script] is a list of [Step]s. Each request is answered by the step that
// its conversation has come to: the step looks at the results of the tools
// (Step.When), takes values out of them (Step.Pull) and answers with text, with
// calls, or with both. The server keeps no state of a conversation: it replays
// the script over what the request holds, so a request that is sent again gets
// the same answer, and several conversations may run at once.
//
// [Start] serves four wire formats, each streamed and whole:
//
//	/v1/messages                                Anthropic's Messages
//	/v1/responses                               OpenAI's Responses
//	/v1/chat/completions                        OpenAI's Chat Completions
//	/v1beta/models/MODEL:generateContent        Google's, with :streamGenerateContent
//
// A wire format is a dialect: it reads a request into a [Request] and writes a
// [Reply], and knows nothing of scripts. A provider's own tool, such as its
// computer, is a [Tool] with a Type and is called like any other: a script gives
// the arguments that the provider's model would. Every reply has the tokens that it
// counts for, worked out from the bytes: those of the input, those of them that a
// cache would have had, and those of the output. A model that a request lets think
// thinks, and what it thought has to come back with its calls.
//
// With Options.Foreign the clients are vendors' own programs: Claude Code, Codex,
// Gemini CLI, opencode. They name the tools of a server in their own way, put
// reminders between the turns, and ask beside the conversation; all of that is
// borne, and a script is the same for all of them and for a loop of our own.
//
// # Usage
//
//	srv, err := fakemodel.Start(fakemodel.Script{Steps: []fakemodel.Step{
//		{Name: "look", Calls: []fakemodel.Call{{Tool: "clock"}}},
//		{Name: "tell", When: fakemodel.Match{Contains: "UTC"}, Text: "It is late."},
//	}}, nil)
//	defer srv.Close()
//	// point a client at srv.URL(), run it, then:
//	err = srv.Err() // what the client or the script did wrong, if anything
//
// # Trust
//
// The server listens on the loopback address alone and asks for no key. It is
// as strict as a provider: a call that is answered twice, late or never, a name
// that does not fit, a schema that is not an object's or not of the kind that was
// declared, roles out of turn, a signature of Gemini's that is missing, a safety check
// of OpenAI's that nobody acknowledged are refused with status 400. It is stricter in
// one thing: the model's own turns must come back as they were sent. Fields that
// it does not know it passes over.
//
// # Concurrency
//
// A Server is used from many goroutines at once. No goroutine outlives Close.
//
// # Errors
//
// What a client did wrong and where a script does not fit is answered in the
// dialect's own error object with status 400, names the step, and is kept for
// [Server.Err].
package fakemodel
