package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/arcseat/arc/tools/wire"
)

// An endpoint is the address that a model answers at. It counts the bytes.
type endpoint struct {
	url, key       string
	client         *http.Client
	pause          time.Duration // before the first repeat, at most; each doubles it
	sent, received int
}

const (
	repeats  = 4                // after the first try
	maxPause = 30 * time.Second // between tries, where the server does not say
	maxWait  = 2 * time.Minute  // however long a server asks to wait
	maxReply = 32 << 20         // bytes
)

func newEndpoint(url, key string) *endpoint {
	return &endpoint{
		url: url, key: key,
		client: &http.Client{Timeout: 10 * time.Minute, CheckRedirect: stay},
		pause:  time.Second,
	}
}

// stay follows no redirect: it would take the key, and all that was said, to
// another address than the one that the operator named.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// post sends a body and has the answer read. A server that is busy or broken (408,
// 429, 5xx), and an answer that breaks off, are tried again a few times: when the server
// says, or ever later and never quite at the same time as others. again hears of that.
// What is wrong with a whole answer would be wrong with the next, at the same price.
func (e *endpoint) post(ctx context.Context, header map[string]string, body []byte, read func(*http.Response) error, again func(error, time.Duration)) error {
	pause := e.pause
	for try := 0; ; try++ {
		err := e.once(ctx, header, body, read)
		var busy *busyError
		if err == nil || ctx.Err() != nil || !errors.As(err, &busy) || try == repeats {
			return err
		}
		wait := min(busy.wait, maxWait)
		if wait < 0 {
			wait = pause/2 + rand.N(pause/2+1)
			pause = min(2*pause, maxPause)
		}
		again(err, wait)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// A busyError is one that another try may better.
type busyError struct {
	error
	wait time.Duration // that the server asks for, or negative
}

// once is one try.
func (e *endpoint) once(ctx context.Context, header map[string]string, body []byte, read func(*http.Response) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		req.Header.Set(name, value)
	}
	e.sent += len(body)
	resp, err := e.client.Do(req)
	var dial *net.OpError
	switch {
	case err != nil && errors.As(err, &dial) && dial.Op == "dial": // there is no server
		return err
	case err != nil:
		return &busyError{err, -1}
	}
	defer resp.Body.Close()
	counted := &counter{Reader: io.LimitReader(resp.Body, maxReply)}
	defer func() { e.received += counted.n }()
	if resp.StatusCode == http.StatusOK {
		resp.Body = io.NopCloser(counted)
		err := read(resp)
		if err != nil && counted.passing(err) {
			return &busyError{err, -1}
		}
		return err
	}
	answer, err := io.ReadAll(io.LimitReader(counted, 1<<20))
	if err != nil {
		return &busyError{err, -1}
	}
	err = fmt.Errorf("the model's server says %s: %s", resp.Status, complaint(answer))
	if s := resp.StatusCode; s == http.StatusRequestTimeout || s == http.StatusTooManyRequests || s >= 500 {
		return &busyError{err, retryAfter(resp.Header.Get("Retry-After"), answer)}
	}
	return err
}

// A counter counts what is read, and keeps what tells why no more came.
type counter struct {
	io.Reader
	n    int
	last []byte // of what was read
	err  error  // that ended it, but for its end
}

const maxLast = 4 << 10 // bytes of counter.last

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	c.last = append(c.last, p[max(0, n-maxLast):n]...)
	c.last = c.last[max(0, len(c.last)-maxLast):]
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// busyWords are in an event by which a provider ends an answer that it had begun with a
// 200. In what a model writes the quotes are escaped.
var busyWords = regexp.MustCompile(`"(type|code|status)"\s*:\s*("(overloaded_error|api_error|timeout_error|rate_limit_error|rate_limit_exceeded|server_error|server_is_overloaded|UNAVAILABLE|RESOURCE_EXHAUSTED|INTERNAL|DEADLINE_EXCEEDED)"|429|5\d\d)`)

// passing reports whether the answer could not be read, for err, for a reason that may
// have passed by the next try: it broke off, or the provider says that it is busy.
func (c *counter) passing(err error) bool {
	return c.err != nil || errors.Is(err, io.ErrUnexpectedEOF) && c.n < maxReply || busyWords.Match(c.last)
}

// retryAfter is how long a server wants to be left alone, or negative. The header of
// that name has seconds or a date; Gemini says it in the error, as 7s.
func retryAfter(header string, body []byte) time.Duration {
	if n, err := strconv.ParseFloat(header, 64); err == nil && n >= 0 {
		return time.Duration(min(n, maxWait.Seconds()) * float64(time.Second))
	}
	if t, err := http.ParseTime(header); err == nil {
		return max(0, time.Until(t))
	}
	var e struct {
		Error struct {
			Details []struct {
				RetryDelay string `json:"retryDelay"`
			} `json:"details"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &e) // another error says nothing
	for _, d := range e.Error.Details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait >= 0 {
			return wait
		}
	}
	return -1
}

// complaint is the message of an error, or what stands there instead.
func complaint(b []byte) string {
	if words := wire.ProviderError(b); words != "" {
		return words
	}
	const enough = 500
	if len(b) > enough {
		b = b[:enough]
	}
	return strings.ToValidUTF8(string(bytes.TrimSpace(b)), "�")
}
