package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// messages is Anthropic's Messages.
type messages struct{}

func (messages) path() string { return "/v1/messages" }

type messagesRequest struct {
	Model     string  `json:"model"`
	MaxTokens int     `json:"max_tokens"`
	System    content `json:"system"`
	Messages  []struct {
		Role    string  `json:"role"`
		Content content `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	Stream bool `json:"stream"`
}

func (messages) read(h http.Header, body []byte) (Request, error) {
	var in messagesRequest
	if err := decode(body, &in); err != nil {
		return Request{}, err
	}
	switch {
	case h.Get("anthropic-version") == "":
		return Request{}, errors.New("the header anthropic-version is missing")
	case in.Model == "":
		return Request{}, errors.New("model is missing")
	case in.MaxTokens < 1:
		return Request{}, errors.New("max_tokens is missing")
	}
	r := Request{Model: in.Model, Stream: in.Stream}
	var err error
	if r.System, _, err = in.System.text(""); err != nil {
		return Request{}, fmt.Errorf("system: %w", err)
	}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, Tool{t.Name, t.Description, t.InputSchema})
	}
	for i, m := range in.Messages {
		t, err := messageTurn(m.Role, m.Content)
		if err == nil && i > 0 && t.Model == r.Turns[i-1].Model {
			err = errors.New("roles must alternate between user and assistant")
		}
		if err != nil {
			return Request{}, fmt.Errorf("message %d (%s): %w", i+1, m.Role, err)
		}
		r.Turns = append(r.Turns, t)
	}
	return r, r.check()
}

// messageTurn reads the blocks of one message.
func messageTurn(role string, blocks content) (Turn, error) {
	if role != "user" && role != "assistant" {
		return Turn{}, errors.New("there is no such role")
	}
	if len(blocks) == 0 {
		return Turn{}, errors.New("the content is empty")
	}
	t := Turn{Model: role == "assistant"}
	for _, b := range blocks {
		switch {
		case b.Type == "text" && b.Text == "":
			return Turn{}, errors.New("a text block is empty")
		case b.Type == "text":
			t.Text += b.Text
		case b.Type == "tool_use" && t.Model:
			if err := object(b.Input); err != nil {
				return Turn{}, fmt.Errorf("tool_use %q: %w", b.ID, err)
			}
			t.Calls = append(t.Calls, ToolCall{b.ID, b.Name, b.Input})
		case b.Type == "tool_result" && !t.Model:
			if t.Text != "" {
				return Turn{}, errors.New("tool_result blocks come before text")
			}
			text, images, err := b.Content.text("image")
			if err != nil {
				return Turn{}, fmt.Errorf("tool_result %q: %w", b.ToolUseID, err)
			}
			t.Results = append(t.Results, Result{ID: b.ToolUseID, Text: text, IsError: b.IsError, Images: images})
		default:
			return Turn{}, fmt.Errorf("a block of type %q does not belong here", b.Type)
		}
	}
	return t, nil
}

func (d messages) write(w http.ResponseWriter, r *Request, reply Reply) {
	stop := "end_turn"
	if len(reply.Calls) > 0 {
		stop = "tool_use"
	}
	msg := map[string]any{
		"id": fmt.Sprintf("msg_%d", len(r.Turns)), "type": "message", "role": "assistant", "model": r.Model,
		"content": d.blocks(reply), "stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]int{"input_tokens": tokens(len(r.Raw)), "output_tokens": tokens(reply.size())},
	}
	if r.Stream {
		d.stream(w, msg, reply, stop)
		return
	}
	writeJSON(w, http.StatusOK, msg)
}

func (messages) blocks(reply Reply) []map[string]any {
	blocks := []map[string]any{}
	if reply.Text != "" {
		blocks = append(blocks, map[string]any{"type": "text", "text": reply.Text})
	}
	for _, c := range reply.Calls {
		blocks = append(blocks, map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.Args})
	}
	return blocks
}

func (d messages) stream(w http.ResponseWriter, msg map[string]any, reply Reply, stop string) {
	s := newEventStream(w)
	send := func(kind string, event map[string]any) {
		event["type"] = kind
		s.send(kind, event)
	}
	msg["content"], msg["stop_reason"] = []any{}, nil
	send("message_start", map[string]any{"message": msg})
	for i, b := range d.blocks(reply) {
		kind, field, whole := "text_delta", "text", ""
		if b["type"] == "text" {
			whole, b["text"] = reply.Text, ""
		} else {
			kind, field, whole = "input_json_delta", "partial_json", string(b["input"].(json.RawMessage))
			b["input"] = map[string]any{}
		}
		send("content_block_start", map[string]any{"index": i, "content_block": b})
		for _, p := range pieces(whole) {
			send("content_block_delta", map[string]any{"index": i, "delta": map[string]any{"type": kind, field: p}})
		}
		send("content_block_stop", map[string]any{"index": i})
	}
	send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
		"usage": map[string]int{"output_tokens": tokens(reply.size())},
	})
	send("message_stop", map[string]any{})
}

func (messages) refuse(w http.ResponseWriter, status int, reason string) {
	kind := map[int]string{http.StatusTooManyRequests: "rate_limit_error", 529: "overloaded_error"}[status]
	if kind == "" {
		kind = "invalid_request_error"
	}
	writeJSON(w, status, map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": reason}})
}
