// Agent is an agent in a few small files: a loop, two wire formats, a screen. It
// edits a project, runs its tests, undoes what it did, and finishes.
//
//	go run ./examples/agent
//
// copies a small Go project with a failing test to a temporary folder and fixes
// it there. The model is scripted and answers over HTTP on loopback; all else is
// real: the tools, the files, the tests. It needs no key and no network.
//
//	go run ./examples/agent -dir ~/src/thing -access full -check 'go test ./...' 'Fix the failing test.'
//
// works on a folder with the model that the environment names: ANTHROPIC_API_KEY,
// OPENAI_API_KEY, or OPENAI_BASE_URL and -model for any server that speaks Chat
// Completions, such as Ollama or llama.cpp.
//
// # Reading
//
// loop.go is the model for a host's own loop. model.go says what the loop wants of
// a model; anthropic.go and openai.go are the wire formats, endpoint.go the HTTP
// under them. finish.go is a tool from scratch, with a gate that the host holds
// shut until its check succeeds. screen.go is a middleware that shows each call.
// demo_script.go is what the scripted model does.
//
// # Exit codes
//
// 0: the model finished, or answered without a tool. 1: it did not finish, or
// something went wrong. 2: wrong use. 130: Ctrl-C, which ends the running tool and
// leaves every file whole and every change in the history.
//
// # Trust
//
// Safe is the default: the model reads and changes files of the folder and
// nothing else, and each change can be undone. With -access full its commands run
// unconfined, as you. The demonstration uses full access on its own copy.
//
// The screen shows text of files and commands with control characters taken out,
// so that none of it can write to the terminal on its own.
package main
