package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/arcseat/arc/internal/plainjson"
)

// messages is Anthropic's Messages.
type messages struct{}

func (messages) key() (header, before string) { return "x-api-key", "" }

func (messages) headers(f *Format) map[string]string {
	h := map[string]string{"anthropic-version": "2023-06-01"}
	beta := map[ComputerVersion]string{
		AnthropicComputer20241022: "computer-use-2024-10-22",
		AnthropicComputer20250124: "computer-use-2025-01-24",
		AnthropicComputer20251124: "computer-use-2025-11-24",
	}
	if name, ok := beta[f.computer]; ok && f.nativeTool() != "" {
		h["anthropic-beta"] = name
	}
	return h
}

func (messages) declare(f *Format, all []declared) json.RawMessage {
	var out []json.RawMessage
	for _, d := range all {
		out = append(out, fields("name", d.name, "description", d.description, "input_schema", d.schema, "defer_loading", whether(d.deferred)).Raw())
	}
	if f.nativeTool() != "" {
		out = slices.Insert(out, 0, messages{}.computer(f, all))
	}
	return some(out)
}

// computer declares Anthropic's computer tool. A toolset's members have names of
// their own, of which another tool can have one.
func (messages) computer(f *Format, all []declared) json.RawMessage {
	v := f.computer
	if v != AnthropicComputerToolset20260801 {
		return fields("type", string(v), "name", computerName, "display_width_px", f.env.Desktop.Width,
			"display_height_px", f.env.Desktop.Height, "enable_zoom", whether(v == AnthropicComputer20251124)).Raw()
	}
	var off object
	for _, d := range all {
		if slices.Contains(v.anthropicActions(), d.name) {
			off.Set(d.name, json.RawMessage(`{"enabled":false}`))
		}
	}
	if len(off) == 0 {
		return fields("type", string(v)).Raw()
	}
	return fields("type", string(v), "configs", off).Raw()
}

func (messages) request(_ *Format, r Request) object {
	limit := r.MaxTokens
	if limit <= 0 {
		limit = 16000
	}
	return fields("model", r.Model, "max_tokens", limit, "system", nonempty(r.System), "tools", r.Tools,
		"messages", list(r.Messages), "stream", whether(r.Stream))
}

