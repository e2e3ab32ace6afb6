package mcptool

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// searchTool is the session's own tool, which is listed only on demand.
const searchTool = "tool_search"

// A serving is one client of Serve: the SDK's server, and the session of the turn.
type serving struct {
	o      ServeOptions
	set    *tools.Set
	turn   arc.Turn
	server *mcp.Server
	gate   *gate // nil over HTTP, where requests come side by side
	log    *slog.Logger

	calls  context.Context // ends with the serving, and all calls with it
	cancel context.CancelFunc

	queue   queue
	prefix  string // of call ids, so that a turn that goes on has no two alike
	numbers atomic.Int64

	beginning chan struct{} // full while somebody begins the turn

	mu        sync.Mutex
	session   *tools.Session // until begun, that of the list
	begun     bool
	reads     map[string]bool // tools of the session: whether they only read
	announced int             // tools in the last list that the client was told of
	ended     bool
	reporters map[string]*reporter // by call id
}

// newServing makes a serving, whose session has the name that id returns; nil: any.
func newServing(set *tools.Set, turn arc.Turn, id func() string, o *ServeOptions) *serving {
	s := &serving{
		set: set, turn: turn,
		prefix:    "mcp_" + strings.ToLower(rand.Text()[:8]) + "_",
		beginning: make(chan struct{}, 1),
		reporters: map[string]*reporter{},
	}
	if o != nil {
		s.o = *o
	}
	if s.log = s.o.Logger; s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.calls, s.cancel = context.WithCancel(context.Background())
	s.server = mcp.NewServer(
		&mcp.Implementation{Name: cmp.Or(s.o.Name, "arc"), Title: s.o.Title, Version: cmp.Or(s.o.Version, version())},
		s.options(id))
	if s.o.Extend != nil {
		s.o.Extend(s.server)
	}
	s.open(turn, nil)
	s.begun = s.o.Begin == nil
	s.server.AddReceivingMiddleware(s.receive)
	return s
}

// options are the server's.
func (s *serving) options(id func() string) *mcp.ServerOptions {
	var o mcp.ServerOptions
	if s.o.SDK != nil {
		o = *s.o.SDK
	}
	var can mcp.ServerCapabilities // none of the SDK's own, which are for history's sake
	if o.Capabilities != nil {
		can = *o.Capabilities
	}
	can.Tools = &mcp.ToolCapabilities{ListChanged: s.o.OnDemand || s.o.Extend != nil}
	o.Capabilities = &can
	o.Instructions, o.Logger, o.GetSessionID = s.o.Instructions, s.o.Logger, id
	return &o
}

// version is that of this module in the program.
func version() string {
	const module = "github.com/arcseat/arc"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if info.Main.Path == module {
		return info.Main.Version
	}
	for _, m := range info.Deps {
		if m.Path == module {
			return m.Version
		}
	}
	return "unknown"
}

// open makes the session of a turn. The caller holds mu, or has s alone.
func (s *serving) open(turn arc.Turn, mw []tools.Middleware) {
	host := turn.Progress
	turn.Progress = func(c arc.Call, p arc.Progress) {
		if host != nil {
			host(c, p)
		}
		s.report(c.ID, p)
	}
	turn.Model.Native = nil // what a client's model brings of its own is the client's
	s.session = s.set.Session(turn, mw...)
	known := s.reads
	s.reads = map[string]bool{searchTool: true}
	for _, d := range s.definitions(false) {
		s.reads[d.Name] = d.Effects.ReadOnly && !d.Effects.EndsTurn
	}
	for name := range s.reads {
		if _, there := known[name]; !there {
			s.register(name)
		}
	}
	s.announced = len(s.session.List())
}

// register lets the SDK call a tool. What a client lists of it is list's to say, so that
// no schema of a service is more than the SDK takes.
func (s *serving) register(name string) {
	s.server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, s.called)
}

// definitions are what a client lists, or with onDemand what it lists then.
func (s *serving) definitions(onDemand bool) []arc.Definition {
	list := s.session.List()
	if onDemand {
		return list
	}
	all := make([]arc.Definition, 0, len(list))
	for _, d := range list {
		if d.Name != searchTool {
			all = append(all, d)
		}
	}
	return append(all, s.session.Deferred()...)
}

