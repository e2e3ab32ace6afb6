package mcptool

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A carrier takes requests to a service's endpoint, and its answers through the sieve:
// the SDK reads a body to its end, however long it is.
type carrier struct {
	base     http.RoundTripper
	host     string
	header   http.Header
	sieve    *sieve
	hurry    context.Context // ends all requests
	release  func()          // of idle connections
	patience time.Duration   // with who is to say that it will speak by itself
}

const (
	maxRedirects = 10
	maxPatience  = 10 * time.Second
)

// overHTTP is a transport to s.URL, and the carrier that it uses.
func overHTTP(s *Service, sv *sieve, hurry context.Context) (mcp.Transport, *carrier, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, nil, err
	}
	c := &carrier{base: s.RoundTripper, host: u.Host, header: s.Header, sieve: sv, hurry: hurry, release: func() {}}
	c.patience = min(maxPatience, s.StartTimeout/2)
	if c.base == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		c.base, c.release = own, own.CloseIdleConnections
	}
	client := &http.Client{Transport: c, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		switch {
		case r.URL.Host != c.host:
			return fmt.Errorf("it sends us to %s", r.URL.Host)
		case u.Scheme == "https" && r.URL.Scheme != u.Scheme:
			return errors.New("it sends us to where all can read along")
		case len(via) >= maxRedirects:
			return errors.New("it sends us round in circles")
		}
		return nil
	}}
	return &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxEventSize: maxMessage}, c, nil
}

// RoundTrip is http.RoundTripper's.
func (c *carrier) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	req = req.Clone(ctx)
	stop := context.AfterFunc(c.hurry, cancel)
	if req.URL.Host == c.host {
		for name, values := range c.header {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	var call *jsonrpc.Request
	if req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			b, err := io.ReadAll(body)
			if msg, bad := jsonrpc.DecodeMessage(b); err == nil && bad == nil {
				c.sieve.sent(msg)
				call, _ = msg.(*jsonrpc.Request)
			}
		}
	}
	var resp *http.Response
	var err error
	if req.Method == http.MethodGet {
		resp, err = c.listen(req, cancel)
	} else {
		resp, err = c.base.RoundTrip(req)
	}
	if err != nil {
		stop()
		cancel()
		return nil, err
	}
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	b := &strained{ReadCloser: resp.Body, sieve: c.sieve, call: call, done: func() { stop(); cancel() }}
	switch strings.TrimSpace(strings.ToLower(kind)) {
	case "text/event-stream":
		b.read, b.more = bufio.NewReaderSize(resp.Body, 64<<10), b.event
	default:
		b.more = b.whole
		b.failed = resp.StatusCode/100 != 2
	}
	resp.Body, resp.ContentLength = b, -1
	resp.Header.Del("Content-Length")
	return resp, nil
}

// listen asks for what a service says by itself. The SDK does nothing else until the
// answer begins, and has no limit for that: who keeps it waiting has nothing to say.
func (c *carrier) listen(req *http.Request, cancel context.CancelFunc) (*http.Response, error) {
	late := time.AfterFunc(c.patience, cancel)
	resp, err := c.base.RoundTrip(req)
	if late.Stop() {
		return resp, err
	}
	if err == nil {
		resp.Body.Close()
	}
	return &http.Response{StatusCode: http.StatusMethodNotAllowed, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
}

// strained is the body of an answer, of which more makes the next part.
type strained struct {
	io.ReadCloser
	sieve *sieve
	call  *jsonrpc.Request // that it answers, or nil

	failed bool // what it says is why, and may be in any form
	read   *bufio.Reader
	data   []byte // of the event at hand
	lost   bool   // it was too long
	more   func() ([]byte, error)
	done   func()

	part []byte
	err  error
}

func (b *strained) Read(p []byte) (int, error) {
	for len(b.part) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		b.part, b.err = b.more()
	}
	n := copy(p, b.part)
	b.part = b.part[n:]
	return n, nil
}

func (b *strained) Close() error {
	b.done()
	return b.ReadCloser.Close()
}

// whole is a body that is one message, or none.
func (b *strained) whole() ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(b.ReadCloser, maxMessage+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxMessage {
		return b.refusal(tooLong, strconv.Itoa(len(raw))), io.EOF
	}
	msg, err := jsonrpc.DecodeMessage(raw)
	switch {
	case err == nil:
		if _, err := b.sieve.came(msg, len(raw)); err != nil {
			return nil, err
		}
		if again, err := jsonrpc.EncodeMessage(msg); err == nil {
			raw = again
		}
	case !b.failed:
		raw = b.refusal(unreadableAnswer, "the answer is no message")
	}
	return raw, io.EOF
}

// event is the next line of a stream of events, but for those of data, which are one
// message together, at the event's end.
func (b *strained) event() ([]byte, error) {
	l, err := readLine(b.read)
	if errors.Is(err, io.EOF) && len(b.data) > 0 { // also an end of the event, to the SDK
		part, bad := b.message()
		if bad != nil {
			err = bad
		}
		return part, err
	}
	if err != nil {
		return nil, err
	}
	data, ok := bytes.CutPrefix(l.head, []byte("data:"))
	switch {
	case l.skipped || ok && len(b.data)+len(data) > maxMessage:
		size := len(b.data) + l.size
		b.data, b.lost = nil, true
		if b.call == nil {
			return nil, b.sieve.waste(size)
		}
		return fmt.Appendf(nil, "data: %s\n\n", b.refusal(tooLong, strconv.Itoa(size))), io.EOF
	case ok && b.lost:
		return nil, b.sieve.waste(l.size)
	case ok:
		b.data = append(append(b.data, '\n'), bytes.TrimSpace(data)...)
		return nil, nil
	case len(bytes.TrimRight(l.head, "\r\n")) == 0:
		b.lost = false
		if len(b.data) > 0 {
			return b.message()
		}
	}
	return l.head, b.sieve.waste(len(l.head))
}

// message is the data of an event. Once the call is answered the stream has ended,
// whatever else it says.
func (b *strained) message() ([]byte, error) {
	data := bytes.TrimSpace(b.data)
	b.data = nil
	msg, err := jsonrpc.DecodeMessage(data)
	if err != nil { // the SDK says what is wrong
		return fmt.Appendf(nil, "data: %s\n\n", bytes.ReplaceAll(data, []byte("\n"), []byte("\ndata: "))), b.sieve.waste(len(data) + len("data: \n\n"))
	}
	pass, err := b.sieve.came(msg, len(data))
	if err != nil {
		return nil, err
	}
	if !pass {
		return []byte("\n"), nil
	}
	again, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return nil, err
	}
	again = fmt.Appendf(nil, "data: %s\n\n", again)
	if r, ok := msg.(*jsonrpc.Response); ok && b.call != nil && r.ID == b.call.ID {
		return again, io.EOF
	}
	return again, nil
}

// refusal stands for an answer that is too long, or no message.
func (b *strained) refusal(code int64, text string) []byte {
	if b.call == nil {
		return nil
	}
	raw, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: b.call.ID, Error: &jsonrpc.Error{Code: code, Message: text}})
	if err != nil {
		return nil
	}
	return raw
}
