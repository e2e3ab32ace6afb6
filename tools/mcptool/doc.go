// Package mcptool joins a set of tools to the Model Context Protocol, both ways: it offers
// tools to an MCP client, and brings the services of an operator in as tools of a seat.
//
// # Overview
//
// [Serve] offers the tools of a [tools.Set] to one MCP client, in one turn, over any
// transport of the official SDK: standard input and output, memory, a socket.
// [NewHandler] does so over streamable HTTP, for many clients, each with a session of
// its own.
//
// [Open] opens [Services], an arc.Provider, and [Services.Connect] attaches a [Service]
// to it: a command that speaks MCP on its standard input and output, an URL, or a
// transport of the host's. Its tools reach the seats that are granted it (arc.Env.Services
// names it) as <service>__<tool>, found by search, with Full Access and a project, and in
// planning turns only those that the operator calls read-only ([Service.ReadOnly]). What a
// service says of its own tools is a hint, and permits nothing.
//
// # Usage
//
//	set, err := tools.NewSet([]arc.Provider{ws}, nil)
//	turn := arc.Turn{Env: arc.Env{Project: true}}
//	err = mcptool.Serve(ctx, set, turn, &mcp.StdioTransport{MaxLineLength: mcptool.MaxMessage}, nil)
//
// The other way:
//
//	services, err := mcptool.Open(&mcptool.Options{State: filepath.Join(state, "mcp")})
//	if err != nil {
//		return err
//	}
//	defer services.Close(ctx)
//	err = services.Connect(ctx, mcptool.Service{Name: "files", Command: []string{"mcp-server-filesystem", dir}})
//	set, err := tools.NewSet([]arc.Provider{services}, nil)
//	session := set.Session(arc.Turn{Env: arc.Env{Access: arc.FullAccess, Project: true, Services: services.Names()}})
//
// # Serving
//
// A client lists what the turn allows, all of it from the start: most clients call
// nothing that they have not listed, and many read the list once. With
// ServeOptions.OnDemand the list is the session's own, short, with tool_search, and it
// is announced when it has grown. Schemas go out as they are, byte for byte, and
// effects as annotations.
//
// A result is one text, as [arc.Result.AppendText] makes it, and the pictures. Structured
// content is off unless asked for: clients hand it to their model in place of the text,
// escaped. A refusal is a result with isError, whose text has the code, the sentence and
// the next call; only a tool that does not exist is an error of the protocol.
//
// Calls begin in the order in which they came. Those that only read run side by side, at
// most 8 at once, and each other one alone, as in [tools.Session.Run]. A call that the
// client takes back is canceled, and so are all when the client leaves, but for those
// that end within a second of that. What a tool
// reports is sent as progress to a client that asked for it, but for raw output, of
// which it is told the size.
//
// A tool that ends the turn says in its result that the client is to stop. Calls that
// come after it are answered terminal_conflict.
//
// # Services
//
// A name is of letters, digits, _ and -, and of at most 54 bytes, so that it fits every
// provider also behind mcp__arc__; a longer one is cut and ends in a hash. Two tools that
// would have one name are refused with their service. Descriptions are one line of
// at most 1 KiB.
//
// A schema of more than 8 KiB, or one that nobody could check arguments against, is listed
// in a shorter form that allows no less, and the description names the whole: a service_id
// and an output_id for the tool mcp_output. [Services.Schema] is the same for a host that
// changes schemas itself.
//
// A result's text of more than 16 KiB is kept whole first and then cut. The result names
// it, and its next call pages the rest with mcp_output, in pages of 48 KiB that end
// between characters and that joined are the whole. Outputs are kept on disk for
// 24 h and up to 512 MiB, each for the seat that made the call; the oldest go first, but
// none of the turn that its seat is in. Pictures stay pictures, of other files the
// type is told, and structured content that a text repeats is left out.
//
// A list that changes is taken anew; sessions that are open keep theirs. A call is told
// of progress, can be canceled, and ends after 120 s. A service that ends is started
// again at the next call, once in ten minutes; until then its tools are unavailable. What
// it asks its user is declined unless there is a handler.
//
// # Trust
//
// A client is the operator's, and its model is not trusted: arguments are checked like
// all others. What a client can cost is bounded: the bytes of a message, the calls that
// wait, the requests that it sends without reading answers, and over HTTP the sessions.
//
// A [Handler] takes a request only with its bearer token, for a name of this machine's
// own and from no page of another: a browser that was led to it by a name that resolves
// to loopback is refused. [Listen] listens on loopback alone.
//
// A service is the operator's choice, and its command runs with the rights of the host.
// What it says is a stranger's: messages are of at most 16 MiB, what nobody has asked for
// is dropped and ends the service when it is too much, lists and schemas are bounded,
// names and descriptions are cleaned of what cannot be seen. Results are marked
// untrusted. A child gets PATH, HOME and a few more of the host's environment, and what
// [Service.Env] names. What it writes to standard error goes to the log, up to 64 KiB a
// minute.
//
// A child is a group of its own (see package internal/proc), with ARC_SERVICE in its
// environment: ending it, or killing the host, ends all that it has started. What has made
// a session of its own, as a daemon does, is found on Linux alone, and by that variable.
//
// # Concurrency
//
// Serve returns when the client has left and its calls have ended. Several may run over
// one set. A Handler is used from many goroutines at once.
//
// Services are used from many goroutines at once. A connection has goroutines of its own,
// and all have ended when [Services.Close] returns.
//
// # Errors
//
// Serve returns nil when the client leaves, ctx's error when that ended first, and what
// broke the transport otherwise. Errors of calls are those of the tools, and
// limit_reached where too many wait.
//
// Of services, beside the codes of the methods: service_error for what the service itself
// refuses or says has failed, with its words as the Body; unavailable for one that has
// ended; timed_out; too_large for an answer of more than 16 MiB.
package mcptool
