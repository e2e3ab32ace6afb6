package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/arcseat/arc"
)

// anthropic speaks Anthropic's Messages.
type anthropic struct {
	at       *endpoint
	name     string // of the model
	system   string
	messages []json.RawMessage
	pending  []anthropicBlock // of the user message that is being put together
	album    album
}

const anthropicVersion = "2023-06-01"

// newAnthropic talks to the Messages of a server, with its key if it wants one.
func newAnthropic(base, key, name string) *anthropic {
	at := newEndpoint(base + "/v1/messages")
	at.header.Set("anthropic-version", anthropicVersion)
	if key != "" {
		at.header.Set("x-api-key", key)
	}
	return &anthropic{at: at, name: name, system: system}
}

type (
	anthropicTool struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
	}
	anthropicBlock struct {
		Type      string          `json:"type"`
		Text      string          `json:"text,omitempty"`
		ID        string          `json:"id,omitempty"`
		Name      string          `json:"name,omitempty"`
		Input     json.RawMessage `json:"input,omitempty"`
		ToolUseID string          `json:"tool_use_id,omitempty"`
		Content   any             `json:"content,omitempty"` // text, or blocks
		IsError   bool            `json:"is_error,omitempty"`
		Source    any             `json:"source,omitempty"`
	}
	anthropicSource struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	}
	anthropicMessage struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	}
)

func (m *anthropic) begin(system string) {
	m.system, m.messages, m.pending, m.album = system, nil, nil, nil
}

func (m *anthropic) said(text string) error {
	if err := m.flush(); err != nil {
		return err
	}
	return m.add("assistant", []anthropicBlock{{Type: "text", Text: text}})
}

// flush sends the user message that is being put together on its way.
func (m *anthropic) flush() error {
	plain, images := withoutImages(m.pending)
	err := m.add("user", m.pending)
	m.pending = nil
	if err == nil && images > 0 {
		var b json.RawMessage
		b, err = encode(anthropicMessage{"user", plain})
		m.album.add(m.messages, len(m.messages)-1, images, b)
	}
	return err
}

// withoutImages is the same message with words in the place of pictures.
func withoutImages(blocks []anthropicBlock) (plain []anthropicBlock, images int) {
	for _, b := range blocks {
		if inner, ok := b.Content.([]anthropicBlock); ok {
			var n int
			b.Content, n = withoutImages(inner)
			images += n
		}
		if b.Type == "image" {
			b = anthropicBlock{Type: "text", Text: leftOut}
			images++
		}
		plain = append(plain, b)
	}
	return plain, images
}

func (m *anthropic) say(text string) {
	m.pending = append(m.pending, anthropicBlock{Type: "text", Text: text})
}

func (m *anthropic) answer(calls []arc.Call, results []*arc.Result) error {
	for i, r := range results {
		s, err := text(r)
		if err != nil {
			return err
		}
		b := anthropicBlock{Type: "tool_result", ToolUseID: calls[i].ID, Content: s, IsError: r.Err != nil}
		if len(r.Images) > 0 {
			inner := []anthropicBlock{{Type: "text", Text: s}}
			for _, image := range r.Images {
				inner = append(inner, anthropicBlock{Type: "image", Source: anthropicSource{"base64", image.MIME, base64Of(image)}})
			}
			b.Content = inner
		}
		m.pending = append(m.pending, b)
	}
	return nil
}

func (m *anthropic) ask(ctx context.Context, defs []arc.Definition) (reply, error) {
	if err := m.flush(); err != nil {
		return reply{}, err
	}
	list := make([]anthropicTool, len(defs))
	for i, d := range defs {
		list[i] = anthropicTool{d.Name, d.Description, d.Schema}
	}
	// The blocks stay as they came: some, such as a model's thinking, mean
	// nothing here and have to go back untouched.
	var out struct {
		Content    json.RawMessage `json:"content"`
		StopReason string          `json:"stop_reason"`
	}
	err := m.at.post(ctx, map[string]any{
		"model": m.name, "max_tokens": 16000, "system": m.system, "tools": list, "messages": m.messages,
	}, &out)
	if err != nil {
		return reply{}, err
	}
	if out.StopReason == "max_tokens" {
		return reply{}, errors.New("the model's answer was longer than it may be and is cut")
	}
	var blocks []anthropicBlock
	if err := json.Unmarshal(out.Content, &blocks); err != nil {
		return reply{}, err
	}
	var r reply
	for _, b := range blocks {
		switch b.Type {
		case "text":
			r.text += b.Text
		case "tool_use":
			r.calls = append(r.calls, arc.Call{ID: b.ID, Name: b.Name, Args: b.Input})
		}
	}
	return r, m.add("assistant", out.Content)
}

func (m *anthropic) add(role string, content any) error {
	b, err := encode(anthropicMessage{role, content})
	m.messages = append(m.messages, b)
	return err
}
