package mcptool

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Limits of what a service may say, in bytes.
const (
	maxMessage = 16 << 20       // of one message
	maxSkipped = 8 * maxMessage // of one line; what is longer ends the connection
	maxEdge    = 4 << 10        // kept of each end of a line that is skipped
	maxBatch   = 1000           // messages
)

// Codes of what takes the place of an answer.
const (
	tooLong          = -32099 // the message is its size
	unreadableAnswer = -32098
	notSent          = -32005 // the SDK's own, of a request that did not reach the service
)

// ours are codes that are not the service's words.
var ours = []int64{tooLong, unreadableAnswer, notSent}

// idMember is the number of an answer. The SDK numbers its calls.
var idMember = regexp.MustCompile(`"id"\s*:\s*(\d+)`)

// lines is the connection to a child: one message a line, each way. What is no message,
// as a program that prints to its standard output makes it, is skipped.
type lines struct {
	in    *os.File // the child's standard output
	out   *os.File // the child's standard input
	sieve *sieve
	log   *slog.Logger

	read  *bufio.Reader
	queue []json.RawMessage // the rest of a batch
	junk  int               // lines that were skipped

	jobs      chan writing
	closeOnce sync.Once
	closed    chan struct{}
	written   chan struct{} // closed when the writer has ended
}

type writing struct {
	line []byte
	done chan error
}

func newLines(in, out *os.File, s *sieve, log *slog.Logger) *lines {
	c := &lines{
		in: in, out: out, sieve: s, log: log, read: bufio.NewReaderSize(in, 64<<10),
		jobs: make(chan writing), closed: make(chan struct{}), written: make(chan struct{}),
	}
	go c.writeAll()
	return c
}

func (c *lines) SessionID() string { return "" }

// Read returns the next message that the sieve lets through.
func (c *lines) Read(context.Context) (jsonrpc.Message, error) {
	msg, err := c.next()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errEnded, err)
	}
	return msg, nil
}

func (c *lines) next() (jsonrpc.Message, error) {
	for {
		raw, err := c.nextRaw()
		if err != nil {
			return nil, err
		}
		if raw == nil {
			continue
		}
		msg, bad := jsonrpc.Message(nil), error(nil)
		if !raw.skipped {
			msg, bad = jsonrpc.DecodeMessage(raw.head)
		}
		if raw.skipped || bad != nil {
			msg, err := c.refused(raw)
			if msg != nil || err != nil {
				return msg, err
			}
			continue
		}
		pass, err := c.sieve.came(msg, len(raw.head))
		if pass || err != nil {
			return msg, err
		}
	}
}

// nextRaw is the next message as it stands, or nil for a line that holds none.
func (c *lines) nextRaw() (*line, error) {
	if len(c.queue) > 0 {
		l := &line{head: c.queue[0], size: len(c.queue[0])}
		c.queue = c.queue[1:]
		return l, nil
	}
	l, err := readLine(c.read)
	if err != nil || l.skipped {
		return l, err
	}
	l.head = bytes.TrimSpace(l.head)
	switch {
	case len(l.head) == 0:
		return nil, c.sieve.waste(1)
	case l.head[0] == '[':
		if json.Unmarshal(l.head, &c.queue) == nil && len(c.queue) <= maxBatch {
			return nil, nil
		}
		c.queue = nil
	case l.head[0] == '{':
		return l, nil
	}
	return nil, c.noMessage(l.head, len(l.head))
}

// noMessage skips what cannot be read.
func (c *lines) noMessage(what []byte, size int) error {
	if c.junk++; c.junk <= 3 {
		c.log.Warn("a service said what is no message", "text", oneLine(string(what), 200))
	}
	return c.sieve.waste(size)
}

// refused answers a call in place of an answer that is too long, or that cannot be read.
// Of such a line that answers none, nothing is left.
func (c *lines) refused(l *line) (jsonrpc.Message, error) {
	tail := l.tail
	if tail == nil {
		tail = lastBytes(nil, l.head)
	}
	id, ok := c.sieve.owner(l.head[:min(len(l.head), maxEdge)], tail)
	if !ok {
		return nil, c.noMessage(l.head, l.size)
	}
	e := &jsonrpc.Error{Code: unreadableAnswer, Message: "the answer is no message"}
	if l.skipped {
		e = &jsonrpc.Error{Code: tooLong, Message: strconv.Itoa(l.size)}
	}
	return &jsonrpc.Response{ID: id, Error: e}, nil
}

// A line is one of a stream. Of one that is too long only its ends are kept.
type line struct {
	head, tail []byte
	size       int
	skipped    bool
}

var errLine = errors.New("it wrote a line without an end")

func readLine(r *bufio.Reader) (*line, error) {
	l := &line{}
	var whole bytes.Buffer
	for {
		part, err := r.ReadSlice('\n')
		l.size += len(part)
		switch {
		case l.size > maxSkipped:
			return nil, errLine
		case l.skipped:
			l.tail = lastBytes(l.tail, part)
		case l.size > maxMessage:
			l.skipped = true
			l.head = bytes.Clone(whole.Bytes()[:min(whole.Len(), maxEdge)])
			l.tail = lastBytes(lastBytes(nil, whole.Bytes()), part)
			whole = bytes.Buffer{}
		default:
			whole.Write(part)
			l.head = whole.Bytes()
		}
		switch {
		case err == nil:
			return l, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && l.size > 0:
			return l, nil // the next read ends it
		default:
			return nil, err
		}
	}
}

// lastBytes are the last bytes of a and b together.
func lastBytes(a, b []byte) []byte {
	b = b[max(0, len(b)-maxEdge):]
	a = a[max(0, len(a)-(maxEdge-len(b))):]
	return slices.Concat(a, b)
}

// Write hands a message to the writer: a child that does not read holds up nobody longer
// than its own context.
func (c *lines) Write(ctx context.Context, msg jsonrpc.Message) error {
	b, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	w := writing{append(b, '\n'), make(chan error, 1)}
	c.sieve.sent(msg)
	select {
	case c.jobs <- w:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.closed:
		return errEnded
	}
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-c.closed:
		return errEnded
	}
}

func (c *lines) writeAll() {
	defer close(c.written)
	for {
		select {
		case w := <-c.jobs:
			_, err := c.out.Write(w.line)
			w.done <- err
		case <-c.closed:
			return
		}
	}
}

// hangUp closes the child's standard input, on which a service ends by itself.
func (c *lines) hangUp() { _ = c.out.Close() }

// Close ends both directions, and returns when nobody uses them.
func (c *lines) Close() error {
	c.closeOnce.Do(func() {
		close(c.closed)
		_ = c.out.Close()
		_ = c.in.Close()
	})
	<-c.written
	return nil
}
