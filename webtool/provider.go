package webtool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/cancel"
	"github.com/arcseat/arc/webtool/internal/guard"
)

// ProviderOptions are what the providers of this package share; nil is fine.
type ProviderOptions struct {
	// BaseURL is where the provider is, for a relay or a test. Default: its usual
	// address.
	BaseURL string

	// Every is the least time between two requests, which wait for each other.
	// Default: 1 s for Brave, whose smaller plans allow no more; else none.
	Every time.Duration

	// Transport carries the requests: to go through a proxy, say. Default: one of the
	// provider's own, without a proxy, that reaches public addresses only, and for a
	// BaseURL local ones as well.
	Transport http.RoundTripper
}

const (
	maxReply      = 2 << 20 // bytes of a provider's answer
	patientlyWait = 5 * time.Second
)

// An api is how this package talks to one provider: never through a redirect, which
// would carry the key to another host, and with one more try when that is asked for.
type api struct {
	name      string
	base      *url.URL
	broken    error // the base URL's
	client    *http.Client
	transport http.RoundTripper
	spacing   spacing
}

// newAPI makes an api at a fixed address, or at o.BaseURL.
func newAPI(name, base string, every time.Duration, o *ProviderOptions) *api {
	a := &api{name: name, spacing: spacing{every: every}}
	mode := guard.Public
	if o != nil {
		if o.BaseURL != "" {
			base, mode = o.BaseURL, guard.Local
		}
		if o.Every > 0 {
			a.spacing.every = o.Every
		}
		a.transport = o.Transport
	}
	a.base, a.broken = parseBase(base)
	if a.transport == nil {
		d := &guard.Dialer{Rule: &guard.Rule{Mode: mode, Own: new(guard.Own).Addrs}}
		a.transport = &http.Transport{
			DialContext:            d.DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxResponseHeaderBytes: 256 << 10,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        30 * time.Second,
		}
	}
	a.client = &http.Client{
		Transport:     a.transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return a
}

func parseBase(base string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return &url.URL{}, errors.New("the provider's address is no http or https URL") // which may hold a password
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	return u, nil
}

// Name says who reads the queries.
func (a *api) Name() string { return a.name }

// CloseIdleConnections is called by [Web.Close].
func (a *api) CloseIdleConnections() { a.client.CloseIdleConnections() }

// A reply is a provider's answer.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// get asks path with query; post sends body as JSON.
func (a *api) get(ctx context.Context, path string, query url.Values, header http.Header) (*reply, error) {
	return a.do(ctx, http.MethodGet, path, query, header, nil)
}

func (a *api) post(ctx context.Context, path string, body any, header http.Header) (*reply, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	header.Set("Content-Type", "application/json")
	return a.do(ctx, http.MethodPost, path, nil, header, b)
}

func (a *api) do(ctx context.Context, method, path string, query url.Values, header http.Header, body []byte) (*reply, error) {
	if a.broken != nil {
		return nil, a.failed(ProviderAuth, "settings", 0, a.broken)
	}
	u := *a.base
	u.User, u.Path, u.RawQuery = nil, u.Path+path, query.Encode()
	for again := false; ; again = true {
		if err := a.spacing.wait(ctx); err != nil {
			return nil, err
		}
		req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
		if err != nil {
			return nil, a.failed(ProviderUnavailable, "", 0, unwrapURL(err))
		}
		req.Header = header.Clone()
		if req.Header.Get("User-Agent") == "" {
			req.Header.Set("User-Agent", defaultAgent)
		}
		if user := a.base.User; user != nil {
			password, _ := user.Password()
			req.SetBasicAuth(user.Username(), password)
		}
		r, err := a.once(req)
		if err != nil {
			return nil, a.failed(ProviderUnavailable, reasonOf(err), 0, err)
		}
		if r.status != http.StatusTooManyRequests && r.status != http.StatusServiceUnavailable || again {
			return r, nil
		}
		wait, ok := r.wait()
		if deadline, has := ctx.Deadline(); !ok || wait > patientlyWait || has && time.Until(deadline) < wait {
			return r, nil
		}
		if err := cancel.Sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

func (a *api) once(req *http.Request) (*reply, error) {
	res, err := a.client.Do(req)
	if err != nil {
		return nil, unwrapURL(err)
	}
	defer res.Body.Close()
	if res.StatusCode < 200 {
		return nil, errSwitched
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	if err == nil && len(b) > maxReply {
		err = fmt.Errorf("the answer is longer than %d bytes", maxReply)
	}
	if err != nil {
		return nil, err
	}
	return &reply{res.StatusCode, res.Header, b}, nil
}

// unwrapURL takes the URL, with the query or a password in it, off an error.
func unwrapURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func reasonOf(err error) string {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return "dns"
	case isTimeout(err), errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case isTLS(err):
		return "tls"
	}
	return "connect"
}

// wait is how long the provider asks to wait, and whether it says so.
func (r *reply) wait() (time.Duration, bool) {
	d := retryAfter(r.header)
	return d, d > 0 || r.header.Get("Retry-After") == "0"
}

// json reads the answer into v. An answer that is not JSON is no longer what it was.
func (a *api) json(r *reply, v any) error {
	if err := json.Unmarshal(r.body, v); err != nil {
		return a.failed(ProviderParseError, "not_json", r.status, err)
	}
	return nil
}

// check turns a status that is no success into an error.
func (a *api) check(r *reply) error {
	var code arc.Code
	switch s := r.status; {
	case s >= 200 && s < 300:
		return nil
	case s == http.StatusTooManyRequests:
		code = RateLimited
	case s == http.StatusUnauthorized, s == http.StatusForbidden, s == http.StatusPaymentRequired:
		code = ProviderAuth
	case s >= 300 && s < 400:
		return a.failed(ProviderUnavailable, "redirect", s, nil)
	default:
		code = ProviderUnavailable
	}
	e := a.failed(code, "", r.status, nil)
	if after := retryAfter(r.header); after > 0 {
		e.Detail.(*SearchFailure).RetryAfterSec = seconds(after)
	}
	return e
}

// failed is an error of this provider. Its message is ours: none of the provider's
// words, some of which are advertisements to models, reach one.
func (a *api) failed(code arc.Code, reason string, status int, cause error) *arc.Error {
	return &arc.Error{
		Code:    code,
		Message: advice[code],
		Detail:  &SearchFailure{Provider: a.name, Reason: reason, Status: status, Retryable: code == RateLimited || code == ProviderUnavailable},
		Err:     cause,
	}
}

var advice = map[arc.Code]string{
	RateLimited:         "the search provider asks for patience; wait, or read a known URL with web_fetch.",
	ProviderAuth:        "the search provider refuses this host's key or settings, which only the operator can mend; read a known URL with web_fetch.",
	ProviderBlocked:     "the search provider takes this host for a robot; do not rephrase the query, read a known URL with web_fetch.",
	ProviderUnavailable: "the search provider is not reached or fails; try again later, or read a known URL with web_fetch.",
	ProviderParseError:  "the search provider's answer is not understood, which rephrasing does not change; read a known URL with web_fetch.",
}

// A spacing keeps requests apart.
type spacing struct {
	every time.Duration
	mu    sync.Mutex
	next  time.Time
}

// wait takes the next free moment and waits for it.
func (s *spacing) wait(ctx context.Context) error {
	if s.every <= 0 {
		return ctx.Err()
	}
	s.mu.Lock()
	now := time.Now()
	at := s.next
	if at.Before(now) {
		at = now
	}
	if deadline, ok := ctx.Deadline(); ok && at.After(deadline) {
		s.mu.Unlock()
		return &arc.Error{Code: RateLimited, Message: advice[RateLimited], Detail: &SearchFailure{Reason: "pacing", RetryAfterSec: seconds(at.Sub(now)), Retryable: true}}
	}
	s.next = at.Add(s.every)
	s.mu.Unlock()
	return cancel.Sleep(ctx, at.Sub(now))
}
