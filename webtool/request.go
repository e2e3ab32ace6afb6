package webtool

import (
	"context"
	"errors"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptrace"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/webtool/internal/content"
	"github.com/arcseat/arc/webtool/internal/render"
	"github.com/arcseat/arc/webtool/internal/visible"
)

// accept asks for markdown first: some sites have it, and it is the shorter read.
const accept = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.5"

const (
	maxErrorText = 2000      // bytes of the text of an error page
	maxErrorBody = 256 << 10 // bytes of an error page that are read for it
)

// A trip is one fetch on its way: from the URL that was asked for, over redirects, to
// a body.
type trip struct {
	web     *Web
	client  *client
	reader  Reader
	cond    *snapshot // to be confirmed with its validators; nil: nothing is known
	jar     *cookiejar.Jar
	asked   *target
	now     *target
	trail   []string // URLs that led on from asked
	refused *target  // by the host's policy, on the way
	robots  bool     // it is for a robots.txt, which needs nobody's leave
}

// An answer is what a trip came to. One of doc and notModified is set.
type answer struct {
	target      *target
	trail       []string
	header      http.Header
	status      int
	addr        netip.Addr
	body        *body
	doc         *content.Document
	notModified bool
}

// run follows redirects, in headers and in pages, until there is a body.
func (t *trip) run(ctx context.Context) (*answer, error) {
	// Some sites set a cookie and redirect until they see it; it lives as long as
	// the trip does.
	t.jar, _ = cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // it has no error
	for {
		a, next, err := t.hop(ctx)
		if err != nil {
			return nil, at(failed(ctx, err, t.client.access), t.asked.text, t.now.text)
		}
		if next == "" {
			a.target, a.trail = t.now, t.trail
			return a, nil
		}
		if err := t.follow(ctx, next); err != nil {
			return nil, at(err, t.asked.text, t.now.text)
		}
	}
}

// follow moves on to where a redirect leads.
func (t *trip) follow(ctx context.Context, location string) error {
	to, err := parseTarget(location, t.now)
	if err != nil {
		return misled(err, location)
	}
	if to.fragment == "" {
		to.fragment = t.now.fragment
	}
	if t.web.opts.NoDowngrade && t.now.url.Scheme == "https" && to.url.Scheme == "http" {
		return invalidURL("downgrade", "the page redirects from https to http, which this host does not follow; use another source.")
	}
	t.trail = append(t.trail, t.now.text)
	if len(t.trail) > max(t.web.limits.Redirects, 0) {
		return &arc.Error{
			Code:    TooManyRedirects,
			Message: "the page redirects too often; open the address that it should lead to, or use another source.",
			Detail:  &FetchFailure{},
		}
	}
	t.now = to
	if err := t.web.allow(ctx, t.reader, to, Redirected); err != nil {
		t.refused = to
		return err
	}
	return nil
}

// misled is the error of a redirect to what is not fetched: the page's fault, not that
// of the URL that was asked for.
func misled(err error, location string) error {
	var e *arc.Error
	if !errors.As(err, &e) {
		return err
	}
	f, ok := e.Detail.(*FetchFailure)
	if !ok {
		return err
	}
	what := "to an address that is not one"
	switch f.Reason {
	case "unsupported_scheme":
		what = "to something that is neither http nor https"
		f.FinalURL = pageText(strings.ToValidUTF8(visible.Strip(strings.TrimSpace(location)), ""), maxTrail)
	case "credentials_in_url":
		what = "to a URL with a user name or password"
	}
	e.Message = "the page redirects " + what + ", which is not fetched; use another source."
	return e
}

