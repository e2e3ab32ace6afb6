package webtool

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"sync"

	"github.com/arcseat/arc/webtool/internal/guard"
)

// A proxied dials what a transport asks for: a proxy that the host has chosen, which
// is trusted, or a page's own host where it has chosen none, which is not. Whatever a
// proxy is asked for was judged before, by name and by address.
type proxied struct {
	guarded *guard.Dialer
	choose  func(*http.Request) (*url.URL, error)
	dial    func(context.Context, string, string) (net.Conn, error)

	mu      sync.Mutex
	proxies map[string]bool // as host:port
}

func (p *proxied) proxy(r *http.Request) (*url.URL, error) {
	u, err := p.choose(r)
	if err != nil || u == nil {
		return nil, err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.proxies == nil {
		p.proxies = map[string]bool{}
	}
	p.proxies[net.JoinHostPort(u.Hostname(), port)] = true
	return u, nil
}

func (p *proxied) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	p.mu.Lock()
	trusted := p.proxies[addr]
	p.mu.Unlock()
	switch {
	case !trusted:
		return p.guarded.DialContext(ctx, network, addr)
	case p.dial != nil:
		return p.dial(ctx, network, addr)
	}
	return new(net.Dialer).DialContext(ctx, network, addr)
}
