// Agent is an agent in a few small files: a loop, a model in any of four wire formats, a
// screen. It reads a project and its PDF files, edits it, runs its tests, undoes what it
// did, and finishes.
//
//	go run ./examples/agent
//
// copies a small Go project with a failing test to a temporary folder, finds out from
// the shop's rules, a PDF, whether the test or the code is wrong, and fixes it there.
// The model is scripted and answers over HTTP on loopback; all else is real: the tools,
// the files, the tests. It needs no key and no network.
//
//	go run ./examples/agent -dir ~/src/thing -access full -check 'go test ./...' 'Fix the failing test.'
//
// works on a folder with the model that the environment names: ANTHROPIC_API_KEY,
// OPENAI_API_KEY, GEMINI_API_KEY, or OPENAI_BASE_URL and -model for any server that
// speaks Chat Completions, such as Ollama or llama.cpp. -provider chooses where there are
// several, or another wire format than a server is taken to speak; -dialect says what a
// server takes of tools' schemas that does not take all of it.
//
// What the model says is shown as it comes. A server that is busy, and an answer that
// breaks off, are tried again a few times: when the server says, or ever later. At the
// end stands what the run came to, in tokens: those of all requests, those of them
// that the provider had kept from the request before and asks less for, and those
// of the answers.
//
// # Rooms
//
//	go run ./examples/agent -dir ~/src/thing -room work 'Read the parser.'
//	go run ./examples/agent -dir ~/src/thing -room work -mode planning 'Plan to split it.'
//	go run ./examples/agent -dir ~/src/thing -room work -serve
//
// With -room the conversation is that of a seat and goes on from run to run: each turn
// is told what the seat remembers, its notes, its running jobs and the room's open
// tasks. Notes, reminders, waits and plans are the seat's, and finish is. A turn that
// was interrupted by Ctrl-C, or killed, goes on at the next run; the program operator
// ends it for good. Without -serve the program runs the task and what else waits for
// the seat, and ends; it stays only for a job that the seat waits for, which would end
// with it. With -serve it runs what the seat is woken for and asked, until Ctrl-C.
// Meanwhile it owns the seats of the project: the program operator, and this one with
// another task, are heard by it.
//
// With -store and the URL of a PostgreSQL database the rooms are kept there, and agents on any
// number of machines serve them. A seat stays with the folder in which its first turn ran.
// Nobody owns the seats then, so that no door is open for others: the program operator has
// -store too and works on the server, and there is nobody to hand a task over to, as any agent
// may queue one.
//
// A turn's conversation begins anew with a checkpoint after -steps requests, and when it
// has come to -context tokens: the model is told in time to save its notes.
//
// # The desktop
//
// With -access full a model that sees also operates the session's desktop, if there is
// one: -desktop virtual gives it a display of its own, -desktop none takes it away, and
// -images keeps what it has seen. The models of Anthropic, OpenAI and Google are taken for
// ones that see; another server's is asked for with -desktop. The newest ten pictures
// stay in the conversation. With -native the model has the computer tool that its
// provider trains it for in place of ours, the newest or the one named
// (-native=computer_20250124); what it does with it is checked and done as with ours.
// A call to which OpenAI attaches a safety check is refused: there is nobody to ask.
//
// # Reading
//
// loop.go is the model for a host's own loop, with a seat and without; room.go runs a
// seat's turns with it. model.go is a model with its conversation, in the bytes that
// package wire makes of it; endpoint.go is the HTTP under it, provider.go the servers
// that there are, budget.go how large a conversation may grow. finish.go is a
// tool from scratch, with a gate that the host holds shut until its check succeeds;
// in a room the seat's own takes its place. screen.go is a middleware that shows each
// call, speech.go shows words as they come. demo_script.go is what the scripted model
// does. outcome.go says what came of a seat's turns, handover.go gives a task away.
//
// # A task for an agent that runs already
//
// A task that is heard by another process is done with what both allow: -access,
// -read-only, -no-search, -desktop none and -check of the two. That is said before it is handed over,
// and kept with the prompt, also for what the turn is reminded of and for a retry. A
// process that serves another room, or runs no commands where -access full is asked
// for, does not take the task; -serve without -room serves every room. The model, its
// desktop, -context, -env and -compact are that process's own. A turn that has failed
// makes a run without -serve end with 1.
//
// # Exit codes
//
// 0: the model finished, answered without a tool, waits, or has planned. 1: it did
// not finish, or something went wrong. 2: wrong use. 130: Ctrl-C, which ends the
// running tool and leaves every file whole, every change in the history, and in a room
// the turn to be resumed; -serve ends with 0 unless a turn was running.
//
// # Trust
//
// Safe is the default: the model reads and changes files of the folder, each change
// of which can be undone, and reads pages of the public web, and nothing else. With
// -access full its commands run as you, unconfined unless -sandbox confines them, it reads
// local pages, and it operates the desktop. PDF files, the folder's and the web's, are read in a process of
// their own; without a C compiler, which the build of their reader needs, the model is
// told what is missing.
// What it searches for goes to the provider that ARC_SEARXNG_URL, BRAVE_API_KEY,
// TAVILY_API_KEY or EXA_API_KEY name, or to Tavily without a key; -no-search withholds
// the search. The demonstration uses full access on its own copy.
//
// The screen shows text of files and commands with control characters taken out,
// so that none of it can write to the terminal on its own.
package main
