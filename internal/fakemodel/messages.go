package fakemodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
)

// messages is Anthropic's Messages.
type messages struct{ foreign bool }

func (messages) routes() []string { return []string{"POST /v1/messages"} }

type messagesRequest struct {
	Model     string         `json:"model"`
	MaxTokens int            `json:"max_tokens"`
	System    content        `json:"system"`
	Messages  []message      `json:"messages"`
	Tools     []messagesTool `json:"tools"`
	Stream    bool           `json:"stream"`
	Thinking  struct {
		Type string `json:"type"`
	} `json:"thinking"`
}

type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

type messagesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
	Deferred    bool            `json:"defer_loading"`
	Width       int             `json:"display_width_px"`
	Height      int             `json:"display_height_px"`
}

func (d messages) read(req *http.Request, body []byte) (Request, error) {
	var in messagesRequest
	if err := decode(body, &in); err != nil {
		return Request{}, err
	}
	switch {
	case req.Header.Get("anthropic-version") == "":
		return Request{}, errors.New("the header anthropic-version is missing")
	case in.Model == "":
		return Request{}, errors.New("model is missing")
	case in.MaxTokens < 1:
		return Request{}, errors.New("max_tokens is missing")
	}
	r := Request{Model: in.Model, Stream: in.Stream, caches: bytes.Contains(body, []byte(`"cache_control"`))}
	r.thinks = in.Thinking.Type == "enabled" || in.Thinking.Type == "adaptive"
	var err error
	if r.System, _, err = in.System.text("", "text"); err != nil {
		return Request{}, fmt.Errorf("system: %w", err)
	}
	betas := strings.Join(req.Header.Values("anthropic-beta"), ",")
	for _, t := range in.Tools {
		tool, err := t.tool(betas)
		if err != nil {
			return Request{}, err
		}
		r.Tools = append(r.Tools, tool)
	}
	for i, m := range in.Messages {
		if err := d.join(&r, m); err != nil {
			return Request{}, fmt.Errorf("message %d (%s): %w", i+1, m.Role, err)
		}
	}
	if err := r.thoughtful("the message must start with its thinking block, as it came"); err != nil {
		return Request{}, err
	}
	return r, r.check()
}

// tool is a declaration, of a function or of one of Anthropic's own tools.
func (t messagesTool) tool(betas string) (Tool, error) {
	switch {
	case t.Type == "", t.Type == "custom":
		return Tool{Name: t.Name, Description: t.Description, Schema: t.InputSchema, Deferred: t.Deferred}, nil
	case strings.HasPrefix(t.Type, "computer_toolset_"):
		return Tool{Name: "computer", Type: t.Type}, nil
	case t.Name == "":
		return Tool{}, fmt.Errorf("the tool of type %s has no name", t.Type)
	}
	if date, ok := strings.CutPrefix(t.Type, "computer_20"); ok && len(date) == len("251124") {
		beta := fmt.Sprintf("computer-use-20%s-%s-%s", date[:2], date[2:4], date[4:])
		switch {
		case !strings.Contains(betas, beta):
			return Tool{}, fmt.Errorf("the tool %s wants the header anthropic-beta: %s", t.Type, beta)
		case t.Width < 1 || t.Height < 1:
			return Tool{}, fmt.Errorf("the tool %s wants display_width_px and display_height_px", t.Type)
		}
	}
	return Tool{Name: t.Name, Type: t.Type}, nil
}

// join adds a message to the conversation.
func (d messages) join(r *Request, m message) error {
	switch m.Role {
	case "user", "assistant":
	case "system":
		if !d.foreign {
			return errors.New("there is no such role")
		}
		text, _, err := m.Content.text("", "text")
		r.System += text
		return err
	default:
		return errors.New("there is no such role")
	}
	if len(m.Content) == 0 {
		return errors.New("the content is empty")
	}
	model := m.Role == "assistant"
	if n := len(r.Turns); n > 0 && r.Turns[n-1].Model == model && !d.foreign {
		return errors.New("roles must alternate between user and assistant")
	}
	t := r.turn(model)
	for _, b := range m.Content {
		if err := d.block(r, t, b); err != nil {
			return err
		}
	}
	return nil
}

