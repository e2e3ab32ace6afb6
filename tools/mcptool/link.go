package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
)

// A link is one connection to a service, from its start to its end.
type link struct {
	service *Service
	log     *slog.Logger
	sieve   *sieve
	session *mcp.ClientSession
	process *process // nil: it is no child
	carrier *carrier // nil: it is not reached over HTTP
	conn    mcp.Connection
	ending  context.Context // done when the link is being closed
	cancel  context.CancelFunc

	changed chan struct{} // full when the list of tools has changed
	down    chan struct{} // closed when the session has ended
	why     error         // it ended; set before down is closed

	mu        sync.Mutex
	listeners map[string]arc.Call // for progress, by the call's token
	last      int                 // of the tokens
	heard     map[string]int      // how often a listener was told
}

// legacy is the newest version of the protocol that begins with initialize. Some services
// end at a first message of any other kind.
const legacy = "2025-11-25"

// dial starts the service, or reaches it, and opens a session. What it has started when
// it fails is ended. hurry cuts that short.
func dial(ctx context.Context, s *Service, log *slog.Logger, hurry context.Context) (*link, error) {
	l, err := dialVersion(ctx, s, log, hurry, "")
	if err != nil && ctx.Err() == nil && (errors.Is(err, errEnded) || errors.Is(err, mcp.ErrConnectionClosed)) {
		return dialVersion(ctx, s, log, hurry, legacy)
	}
	return l, err
}

func dialVersion(ctx context.Context, s *Service, log *slog.Logger, hurry context.Context, version string) (*link, error) {
	l := &link{
		service: s, log: log, changed: make(chan struct{}, 1), down: make(chan struct{}),
		listeners: map[string]arc.Call{}, heard: map[string]int{},
	}
	l.sieve = newSieve(l.progress)
	l.ending, l.cancel = context.WithCancel(context.Background())
	transport, err := l.transport(ctx, hurry)
	if err != nil {
		l.cancel()
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "arc", Version: "1"}, &mcp.ClientOptions{
		Capabilities:           &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { l.listChanged() },
		ElicitationHandler:     l.elicit,
	})
	l.session, err = client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		if l.process != nil {
			l.process.end(hurry.Done())
			err = l.process.because(err)
		}
		l.close()
		return nil, err
	}
	go func() {
		err := l.session.Wait()
		if err == nil {
			err = errEnded
		}
		l.why = err
		close(l.down)
	}()
	return l, nil
}

// transport is how the service is reached.
func (l *link) transport(ctx, hurry context.Context) (t mcp.Transport, err error) {
	switch {
	case l.service.URL != "":
		t, l.carrier, err = overHTTP(l.service, l.sieve, hurry)
		return t, err
	case l.service.Dial != nil:
		if t, err = l.service.Dial(ctx); err != nil {
			return nil, err
		}
		if l.conn, err = t.Connect(ctx); err != nil {
			return nil, err
		}
		return connected{sieved{l.conn, l.sieve}}, nil
	}
	if l.process, err = startProcess(l.service, l.sieve, l.log); err != nil {
		return nil, err
	}
	l.conn = l.process.conn
	return connected{l.conn}, nil
}

// end ends the session, and the child if there is one. Calls that wait are answered.
func (l *link) end(hurry context.Context) {
	if l.process != nil {
		l.process.end(hurry.Done())
	}
	l.close()
	<-l.down
}

func (l *link) close() {
	l.cancel()
	if l.conn != nil {
		_ = l.conn.Close() // first: a session waits for its calls to be answered
	}
	if l.session != nil {
		_ = l.session.Close()
	}
	if l.carrier != nil {
		l.carrier.release()
	}
}

// ended reports whether the session has.
func (l *link) ended() bool {
	select {
	case <-l.down:
		return true
	default:
		return false
	}
}

// awaitEnd waits for the end of a connection that has broken, so that the next call finds
// it ended.
func (l *link) awaitEnd(ctx context.Context) {
	select {
	case <-l.down:
	case <-ctx.Done():
	}
}

