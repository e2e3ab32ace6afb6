package guard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"
)

// A Resolver looks a name up. *net.Resolver is one.
type Resolver interface {
	// LookupNetIP is net.Resolver's; network is ip, ip4 or ip6.
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// A Dialer dials an address that was resolved and judged. Its net.Dialer's own
// check is made once more by the system call that connects.
type Dialer struct {
	Rule     *Rule                                                             // judges what is dialed
	Resolver Resolver                                                          // nil: net.DefaultResolver
	Dial     func(ctx context.Context, network, addr string) (net.Conn, error) // gets "IP:port"; nil: a net.Dialer
}

// perAddr is how long one address of several is tried before the next.
const perAddr = 3 * time.Second

// DialContext is for an http.Transport. It looks the host up once, and dials those
// of its addresses that the rule reaches, one after another. Its error is a
// *Refusal when there is none, a *net.DNSError, or the last address's.
func (d *Dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	host, portText, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, &Refusal{Port, portText, "is no port"}
	}
	if err := d.Rule.CheckPort(uint16(port)); err != nil {
		return nil, err
	}
	addrs, err := d.Resolve(ctx, network, host)
	if err != nil {
		return nil, err
	}
	for i, a := range addrs {
		conn, failed := d.one(ctx, network, netip.AddrPortFrom(a, uint16(port)), i == len(addrs)-1)
		if failed == nil {
			return judged{conn, netip.AddrPortFrom(a, uint16(port))}, nil
		}
		if err = failed; ctx.Err() != nil {
			break
		}
	}
	return nil, err
}

// Resolve returns the addresses of host that the rule reaches: at least one, or an
// error that says why there is none.
func (d *Dialer) Resolve(ctx context.Context, network, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		if err := d.Rule.CheckAddr(a); err != nil {
			return nil, err
		}
		return []netip.Addr{a}, nil
	}
	if err := d.Rule.CheckHost(host); err != nil {
		return nil, err
	}
	var resolver Resolver = net.DefaultResolver
	if d.Resolver != nil {
		resolver = d.Resolver
	}
	ipNetwork := "ip"
	switch network {
	case "tcp4":
		ipNetwork = "ip4"
	case "tcp6":
		ipNetwork = "ip6"
	}
	addrs, err := resolver.LookupNetIP(ctx, ipNetwork, host)
	if err != nil {
		return nil, err
	}
	if len(addrs) == 0 {
		return nil, &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	}
	var refused error
	var reached []netip.Addr
	for _, a := range addrs {
		if err := d.Rule.CheckAddr(a); err != nil {
			refused = err
			continue
		}
		reached = append(reached, a.Unmap())
	}
	if reached == nil {
		return nil, refused
	}
	return reached, nil
}

func (d *Dialer) one(ctx context.Context, network string, to netip.AddrPort, last bool) (net.Conn, error) {
	if !last {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, perAddr)
		defer cancel()
	}
	if d.Dial != nil {
		return d.Dial(ctx, network, to.String())
	}
	nd := net.Dialer{ControlContext: d.control}
	return nd.DialContext(ctx, network, to.String())
}

// control sees the very address that is connected to.
func (d *Dialer) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return errors.Join(&Refusal{Address, "?", "cannot be judged"}, err)
	}
	return d.Rule.CheckAddr(to.Addr())
}

// judged is a connection whose remote address is the one that was judged, also
// where the host's Dial has led it elsewhere.
type judged struct {
	net.Conn
	to netip.AddrPort
}

func (c judged) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(c.to) }
