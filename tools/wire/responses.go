package wire

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/plainjson"
)

// responses is OpenAI's Responses. A conversation is a list of items.
type responses struct{}

func (responses) key() (header, before string)      { return "Authorization", "Bearer " }
func (responses) headers(*Format) map[string]string { return nil }

// declare leaves deferred tools out: the result of a search brings their
// definitions, and the search is OpenAI's own, carried out here.
func (r responses) declare(f *Format, all []declared) json.RawMessage {
	defers := slices.ContainsFunc(all, func(d declared) bool { return d.deferred })
	var out []json.RawMessage
	if f.nativeTool() != "" {
		out = append(out, r.computer(f))
	}
	for _, d := range all {
		switch {
		case d.deferred:
		case defers && d.name == searchName:
			out = append(out, fields("type", "tool_search", "execution", "client", "description", d.description, "parameters", d.schema).Raw())
		default:
			out = append(out, r.function(f, d))
		}
	}
	return some(out)
}

func (responses) function(f *Format, d declared) json.RawMessage {
	return fields("type", "function", "name", d.name, "description", d.description, "parameters", d.schema,
		"strict", f.opts.Dialect == OpenAIStrict, "defer_loading", whether(d.deferred)).Raw()
}

func (responses) computer(f *Format) json.RawMessage {
	if f.computer == OpenAIComputer {
		return fields("type", string(f.computer)).Raw()
	}
	system := map[string]string{"darwin": "mac", "windows": "windows"}[f.env.Desktop.OS]
	if system == "" {
		system = "linux"
	}
	return fields("type", string(f.computer), "display_width", f.env.Desktop.Width, "display_height", f.env.Desktop.Height, "environment", system).Raw()
}

func (responses) request(f *Format, r Request) object {
	o := fields("model", r.Model, "instructions", nonempty(r.System), "max_output_tokens", positive(r.MaxTokens), "tools", r.Tools,
		"input", list(r.Messages), "stream", whether(r.Stream))
	if f.computer == OpenAIComputerUsePreview && f.nativeTool() != "" {
		o.Set("truncation", json.RawMessage(`"auto"`)) // without it the tool is refused
	}
	return o
}

func (responses) text(s string) json.RawMessage { return fields("type", "input_text", "text", s).Raw() }

func (responses) image(mime, data string) json.RawMessage {
	return fields("type", "input_image", "image_url", "data:"+mime+";base64,"+data).Raw()
}

func (responses) user(parts []json.RawMessage) json.RawMessage {
	return fields("role", "user", "content", list(parts)).Raw()
}

func (responses) joins() string { return "" }

func (responses) model(text string) json.RawMessage {
	return fields("role", "assistant", "content", text).Raw()
}

func (r responses) results(f *Format, calls []answered) (own, parts []json.RawMessage) {
	for _, a := range calls {
		switch a.origin.kind {
		case computer:
			if held := a.origin.held; held != nil {
				parts = append(parts, r.text("[a call of "+a.call.Name+" was held back: "+clipTo(string(held), 600)+"]\n"+a.text))
				continue
			}
			item, words := r.screenshot(f, a)
			own, parts = append(own, item), append(parts, words...)
			continue
		case toolSearch:
			item, words := r.found(f, a)
			own, parts = append(own, item), append(parts, words...)
			continue
		}
		output := encode(a.text)
		if len(a.images) > 0 && !f.opts.ImagesAside {
			inner := []json.RawMessage{r.text(a.text)}
			for _, i := range a.images {
				inner = append(inner, f.picture(i))
			}
			output = list(inner)
		} else {
			parts = append(parts, f.aside(a)...)
		}
		own = append(own, fields("type", "function_call_output", "call_id", a.origin.id, "output", output).Raw())
	}
	return own, parts
}

// screenshot answers a computer call: with the last picture, and with words only
// where there is more to say than what is to be seen.
func (r responses) screenshot(f *Format, a answered) (item json.RawMessage, words []json.RawMessage) {
	var before []json.RawMessage
	shot := blank(f.env.Desktop.Width, f.env.Desktop.Height)
	if n := len(a.images); n > 0 {
		shot = dataURL(a.images[n-1])
		for _, i := range a.images[:n-1] {
			before = append(before, f.picture(i))
		}
	}
	if a.result.Err != nil || len(a.result.Notices) > 0 || len(a.images) != 1 {
		words = append([]json.RawMessage{r.text(fmt.Sprintf("[the result of %s, call %s]\n%s", a.call.Name, a.call.ID, a.text))}, before...)
	}
	checks := a.origin.checks // which the host has acknowledged, or the call were held back
	if len(parseList(checks)) == 0 {
		checks = nil
	}
	return fields("type", "computer_call_output", "call_id", a.origin.id, "acknowledged_safety_checks", checks,
		"output", fields("type", "computer_screenshot", "image_url", shot)).Raw(), words
}

