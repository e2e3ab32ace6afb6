// Package guard decides which hosts, ports and addresses a fetch may reach, and
// dials them. The decision that counts is made on the address that is about to be
// dialed, whatever spelling, name or redirect led there: names and ports are
// refused before only to spare a look-up and to say why.
//
// The address rule is a list of what is allowed. What is not known to be public is
// not public.
package guard

import (
	"net/netip"
	"slices"
	"strings"
)

// A Mode is how far a fetch may reach.
type Mode uint8

const (
	Public Mode = iota // addresses that are routed in the open Internet, and not this machine's
	Local              // and this machine, its links and private networks
)

// A Rule is a guard's settings. Its zero value guards as described there.
type Rule struct {
	Mode     Mode                         // how far it reaches
	Allow    []netip.Prefix               // allowed whatever else is said, but for Metadata
	Block    []netip.Prefix               // refused beside the rest
	Metadata bool                         // the addresses where clouds hand out credentials may be reached
	Ports    []uint16                     // the only ports in mode Public; empty: every port but the bad ones
	Own      func() ([]netip.Addr, error) // this machine's addresses, which mode Public refuses: all, with an error; nil: none
}

// What a [Refusal] is about.
type What string

const (
	Host    What = "host"    // a name
	Port    What = "port"    // a port's number
	Address What = "address" // an IP address
)

// A Refusal says why something is not reached.
type Refusal struct {
	What What   // what kind of thing it is about
	Name string // the host, port or address
	Why  string // a few words: "is this machine's own address"
}

// Error is What, Name and Why in one line.
func (r *Refusal) Error() string { return string(r.What) + " " + r.Name + " " + r.Why }

// CheckHost refuses names that never lead to a public address. Host is as in a URL,
// in ASCII and without brackets. An address is judged like one that was looked up.
func (r *Rule) CheckHost(host string) error {
	if a, err := netip.ParseAddr(host); err == nil {
		return r.CheckAddr(a)
	}
	if r.Mode == Local {
		return nil
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if !strings.Contains(name, ".") {
		return &Refusal{Host, host, "is one of this machine or its network"}
	}
	for _, s := range localNames {
		if strings.HasSuffix(name, s) {
			return &Refusal{Host, host, "is one of this machine or its network"}
		}
	}
	return nil
}

// localNames are the ends of names that the open Internet does not have (RFC 6761,
// 6762, 8375, and the name that ICANN has set aside for private use).
var localNames = []string{".localhost", ".local", ".internal", ".home.arpa"}

// CheckPort refuses ports that belong to other protocols, where a request could be
// taken for a command, and in mode Public those that are not in Ports.
func (r *Rule) CheckPort(port uint16) error {
	if slices.Contains(badPorts, port) {
		return &Refusal{Port, portName(port), "belongs to another protocol"}
	}
	if r.Mode == Public && len(r.Ports) > 0 && !slices.Contains(r.Ports, port) {
		return &Refusal{Port, portName(port), "is not among the ports that this host allows"}
	}
	return nil
}

// badPorts is the list that browsers share (Fetch standard, "bad port").
var badPorts = []uint16{
	0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111,
	113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548,
	554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665,
	6666, 6667, 6668, 6669, 6679, 6697, 10080,
}
