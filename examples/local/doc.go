// Package local is the ready-made composition: the tools of one project folder
// on this machine, wired to each other, as the example programs use them. It is
// short on purpose. A host that wants other parts copies it and changes what it
// likes; a host that wants these parts imports it.
//
// # Overview
//
// [Open] opens the families on a folder: the workspace (files, with a journal
// that can be undone), the shell (commands, on the host), documents (the project's
// PDF files) and the web (pages, PDF files among them, and search with whom
// [Searchers] finds in the environment). [Host.Set] joins their tools, [Host.Turn]
// says what a turn may do. What a background job has to say when it ends reaches the
// model as a notice with its next tool result.
//
// With Options.Desktop and Full Access a turn also operates a desktop: the session's,
// or a display of its own on which commands show their windows.
//
// With Options.Services and Full Access the operator's MCP services are attached, and
// their tools found by search.
//
// With Options.Seats the host also has seats: their store, the tools with which a
// seat controls its turn, and what [seat.Service.Run] is given ([Host.RunOptions]).
// Then a job's end is a notice of its seat, and wakes who waits for it. [Host.OneTurn]
// is a turn for a program that is its own model, [Host.Operator] who changes what
// seats remember.
//
// # Usage
//
//	host, err := local.Open(dir, &local.Options{Access: arc.FullAccess})
//	defer host.Close(ctx)
//	set, err := host.Set(nil)
//	session := set.Session(host.Turn(arc.Origin{}))
//	result := session.Call(ctx, arc.Call{Name: "workspace_list"})
//
// # Trust
//
// Safe is the default: the project's files and pages of the public web. Full Access adds
// local pages and the shell, and the shell is not confined unless Options.Sandbox confines
// it: a command can do what the user who runs the host can. Commands get the host's environment without what looks like
// a key, unless Options.Env says otherwise.
//
// A desktop is the operator's own unless it is VirtualDesktop: a model clicks and types
// as the person at it would. None is touched without Full Access.
//
// A PDF file is read in a process of its own, with limits of memory and time: see
// packages docs, docs/worker and docs/fitz. The last links MuPDF, which is under the
// AGPL, and so is a program that imports this package.
//
// A search is read by its provider, which each result names: without one in the
// environment that is Tavily. Options.NoSearch keeps queries at home.
//
// State (the journal, the outputs of commands, what seats remember) is kept outside the project.
//
// # Concurrency
//
// A Host is used from many goroutines at once. Two hosts may open one folder, but
// only one of them with seats.
//
// # Errors
//
// Open and Close return what the families say; seats that another process owns are
// locked, and the message names the process. Errors of calls are those of the
// tools.
package local
