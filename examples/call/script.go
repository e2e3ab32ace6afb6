package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// maxLine is the longest line of a script, in bytes: the largest file that can
// be written, escaped to the utmost.
const maxLine = 64 << 20

// An answer is what a call of a script came to.
type answer struct {
	Name    string   `json:"name"`
	Text    string   `json:"text"`
	IsError bool     `json:"is_error"`
	Code    arc.Code `json:"code"`
	Images  int      `json:"images"`
	Turn    string   `json:"turn"`
}

// ends are the words for how a call leaves the turn.
var ends = map[arc.End]string{
	arc.Continue: "", arc.Finished: "finished", arc.Waiting: "waiting", arc.Planned: "planned", arc.Answered: "answered",
}

// runScript answers each line before it reads the next, until the input or ctx
// ends.
func runScript(ctx context.Context, session *tools.Session, fill func([]byte) []byte, in io.Reader, out io.Writer) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	next, lines, done := make(chan struct{}), make(chan line), make(chan struct{})
	defer close(done)
	go readLines(in, next, lines, done)
	for {
		select {
		case next <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		var l line
		select {
		case l = <-lines:
		case <-ctx.Done():
			return ctx.Err()
		}
		if len(bytes.TrimSpace(l.text)) > 0 || l.tooLong {
			if err := enc.Encode(answerLine(ctx, session, fill, l)); err != nil {
				return err
			}
		}
		if l.err == io.EOF {
			return nil
		}
		if l.err != nil {
			return l.err
		}
	}
}

// answerLine makes the call of one line.
func answerLine(ctx context.Context, session *tools.Session, fill func([]byte) []byte, l line) answer {
	var c struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	}
	problem := ""
	switch {
	case l.tooLong:
		problem = fmt.Sprintf("it is longer than %d bytes", maxLine)
	case !json.Valid(l.text):
		problem = "it is not JSON"
	case strictly(l.text, &c) != nil || c.Name == "":
		problem = "it is not an object with a name, and args if there are any"
	}
	var r *arc.Result
	if problem == "" {
		r = session.Call(ctx, arc.Call{Name: c.Name, Args: fill(c.Args)})
	} else {
		r = &arc.Result{Err: &arc.Error{
			Code:    arc.InvalidArguments,
			Message: fmt.Sprintf(`this line is no call: %s; write {"name":"…","args":{…}}.`, problem),
		}}
	}
	a := answer{Name: c.Name, Images: len(r.Images), Turn: ends[r.End]}
	text, err := r.AppendText(nil)
	if err != nil { // a session has seen to it that results can be shown
		text = []byte(err.Error())
	}
	a.Text = string(text)
	if r.Err != nil {
		a.IsError, a.Code = true, r.Err.Code
	}
	return a
}

// strictly decodes an object that has no other fields: a misspelt one would be a
// call without its arguments.
func strictly(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// A line is one of the input, or the end of it.
type line struct {
	text    []byte
	tooLong bool // and text is empty
	err     error
}

// readLines reads one line for each request. It is a goroutine because a read
// of standard input cannot be interrupted: after a signal it is left behind.
func readLines(in io.Reader, next <-chan struct{}, lines chan<- line, done <-chan struct{}) {
	r := bufio.NewReader(in)
	for {
		select {
		case <-next:
		case <-done:
			return
		}
		var l line
		for more := true; more && l.err == nil; {
			var part []byte
			part, l.err = r.ReadSlice('\n')
			if more = errors.Is(l.err, bufio.ErrBufferFull); more {
				l.err = nil
			}
			if l.tooLong = l.tooLong || len(l.text)+len(part) > maxLine; l.tooLong {
				l.text = nil
				continue
			}
			l.text = append(l.text, part...)
		}
		select {
		case lines <- l:
		case <-done:
			return
		}
		if l.err != nil {
			return
		}
	}
}
