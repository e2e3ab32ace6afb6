// Mcpserver offers the tools of a project folder to an MCP client: Claude Code, Codex,
// Gemini CLI, opencode, Crush, or any other that starts a command.
//
//	go run ./examples/mcpserver -dir D
//	go run ./examples/mcpserver -dir D -access full
//	go run ./examples/mcpserver -dir D -room work
//	go run ./examples/mcpserver -dir D -operator
//	go run ./examples/mcpserver -dir D -http 127.0.0.1:8808
//
// It speaks on standard input and output, and says all else on standard error. It ends
// when the client closes its input, and on a signal; what still runs is ended too.
//
// # What is offered
//
// All tools that the flags allow are listed from the start. With -compact the list is
// short, tool_search finds the rest, and the client is told when the list has grown;
// that is for clients that read it again. Safe is the default: files of the project, PDF
// files among them, and pages of the public web. With -access full commands run
// unconfined, as the user that runs this program.
//
// # A seat
//
// With -room the client acts in a turn of the seat in that room, which is made if it is
// missing. The turn is begun by the client's first call, so that a client that only looks
// leaves no trace, and that call's result also has what the seat is told: its notes, and
// what happened since. Notes, reminders and waits are kept; a tool that ends the turn
// ends it, and tells the client to stop; finish does so once the commands of -check
// succeed. Else the turn ends when the client leaves. What
// the seat is woken for is left to examples/agent -room NAME -serve.
//
// # An operator
//
// With -operator the tools are the operator's verbs, for all rooms or the one that -room
// names. What only looks does so beside whoever owns the store. What changes something
// has the store open for as long as that takes, or asks the agent that owns it; where the
// owner lets nobody in, the store is locked, and the error names the process.
//
// # HTTP
//
// With -http it serves many clients, at /mcp on an address of loopback, each in a session
// of its own. A client shows a bearer token, which is printed once on standard error, or
// kept in the file that -token-file names: one that nobody else may read, made if it is
// missing.
//
// # Conformance
//
// With -conformance it offers what the MCP conformance suite looks for, and nothing of
// the project; then clients need no token. expected-failures.yaml lists what of the
// protocol's newer revision is not there, and why.
package main
