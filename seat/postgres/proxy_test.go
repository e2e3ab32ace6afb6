package postgres_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// A proxy stands between a worker and the server, and can drop what passes, as a network
// does that is partitioned: neither side hears that the other is gone.
type proxy struct {
	to string
	l  net.Listener

	mu    sync.Mutex
	cut   bool // what comes is dropped
	mute  bool // what the server says is dropped
	conns map[net.Conn]bool
	all   sync.WaitGroup
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{to: to, l: l, conns: map[net.Conn]bool{}}
	p.all.Go(p.serve)
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		for c := range p.conns {
			c.Close()
		}
		p.mu.Unlock()
		p.all.Wait()
	})
	return p
}

func (p *proxy) addr() string { return p.l.Addr().String() }

// partition drops everything from now on, also of connections to come.
func (p *proxy) partition() { p.set(true, false) }

// silence drops what the server says from now on.
func (p *proxy) silence() { p.set(false, true) }

func (p *proxy) set(cut, mute bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.mute = cut, mute
}

// heal lets new connections pass. The old ones have lost bytes and stay as they are.
func (p *proxy) heal() { p.set(false, false) }

func (p *proxy) serve() {
	for {
		c, err := p.l.Accept()
		if err != nil {
			return
		}
		p.keep(c)
		p.all.Go(func() {
			defer c.Close()
			p.mu.Lock()
			cut := p.cut || p.mute
			p.mu.Unlock()
			if cut {
				_, _ = io.Copy(io.Discard, c) // nobody answers
				return
			}
			s, err := net.Dial("tcp", p.to)
			if err != nil {
				return
			}
			p.keep(s)
			defer s.Close()
			var both sync.WaitGroup
			both.Go(func() { p.pass(s, c, false) })
			both.Go(func() { p.pass(c, s, true) })
			both.Wait()
		})
	}
}

func (p *proxy) keep(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[c] = true
}

// pass copies until one side closes. What comes while the network is partitioned is lost,
// also the word that a side has closed.
func (p *proxy) pass(to, from net.Conn, servers bool) {
	lost := false
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		p.mu.Lock()
		lost = lost || p.cut || p.mute && servers
		p.mu.Unlock()
		if err != nil {
			if !lost {
				to.Close()
			}
			return
		}
		if lost {
			continue
		}
		if _, err := to.Write(b[:n]); err != nil {
			from.Close()
			return
		}
	}
}