// block adds a block to its turn.
func (d messages) block(r *Request, t *Turn, b part) error {
	switch {
	case b.Type == "text" && b.Text == "":
		return errors.New("a text block is empty")
	case b.Type == "text", b.Type == "string":
		t.Text += b.Text
	case b.Type == "image" && !t.Model:
		t.Images++
	case b.Type == "tool_use" && t.Model:
		if err := object(b.Input); err != nil {
			return fmt.Errorf("tool_use %q: %w", b.ID, err)
		}
		t.Calls = append(t.Calls, ToolCall{ID: b.ID, Name: b.Name, Args: b.Input})
	case b.Type == "tool_result" && !t.Model:
		if t.Text != "" && !d.foreign {
			return errors.New("tool_result blocks come before text")
		}
		text, images, err := b.Content.found(r).text("image", "text")
		if err != nil {
			return fmt.Errorf("tool_result %q: %w", b.ToolUseID, err)
		}
		t.Results = append(t.Results, Result{ID: b.ToolUseID, Text: text, IsError: b.IsError, Images: images})
	case b.Type == "thinking" && t.Model:
		if b.Signature != signature("thinking", encoded(b.Thinking)) {
			return errors.New("the signature of a thinking block is not valid")
		}
		t.thought = t.thought || t.Text == "" && t.Calls == nil
	case d.foreign && b.Type == "document":
	default:
		return fmt.Errorf("a block of type %q does not belong here", b.Type)
	}
	return nil
}

// found lists the tools that a search's result names, and returns the rest of it.
func (c content) found(r *Request) (rest content) {
	for _, p := range c {
		if p.Type != "tool_reference" {
			rest = append(rest, p)
			continue
		}
		for i := range r.Tools {
			if r.Tools[i].Name == p.ToolName {
				r.Tools[i].Deferred = false
			}
		}
	}
	return rest
}

func (d messages) write(w http.ResponseWriter, r *Request, reply Reply) {
	stop := "end_turn"
	if len(reply.Calls) > 0 {
		stop = "tool_use"
	}
	u := r.usage(reply)
	fresh, written := u.input-u.cached, 0
	if r.caches && u.input >= cacheFrom {
		written = fresh / cacheStep * cacheStep
	}
	usage := map[string]int{
		"input_tokens": fresh - written, "output_tokens": u.output,
		"cache_read_input_tokens": u.cached, "cache_creation_input_tokens": written,
	}
	msg := map[string]any{
		"id": fmt.Sprintf("msg_%d", len(r.Turns)), "type": "message", "role": "assistant", "model": r.Model,
		"content": d.blocks(r, reply), "stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
	if r.Stream {
		d.stream(w, msg, stop, usage)
		return
	}
	writeJSON(w, http.StatusOK, msg)
}

func (messages) blocks(r *Request, reply Reply) []map[string]any {
	blocks := []map[string]any{}
	if r.thinks {
		text := r.thought()
		blocks = append(blocks, map[string]any{"type": "thinking", "thinking": text, "signature": signature("thinking", encoded(text))})
	}
	if reply.Text != "" {
		blocks = append(blocks, map[string]any{"type": "text", "text": reply.Text})
	}
	for _, c := range reply.Calls {
		blocks = append(blocks, map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.Args})
	}
	return blocks
}

func (messages) stream(w http.ResponseWriter, msg map[string]any, stop string, usage map[string]int) {
	s, blocks := newEventStream(w), msg["content"].([]map[string]any)
	send := func(kind string, event map[string]any) {
		event["type"] = kind
		s.send(kind, event)
	}
	output := usage["output_tokens"]
	msg["content"], msg["stop_reason"] = []any{}, nil
	usage["output_tokens"] = 1 // as it begins
	send("message_start", map[string]any{"message": msg})
	send("ping", map[string]any{})
	for i, b := range blocks {
		delta := func(kind, field, piece string) {
			send("content_block_delta", map[string]any{"index": i, "delta": map[string]any{"type": kind, field: piece}})
		}
		first := maps.Clone(b)
		begin := func() { send("content_block_start", map[string]any{"index": i, "content_block": first}) }
		switch b["type"] {
		case "text":
			first["text"] = ""
			begin()
			for _, p := range pieces(b["text"].(string)) {
				delta("text_delta", "text", p)
			}
		case "thinking":
			first["thinking"], first["signature"] = "", ""
			begin()
			for _, p := range pieces(b["thinking"].(string)) {
				delta("thinking_delta", "thinking", p)
			}
			delta("signature_delta", "signature", b["signature"].(string))
		default:
			first["input"] = map[string]any{}
			begin()
			for _, p := range pieces(string(b["input"].(json.RawMessage))) {
				delta("input_json_delta", "partial_json", p)
			}
		}
		send("content_block_stop", map[string]any{"index": i})
	}
	usage["output_tokens"] = output
	send("message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	send("message_stop", map[string]any{})
}

func (messages) refuse(w http.ResponseWriter, status int, reason, _ string) {
	kind := map[int]string{http.StatusTooManyRequests: "rate_limit_error", http.StatusInternalServerError: "api_error", 529: "overloaded_error"}[status]
	if kind == "" {
		kind = "invalid_request_error"
	}
	writeJSON(w, status, map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": reason}})
}
