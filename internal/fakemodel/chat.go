package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// chat is OpenAI's Chat Completions.
type chat struct{}

func (chat) routes() []string { return []string{"POST /v1/chat/completions"} }

type chatRequest struct {
	Model    string        `json:"model"`
	Messages []chatMessage `json:"messages"`
	Tools    []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
			Strict      bool            `json:"strict"`
		} `json:"function"`
	} `json:"tools"`
	Stream        bool `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type chatMessage struct {
	Role       string     `json:"role"`
	Content    content    `json:"content"`
	ToolCallID string     `json:"tool_call_id"`
	ToolCalls  []chatCall `json:"tool_calls"`
}

type chatCall struct {
	Index    *int   `json:"index,omitempty"` // in streams alone
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

func (chat) read(_ *http.Request, body []byte) (Request, error) {
	var in chatRequest
	if err := decode(body, &in); err != nil {
		return Request{}, err
	}
	if in.Model == "" {
		return Request{}, errors.New("model is missing")
	}
	r := Request{Model: in.Model, Stream: in.Stream, caches: true}
	for _, t := range in.Tools {
		f := t.Function
		if t.Type != "function" {
			return Request{}, fmt.Errorf("a tool of type %q is not a function", t.Type)
		}
		if f.Strict {
			if err := strict(f.Parameters); err != nil {
				return Request{}, fmt.Errorf("the strict schema of tool %s: %w", f.Name, err)
			}
		}
		r.Tools = append(r.Tools, Tool{Name: f.Name, Description: f.Description, Schema: f.Parameters})
	}
	for i, m := range in.Messages {
		if err := m.join(&r); err != nil {
			return Request{}, fmt.Errorf("message %d (%s): %w", i+1, m.Role, err)
		}
	}
	return r, r.check()
}

// join adds a message to the conversation. The tool messages after a model's
// turn, and the user's after those, make one turn.
func (m chatMessage) join(r *Request) error {
	text, images, err := m.Content.text("image_url", "text")
	if err != nil {
		return err
	}
	if m.Role != "assistant" && len(m.ToolCalls) > 0 {
		return errors.New("only the assistant makes calls")
	}
	switch m.Role {
	case "system", "developer":
		r.System += text
		return nil
	case "assistant":
		t := Turn{Model: true, Text: text}
		for _, c := range m.ToolCalls {
			if c.Type != "function" {
				return fmt.Errorf("the call %q is of type %q, not function", c.ID, c.Type)
			}
			if err := object([]byte(c.Function.Arguments)); err != nil {
				return fmt.Errorf("the call %q: %w", c.ID, err)
			}
			t.Calls = append(t.Calls, ToolCall{ID: c.ID, Name: c.Function.Name, Args: json.RawMessage(c.Function.Arguments)})
		}
		if text == "" && len(t.Calls) == 0 {
			return errors.New("it has neither content nor tool_calls")
		}
		r.Turns = append(r.Turns, t)
		return nil
	case "user", "tool":
	default:
		return errors.New("there is no such role")
	}
	t := r.turn(false)
	if m.Role == "user" {
		t.Text += text
		t.Images += images
		return nil
	}
	switch {
	case t.Text != "":
		return errors.New("a tool message follows the call, not the user's words")
	case m.ToolCallID == "":
		return errors.New("tool_call_id is missing")
	case images > 0:
		return errors.New("a tool message is text alone")
	}
	t.Results = append(t.Results, Result{ID: m.ToolCallID, Text: text})
	return nil
}

// calls renders a reply's calls.
func (chat) calls(reply Reply) []chatCall {
	var out []chatCall
	for _, c := range reply.Calls {
		call := chatCall{ID: c.ID, Type: "function"}
		call.Function.Name, call.Function.Arguments = c.Name, string(c.Args)
		out = append(out, call)
	}
	return out
}

func (d chat) write(w http.ResponseWriter, r *Request, reply Reply) {
	finish := "stop"
	if len(reply.Calls) > 0 {
		finish = "tool_calls"
	}
	u := r.usage(reply)
	usage := map[string]any{
		"prompt_tokens": u.input, "completion_tokens": u.output, "total_tokens": u.input + u.output,
		"prompt_tokens_details": map[string]int{"cached_tokens": u.cached},
	}
	id := fmt.Sprintf("chatcmpl-%d", len(r.Turns))
	if r.Stream {
		d.stream(w, r, reply, id, finish, usage)
		return
	}
	msg := map[string]any{"role": "assistant", "content": nil}
	if reply.Text != "" {
		msg["content"] = reply.Text
	}
	if len(reply.Calls) > 0 {
		msg["tool_calls"] = d.calls(reply)
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"id": id, "object": "chat.completion", "created": 0, "model": r.Model, "usage": usage,
		"choices": []any{map[string]any{"index": 0, "message": msg, "finish_reason": finish}},
	})
}

func (d chat) stream(w http.ResponseWriter, r *Request, reply Reply, id, finish string, usage map[string]any) {
	s := newEventStream(w)
	send := func(delta any, finish any) {
		s.send("", map[string]any{
			"id": id, "object": "chat.completion.chunk", "created": 0, "model": r.Model,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		})
	}
	send(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, p := range pieces(reply.Text) {
		send(map[string]any{"content": p}, nil)
	}
	for i, call := range d.calls(reply) {
		args := call.Function.Arguments
		call.Index, call.Function.Arguments = &i, ""
		send(map[string]any{"tool_calls": []chatCall{call}}, nil)
		for _, p := range pieces(args) {
			more := chatCall{Index: &i}
			more.Function.Arguments = p
			send(map[string]any{"tool_calls": []chatCall{more}}, nil)
		}
	}
	send(map[string]any{}, finish)
	var asked chatRequest
	if json.Unmarshal(r.Raw, &asked) == nil && asked.StreamOptions.IncludeUsage {
		s.send("", map[string]any{"id": id, "object": "chat.completion.chunk", "created": 0, "model": r.Model, "choices": []any{}, "usage": usage})
	}
	s.send("", "[DONE]")
}

func (chat) refuse(w http.ResponseWriter, status int, reason, _ string) {
	kind := "invalid_request_error"
	switch {
	case status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case status >= http.StatusInternalServerError:
		kind = "server_error"
	}
	writeJSON(w, status, map[string]any{"error": map[string]any{
		"message": reason, "type": kind, "param": nil, "code": nil,
	}})
}