// hop makes one request. A non-empty next is where it leads.
func (t *trip) hop(ctx context.Context) (a *answer, next string, err error) {
	began := time.Now()
	a = &answer{}
	defer func() {
		e := Event{Reader: t.reader, URL: t.now.text, Addr: a.addr, Status: a.status, Took: time.Since(began), Err: err}
		if a.body != nil {
			e.Bytes = len(a.body.data)
		}
		if len(t.trail) > 0 {
			e.Provenance = Redirected
		}
		t.web.report(e)
	}()
	if err := t.judge(ctx); err != nil {
		return a, "", err
	}
	end, err := t.web.pace.begin(ctx, t.now.host)
	if err != nil {
		return a, "", err
	}
	defer end()
	res, err := t.client.transport.RoundTrip(t.request(ctx, a))
	if err != nil {
		return a, "", err
	}
	defer res.Body.Close()
	if res.StatusCode < 200 { // 101: what follows is no HTTP, and its reader would outlive ctx
		return a, "", errSwitched
	}
	t.jar.SetCookies(t.now.url, res.Cookies())
	a.status, a.header = res.StatusCode, res.Header
	if to := res.Header.Get("Location"); to != "" && redirects[res.StatusCode] {
		return a, to, nil
	}
	if res.StatusCode == http.StatusNotModified && t.confirms() {
		a.notModified = true
		return a, "", nil
	}
	if res.StatusCode >= 300 {
		return a, "", t.refusal(ctx, res, a)
	}
	if to := render.Refresh(res.Header.Get("Refresh"), t.now.url, t.now.url); to != "" && !t.been(to) {
		return a, to, nil
	}
	if a.body, err = readBody(res, t.web.limits.BodyBytes); err != nil {
		if a.doc = t.late(ctx, a.body); a.doc != nil {
			return a, "", nil
		}
		return a, "", err
	}
	if res.StatusCode == http.StatusPartialContent { // nobody has asked for a part
		a.body.cut, a.body.short = true, true
	}
	a.body.unpack(t.now.url, t.web.limits.BodyBytes)
	if a.doc, err = t.web.converter.convert(ctx, a.body, t.now); err != nil {
		return a, "", err
	}
	if a.doc.Refresh != "" && !t.been(a.doc.Refresh) {
		return a, a.doc.Refresh, nil
	}
	return a, "", nil
}

// errSwitched is that a server changes to a protocol that nobody asked for.
var errSwitched = errors.New("webtool: the server switched protocols")

// What came of a page whose time was over before it ended is shown, if it is that much
// text; to make text of it there is a little time more.
const (
	lateLeast = 256 // bytes
	lateMost  = 2 * time.Second
)

// late is what came of a body that did not end in time, nil if that is next to nothing.
func (t *trip) late(ctx context.Context, b *body) *content.Document {
	if b == nil || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil
	}
	ctx, cancel := context.WithTimeout(t.web.base, lateMost)
	defer cancel()
	doc, err := t.web.converter.convert(ctx, b, t.now)
	if err != nil || len(doc.Text) < lateLeast { // files without text have none
		return nil
	}
	return doc
}

var redirects = map[int]bool{301: true, 302: true, 303: true, 307: true, 308: true}

// judge asks the guard before anything is sent. What it says of the name is said
// again, of the address, when that is dialed.
func (t *trip) judge(ctx context.Context) error {
	if err := t.client.rule.CheckPort(t.now.port); err != nil {
		return err
	}
	if err := t.client.rule.CheckHost(t.now.host); err != nil {
		return err
	}
	if t.client.transport.Proxy != nil { // that dials something else
		if _, err := t.client.dialer.Resolve(ctx, "tcp", t.now.host); err != nil {
			return err
		}
	}
	return t.web.robots.allow(ctx, t)
}

func (t *trip) request(ctx context.Context, a *answer) *http.Request {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { a.addr = addrOf(i.Conn) }})
	r := (&http.Request{
		Method: http.MethodGet,
		URL:    t.now.url,
		Host:   t.now.url.Host,
		Proto:  "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"User-Agent": {t.web.opts.UserAgent}, "Accept": {accept}, "Accept-Encoding": {"gzip"}},
	}).WithContext(ctx)
	for _, c := range t.jar.Cookies(t.now.url) {
		r.AddCookie(c)
	}
	if t.confirms() {
		if t.cond.etag != "" {
			r.Header.Set("If-None-Match", t.cond.etag)
		}
		if t.cond.modified != "" {
			r.Header.Set("If-Modified-Since", t.cond.modified)
		}
	}
	return r
}

