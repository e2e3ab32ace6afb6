package webtool

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/defaults"
)

// Options are what a Web is made with; nil is fine.
type Options struct {
	// Search is the chain of providers that web_search asks, in order: the next one
	// only where one failed. Nil: Tavily without a key, to whom queries then go.
	// []Searcher{NoSearch}, or an empty list: none, and web_search is not offered.
	Search []Searcher

	// PDFText reads the text of a PDF file. It is given at most Limits.BodyBytes bytes
	// from anywhere, and must withstand them. An *arc.Error that it returns is the
	// fetch's. Default: PDF files are named and not read.
	PDFText func(ctx context.Context, pdf []byte) (string, error)

	// UserAgent is how requests introduce themselves. Default: arc-webtool/1.
	UserAgent string

	// Robots heeds the robots.txt of each site as RFC 9309 says, with an unreachable
	// one taken as a refusal; a page that it disallows is forbidden. The rules are those
	// for the name before the first slash of UserAgent: one that begins with Mozilla/5.0
	// goes by the rules for Mozilla, whatever it names behind that. Default: false, as
	// for a person's browser.
	Robots bool

	// URLPolicy says no, with its error, to a URL: for instance to all that neither
	// the user nor a search named. It is asked in each call, also one that is answered
	// from the cache or shares another's request: of the URL, and of each that redirects
	// lead to, with that call's context. Its *arc.Error is the fetch's, another error is forbidden. Default:
	// every URL.
	URLPolicy func(context.Context, Reader, *url.URL, Provenance) error

	// OnFetch hears of each request, and of what was refused. It is called from
	// several goroutines and must not block. Default: nobody.
	OnFetch func(Event)

	// AllowPrefixes are addresses that may be reached whatever the guard says, but
	// for metadata: the range of a fake-IP proxy (198.18.0.0/15), say. Default: none.
	AllowPrefixes []netip.Prefix

	// BlockPrefixes are addresses that are not reached, in any room. Default: none.
	BlockPrefixes []netip.Prefix

	// AllowMetadata lets a room with Full Access reach the addresses where clouds hand
	// out credentials. Default: false.
	AllowMetadata bool

	// SafePorts are the only ports of a Safe room. Default: every port but those that
	// belong to other protocols.
	SafePorts []uint16

	// NoDowngrade refuses redirects from https to http. Default: false.
	NoDowngrade bool

	// InsecureLocalTLS takes a local server's certificate as it is, in a room with
	// Full Access; with a Proxy it does nothing. Default: false.
	InsecureLocalTLS bool

	// Proxy is the proxy for rooms with Full Access, as in http.Transport. A page's
	// host is looked up and judged before, and the proxy is trusted from there on.
	// Safe rooms use none. Default: none; the environment is not asked.
	Proxy func(*http.Request) (*url.URL, error)

	// Resolver looks names up. Default: net.DefaultResolver.
	Resolver Resolver

	// Dial connects to an address, IP:port, that the guard has let pass. Default: a
	// net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// Limits are the sizes and times. Zero fields are the defaults.
	Limits Limits

	// Logger hears what no result says. Default: discarded.
	Logger *slog.Logger
}

// A Resolver looks a host's addresses up; *net.Resolver is one. It is safe for
// concurrent use.
type Resolver interface {
	// LookupNetIP is as [net.Resolver.LookupNetIP]; network is ip, ip4 or ip6.
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Limits bound what one call, and one Web, may take. Below zero is as zero where
// nothing else is said.
type Limits struct {
	Timeout       time.Duration // a fetch in all, body and waiting included; zero: 30 s
	HeaderTimeout time.Duration // from a request to the headers of its answer; zero: 10 s
	BodyBytes     int64         // bytes of a body, decompressed; zero: 5 MiB
	HeaderBytes   int64         // of an answer; zero: 256 KiB
	Redirects     int           // zero: 5; negative: none
	PageBytes     int           // bytes of text in a result; zero: 24 KiB; at least 1 KiB and at most 64 KiB
	CacheBytes    int64         // bytes of text that are kept for further pages; zero: 32 MiB; negative: none
	KeepFor       time.Duration // how long a page is kept that nobody reads on; zero: 30 min
	Fresh         time.Duration // how long a page is served again without asking its server; zero: 5 min; negative: never
	PerHost       int           // requests to one host at a time; zero: 2
	PerMinute     int           // requests to one host in a minute; zero: 30
	Converting    int           // pages that text is made of at a time: one made to cost takes some 600 MiB meanwhile; zero: as many as there are processors (GOMAXPROCS)
	SearchTimeout time.Duration // one search provider's answer; zero: 10 s
}

func (l Limits) withDefaults() Limits {
	defaults.Positive(&l.Timeout, 30*time.Second)
	defaults.Positive(&l.HeaderTimeout, 10*time.Second)
	defaults.Positive(&l.BodyBytes, 5<<20)
	defaults.Positive(&l.HeaderBytes, 256<<10)
	defaults.NonZero(&l.Redirects, 5)
	defaults.Positive(&l.PageBytes, 24<<10)
	defaults.NonZero(&l.CacheBytes, 32<<20)
	defaults.Positive(&l.KeepFor, 30*time.Minute)
	defaults.NonZero(&l.Fresh, 5*time.Minute)
	defaults.Positive(&l.PerHost, 2)
	defaults.Positive(&l.PerMinute, 30)
	defaults.Positive(&l.Converting, runtime.GOMAXPROCS(0))
	defaults.Positive(&l.SearchTimeout, 10*time.Second)
	l.PageBytes = min(max(l.PageBytes, 1<<10), 64<<10)
	return l
}

// A Reader says for whom a page is fetched: a host states it, and never a model. The
// zero value is the host itself, reaching public addresses only.
type Reader struct {
	Access arc.Access // Safe: public addresses; FullAccess: local ones as well
	Seat   arc.SeatID // whose snapshots these are: seats do not share them
}

// Provenance says how a URL came up.
type Provenance uint8

const (
	Asked      Provenance = iota // it is the call's argument
	Redirected                   // a server's answer, or a page, led there
)

// An Event is a request that was made, or one that was refused.
type Event struct {
	Reader     Reader        // for whom
	URL        string        // without fragment
	Provenance Provenance    // asked for, or a redirect led here
	Cached     bool          // answered from a snapshot: nothing was sent
	Addr       netip.Addr    // that answered; zero: none did
	Status     int           // zero: no answer
	Bytes      int           // of the body, decompressed
	Took       time.Duration // until the body was read
	Err        error         // nil: there is an answer
}
