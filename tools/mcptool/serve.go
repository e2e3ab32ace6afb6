// Package mcptool joins a set of tools to the Model Context Protocol.
//
// # Overview
//
// [Serve] offers the tools of a [tools.Set] to one MCP client, in one turn, over any
// transport of the official SDK: standard input and output, memory, a socket.
// [NewHandler] does so over streamable HTTP, for many clients, each with a session of
// its own.
//
// # Usage
//
//	set, err := tools.NewSet([]arc.Provider{ws}, nil)
//	turn := arc.Turn{Env: arc.Env{Project: true}}
//	err = mcptool.Serve(ctx, set, turn, &mcp.StdioTransport{MaxLineLength: mcptool.MaxMessage}, nil)
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
// # Concurrency
//
// Serve returns when the client has left and its calls have ended. Several may run over
// one set. A Handler is used from many goroutines at once.
//
// # Errors
//
// Serve returns nil when the client leaves, ctx's error when that ended first, and what
// broke the transport otherwise. Errors of calls are those of the tools, and
// limit_reached where too many wait.
package mcptool

import (
	"context"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// MaxMessage is how long a message of a client may be, in bytes: the largest file that
// can be written, escaped to the utmost. The SDK's transports take less unless told.
const MaxMessage = 64 << 20

// ServeOptions of [Serve]. Nil is fine.
type ServeOptions struct {
	// Name, Title and Version are what the server calls itself. "": arc, none, and the
	// version of the module in the program, if it has one.
	Name, Title, Version string

	// Instructions are told to the client's model, by clients that do so. "": none.
	Instructions string

	// OnDemand lists what the session lists, with tool_search for the rest. Default:
	// all tools are listed, and tool_search is not.
	OnDemand bool

	// Structured adds structured content to each result: the header's fields, and the
	// Body as the field text. Default: text and pictures alone.
	Structured bool

	// Begin is asked at the first call for the turn in which calls are made, and for
	// the middleware of its session, so that a client that only looks begins none. The
	// call that asked is answered with its error, and the next call asks again. Nil:
	// it is the turn that Serve was given, which otherwise is only listed.
	Begin func(context.Context) (arc.Turn, []tools.Middleware, error)

	// Extend adds to the server what the host offers beside the set: resources,
	// prompts, tools of its own with other names. Nil: nothing.
	Extend func(*mcp.Server)

	// SDK has further options of the server, for what Extend adds; those above win.
	// Nil: none.
	SDK *mcp.ServerOptions

	// Logger gets what no client is told. Nil: discarded.
	Logger *slog.Logger
}

// leaving is how long Serve waits, once ctx has ended, for calls and for answers that
// the client does not read. A client that has asked for the end kills soon after.
const leaving = time.Second

// Serve offers set's tools in turn t to the client at the other end of the transport,
// until the client leaves or ctx ends. What still runs then is canceled and waited for;
// after ctx has ended no longer than 1 s, because an answer may be stuck in a pipe that
// nobody reads.
func Serve(ctx context.Context, set *tools.Set, t arc.Turn, transport mcp.Transport, o *ServeOptions) error {
	if h, ok := transport.(*httpTransport); ok {
		s := newServing(set, t, func() string { return h.id }, o)
		defer s.cancel()
		return h.run(ctx, s)
	}
	s := newServing(set, t, nil, o)
	defer s.cancel()
	client, err := s.connect(ctx, transport)
	if err != nil {
		return err
	}
	left := make(chan error, 1)
	go func() { left <- client.Wait() }()
	select {
	case err := <-left:
		return err
	case <-ctx.Done():
	}
	s.cancel()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		client.Close()
		<-left
	}()
	grace := time.NewTimer(leaving)
	defer grace.Stop()
	select {
	case <-closed:
	case <-grace.C:
		s.gate.cut()
		s.log.Warn("a client was left with calls that do not end, or answers that it does not read")
	}
	return ctx.Err()
}
