package wire

import (
	"encoding/json"
	"slices"

	"github.com/arcseat/arc"
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
		out = append(out, fields("type", "function", "function", function).raw())
	}
	return some(out)
}

func (c chat) request(_ *Format, r Request) object {
	all := r.Messages
	if r.System != "" {
		all = slices.Concat([]json.RawMessage{fields("role", "system", "content", r.System).raw()}, all)
	}
	o := fields("model", r.Model, "max_completion_tokens", positive(r.MaxTokens), "tools", r.Tools, "messages", list(all), "stream", whether(r.Stream))
	if r.Stream {
		o.set("stream_options", json.RawMessage(`{"include_usage":true}`))
	}
	return o
}

func (chat) text(s string) json.RawMessage { return fields("type", "text", "text", s).raw() }

func (chat) image(mime, data string) json.RawMessage {
	return fields("type", "image_url", "image_url", fields("url", "data:"+mime+";base64,"+data)).raw()
}

// user is text alone where there is no more: some servers take nothing else.
func (chat) user(parts []json.RawMessage) json.RawMessage {
	if len(parts) == 1 {
		if o, err := parseObject(parts[0]); err == nil && o.has("text") {
			return fields("role", "user", "content", o.get("text")).raw()
		}
	}
	return fields("role", "user", "content", list(parts)).raw()
}

func (chat) joins() string { return "" }

func (chat) model(text string) json.RawMessage {
	return fields("role", "assistant", "content", text).raw()
}

// results are messages of text alone.
func (chat) results(f *Format, calls []answered) (own, parts []json.RawMessage) {
	for _, a := range calls {
		own = append(own, fields("role", "tool", "tool_call_id", a.call.ID, "content", a.text).raw())
		parts = append(parts, f.aside(a)...)
	}
	return own, parts
}

// read sends back what every server takes, and what the host says that this one
// wants.
func (c chat) read(f *Format, body []byte) (Reply, error) {
	o, err := parseObject(body)
	if err != nil {
		return Reply{}, failure(body)
	}
	choices := parseList(o.get("choices"))
	if len(choices) == 0 {
		return Reply{}, failure(body)
	}
	choice, _ := parseObject(choices[0])
	said, err := parseObject(choice.get("message"))
	if err != nil {
		return Reply{}, failure(body)
	}
	r := Reply{Text: c.words(said.get("content")), Why: choice.str("finish_reason")}
	back := fields("role", "assistant", "content", r.Text)
	var calls []json.RawMessage
	for _, raw := range parseList(said.get("tool_calls")) {
		call, out := c.call(f, raw)
		r.Calls = append(r.Calls, call)
		calls = append(calls, out)
	}
	if len(calls) > 0 {
		back.set("tool_calls", list(calls))
	}
	for _, name := range f.opts.Echo {
		if v := said.get(name); v != nil && string(v) != "null" && !back.has(name) {
			back.set(name, v)
		}
	}
	switch r.Why {
	case "length":
		r.Stop = Cut
	case "content_filter":
		r.Stop = Refused
	}
	if refusal := said.str("refusal"); refusal != "" {
		r.Stop, r.Text = Refused, r.Text+refusal
		back.set("content", encode(r.Text))
	}
	if r.Text != "" || len(calls) > 0 {
		r.Messages = []json.RawMessage{back.raw()}
	}
	r.Usage = c.usage(o)
	return r, nil
}

func (chat) usage(o object) Usage {
	u, _ := parseObject(o.get("usage"))
	in, _ := parseObject(u.get("prompt_tokens_details"))
	out, _ := parseObject(u.get("completion_tokens_details"))
	return Usage{
		Input: u.number("prompt_tokens"), Cached: in.number("cached_tokens"), Written: in.number("cache_write_tokens"),
		Output: u.number("completion_tokens"), Reasoning: out.number("reasoning_tokens"),
	}
}

// words are those of content: a string, or parts.
func (chat) words(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	for _, raw := range parseList(content) {
		if o, err := parseObject(raw); err == nil && o.str("type") == "text" {
			s += o.str("text")
		}
	}
	return s
}

// call reads one, and what goes back of it. Arguments that are no object would
// make some servers refuse the whole conversation.
func (chat) call(f *Format, raw json.RawMessage) (c arc.Call, back json.RawMessage) {
	o, _ := parseObject(raw)
	fn, _ := parseObject(o.get("function"))
	args := arguments(fn.get("arguments"))
	c = f.admit(origin{id: o.str("id"), name: fn.str("name")}, args, nil)
	if !isObject(args) {
		args = json.RawMessage("{}")
	}
	out := fields("id", c.ID, "type", "function", "function", fields("name", f.speakable(fn.str("name")), "arguments", string(args)))
	if extra := o.get("extra_content"); extra != nil { // Gemini's signatures
		out.set("extra_content", extra)
	}
	return c, out.raw()
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
	if u := event.get("usage"); u != nil && string(u) != "null" {
		e.usage = u
	}
	choices := parseList(event.get("choices"))
	if len(choices) == 0 {
		return "", nil
	}
	choice, _ := parseObject(choices[0])
	if choice.number("index") != 0 {
		return "", nil
	}
	if why := choice.str("finish_reason"); why != "" {
		e.finish = encode(why)
	}
	delta, err := parseObject(choice.get("delta"))
	if err != nil {
		return "", nil
	}
	words := chat{}.words(delta.get("content"))
	e.content.add(words)
	e.refusal.add(delta.str("refusal"))
	for _, raw := range parseList(delta.get("tool_calls")) {
		if o, err := parseObject(raw); err == nil {
			e.call(o)
		}
		if len(e.calls) > maxParts {
			return "", errParts
		}
	}
	for _, m := range delta {
		switch m.name {
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
	index, id := o.number("index"), o.str("id")
	if !o.has("index") {
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
	fn, _ := parseObject(o.get("function"))
	if c.name == "" {
		c.name = fn.str("name")
	}
	if v := fn.get("arguments"); v != nil && v[0] == '{' { // whole, and not in a string
		c.args.add(string(v))
	} else {
		c.args.add(fn.str("arguments"))
	}
	if v := o.get("extra_content"); v != nil {
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
		calls = append(calls, o.raw())
	}
	if len(calls) > 0 {
		msg.set("tool_calls", list(calls))
	}
	return fields("choices", list([]json.RawMessage{fields("message", msg, "finish_reason", e.finish).raw()}), "usage", e.usage).raw(), e.finish != nil
}

func (*chatEvents) over() bool { return false } // [DONE] says it, and what was used comes before
