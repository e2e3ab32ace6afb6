package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// An endpoint is the address that a model answers at. It counts the bytes.
type endpoint struct {
	url            string
	header         http.Header
	client         *http.Client
	pause          time.Duration // before the first repeat; each doubles it
	sent, received int
}

const (
	repeats  = 4                // after the first try
	maxPause = 30 * time.Second // however long a server asks to wait
	maxReply = 32 << 20         // bytes
)

func newEndpoint(url string) *endpoint {
	return &endpoint{
		url:    url,
		header: http.Header{"Content-Type": {"application/json"}},
		client: &http.Client{Timeout: 10 * time.Minute, CheckRedirect: stay},
		pause:  time.Second,
	}
}

// stay follows no redirect: it would take the key, and all that was said, to
// another address than the one that the operator named.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// post sends in as JSON and reads the answer into out. A server that is busy or
// broken (429, 5xx, 529) is asked again a few times, when it says or ever later.
func (e *endpoint) post(ctx context.Context, in, out any) error {
	body, err := encode(in)
	if err != nil {
		return err
	}
	pause := e.pause
	for try := 0; ; try++ {
		b, wait, err := e.once(ctx, body)
		if err == nil {
			return json.Unmarshal(b, out)
		}
		var busy busyError
		if !errors.As(err, &busy) || try == repeats {
			return err
		}
		if wait < 0 {
			wait = pause
			pause *= 2
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(wait, maxPause)):
		}
	}
}

// busyError is an answer that another try may better.
type busyError struct{ error }

// once is one try. wait is what the server asks for, or negative.
func (e *endpoint) once(ctx context.Context, body []byte) (answer []byte, wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, 0, err
	}
	req.Header = e.header
	e.sent += len(body)
	resp, err := e.client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, maxReply))
	e.received += len(answer)
	switch {
	case err != nil:
		return nil, 0, err
	case resp.StatusCode == http.StatusOK:
		return answer, 0, nil
	}
	err = fmt.Errorf("the model's server says %s: %s", resp.Status, complaint(answer))
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500 {
		err = busyError{err}
	}
	return nil, retryAfter(resp.Header.Get("Retry-After")), err
}

// retryAfter reads the header of that name: seconds, or a date.
func retryAfter(s string) time.Duration {
	if n, err := strconv.ParseFloat(s, 64); err == nil && n >= 0 {
		return time.Duration(min(n, maxPause.Seconds()) * float64(time.Second))
	}
	if t, err := http.ParseTime(s); err == nil {
		return max(0, time.Until(t))
	}
	return -1
}

// complaint is the message of an error object, or what stands there instead.
func complaint(b []byte) string {
	var e struct{ Error struct{ Message string } }
	if json.Unmarshal(b, &e) == nil && e.Error.Message != "" {
		return e.Error.Message
	}
	const enough = 500
	if len(b) > enough {
		b = b[:enough]
	}
	return strings.ToValidUTF8(string(bytes.TrimSpace(b)), "�")
}

// encode is v as JSON without HTML escaping, which would only cost tokens.
func encode(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(buf.Bytes()), err
}