// confirms reports whether this hop asks for what the snapshot was made of.
func (t *trip) confirms() bool {
	return t.cond != nil && t.cond.finalURL == t.now.text && t.cond.etag+t.cond.modified != ""
}

// been reports whether a page leads to itself, or back.
func (t *trip) been(location string) bool {
	to, err := parseTarget(location, t.now)
	return err == nil && (to.text == t.now.text || slices.Contains(t.trail, to.text))
}

// refusal is the error of an answer that is no page.
func (t *trip) refusal(ctx context.Context, res *http.Response, a *answer) error {
	f := &FetchFailure{
		Status:    res.StatusCode,
		Retryable: res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusRequestTimeout,
	}
	challenge := res.Header.Get("Cf-Mitigated") == "challenge"
	if b, err := readBody(res, maxErrorBody); err == nil {
		a.body = b
		doc, err := t.web.converter.convert(ctx, b, t.now)
		if err != nil {
			return err
		}
		f.Text = pageText(strings.TrimSpace(visible.Strip(doc.Text)), maxErrorText)
		f.Untrusted = f.Text != ""
		challenge = challenge || slices.Contains(doc.Notes, content.PossibleChallenge)
		if f.Untrusted && slices.Contains(doc.Notes, content.HiddenTextIncluded) {
			f.Notes = append(f.Notes, content.HiddenTextIncluded)
		}
	}
	e := &arc.Error{Code: HTTPError, Detail: f}
	switch {
	case challenge && (f.Status == http.StatusForbidden || f.Status == http.StatusServiceUnavailable || f.Status == http.StatusTooManyRequests):
		f.Notes, f.Retryable = append(f.Notes, content.PossibleChallenge), false
		e.Message = "the site wants to see a person's browser and shows its pages to no tool; use another source."
	case f.Status == http.StatusNotFound || f.Status == http.StatusGone:
		e.Message = "the server has no such page; check the URL, or search for where it is now."
	case f.Status == http.StatusUnauthorized || f.Status == http.StatusForbidden:
		e.Message = "the server does not show this page to us; use another source."
	case f.Status == http.StatusTooManyRequests:
		e.Code, e.Message = RateLimited, "the site asks for patience; read something else first, then come back."
	case f.Status >= 500:
		e.Message = "the server failed; try again later, or use another source."
	default:
		e.Message = "the server did not answer with a page; check the URL, or use another source."
	}
	if after := retryAfter(res.Header); after > 0 {
		f.RetryAfterSec = seconds(after)
	}
	return e
}

// retryAfter is how long a server asks to wait; zero: it does not say. A day is the
// most that is believed.
func retryAfter(h http.Header) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	const most = 24 * time.Hour
	if n, err := strconv.ParseUint(v, 10, 32); err == nil {
		return min(time.Duration(n)*time.Second, most)
	}
	if at, err := http.ParseTime(v); err == nil {
		return min(max(time.Until(at), 0), most)
	}
	return 0
}

// allow asks the host's policy.
func (w *Web) allow(ctx context.Context, r Reader, t *target, p Provenance) error {
	if w.opts.URLPolicy == nil {
		return nil
	}
	u := *t.url
	err := w.opts.URLPolicy(ctx, r, &u, p)
	if err == nil {
		return nil
	}
	w.report(Event{Reader: r, URL: t.text, Provenance: p, Err: err})
	var known *arc.Error
	if errors.As(err, &known) {
		return known
	}
	return &arc.Error{
		Code:    arc.Forbidden,
		Message: "this host's policy does not allow this URL; use one that the user or a search has named.",
		Detail:  &FetchFailure{URL: t.text},
		Err:     err,
	}
}

func (w *Web) report(e Event) {
	if w.opts.OnFetch != nil {
		w.opts.OnFetch(e)
	}
}