// nonempty is s, or nil.
func nonempty(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (messages) text(s string) json.RawMessage { return fields("type", "text", "text", s).Raw() }

func (messages) image(mime, data string) json.RawMessage {
	return fields("type", "image", "source", fields("type", "base64", "media_type", mime, "data", data)).Raw()
}

func (messages) user(parts []json.RawMessage) json.RawMessage {
	return fields("role", "user", "content", list(parts)).Raw()
}

func (messages) joins() string { return `{"role":"user","content":[` }

func (m messages) model(text string) json.RawMessage {
	return fields("role", "assistant", "content", list([]json.RawMessage{m.text(text)})).Raw()
}

// results are blocks of one message of the user's, before anything else in it.
func (m messages) results(f *Format, calls []answered) (own, parts []json.RawMessage) {
	var after []json.RawMessage
	for _, a := range calls {
		content, failed := encode(a.text), a.result.Err != nil
		if strings.TrimSpace(a.text) == "" {
			content = nil // a blank is refused
		}
		if found := f.offered(a); len(found) > 0 {
			// References stand alone in a result: they are the definitions.
			var refs []json.RawMessage
			for _, d := range found {
				refs = append(refs, fields("type", "tool_reference", "tool_name", d.name).Raw())
			}
			content = list(refs)
			if words := joined(a.result); words != "" {
				after = append(after, m.text(words))
			}
		} else if len(a.images) > 0 && !f.opts.ImagesAside {
			var blocks []json.RawMessage
			if content != nil {
				blocks = append(blocks, m.text(a.text))
			}
			for _, i := range a.images {
				blocks = append(blocks, f.picture(i))
			}
			// Beside is_error there may be text alone; what failed stands in the text.
			content, failed = list(blocks), false
		} else {
			after = append(after, f.aside(a)...)
		}
		parts = append(parts, fields("type", "tool_result", "tool_use_id", a.origin.id, "toolset_name", nonempty(a.origin.toolset),
			"content", content, "is_error", whether(failed)).Raw())
	}
	return nil, append(parts, after...)
}

func (m messages) read(f *Format, body []byte) (Reply, error) {
	o, err := plainjson.ParseObject(body)
	if err != nil || !o.Has("content") {
		return Reply{}, failure(body)
	}
	r := Reply{Why: o.Text("stop_reason")}
	var blocks []json.RawMessage
	for _, raw := range parseList(o.Get("content")) {
		b, err := plainjson.ParseObject(raw)
		if err != nil {
			continue
		}
		switch b.Text("type") {
		case "text":
			r.Text += b.Text("text")
			if strings.TrimSpace(b.Text("text")) == "" {
				continue // it is not taken back
			}
		case "tool_use":
			c := m.origin(f, b)
			args := arguments(b.Get("input"))
			if f.mend(&b, c.name, args, "input", "{}") {
				raw = b.Raw()
			}
			call := f.admit(c, args, raw)
			if f.renumber(&b, "id", c, call) {
				raw = b.Raw()
			}
			r.Calls = append(r.Calls, call)
		}
		blocks = append(blocks, raw)
	}
	if len(blocks) > 0 {
		r.Messages = []json.RawMessage{fields("role", "assistant", "content", list(blocks)).Raw()}
	}
	switch r.Why {
	case "max_tokens", "model_context_window_exceeded":
		r.Stop = Cut
	case "refusal":
		r.Stop = Refused
	case "pause_turn":
		r.Stop = Paused
	}
	u, _ := plainjson.ParseObject(o.Get("usage"))
	r.Usage = Usage{Cached: u.Int("cache_read_input_tokens"), Written: u.Int("cache_creation_input_tokens"), Output: u.Int("output_tokens")}
	r.Usage.Input = u.Int("input_tokens") + r.Usage.Cached + r.Usage.Written
	return r, nil
}

// origin tells the computer's calls from others.
func (messages) origin(f *Format, b object) origin {
	o := origin{id: b.Text("id"), name: b.Text("name"), toolset: b.Text("toolset_name")}
	native := false
	switch {
	case f.nativeTool() == "":
	case f.computer != AnthropicComputerToolset20260801:
		native = o.name == computerName
	case o.toolset != "":
		native = true
	default:
		native = slices.Contains(f.computer.anthropicActions(), o.name) && !f.declares(o.name)
	}
	if native {
		o.kind = computer
	}
	return o
}

// messagesEvents gather the blocks of a message.
type messagesEvents struct {
	start, usage object
	blocks       []*messagesBlock
	stop         json.RawMessage
	stopped      bool
}

type messagesBlock struct {
	object
	index              int
	text, input        texts
	thought, signature texts
	citations          []json.RawMessage
}

func (messages) accumulate() accumulator { return &messagesEvents{} }

func (e *messagesEvents) add(event object) (string, error) {
	switch event.Text("type") {
	case "message_start":
		e.start, _ = plainjson.ParseObject(event.Get("message"))
		e.usage, _ = plainjson.ParseObject(e.start.Get("usage"))
	case "content_block_start":
		if len(e.blocks) >= maxParts {
			return "", errParts
		}
		if o, err := plainjson.ParseObject(event.Get("content_block")); err == nil {
			b := &messagesBlock{object: o, index: event.Int("index")}
			b.text.add(o.Text("text"))
			b.thought.add(o.Text("thinking"))
			b.signature.add(o.Text("signature"))
			e.blocks = append(e.blocks, b)
			return o.Text("text"), nil
		}
	case "content_block_delta":
		return e.delta(event)
	case "message_delta":
		d, _ := plainjson.ParseObject(event.Get("delta"))
		if s := d.Get("stop_reason"); s != nil {
			e.stop = s
		}
		more, _ := plainjson.ParseObject(event.Get("usage"))
		for _, m := range more {
			if string(m.Value) != "null" {
				e.usage.Set(m.Name, m.Value)
			}
		}
	case "message_stop":
		e.stopped = true
	}
	return "", nil
}

func (e *messagesEvents) delta(event object) (string, error) {
	index := event.Int("index")
	i := slices.IndexFunc(e.blocks, func(b *messagesBlock) bool { return b.index == index })
	if i < 0 {
		return "", fmt.Errorf("wire: the stream goes on with block %d, which has not begun", index)
	}
	b := e.blocks[i]
	d, _ := plainjson.ParseObject(event.Get("delta"))
	switch d.Text("type") {
	case "text_delta":
		b.text.add(d.Text("text"))
		return d.Text("text"), nil
	case "input_json_delta":
		b.input.add(d.Text("partial_json"))
	case "thinking_delta":
		b.thought.add(d.Text("thinking"))
	case "signature_delta":
		b.signature.add(d.Text("signature"))
	case "citations_delta":
		b.citations = append(b.citations, d.Get("citation"))
	}
	return "", nil
}

func (e *messagesEvents) response() (json.RawMessage, bool) {
	blocks := []json.RawMessage{}
	for _, b := range e.blocks {
		if b.Has("text") {
			b.Set("text", b.text.json())
		}
		if b.Has("thinking") {
			b.Set("thinking", b.thought.json())
		}
		if len(b.signature.b) > 0 {
			b.Set("signature", b.signature.json())
		}
		if len(b.citations) > 0 {
			b.Set("citations", list(b.citations))
		}
		if in := b.input.b; len(strings.TrimSpace(string(in))) > 0 {
			b.Set("input", b.input.json()) // as the model wrote it, if it is no object
			if isObject(in) {
				b.Set("input", slices.Clone(in))
			}
		}
		blocks = append(blocks, b.Raw())
	}
	return fields("content", list(blocks), "stop_reason", e.stop, "usage", e.usage).Raw(), e.stopped
}

func (e *messagesEvents) over() bool { return e.stopped }