func (l *link) listChanged() {
	l.sieve.changed.Store(false)
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// elicit puts a question of the service to its user, or declines.
func (l *link) elicit(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	if l.service.Elicit == nil {
		l.log.Info("a service asked its user something, which was declined")
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.ending, cancel)()
	var answer *mcp.ElicitResult
	var err error
	if fault := safely(func() error { answer, err = l.service.Elicit(ctx, r.Params); return nil }); fault != nil {
		l.log.Error("what a service asked its user was declined", "err", fault)
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	return answer, err
}

// maxHeard is how often a call's listener is told of progress.
const maxHeard = 1000

// listen makes a token by which the service tells of the progress of a call, until the
// second result is called.
func (l *link) listen(c arc.Call) (token string, stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	token = fmt.Sprintf("arc-%d", l.last)
	l.listeners[token] = c
	return token, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.listeners, token)
		delete(l.heard, token)
	}
}

func (l *link) progress(p mcp.ProgressNotificationParams) {
	token, _ := p.ProgressToken.(string)
	l.mu.Lock()
	c, ok := l.listeners[token]
	if ok {
		l.heard[token]++
		ok = l.heard[token] <= maxHeard
	}
	l.mu.Unlock()
	if !ok {
		return
	}
	if err := safely(func() error {
		c.Report(arc.Progress{Message: oneLine(p.Message, maxSaying), Done: p.Progress, Total: p.Total})
		return nil
	}); err != nil {
		l.log.Error("a service's progress was not told", "err", err)
	}
}

// Limits of a list of tools.
const (
	maxTools     = 512
	maxListPages = 100
	maxListBytes = 8 << 20 // of schemas
)

// list asks for all tools.
func (l *link) list(ctx context.Context) ([]*mcp.Tool, error) {
	var all []*mcp.Tool
	size := 0
	cursors := map[string]bool{}
	for params := (&mcp.ListToolsParams{}); ; {
		page, err := l.session.ListTools(ctx, params)
		if err != nil {
			return nil, err
		}
		for _, t := range page.Tools {
			all = append(all, t)
			size += len(schemaOf(t))
		}
		switch next := page.NextCursor; {
		case len(all) > maxTools:
			return nil, fmt.Errorf("it lists more than %d tools", maxTools)
		case size > maxListBytes:
			return nil, fmt.Errorf("it lists more than %d MiB of schemas", maxListBytes>>20)
		case next == "":
			return all, nil
		case cursors[next] || len(cursors) >= maxListPages:
			return nil, fmt.Errorf("its list of tools does not end")
		default:
			cursors[next] = true
			params = &mcp.ListToolsParams{Cursor: next}
		}
	}
}

// schemaOf is a tool's schema as the service wrote it.
func schemaOf(t *mcp.Tool) json.RawMessage {
	if s, ok := t.Meta[originalSchema].(string); ok {
		return json.RawMessage(s)
	}
	raw, err := json.Marshal(t.InputSchema)
	if err != nil {
		return nil
	}
	return raw
}

// connected is the transport of a connection that is made already.
type connected struct{ conn mcp.Connection }

func (c connected) Connect(context.Context) (mcp.Connection, error) { return c.conn, nil }

// sieved is a connection behind a sieve.
type sieved struct {
	mcp.Connection
	sieve *sieve
}

func (c sieved) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := c.Connection.Read(ctx)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errEnded, err)
		}
		size := 0
		if m, ok := msg.(*jsonrpc.Request); ok {
			size = len(m.Method) + len(m.Params)
		}
		if pass, err := c.sieve.came(msg, size); err != nil {
			return nil, fmt.Errorf("%w: %w", errEnded, err)
		} else if pass {
			return msg, nil
		}
	}
}

func (c sieved) Write(ctx context.Context, msg jsonrpc.Message) error {
	c.sieve.sent(msg)
	return c.Connection.Write(ctx, msg)
}
