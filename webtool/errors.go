package webtool

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/webtool/internal/guard"
)

// The codes of this family, beside the shared ones.
const (
	// InvalidURL: not an absolute http or https URL without credentials. Detail has
	// the reason: malformed, not_absolute, unsupported_scheme, credentials_in_url,
	// too_long, bad_address, downgrade.
	InvalidURL arc.Code = "invalid_url"
	// BlockedAddress: the host leads to an address that this room does not reach.
	BlockedAddress arc.Code = "blocked_address"
	// BlockedHost: the host's name never leads to a public address.
	BlockedHost arc.Code = "blocked_host"
	// BlockedPort: the port belongs to another protocol, or the host allows others.
	BlockedPort arc.Code = "blocked_port"
	// DNSError: the host's name has no address, or could not be looked up.
	DNSError arc.Code = "dns_error"
	// ConnectError: no connection, or the server did not speak HTTP on it.
	ConnectError arc.Code = "connect_error"
	// TLSError: the server could not prove who it is, or does not speak TLS.
	TLSError arc.Code = "tls_error"
	// TooManyRedirects: more than the limit, or a circle.
	TooManyRedirects arc.Code = "too_many_redirects"
	// HTTPError: the server answered with an error. Detail has its status and the
	// start of its text.
	HTTPError arc.Code = "http_error"
	// DecodeError: the body is not in the encoding, or of the kind, that it claims.
	DecodeError arc.Code = "decode_error"
	// PageChanged: the page is no longer the one that the offset belongs to, or its first
	// part was never read, or too long ago to tell.
	PageChanged arc.Code = "page_changed"
	// RateLimited: a server, a search provider or this host asks for patience. Detail
	// has retry_after_sec where it is known.
	RateLimited arc.Code = "rate_limited"
	// NoProvider: the host has search switched off.
	NoProvider arc.Code = "no_provider"
	// ProviderAuth: the search provider refuses the host's key, or its settings.
	ProviderAuth arc.Code = "provider_auth"
	// ProviderBlocked: the search provider takes this host for a robot.
	ProviderBlocked arc.Code = "provider_blocked"
	// ProviderUnavailable: the search provider is not reached, or fails.
	ProviderUnavailable arc.Code = "provider_unavailable"
	// ProviderParseError: the search provider's answer is not what it used to be.
	ProviderParseError arc.Code = "provider_parse_error"
)

// A FetchFailure is the Detail of the errors of a fetch.
type FetchFailure struct {
	Reason        string   `json:"reason,omitempty"`          // what kind of it, in a word
	URL           string   `json:"url,omitempty"`             // as asked for
	FinalURL      string   `json:"final_url,omitempty"`       // where it failed, if redirects led on
	Status        int      `json:"status,omitempty"`          // of HTTP; 0: there was no answer
	RetryAfterSec int      `json:"retry_after_sec,omitempty"` // 0: the server did not say
	Retryable     bool     `json:"retryable"`                 // the same call may work later
	Notes         []string `json:"notes,omitempty"`           // codes, as of a FetchResult
	Text          string   `json:"text,omitempty"`            // the start of the server's own words, at most 2,000 bytes
	Untrusted     bool     `json:"untrusted,omitempty"`       // set beside Text
}

// invalidURL is a URL that was refused for what it is.
func invalidURL(reason, message string) *arc.Error {
	return &arc.Error{Code: InvalidURL, Message: message, Detail: &FetchFailure{Reason: reason}}
}

// refused says why the guard did not let a request out.
func refused(r *guard.Refusal, access arc.Access) *arc.Error {
	code := map[guard.What]arc.Code{guard.Host: BlockedHost, guard.Port: BlockedPort, guard.Address: BlockedAddress}[r.What]
	advice := "use a page that is on the public web"
	if access == arc.FullAccess {
		advice = "use another page"
	}
	if r.What == guard.Port {
		advice = "use the site's usual port"
	}
	what := r.Error()
	if r.What == guard.Host {
		what = "the host's name " + r.Why // the name itself may be a page's words
	}
	return &arc.Error{Code: code, Message: fmt.Sprintf("%s, so it is not fetched; %s.", what, advice), Detail: &FetchFailure{}, Err: r}
}

// failed makes err, from the transport or from a body, an error for a model. An error
// of the caller's own context stays what it is.
func failed(ctx context.Context, err error, access arc.Access) error {
	var (
		known   *arc.Error
		refusal *guard.Refusal
		dns     *net.DNSError
	)
	of := func(code arc.Code, retryable bool, message string) error {
		return &arc.Error{Code: code, Message: message, Detail: &FetchFailure{Retryable: retryable}, Err: err}
	}
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &refusal):
		return refused(refusal, access)
	case errors.Is(context.Cause(ctx), errClosed):
		return shuttingDown()
	case errors.Is(ctx.Err(), context.Canceled):
		return context.Canceled
	case errors.Is(err, context.DeadlineExceeded), ctx.Err() != nil:
		return of(arc.TimedOut, true, "the page did not come in time; try once more later, or use another source.")
	case errors.As(err, &dns):
		if dns.IsNotFound {
			return of(DNSError, false, "the host's name does not exist; check the URL's spelling.")
		}
		return of(DNSError, true, "the host's name could not be looked up; try again later.")
	case isTLS(err):
		message := "the server could not prove who it is over TLS; check the URL, or use another source."
		if access == arc.FullAccess {
			message = "the server could not prove who it is over TLS; for a local server the operator can set InsecureLocalTLS, or use http."
		}
		return of(TLSError, false, message)
	case isTimeout(err):
		return of(arc.TimedOut, true, "the server did not answer in time; try once more later, or use another source.")
	}
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "dial":
		return of(ConnectError, true, "no connection to the server; check the URL and its port, or try again later.")
	case headersTooLarge(err):
		return of(arc.TooLarge, false, "the headers of the server's answer are larger than is read; use another source.")
	}
	return of(ConnectError, true, "the server's answer is not HTTP, or broke off; check the URL and its port, or try again later.")
}

// headersTooLarge knows the transport's words for it, of HTTP/1 and HTTP/2: it has no
// value to compare with.
func headersTooLarge(err error) bool {
	return strings.Contains(err.Error(), "server response headers exceeded") || strings.Contains(err.Error(), "response header list larger")
}

func isTLS(err error) bool {
	var (
		verify    *tls.CertificateVerificationError
		record    tls.RecordHeaderError
		alert     tls.AlertError
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	return errors.As(err, &verify) || errors.As(err, &record) || errors.As(err, &alert) || errors.As(err, &authority) ||
		errors.As(err, &hostname) || errors.As(err, &invalid) || errors.Is(err, http.ErrSchemeMismatch)
}

// at adds where a fetch failed to what it failed of.
func at(err error, asked, hop string) error {
	var e *arc.Error
	if !errors.As(err, &e) {
		return err
	}
	f, ok := e.Detail.(*FetchFailure)
	if !ok || f == nil {
		return e
	}
	here, where := *e, *f // a hook may return one error again and again
	where.URL = cmp.Or(f.URL, asked)
	if hop != asked {
		where.FinalURL = cmp.Or(f.FinalURL, hop)
	}
	here.Detail = &where
	return &here
}

// seconds rounds up, so that who waits them has waited long enough.
func seconds(d time.Duration) int {
	return int((max(d, 0) + time.Second - 1) / time.Second)
}
