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
