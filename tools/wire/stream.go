package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/arcseat/arc/internal/plainjson"
)

// A Stream puts the events of a streamed response together. It is used from one
// goroutine.
type Stream struct {
	format *Format
	parts  accumulator
	err    error
	size   int
	done   bool // the provider has said that nothing follows
}

// Limits of a streamed response.
const (
	maxStream = 64 << 20 // bytes of events
	maxParts  = 2000     // calls, or blocks: each event is looked for its own among them
)

var errParts = fmt.Errorf("wire: the response has more than %d parts", maxParts)

// Stream reads a streamed response, event by event.
func (f *Format) Stream() *Stream {
	return &Stream{format: f, parts: f.traits.grammar.accumulate()}
}

// Add reads the data of one event and returns the words in it that the model says
// to the user. Events that it does not know it passes over. The error is the
// provider's, or says that data is not JSON; it stays, and Reply returns it too.
func (s *Stream) Add(data []byte) (words string, err error) {
	data = bytes.TrimSpace(data)
	if s.err != nil {
		return "", s.err
	}
	switch string(data) {
	case "[DONE]":
		s.done = true
		return "", nil
	case "":
		return "", nil
	}
	if s.size += len(data); s.size > maxStream {
		s.err = errors.New("wire: the response is too large")
		return "", s.err
	}
	event, err := plainjson.ParseObject(data)
	switch {
	case err != nil:
		s.err = fmt.Errorf("wire: an event of the stream is not a JSON object: %s", clip(string(data)))
	case event.Has("error") && string(event.Get("error")) != "null":
		s.err = failure(data)
	default:
		words, s.err = s.parts.add(event)
		s.done = s.done || s.parts.over()
	}
	return words, s.err
}

// Reply is the whole response. The error is io.ErrUnexpectedEOF if the stream has
// stopped before its end.
func (s *Stream) Reply() (Reply, error) {
	if s.err != nil {
		return Reply{}, s.err
	}
	body, ok := s.parts.response()
	if !ok && (!s.done || body == nil) { // some servers give no reason for the end
		return Reply{}, fmt.Errorf("wire: the stream stopped before its end: %w", io.ErrUnexpectedEOF)
	}
	return s.format.Read(body)
}

// whole reports whether data is what Add reads, and not the beginning of it.
func (s *Stream) whole(data []byte) bool {
	return isObject(data) || string(bytes.TrimSpace(data)) == "[DONE]"
}

// ReadStream reads the body of a streamed response, server-sent events, to the event
// that says that nothing follows, or to its end. words is called with what the model
// says to the user as it comes; nil: no one listens. The error is r's own, or
// io.ErrUnexpectedEOF, wherever the response is cut.
func (f *Format) ReadStream(r io.Reader, words func(string)) (Reply, error) {
	s := f.Stream()
	in := bufio.NewReader(r)
	var data []byte // of the event at hand
	for {
		line, err := readLine(in, maxStream)
		if rest, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, bytes.TrimPrefix(rest, []byte(" "))...), '\n')
		}
		if len(line) == 0 || err != nil { // the event is over
			if err != nil && !s.whole(data) {
				data = nil // it was cut in the middle, which err says
			}
			text, addErr := s.Add(data)
			if addErr != nil {
				return Reply{}, addErr
			}
			if text != "" && words != nil {
				words(text)
			}
			data = data[:0]
		}
		if err == io.EOF || s.done {
			return s.Reply()
		}
		if err != nil {
			return Reply{}, err
		}
		if len(data) > maxStream {
			return Reply{}, errors.New("wire: an event of the stream is too large")
		}
	}
}

// readLine is the next line without its end.
func readLine(in *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > most:
			return nil, errors.New("wire: a line of the stream is too long")
		case err == bufio.ErrBufferFull:
			continue
		}
		return bytes.TrimRight(line, "\r\n"), err
	}
}

// texts gathers strings that come in pieces.
type texts struct{ b []byte }

func (t *texts) add(s string)          { t.b = append(t.b, s...) }
func (t *texts) json() json.RawMessage { return encode(string(t.b)) }