// found answers a search with definitions; what it says beside is said in words.
func (r responses) found(f *Format, a answered) (item json.RawMessage, words []json.RawMessage) {
	tools := []json.RawMessage{}
	for _, d := range f.offered(a) {
		d.deferred = true
		tools = append(tools, r.function(f, d))
	}
	said := joined(a.result)
	if len(tools) == 0 {
		said = a.text
	}
	if said != "" {
		words = append(words, r.text("[the result of "+a.call.Name+"]\n"+said))
	}
	return fields("type", "tool_search_output", "call_id", a.origin.id, "execution", "client", "status", "completed", "tools", list(tools)).Raw(), words
}

func (r responses) read(f *Format, body []byte) (Reply, error) {
	o, err := plainjson.ParseObject(body)
	if err != nil || !o.Has("output") || o.Text("status") == "failed" {
		return Reply{}, failure(body)
	}
	reply, held := Reply{Why: o.Text("status")}, false
	for _, raw := range parseList(o.Get("output")) {
		item, err := plainjson.ParseObject(raw)
		if err != nil {
			continue
		}
		switch kind := item.Text("type"); kind {
		case "message":
			words, refused := r.words(item)
			reply.Text += words
			if refused {
				reply.Stop = Refused
			}
		case "function_call", "computer_call", "tool_search_call":
			if kind == "tool_search_call" && item.Text("execution") == "server" {
				break
			}
			var call arc.Call
			call, raw = r.call(f, item, raw)
			reply.Calls = append(reply.Calls, call)
			if f.origin(call).held != nil {
				held = true
				continue
			}
		}
		reply.Messages = append(reply.Messages, raw)
	}
	for n := len(reply.Messages); held && n > 0 && r.reasoning(reply.Messages[n-1]); n-- {
		reply.Messages = reply.Messages[:n-1] // it may not stand without what it led to
	}
	if reply.Why == "incomplete" {
		d, _ := plainjson.ParseObject(o.Get("incomplete_details"))
		reply.Why, reply.Stop = d.Text("reason"), Cut
		if reply.Why == "content_filter" {
			reply.Stop = Refused
		}
	}
	u, _ := plainjson.ParseObject(o.Get("usage"))
	in, _ := plainjson.ParseObject(u.Get("input_tokens_details"))
	out, _ := plainjson.ParseObject(u.Get("output_tokens_details"))
	reply.Usage = Usage{
		Input: u.Int("input_tokens"), Cached: in.Int("cached_tokens"), Written: in.Int("cache_write_tokens"),
		Output: u.Int("output_tokens"), Reasoning: out.Int("reasoning_tokens"),
	}
	return reply, nil
}

func (responses) reasoning(raw json.RawMessage) bool {
	item, err := plainjson.ParseObject(raw)
	return err == nil && item.Text("type") == "reasoning"
}

// words are those of a message, and whether the model refuses in it.
func (responses) words(item object) (words string, refused bool) {
	for _, raw := range parseList(item.Get("content")) {
		p, err := plainjson.ParseObject(raw)
		if err != nil {
			continue
		}
		switch p.Text("type") {
		case "output_text":
			words += p.Text("text")
		case "refusal":
			words, refused = words+p.Text("refusal"), true
		}
	}
	return words, refused
}

func (responses) call(f *Format, item object, raw json.RawMessage) (arc.Call, json.RawMessage) {
	o := origin{id: item.Text("call_id"), name: item.Text("name")}
	args := arguments(item.Get("arguments"))
	switch item.Text("type") {
	case "computer_call":
		o.kind, o.checks = computer, item.Get("pending_safety_checks")
	case "tool_search_call":
		o.kind = toolSearch
	default:
		if f.mend(&item, o.name, args, "arguments", `"{}"`) {
			raw = item.Raw()
		}
	}
	c := f.admit(o, args, raw)
	if f.renumber(&item, "call_id", o, c) {
		raw = item.Raw()
	}
	return c, raw
}

// responsesEvents keep the items that are done, for servers whose last event has
// none.
type responsesEvents struct {
	items []json.RawMessage
	last  object
}

func (responses) accumulate() accumulator { return &responsesEvents{} }

func (e *responsesEvents) add(event object) (string, error) {
	switch event.Text("type") {
	case "response.output_text.delta", "response.refusal.delta":
		return event.Text("delta"), nil
	case "response.output_item.done":
		if item := event.Get("item"); isObject(item) {
			e.items = append(e.items, item)
		}
	case "response.completed", "response.incomplete":
		e.last, _ = plainjson.ParseObject(event.Get("response"))
	case "response.failed":
		return "", failure(event.Get("response"))
	case "error":
		return "", failure(event.Raw())
	}
	return "", nil
}

func (e *responsesEvents) response() (json.RawMessage, bool) {
	if e.last == nil {
		return nil, false
	}
	if len(parseList(e.last.Get("output"))) == 0 {
		e.last.Set("output", list(e.items))
	}
	return e.last.Raw(), true
}

func (e *responsesEvents) over() bool { return e.last != nil }
