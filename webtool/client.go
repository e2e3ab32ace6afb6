package webtool

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/webtool/internal/guard"
)

// A client is the way out of one kind of room. Each has connections of its own: one
// that Full Access has opened to a local server must never serve a Safe room.
type client struct {
	access    arc.Access
	rule      *guard.Rule
	dialer    *guard.Dialer
	transport *http.Transport
}

func newClient(access arc.Access, o *Options, l Limits, own *guard.Own) *client {
	rule := &guard.Rule{
		Allow: o.AllowPrefixes,
		Block: o.BlockPrefixes,
		Ports: o.SafePorts,
		Own:   own.Addrs,
	}
	if access == arc.FullAccess {
		rule.Mode, rule.Metadata = guard.Local, o.AllowMetadata
	}
	c := &client{
		access: access,
		rule:   rule,
		dialer: &guard.Dialer{Rule: rule, Resolver: o.Resolver, Dial: o.Dial},
	}
	c.transport = &http.Transport{
		Proxy:                  nil, // a proxy would hide from the guard where a request goes
		DialContext:            c.dialer.DialContext,
		ForceAttemptHTTP2:      true, // a DialContext turns it off otherwise
		DisableCompression:     true, // it would take what follows a gzip stream for damage
		TLSHandshakeTimeout:    l.HeaderTimeout,
		ResponseHeaderTimeout:  l.HeaderTimeout,
		MaxResponseHeaderBytes: l.HeaderBytes,
		MaxIdleConns:           32,
		MaxIdleConnsPerHost:    l.PerHost,
		IdleConnTimeout:        30 * time.Second,
	}
	if access == arc.FullAccess && o.Proxy != nil {
		p := &proxied{guarded: c.dialer, choose: o.Proxy, dial: o.Dial}
		c.transport.Proxy, c.transport.DialContext = p.proxy, p.DialContext
	}
	if access == arc.FullAccess && o.InsecureLocalTLS && o.Proxy == nil {
		c.transport.DialTLSContext = caught(c.dialLocalTLS)
	}
	c.transport.DialContext = caught(c.transport.DialContext)
	return c
}

type dial = func(ctx context.Context, network, addr string) (net.Conn, error)

// caught is d, whose panic, of the host's Resolver or Dial, is an error: a transport
// dials on a goroutine of its own, where nobody else would catch it.
func caught(d dial) dial {
	return func(ctx context.Context, network, addr string) (conn net.Conn, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = &net.OpError{Op: "dial", Net: network, Err: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
			}
		}()
		return d(ctx, network, addr)
	}
}

// dialLocalTLS takes any certificate of a local server, and of no other.
func (c *client) dialLocalTLS(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := c.dialer.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		conn.Close()
		return nil, err
	}
	tc := tls.Client(conn, &tls.Config{
		ServerName:         host,
		NextProtos:         []string{"h2", "http/1.1"},
		InsecureSkipVerify: !guard.IsPublic(addrOf(conn)),
	})
	if err := tc.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return tc, nil
}

// addrOf is the address that was judged, for a connection of a guard's dialer.
func addrOf(c net.Conn) netip.Addr {
	a, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	return a.Addr()
}
