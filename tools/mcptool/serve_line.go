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

// lastWords is how long requests that came before the client closed its end may take:
// somebody may have piped them in. Clients that wait for a server to end wait longer.
const lastWords = time.Second

// connect is the client at the other end of a transport that carries one.
func (s *serving) connect(ctx context.Context, t mcp.Transport) (*mcp.ServerSession, error) {
	s.line = &line{cancel: s.cancel, unanswered: map[jsonrpc.ID]bool{}, room: make(chan struct{}, 1), done: make(chan struct{})}
	return s.server.Connect(ctx, &lined{t, s.line}, nil)
}

// lined is a transport whose requests come in line.
type lined struct {
	mcp.Transport
	line *line
}

func (t *lined) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	t.line.Connection = c
	return t.line, nil
}

// SupportsProtocolVersion passes on what the transport says of itself.
func (t *lined) SupportsProtocolVersion(version string) bool {
	if v, ok := t.Transport.(mcp.ProtocolVersionSupporter); ok {
		return v.SupportsProtocolVersion(version)
	}
	return true
}

// A line is a connection that reads the next request when the call before it has its
// place in the queue, because the SDK handles each on a goroutine of its own, and that
// reads no more while too many are unanswered.
type line struct {
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
func (l *line) Read(ctx context.Context) (jsonrpc.Message, error) {
	for l.full() {
		select {
		case <-l.room:
		case <-l.done:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	m, err := l.Connection.Read(ctx)
	if err != nil {
		if errors.Is(err, io.EOF) {
			l.finish(ctx)
		}
		l.cancel()
		return nil, err
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		l.mu.Lock()
		defer l.mu.Unlock()
		// A call with the id of another that runs is refused without an answer.
		if !l.unanswered[r.ID] {
			l.unanswered[r.ID] = true
			if r.Method == "tools/call" {
				l.coming = r.ID
			}
		}
	}
	return m, nil
}

func (l *line) full() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.coming.IsValid() || len(l.unanswered) >= maxUnanswered
}

// finish waits for answers, which the SDK no longer writes once Read has returned the
// end.
func (l *line) finish(ctx context.Context) {
	enough := time.NewTimer(lastWords)
	defer enough.Stop()
	for {
		l.mu.Lock()
		n := len(l.unanswered)
		l.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-l.room:
		case <-enough.C:
			return
		case <-l.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// taken says that the call that came last has its place.
func (l *line) taken() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.coming = jsonrpc.ID{}
	l.look()
}

func (l *line) look() {
	select {
	case l.room <- struct{}{}:
	default:
	}
}

// Write counts the answer once it is written.
func (l *line) Write(ctx context.Context, m jsonrpc.Message) error {
	r, answer := m.(*jsonrpc.Response)
	if answer {
		l.mu.Lock()
		if r.ID == l.coming { // it was refused before it got a place
			l.coming = jsonrpc.ID{}
			l.look()
		}
		l.mu.Unlock()
	}
	err := l.Connection.Write(ctx, m)
	if answer {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.unanswered, r.ID)
		l.look()
	}
	return err
}

func (l *line) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Connection.Close()
}

// cut closes the connection under an answer that is stuck in it.
func (l *line) cut() {
	if l != nil && l.Connection != nil {
		go l.Close() // which a transport may not survive either
	}
}
