package wire

import (
	"encoding/json"
	"slices"

	"github.com/arcseat/arc/internal/plainjson"
)

// gemini is Google's generateContent.
type gemini struct{}

func (gemini) key() (header, before string)      { return "x-goog-api-key", "" }
func (gemini) headers(*Format) map[string]string { return nil }

func (gemini) declare(f *Format, all []declared) json.RawMessage {
	field := "parametersJsonSchema"
	if f.opts.Dialect == GeminiLegacy {
		field = "parameters"
	}
	var out []json.RawMessage
	for _, d := range all {
		schema := d.schema
		if o, err := plainjson.ParseObject(schema); err == nil && f.opts.Dialect == GeminiLegacy && freeForm(o) {
			schema = nil // an object has to have properties there, a function need not have an object
		}
		out = append(out, fields("name", d.name, "description", d.description, field, schema).Raw())
	}
	if len(out) == 0 {
		return nil
	}
	return list([]json.RawMessage{fields("functionDeclarations", list(out)).Raw()})
}

// request has no model and no stream: the address says both.
func (g gemini) request(_ *Format, r Request) object {
	o := fields("tools", r.Tools, "contents", list(r.Messages))
	if r.System != "" {
		o = append(fields("systemInstruction", fields("parts", list([]json.RawMessage{g.text(r.System)}))), o...)
	}
	if r.MaxTokens > 0 {
		o.Set("generationConfig", fields("maxOutputTokens", r.MaxTokens).Raw())
	}
	return o
}

func (gemini) text(s string) json.RawMessage { return fields("text", s).Raw() }

func (gemini) image(mime, data string) json.RawMessage {
	return fields("inlineData", fields("mimeType", mime, "data", data)).Raw()
}

func (gemini) user(parts []json.RawMessage) json.RawMessage {
	return fields("role", "user", "parts", list(parts)).Raw()
}

// joins is nothing: beside the results of functions nothing may stand.
func (gemini) joins() string { return "" }

func (g gemini) model(text string) json.RawMessage {
	return fields("role", "model", "parts", list([]json.RawMessage{g.text(text)})).Raw()
}

// results are one message, with as many parts as there are calls.
func (g gemini) results(f *Format, calls []answered) (own, parts []json.RawMessage) {
	var answers []json.RawMessage
	for _, a := range calls {
		said := "output"
		if a.result.Err != nil {
			said = "error"
		}
		o := fields("id", nonempty(a.origin.id), "name", f.speakable(a.origin.name), "response", fields(said, a.text))
		if len(a.images) > 0 && !f.opts.ImagesAside {
			var inner []json.RawMessage
			for _, i := range a.images {
				inner = append(inner, f.picture(i))
			}
			o.Set("parts", list(inner))
		} else {
			parts = append(parts, f.aside(a)...)
		}
		answers = append(answers, fields("functionResponse", o).Raw())
	}
	return []json.RawMessage{g.user(answers)}, parts
}

func (g gemini) read(f *Format, body []byte) (Reply, error) {
	o, err := plainjson.ParseObject(body)
	if err != nil || !o.Has("candidates") && !o.Has("promptFeedback") {
		return Reply{}, failure(body)
	}
	r := Reply{Usage: g.usage(o)}
	feedback, _ := plainjson.ParseObject(o.Get("promptFeedback"))
	candidates := parseList(o.Get("candidates"))
	if len(candidates) == 0 {
		r.Why, r.Stop = feedback.Text("blockReason"), Refused
		return r, nil
	}
	first, _ := plainjson.ParseObject(candidates[0])
	content, _ := plainjson.ParseObject(first.Get("content"))
	var parts []json.RawMessage
	for _, raw := range parseList(content.Get("parts")) {
		p, err := plainjson.ParseObject(raw)
		if err != nil {
			continue
		}
		parts = append(parts, raw)
		if fn, err := plainjson.ParseObject(p.Get("functionCall")); err == nil {
			args := fn.Get("args")
			if len(args) == 0 || string(args) == "null" {
				args = json.RawMessage("{}")
			}
			c := origin{id: fn.Text("id"), name: fn.Text("name")}
			r.Calls = append(r.Calls, f.admit(c, args, nil))
			if name := f.speakable(c.name); name != c.name {
				fn.Set("name", encode(name))
				p.Set("functionCall", fn.Raw())
				parts[len(parts)-1] = p.Raw()
			}
		} else if string(p.Get("thought")) != "true" {
			r.Text += p.Text("text")
		}
	}
	if len(parts) > 0 {
		r.Messages = []json.RawMessage{fields("role", "model", "parts", list(parts)).Raw()}
	}
	r.Why = first.Text("finishReason")
	switch r.Why {
	case "", "STOP", "FINISH_REASON_UNSPECIFIED":
	case "MAX_TOKENS":
		r.Stop = Cut
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "OTHER":
		r.Stop = Paused
	default:
		r.Stop = Refused
	}
	return r, nil
}

func (gemini) usage(o object) Usage {
	u, _ := plainjson.ParseObject(o.Get("usageMetadata"))
	thoughts := u.Int("thoughtsTokenCount")
	return Usage{
		Input: u.Int("promptTokenCount") + u.Int("toolUsePromptTokenCount"), Cached: u.Int("cachedContentTokenCount"),
		Output: u.Int("candidatesTokenCount") + thoughts, Reasoning: thoughts,
	}
}

// geminiEvents gather the parts of responses that each have some.
type geminiEvents struct {
	parts         []json.RawMessage
	reason, usage json.RawMessage
	feedback      json.RawMessage
	words         texts // of the last part, if it is words alone
}

func (gemini) accumulate() accumulator { return &geminiEvents{} }

func (e *geminiEvents) add(event object) (string, error) {
	if u := event.Get("usageMetadata"); u != nil {
		e.usage = u
	}
	if b := event.Get("promptFeedback"); b != nil {
		e.feedback = b
	}
	candidates := parseList(event.Get("candidates"))
	if len(candidates) == 0 {
		return "", nil
	}
	first, _ := plainjson.ParseObject(candidates[0])
	if why := first.Get("finishReason"); why != nil {
		e.reason = why
	}
	content, _ := plainjson.ParseObject(first.Get("content"))
	said := ""
	for _, raw := range parseList(content.Get("parts")) {
		p, err := plainjson.ParseObject(raw)
		if err != nil {
			continue
		}
		if string(p.Get("thought")) != "true" {
			said += p.Text("text")
		}
		if p.Has("text") && len(p) == 1 {
			e.words.add(p.Text("text"))
			continue
		}
		e.flush()
		e.parts = append(e.parts, raw)
	}
	return said, nil
}

// flush makes one part of words that came in pieces. Others stay as they came: a
// signature belongs to its part.
func (e *geminiEvents) flush() {
	if len(e.words.b) > 0 {
		e.parts = append(e.parts, fields("text", e.words.json()).Raw())
		e.words.b = nil
	}
}

func (e *geminiEvents) response() (json.RawMessage, bool) {
	e.flush()
	o := fields("usageMetadata", e.usage, "promptFeedback", e.feedback)
	if e.reason == nil && e.feedback != nil {
		return o.Raw(), true
	}
	content := fields("role", "model", "parts", list(slices.Clone(e.parts)))
	o.Set("candidates", list([]json.RawMessage{fields("content", content, "finishReason", e.reason).Raw()}))
	return o.Raw(), e.reason != nil
}

func (*geminiEvents) over() bool { return false } // what it has used may follow the reason
