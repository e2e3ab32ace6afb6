package guard

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// ownAge is how long the addresses of this machine are taken as read.
const ownAge = 30 * time.Second

// Own knows the addresses of this machine's interfaces. Its zero value is ready, and
// safe for concurrent use.
type Own struct {
	Read func() ([]net.Addr, error) // nil: net.InterfaceAddrs

	mu    sync.Mutex
	at    time.Time
	addrs []netip.Addr
}

// Addrs are the addresses, at most 30 seconds old. If they cannot be read they are those
// of before, or an error where there are none; the next call tries again.
func (o *Own) Addrs() ([]netip.Addr, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.addrs != nil && time.Since(o.at) < ownAge {
		return o.addrs, nil
	}
	read := o.Read
	if read == nil {
		read = net.InterfaceAddrs
	}
	all, err := read()
	if err != nil && o.addrs != nil {
		return o.addrs, nil
	}
	if err != nil {
		return nil, err
	}
	addrs := make([]netip.Addr, 0, len(all))
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok {
			if ip, ok := netip.AddrFromSlice(n.IP); ok {
				addrs = append(addrs, ip.Unmap())
			}
		}
	}
	o.addrs, o.at = addrs, time.Now()
	return addrs, nil
}
