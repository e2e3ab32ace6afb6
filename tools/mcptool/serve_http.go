package mcptool

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
)

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
	sessionless   = "2026-07-28" // the protocol's first version that has no sessions
)

// HandlerOptions of [NewHandler].
type HandlerOptions struct {
	// Token is what a client shows as its bearer token: at least 16 bytes that nobody
	// can guess. Required, but for Open.
	Token string

	// Open takes clients without a token, where there is nothing to be protected.
	// Default: false.
	Open bool

	// MaxSessions is how many clients have a session at once. A further one takes the
	// place of the one that has been idle longest, or is turned away where none is.
	// 0: 16.
	MaxSessions int

	// IdleTimeout is after how long without a request a session ends. 0: 30 min.
	IdleTimeout time.Duration

	// Logger gets what no client is told. Nil: discarded.
	Logger *slog.Logger
}

// A Handler serves clients over streamable HTTP, for a server that listens on loopback;
// see [Listen]. Close ends its sessions.
type Handler struct {
	serve func(context.Context, mcp.Transport) error
	o     HandlerOptions
	guard guard
	log   *slog.Logger
	door  http.Handler // answers who has no session and asks for none

	ctx    context.Context // of the sessions
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*httpTransport
	shared   *httpTransport // one of them, or an earlier one; nil: none yet
	closed   bool
}

// NewHandler serves each session by a call of serve on a goroutine of its own. It calls
// Serve, once, with the context and the transport that it is given and a turn for this
// session; its error is logged, and told to the client if it comes before Serve is
// called. Since revision 2026-07-28 of the protocol clients have no sessions; all that
// speak it share one. Code: invalid_arguments, for a token that is too short.
func NewHandler(serve func(ctx context.Context, client mcp.Transport) error, o *HandlerOptions) (*Handler, error) {
	h := &Handler{serve: serve, sessions: map[string]*httpTransport{}}
	if o != nil {
		h.o = *o
	}
	var err error
	if h.guard, err = newGuard(h.o.Token, h.o.Open); err != nil {
		return nil, err
	}
	if h.o.MaxSessions <= 0 {
		h.o.MaxSessions = 16
	}
	if h.o.IdleTimeout <= 0 {
		h.o.IdleTimeout = 30 * time.Minute
	}
	if h.log = h.o.Logger; h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	bare := mcp.NewServer(&mcp.Implementation{Name: "arc", Version: version()}, &mcp.ServerOptions{
		Logger:       h.o.Logger,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		GetSessionID: func() string { return "" },
	})
	h.door = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return bare }, h.streamable())
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h, nil
}

func (h *Handler) streamable() *mcp.StreamableHTTPOptions {
	return &mcp.StreamableHTTPOptions{Logger: h.o.Logger, MaxRequestBodyBytes: MaxMessage}
}

// ServeHTTP is a request of a client.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.guard.admits(w, r) {
		return
	}
	id := r.Header.Get(sessionHeader)
	if id == "" {
		h.begin(w, r)
		return
	}
	t := h.enter(id)
	if t == nil {
		http.Error(w, "there is no such session; begin one with initialize", http.StatusNotFound)
		return
	}
	defer h.leave(t)
	if r.Method == http.MethodDelete {
		t.end()
		h.await(t.left)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	t.handler.ServeHTTP(w, r)
}

// begin opens a session for who initializes one, or has none at all.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method != http.MethodPost:
	case r.Header.Get(versionHeader) >= sessionless:
		if t := h.admit(w, r, h.share()); t != nil {
			defer h.leave(t)
			t.handler.ServeHTTP(w, r)
		}
		return
	default:
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxMessage))
		if err != nil {
			http.Error(w, "the request cannot be read, or is too large", http.StatusRequestEntityTooLarge)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		var message struct{ Method string }
		if json.Unmarshal(body, &message) == nil && message.Method == "initialize" {
			if t := h.admit(w, r, h.open()); t != nil {
				defer h.leave(t)
				t.handler.ServeHTTP(w, r)
				if !t.lives() { // the client said something else than it should
					t.end()
				}
			}
			return
		}
	}
	h.door.ServeHTTP(w, r)
}

// admit waits until t serves, and answers r itself where it does not.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request, t *httpTransport) *httpTransport {
	if t == nil {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many clients have a session; end one, or try again later", http.StatusServiceUnavailable)
		return nil
	}
	select {
	case <-t.ready:
		return t
	case <-t.left:
		message := "no session could be opened; the server's log says why"
		var e *arc.Error
		if errors.As(t.err, &e) {
			message = e.Error()
		}
		http.Error(w, message, http.StatusServiceUnavailable)
	case <-r.Context().Done():
		if !t.sessionless {
			t.end()
		}
	}
	h.leave(t)
	return nil
}

