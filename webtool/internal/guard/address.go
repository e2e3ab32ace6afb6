package guard

import (
	"net/netip"
	"slices"
	"strconv"
)

// CheckAddr refuses an address that this rule does not reach.
func (r *Rule) CheckAddr(a netip.Addr) error {
	a = a.Unmap()
	refuse := func(why string) error { return &Refusal{Address, a.WithZone("").String(), why} } // a zone is a URL's free words
	// An address that a translator turns into an IPv4 one is judged as that: what a
	// network with DNS64 answers for every name.
	to := translated(a)
	if !r.Metadata && (within(metadata, a.WithZone("")) || within(metadata, to)) {
		return refuse("is where clouds hand out credentials")
	}
	switch {
	case within(r.Block, a.WithZone("")) || within(r.Block, to):
		return refuse("is blocked by this host")
	case within(r.Allow, a):
		return nil
	case r.Mode == Local && local(a):
		return nil
	case r.Mode == Public && a.Zone() != "":
		return refuse("is of one link alone")
	}
	own, err := r.own(a, to)
	switch {
	case r.Mode == Public && own:
		return refuse("is this machine's own address")
	case r.Mode == Public && err != nil && public(to):
		return refuse("may be this machine's own, whose addresses cannot be read")
	case public(to):
		return nil
	case r.Mode == Local && own:
		return nil
	}
	return refuse("is " + kind(a))
}

// IsPublic reports whether a is routed in the open Internet.
func IsPublic(a netip.Addr) bool { return a.Zone() == "" && public(translated(a.Unmap())) }

func (r *Rule) own(a, to netip.Addr) (bool, error) {
	if r.Own == nil {
		return false, nil
	}
	own, err := r.Own()
	return slices.Contains(own, a.WithZone("")) || slices.Contains(own, to), err
}

// public: not in the registries of special addresses (IANA, RFC 6890), by a list of
// what is left.
func public(a netip.Addr) bool {
	if a.Is4() {
		return !within(special4, a)
	}
	return global6.Contains(a) && !within(special6, a)
}

// local is what mode Local reaches beside public addresses.
func local(a netip.Addr) bool {
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsUnspecified() || shared.Contains(a)
}

// translated is the IPv4 address within a of the well-known prefix (RFC 6052), or a.
func translated(a netip.Addr) netip.Addr {
	if !nat64.Contains(a) {
		return a
	}
	b := a.As16()
	return netip.AddrFrom4([4]byte(b[12:]))
}

func within(list []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

// kind names what sort of address it is that is not public.
func kind(a netip.Addr) string {
	switch {
	case a.IsUnspecified(), a.IsLoopback():
		return "this machine"
	case a.IsPrivate(), shared.Contains(a):
		return "of a private network"
	case a.IsLinkLocalUnicast():
		return "of one link alone"
	case a.IsMulticast():
		return "a group's, not a machine's"
	case fakeIP.Contains(a):
		return "reserved (is a fake-IP proxy in use? the host can allow its range)"
	}
	return "reserved"
}

func portName(p uint16) string { return strconv.Itoa(int(p)) }

var (
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
	global6 = netip.MustParsePrefix("2000::/3")
	shared  = netip.MustParsePrefix("100.64.0.0/10")
	fakeIP  = netip.MustParsePrefix("198.18.0.0/15")

	special4 = prefixes("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4")

	// Within 2000::/3: protocol assignments (Teredo among them), documentation, and
	// the tunnels that carry an IPv4 address of anybody's choice.
	special6 = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

	// The endpoints of AWS, Azure, GCP, Alibaba, Tencent, Oracle and Scaleway, and of
	// the agents that stand in for them in containers.
	metadata = prefixes("169.254.169.254/32", "169.254.170.2/32", "169.254.170.23/32", "100.100.100.200/32",
		"168.63.129.16/32", "fd00:ec2::254/128", "fd00:ec2::23/128", "fd20:ce::254/128",
		"169.254.0.23/32", "fd00:c1::a9fe:a9fe/128", "169.254.42.42/32", "fd00:42::42/128")
)

func prefixes(list ...string) []netip.Prefix {
	ps := make([]netip.Prefix, len(list))
	for i, s := range list {
		ps[i] = netip.MustParsePrefix(s)
	}
	return ps
}
