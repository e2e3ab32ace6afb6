//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"io"
	"net"
	"sync"
)

// getInputFocus is the request after which the X library waits.
const getInputFocus = 43

// A burst is a connection that can hold back what is written, so that it arrives as
// one. The X library writes each request for itself: on a busy machine the server may
// see a key go down half a second before it sees it go up, and repeats it meanwhile.
type burst struct {
	net.Conn
	turn sync.Mutex // of who holds back

	mu      sync.Mutex
	to      io.Writer // the connection, but in tests
	holding bool
	held    []byte
}

// together writes what f writes at once. What others write meanwhile goes with it.
func (b *burst) together(f func()) {
	b.turn.Lock()
	defer b.turn.Unlock()
	b.mu.Lock()
	b.holding = true
	b.mu.Unlock()
	f()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holding = false
	_ = b.flush() // whoever asks next finds the connection gone
}

// Write implements net.Conn.
func (b *burst) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.holding && p[0] != getInputFocus {
		b.held = append(b.held, p...)
		return len(p), nil
	}
	if len(b.held) == 0 {
		return b.to.Write(p)
	}
	b.held = append(b.held, p...)
	return len(p), b.flush()
}

func (b *burst) flush() error {
	if len(b.held) == 0 {
		return nil
	}
	_, err := b.to.Write(b.held)
	b.held = b.held[:0]
	return err
}
