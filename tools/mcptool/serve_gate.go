package mcptool

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxUnanswered is how many requests are read before an answer is written. A client
// that sends and does not read gets no further.
const maxUnanswered = 256

// pipedIn is how long requests that came before the client closed its end may take:
// somebody may have piped them in. Clients that wait for a server to end wait longer.
const pipedIn = time.Second

// connect is the client at the other end of a transport that carries one.
func (s *serving) connect(ctx context.Context, t mcp.Transport) (*mcp.ServerSession, error) {
	s.gate = &gate{cancel: s.cancel, unanswered: map[jsonrpc.ID]bool{}, room: make(chan struct{}, 1), done: make(chan struct{})}
	return s.server.Connect(ctx, &gated{t, s.gate}, nil)
}

// gated is a transport whose requests come through the gate.
type gated struct {
	mcp.Transport
	gate *gate
}

func (t *gated) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	t.gate.Connection = c
	return t.gate, nil
}

// SupportsProtocolVersion passes on what the transport says of itself.
func (t *gated) SupportsProtocolVersion(version string) bool {
	if v, ok := t.Transport.(mcp.ProtocolVersionSupporter); ok {
		return v.SupportsProtocolVersion(version)
	}
	return true
}

// A gate is a connection that reads the next request when the call before it has its
// place in the queue, because the SDK handles each on a goroutine of its own, and that
// reads no more while too many are unanswered.
type gate struct {
	mcp.Connection
	cancel context.CancelFunc // of all calls, when the client has left

	mu         sync.Mutex
	unanswered map[jsonrpc.ID]bool
	coming     jsonrpc.ID    // the call that has no place yet
	room       chan struct{} // has something when Read is to look again
	done       chan struct{} // closed by Close
	once       sync.Once
}

// Read is called by one goroutine.
func (g *gate) Read(ctx context.Context) (jsonrpc.Message, error) {
	for g.full() {
		select {
		case <-g.room:
		case <-g.done:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	m, err := g.Connection.Read(ctx)
	if err != nil {
		if errors.Is(err, io.EOF) {
			g.finish(ctx)
		}
		g.cancel()
		return nil, err
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		g.mu.Lock()
		defer g.mu.Unlock()
		// A call with the id of another that runs is refused without an answer.
		if !g.unanswered[r.ID] {
			g.unanswered[r.ID] = true
			if r.Method == "tools/call" {
				g.coming = r.ID
			}
		}
	}
	return m, nil
}

func (g *gate) full() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.coming.IsValid() || len(g.unanswered) >= maxUnanswered
}

// finish waits for answers, which the SDK no longer writes once Read has returned the
// end.
func (g *gate) finish(ctx context.Context) {
	enough := time.NewTimer(pipedIn)
	defer enough.Stop()
	for {
		g.mu.Lock()
		n := len(g.unanswered)
		g.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-g.room:
		case <-enough.C:
			return
		case <-g.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// taken says that the call that came last has its place.
func (g *gate) taken() {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.coming = jsonrpc.ID{}
	g.look()
}

func (g *gate) look() {
	select {
	case g.room <- struct{}{}:
	default:
	}
}

// Write counts the answer once it is written.
func (g *gate) Write(ctx context.Context, m jsonrpc.Message) error {
	r, answer := m.(*jsonrpc.Response)
	if answer {
		g.mu.Lock()
		if r.ID == g.coming { // it was refused before it got a place
			g.coming = jsonrpc.ID{}
			g.look()
		}
		g.mu.Unlock()
	}
	err := g.Connection.Write(ctx, m)
	if answer {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.unanswered, r.ID)
		g.look()
	}
	return err
}

func (g *gate) Close() error {
	g.once.Do(func() { close(g.done) })
	return g.Connection.Close()
}

// cut closes the connection under an answer that is stuck in it.
func (g *gate) cut() {
	if g != nil && g.Connection != nil {
		go g.Close() // which a transport may not survive either
	}
}
