package webtest

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
)

// A Net is a network in memory: its Resolver and Dial are for webtool.Options. The
// guard judges the addresses that are made up here as it would real ones. It makes no
// system calls, so that it works in a bubble of testing/synctest.
type Net struct {
	mu      sync.Mutex
	names   map[string][]netip.Addr
	asked   map[string]int
	servers map[string]*listener
	dialed  []string
}

// NewNet is a Net where nothing is.
func NewNet() *Net {
	return &Net{names: map[string][]netip.Addr{}, asked: map[string]int{}, servers: map[string]*listener{}}
}

// Name gives name addresses; without one it has none.
func (n *Net) Name(name string, addrs ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.names[name] = nil
	for _, a := range addrs {
		n.names[name] = append(n.names[name], netip.MustParseAddr(a))
	}
}

// Serve answers HTTP at addr, "IP:port", until stop is called, which waits for nobody.
func (n *Net) Serve(addr string, h http.Handler) (stop func()) {
	l := &listener{conns: make(chan net.Conn), closed: make(chan struct{}), addr: addr}
	n.mu.Lock()
	n.servers[addr] = l
	n.mu.Unlock()
	s := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	go s.Serve(l)
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.servers[addr] == l {
			delete(n.servers, addr)
		}
		s.Close()
	}
}

// LookupNetIP makes a Net a webtool.Resolver.
func (n *Net) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked[host]++
	if addrs := n.names[host]; len(addrs) > 0 {
		return slices.Clone(addrs), nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// Dial connects to the server at addr. Where there is none it is refused.
func (n *Net) Dial(ctx context.Context, _, addr string) (net.Conn, error) {
	n.mu.Lock()
	n.dialed = append(n.dialed, addr)
	l := n.servers[addr]
	n.mu.Unlock()
	if l == nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	}
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.closed:
	case <-ctx.Done():
	}
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.Join(errors.New("connection refused"), ctx.Err())}
}

// Dialed are the addresses that were dialed, in order.
func (n *Net) Dialed() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.dialed)
}

// Lookups is how often name was looked up.
func (n *Net) Lookups(name string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[name]
}

type listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
	addr   string
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(l.addr))
}