// receive takes lists of tools, which the SDK would sort, and calls of tools that the
// client cannot call.
func (s *serving) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch r := req.(type) {
		case *mcp.ListToolsRequest:
			res, err := next(ctx, method, req)
			if list, ok := res.(*mcp.ListToolsResult); ok && err == nil {
				s.list(r, list)
			}
			return res, err
		case *mcp.CallToolRequest:
			s.mu.Lock()
			_, ours := s.reads[r.Params.Name]
			session := s.session
			s.mu.Unlock()
			if ours {
				break
			}
			s.gate.taken()
			if s.o.Extend == nil {
				// It is refused, and the refusal says why.
				why := session.Call(ctx, arc.Call{Name: r.Params.Name}).Err
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: why.Error()}
			}
		}
		return next(ctx, method, req)
	}
}

// list puts the set's tools before what the host has added.
func (s *serving) list(req *mcp.ListToolsRequest, to *mcp.ListToolsResult) {
	if req.Params != nil && req.Params.Cursor != "" {
		return // ours were on the first page
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []*mcp.Tool{} // and not null
	for _, d := range s.definitions(s.o.OnDemand) {
		list = append(list, toolOf(d))
	}
	for _, t := range to.Tools {
		if _, ours := s.reads[t.Name]; !ours {
			list = append(list, t)
		}
	}
	to.Tools = list
}

func toolOf(d arc.Definition) *mcp.Tool {
	return &mcp.Tool{
		Name: d.Name, Description: d.Description, InputSchema: d.Schema,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint:    d.Effects.ReadOnly,
			DestructiveHint: new(d.Effects.Destructive),
			OpenWorldHint:   new(d.Effects.OpenWorld),
		},
	}
}

// called answers a call of a tool of the set.
func (s *serving) called(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s.mu.Lock()
	reads := s.reads[req.Params.Name]
	s.mu.Unlock()
	place, refusal := s.queue.join(reads)
	s.gate.taken()
	if refusal != nil {
		return s.answer(&arc.Result{Err: refusal}), nil
	}
	defer place.leave()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.calls, cancel)()
	if err := place.wait(ctx); err != nil {
		return s.answer(&arc.Result{Err: notMade(err)}), nil
	}
	return s.answer(s.call(ctx, req)), nil
}

// call makes a call whose turn it is.
func (s *serving) call(ctx context.Context, req *mcp.CallToolRequest) *arc.Result {
	session, err := s.begin(ctx)
	if err != nil {
		return &arc.Result{Err: err}
	}
	c := arc.Call{ID: fmt.Sprint(s.prefix, s.numbers.Add(1)), Name: req.Params.Name, Args: req.Params.Arguments}
	defer s.reporting(ctx, c.ID, req)()
	r := session.Call(ctx, c)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.End != arc.Continue {
		s.ended = true
		r.Notices = append(r.Notices, "This has ended the turn: make no more calls, and tell the user how things stand.")
	}
	if n := len(session.List()); s.o.OnDemand && n > s.announced {
		s.announced = n
		s.register(searchTool) // the SDK announces a list when a tool is added, also one that is there
	}
	return r
}

// begin is the session that calls are made in.
func (s *serving) begin(ctx context.Context) (*tools.Session, *arc.Error) {
	select {
	case s.beginning <- struct{}{}:
		defer func() { <-s.beginning }()
	case <-ctx.Done():
		return nil, notMade(ctx.Err())
	}
	s.mu.Lock()
	session, begun, ended := s.session, s.begun, s.ended
	s.mu.Unlock()
	switch {
	case ended:
		return nil, &arc.Error{Code: arc.TerminalConflict, Message: "the turn has ended, so the call was not made; make no more calls, and tell the user how things stand."}
	case begun:
		return session, nil
	}
	var turn arc.Turn
	var mw []tools.Middleware
	err := safely(func() (err error) { turn, mw, err = s.o.Begin(ctx); return err })
	var e *arc.Error
	switch {
	case errors.As(err, &e):
		return nil, e
	case err != nil && ctx.Err() != nil:
		return nil, notMade(err)
	case err != nil:
		s.log.Error("a turn could not be begun", "err", err)
		return nil, &arc.Error{Code: arc.Internal, Message: "the turn could not be begun, so the call was not made; tell the user, the server's log says why.", Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open(turn, mw)
	s.begun = true
	return s.session, nil
}

// notMade is the error of a call that was taken back before it began.
func notMade(err error) *arc.Error {
	return &arc.Error{Code: arc.Canceled, Message: "the call was taken back before it began; nothing was changed.", Err: err}
}
