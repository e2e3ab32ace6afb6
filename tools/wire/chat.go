package wire

import (
	"encoding/json"
	"slices"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/plainjson"
)

// chat is Chat Completions.
type chat struct{}

func (chat) key() (header, before string)      { return "Authorization", "Bearer " }
func (chat) headers(*Format) map[string]string { return nil }

func (chat) declare(f *Format, all []declared) json.RawMessage {
	strict := whether(f.opts.Dialect == OpenAIStrict)
	var out []json.RawMessage
	for _, d := range all {
		function := fields("name", d.name, "description", d.description, "parameters", d.schema, "strict", strict)
		out = append(out, fields("type", "function", "function", function).Raw())
	}
	return some(out)
}

func (c chat) request(_ *Format, r Request) object {
	all := r.Messages
	if r.System != "" {
		all = slices.Concat([]json.RawMessage{fields("role", "system", "content", r.System).Raw()}, all)
	}
	o := fields("model", r.Model, "max_completion_tokens", positive(r.MaxTokens), "tools", r.Tools, "messages", list(all), "stream", whether(r.Stream))
	if r.Stream {
		o.Set("stream_options", json.RawMessage(`{"include_usage":true}`))
	}
	return o
}

func (chat) text(s string) json.RawMessage { return fields("type", "text", "text", s).Raw() }

func (chat) image(mime, data string) json.RawMessage {
	return fields("type", "image_url", "image_url", fields("url", "data:"+mime+";base64,"+data)).Raw()
}

// user is text alone where there is no more: some servers take nothing else.
func (chat) user(parts []json.RawMessage) json.RawMessage {
	if len(parts) == 1 {
		if o, err := plainjson.ParseObject(parts[0]); err == nil && o.Has("text") {
			return fields("role", "user", "content", o.Get("text")).Raw()
		}
	}
	return fields("role", "user", "content", list(parts)).Raw()
}

func (chat) joins() string { return "" }

func (chat) model(text string) json.RawMessage {
	return fields("role", "assistant", "content", text).Raw()
}

// results are messages of text alone.
func (chat) results(f *Format, calls []answered) (own, parts []json.RawMessage) {
	for _, a := range calls {
		own = append(own, fields("role", "tool", "tool_call_id", a.call.ID, "content", a.text).Raw())
		parts = append(parts, f.aside(a)...)
	}
	return own, parts
}

// read sends back what every server takes, and what the host says that this one
// wants.
func (c chat) read(f *Format, body []byte) (Reply, error) {
	o, err := plainjson.ParseObject(body)
	if err != nil {
		return Reply{}, failure(body)
	}
	choices := parseList(o.Get("choices"))
	if len(choices) == 0 {
		return Reply{}, failure(body)
	}
	choice, _ := plainjson.ParseObject(choices[0])
	said, err := plainjson.ParseObject(choice.Get("message"))
	if err != nil {
		return Reply{}, failure(body)
	}
	r := Reply{Text: c.words(said.Get("content")), Why: choice.Text("finish_reason")}
	back := fields("role", "assistant", "content", r.Text)
	var calls []json.RawMessage
	for _, raw := range parseList(said.Get("tool_calls")) {
		call, out := c.call(f, raw)
		r.Calls = append(r.Calls, call)
		calls = append(calls, out)
	}
	if len(calls) > 0 {
		back.Set("tool_calls", list(calls))
	}
	for _, name := range f.opts.Echo {
		if v := said.Get(name); v != nil && string(v) != "null" && !back.Has(name) {
			back.Set(name, v)
		}
	}
	switch r.Why {
	case "length":
		r.Stop = Cut
	case "content_filter":
		r.Stop = Refused
	}
	if refusal := said.Text("refusal"); refusal != "" {
		r.Stop, r.Text = Refused, r.Text+refusal
		back.Set("content", encode(r.Text))
	}
	if r.Text != "" || len(calls) > 0 {
		r.Messages = []json.RawMessage{back.Raw()}
	}
	r.Usage = c.usage(o)
	return r, nil
}

func (chat) usage(o object) Usage {
	u, _ := plainjson.ParseObject(o.Get("usage"))
	in, _ := plainjson.ParseObject(u.Get("prompt_tokens_details"))
	out, _ := plainjson.ParseObject(u.Get("completion_tokens_details"))
	return Usage{
		Input: u.Int("prompt_tokens"), Cached: in.Int("cached_tokens"), Written: in.Int("cache_write_tokens"),
		Output: u.Int("completion_tokens"), Reasoning: out.Int("reasoning_tokens"),
	}
}

