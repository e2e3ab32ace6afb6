package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools/wire"
)

// A model answers a conversation, which it keeps as the bytes that it will send.
// What they are is the provider's affair, and package wire's. It is used from one
// goroutine.
type model struct {
	provider wire.Provider
	name     string // of the model
	at       *endpoint
	options  wire.Options
	extra    map[string]any // further fields of each request
	home     bool           // the server is the provider's own: its models see pictures
	native   bool           // the model brings its own computer tool

	format   *wire.Format
	system   string
	messages []json.RawMessage
	size     int        // of the conversation as it was last sent and answered, in tokens
	told     bool       // what schemas lose
	spent    wire.Usage // by all requests
	requests int
}

// keptImages are the newest pictures of a conversation. Older ones are left out of
// what is sent: each costs as much as pages of text, and the screen has changed.
const keptImages = 10

// newModel talks to a server, with its key if it wants one.
func newModel(p wire.Provider, base, key, name string) *model {
	m := &model{provider: p, name: name, at: newEndpoint(base+p.Path(name, true), key)}
	if p == wire.Anthropic { // the others keep what was sent before without being told
		m.extra = map[string]any{"cache_control": map[string]string{"type": "ephemeral"}}
	}
	return m
}

// profile is env with what is known of the model.
func (m *model) profile(env arc.Env) arc.Env {
	const most = 50 // actions in a native call, which comes as the model makes it
	if m.home {
		env.Model.Vision = true
	}
	if m.native {
		env.Model.Native, env.Model.Actions = []string{"computer"}, most
	}
	return env
}

// begin drops the conversation and begins another, in a turn with env: system is
// what the model is told before it.
func (m *model) begin(env arc.Env, system string) (err error) {
	m.format, err = wire.New(m.provider, env, &m.options)
	m.system, m.messages, m.size = system, nil, 0
	return err
}

// say adds the operator's words.
func (m *model) say(text string) { m.messages = m.format.AppendUser(m.messages, text) }

// said adds words of the model's own, from an earlier turn.
func (m *model) said(text string) { m.messages = m.format.AppendModel(m.messages, text) }

// answer adds the results of the calls that the model has just made.
func (m *model) answer(calls []arc.Call, results []*arc.Result) (err error) {
	m.messages, err = m.format.AppendResults(m.messages, calls, results)
	if slices.ContainsFunc(results, func(r *arc.Result) bool { return len(r.Images) > 0 }) {
		m.format.LeaveOutImages(m.messages, keptImages)
	}
	return err
}

// ask sends the conversation and the tools of this moment, and adds the model's
// turn to it. words hears what the model says as it comes.
func (m *model) ask(ctx context.Context, tools wire.Surface, words *speech) (wire.Reply, error) {
	list, lost, err := m.format.Tools(tools)
	if err != nil {
		return wire.Reply{}, err
	}
	if len(lost) > 0 && !m.told {
		m.told = true
		words.note("Of the tools' schemas this server is not told all, such as %s; arguments are checked all the same.", lost[0])
	}
	body, err := m.format.Request(wire.Request{Model: m.name, System: m.system, Messages: m.messages, Tools: list, Stream: true, Extra: m.extra})
	if err != nil {
		return wire.Reply{}, err
	}
	var r wire.Reply
	err = m.at.post(ctx, m.format.Headers(m.at.key), body, func(answer *http.Response) (err error) {
		defer words.end()
		r, err = m.read(answer, words)
		return err
	}, words.again)
	if err != nil {
		return wire.Reply{}, err
	}
	m.count(r.Usage, len(body))
	m.messages = append(m.messages, r.Messages...)
	switch r.Stop {
	case wire.Cut:
		return r, errors.New("the model's answer was longer than it may be and is cut")
	case wire.Refused:
		return r, fmt.Errorf("the model does not go on, for the reason %s", r.Why)
	}
	return r, nil
}

// read reads an answer, which some servers send whole whatever they are asked for.
func (m *model) read(answer *http.Response, words *speech) (wire.Reply, error) {
	if strings.Contains(answer.Header.Get("Content-Type"), "event-stream") {
		return m.format.ReadStream(answer.Body, words.hear)
	}
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		return wire.Reply{}, err
	}
	r, err := m.format.Read(b)
	words.hear(r.Text)
	return r, err
}

// count adds what a request cost. Of a server that does not tell, the size of the
// conversation is guessed.
func (m *model) count(u wire.Usage, sent int) {
	const bytesPerToken = 4
	m.requests++
	m.spent.Input += u.Input
	m.spent.Cached += u.Cached
	m.spent.Output += u.Output
	if m.size = u.Input + u.Output; u.Input == 0 {
		m.size = sent / bytesPerToken
	}
}