// share is the session of all who have none.
func (h *Handler) share() *httpTransport {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.shared; t != nil && h.sessions[t.id] == t {
		t.busy++
		t.rest()
		return t
	}
	h.shared = h.opened(true)
	return h.shared
}

// open makes a session with a request in it, or returns nil where there is no room.
func (h *Handler) open() *httpTransport {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.opened(false)
}

// opened is open. The caller holds mu.
func (h *Handler) opened(sessionless bool) *httpTransport {
	if h.closed || len(h.sessions) >= h.o.MaxSessions && !h.evict() {
		return nil
	}
	t := &httpTransport{
		h: h, id: rand.Text(), sessionless: sessionless, busy: 1,
		ready: make(chan struct{}), gone: make(chan struct{}), left: make(chan struct{}),
	}
	h.sessions[t.id] = t
	h.wait.Go(func() {
		t.err = safely(func() error { return h.serve(h.ctx, t) })
		h.mu.Lock()
		delete(h.sessions, t.id)
		t.rest()
		h.mu.Unlock()
		close(t.left)
		if t.err != nil && h.ctx.Err() == nil {
			h.log.Warn("a client's session has ended", "err", t.err)
		}
	})
	return t
}

// evict ends the session that has been idle longest. The caller holds mu.
func (h *Handler) evict() bool {
	var idle *httpTransport
	for _, t := range h.sessions {
		if t.busy == 0 && (idle == nil || t.since.Before(idle.since)) {
			idle = t
		}
	}
	if idle == nil {
		return false
	}
	delete(h.sessions, idle.id)
	idle.rest()
	idle.end()
	return true
}

// enter is the session of a request, which keeps it from being idle.
func (h *Handler) enter(id string) *httpTransport {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.sessions[id]
	if t != nil {
		if t.sessionless {
			return nil
		}
		select {
		case <-t.ready:
		default:
			return nil // nobody was told the id yet
		}
		t.busy++
		t.rest()
	}
	return t
}

// leave ends a request of a session.
func (h *Handler) leave(t *httpTransport) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t.busy--; t.busy == 0 && h.sessions[t.id] == t {
		t.since = time.Now()
		t.timer = time.AfterFunc(h.o.IdleTimeout, t.end)
	}
}

// Close ends all sessions and waits for them, but for calls that do not end when they are
// told to: for those no longer than 1 s.
func (h *Handler) Close() error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.wait.Wait()
	}()
	h.await(ended)
	return nil
}

// await waits for the end of sessions as long as Serve does for a client's.
func (h *Handler) await(ended <-chan struct{}) {
	grace := time.NewTimer(leaving)
	defer grace.Stop()
	select {
	case <-ended:
	case <-grace.C:
		h.log.Warn("a session was left with calls that do not end")
	}
}

// An httpTransport is a client's session over HTTP, as its serve function gets it: for
// Serve alone.
type httpTransport struct {
	h           *Handler
	id          string // nobody is told that of the shared one
	sessionless bool

	ready   chan struct{} // closed when handler is there
	handler http.Handler
	server  *mcp.Server

	gone chan struct{} // closed to end the session
	once sync.Once
	left chan struct{} // closed when it has ended
	err  error         // of serve, once left is closed

	busy  int         // requests under way; guarded by h.mu, as are the next two
	since time.Time   // it has been idle
	timer *time.Timer // that ends it
}

// Connect is Serve's to replace.
func (t *httpTransport) Connect(context.Context) (mcp.Connection, error) {
	return nil, errors.New("this transport is for mcptool.Serve")
}

// run serves the session until it ends.
func (t *httpTransport) run(ctx context.Context, s *serving) error {
	t.server = s.server
	o := t.h.streamable()
	if t.sessionless {
		o.Stateless, o.PropagateRequestCancellation = true, true
	} else {
		store := mcp.NewMemoryEventStore(nil)
		store.SetMaxBytes(maxReplay)
		o.EventStore = store
	}
	t.handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.server }, o)
	close(t.ready)
	var err error
	select {
	case <-t.gone:
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.cancel()
	for client := range s.server.Sessions() {
		client.Close()
	}
	return err
}

// maxReplay is how many bytes of answers a session keeps for a client whose connection
// broke.
const maxReplay = 8 << 20

// lives reports whether the client has been taken.
func (t *httpTransport) lives() bool {
	for c := range t.server.Sessions() {
		return c.InitializeParams() != nil
	}
	return false
}

func (t *httpTransport) end() { t.once.Do(func() { close(t.gone) }) }

// rest stops the timer. The caller holds h.mu.
func (t *httpTransport) rest() {
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
}