// words are those of content: a string, or parts.
func (chat) words(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	for _, raw := range parseList(content) {
		if o, err := plainjson.ParseObject(raw); err == nil && o.Text("type") == "text" {
			s += o.Text("text")
		}
	}
	return s
}

// call reads one, and what goes back of it. Arguments that are no object would
// make some servers refuse the whole conversation.
func (chat) call(f *Format, raw json.RawMessage) (c arc.Call, back json.RawMessage) {
	o, _ := plainjson.ParseObject(raw)
	fn, _ := plainjson.ParseObject(o.Get("function"))
	args := arguments(fn.Get("arguments"))
	c = f.admit(origin{id: o.Text("id"), name: fn.Text("name")}, args, nil)
	if !isObject(args) {
		args = json.RawMessage("{}")
	}
	out := fields("id", c.ID, "type", "function", "function", fields("name", f.speakable(fn.Text("name")), "arguments", string(args)))
	if extra := o.Get("extra_content"); extra != nil { // Gemini's signatures
		out.Set("extra_content", extra)
	}
	return c, out.Raw()
}

// chatEvents gather the deltas of a choice.
type chatEvents struct {
	content, refusal texts
	echo             echoes // other fields of the message
	calls            []*chatCall
	finish, usage    json.RawMessage
}

type chatCall struct {
	index    int
	id, name string
	args     texts
	extra    json.RawMessage
}

func (chat) accumulate() accumulator { return &chatEvents{} }

func (e *chatEvents) add(event object) (string, error) {
	if u := event.Get("usage"); u != nil && string(u) != "null" {
		e.usage = u
	}
	choices := parseList(event.Get("choices"))
	if len(choices) == 0 {
		return "", nil
	}
	choice, _ := plainjson.ParseObject(choices[0])
	if choice.Int("index") != 0 {
		return "", nil
	}
	if why := choice.Text("finish_reason"); why != "" {
		e.finish = encode(why)
	}
	delta, err := plainjson.ParseObject(choice.Get("delta"))
	if err != nil {
		return "", nil
	}
	words := chat{}.words(delta.Get("content"))
	e.content.add(words)
	e.refusal.add(delta.Text("refusal"))
	for _, raw := range parseList(delta.Get("tool_calls")) {
		if o, err := plainjson.ParseObject(raw); err == nil {
			e.call(o)
		}
		if len(e.calls) > maxParts {
			return "", errParts
		}
	}
	for _, m := range delta {
		switch m.Name {
		case "role", "content", "refusal", "tool_calls":
		default:
			e.echo.grow(m)
		}
	}
	return words, nil
}

// call adds a piece of a call. Some servers number none, or give all of them the
// same number: another id is another call.
func (e *chatEvents) call(o object) {
	index, id := o.Int("index"), o.Text("id")
	if !o.Has("index") {
		index = len(e.calls) - 1
		if id != "" || index < 0 {
			index++
		}
	}
	var c *chatCall
	for _, known := range slices.Backward(e.calls) {
		if known.index == index && (id == "" || known.id == "" || known.id == id) {
			c = known
			break
		}
	}
	if c == nil {
		c = &chatCall{index: index}
		e.calls = append(e.calls, c)
	}
	if id != "" {
		c.id = id
	}
	fn, _ := plainjson.ParseObject(o.Get("function"))
	if c.name == "" {
		c.name = fn.Text("name")
	}
	if v := fn.Get("arguments"); v != nil && v[0] == '{' { // whole, and not in a string
		c.args.add(string(v))
	} else {
		c.args.add(fn.Text("arguments"))
	}
	if v := o.Get("extra_content"); v != nil {
		c.extra = v
	}
}

// response has its end when the reason for it has come.
func (e *chatEvents) response() (json.RawMessage, bool) {
	msg := fields("content", e.content.json(), "refusal", e.refusal.json())
	msg = append(msg, e.echo.fields()...)
	var calls []json.RawMessage
	for _, c := range e.calls {
		o := fields("id", c.id, "function", fields("name", c.name, "arguments", c.args.json()), "extra_content", c.extra)
		calls = append(calls, o.Raw())
	}
	if len(calls) > 0 {
		msg.Set("tool_calls", list(calls))
	}
	return fields("choices", list([]json.RawMessage{fields("message", msg, "finish_reason", e.finish).Raw()}), "usage", e.usage).Raw(), e.finish != nil
}

func (*chatEvents) over() bool { return false } // [DONE] says it, and what was used comes before
