// Call makes one tool call, or a script of them, from a shell. It prints what a
// model would see, to the byte, so it answers the question "what does this tool
// say when …" and lets other programs drive the tools.
//
//	go run ./examples/call -dir D workspace_list
//	go run ./examples/call -dir D workspace_read '{"path":"main.go"}'
//	go run ./examples/call -dir D -access full shell_exec '{"command":"go test ./..."}'
//	go run ./examples/call -dir D -list
//	go run ./examples/call -dir D -script <calls.jsonl
//
// Arguments are JSON; without them they are {}, and - reads them from standard
// input. The exit code is 0, or 1 when the tool refused, or 2 for wrong use and
// for a project that cannot be opened. A command that fails is no refusal: the
// tool has done its work.
//
// # Scripts
//
// With -script each line of standard input is a call, {"name":…,"args":…}, and is
// answered by a line on standard output before the next is read:
//
//	{"name":…,"text":…,"is_error":…,"code":…,"images":…,"turn":…}
//
// text is what a model sees, code an error's code or "", images a count, and turn
// how the call left the turn: "" (it goes on), finished, waiting, planned or
// answered. All calls are of one turn of one process, so background jobs and what
// tool_search has found last until the end. A line that is no call is answered
// with is_error. The exit code is 0 whatever the answers.
//
// # Seats
//
// With -room the calls are of a turn of the seat in that room, which is made if it is
// missing: notes, reminders and waits are kept, and a tool that ends the turn ends it.
// Each run of the program is one turn, and each turn is an exchange that the seat
// remembers and that takes a place among its newest twelve: a call to try something
// out belongs in a room of its own, and a script makes many calls in one exchange. The
// seat has to have no other turn to run. What it is woken for is left to examples/agent
// -room NAME -serve.
//
// With -operator the tools are the operator's verbs, for all rooms or the one that
// -room names, which is then also the run_id where a call has none. What only looks (context, status, a dry run, -list) does so beside
// whoever owns the store, and from a disk that is full or cannot be written. For the
// rest a store that another process owns is locked, and the error names the process:
// exit code 2.
//
// # The desktop
//
// With -access full the tool computer operates the session's desktop, if there is one;
// -desktop names another: virtual is a display of this program's own, on which its
// commands show their windows, none is none. -images keeps the pictures that a model
// would get. What coordinates mean lasts as long as the program: a click needs a
// screenshot before it in the same script.
//
// # Services
//
// With -access full, -service NAME=COMMAND attaches an MCP service that speaks on its
// standard input and output, and NAME=URL one over HTTP. Its tools are NAME__TOOL, and
// mcp_output pages what they say at length. A command is parted at spaces, quotes hold
// words together, and no shell reads it; it runs in the project, with PATH and a few more
// of the environment's variables.
//
//	call -access full -service 'files=mcp-server-filesystem .' files__list_directory '{"path":"."}'
//
// # Lists
//
// With -list it prints the tools of the surface as a JSON array: name,
// description, schema, listing (direct, hosted, discover), and whether the tool
// is listed from the start.
//
// # Trust
//
// Safe is the default: files of the project, PDF files among them, and pages of the
// public web. With -access full commands run as the user that runs this program,
// unconfined unless -sandbox confines them, local pages are read, and the desktop is operated. A search goes to the provider that
// ARC_SEARXNG_URL, BRAVE_API_KEY, TAVILY_API_KEY or EXA_API_KEY name, or to Tavily
// without a key; -no-search withholds it.
package main
