package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/arcseat/arc"
)

// openAI speaks OpenAI's Chat Completions, as do Ollama, llama.cpp and others.
type openAI struct {
	at       *endpoint
	name     string // of the model
	messages []json.RawMessage
	ids      map[string]bool // of calls so far
	album    album
}

// newOpenAI talks to a server whose base address ends in its version (/v1),
// with its key if it wants one.
func newOpenAI(base, key, name string) *openAI {
	at := newEndpoint(base + "/chat/completions")
	if key != "" {
		at.header.Set("Authorization", "Bearer "+key)
	}
	m := &openAI{at: at, name: name}
	m.begin(system)
	return m
}

func (m *openAI) begin(system string) {
	m.messages, m.ids, m.album = nil, map[string]bool{}, nil
	m.add(openAIMessage{Role: "system", Content: system})
}

func (m *openAI) said(text string) error {
	m.add(openAIMessage{Role: "assistant", Content: text})
	return nil
}

type (
	openAITool struct {
		Type     string         `json:"type"`
		Function openAIFunction `json:"function"`
	}
	openAIFunction struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	openAIMessage struct {
		Role       string       `json:"role"`
		Content    string       `json:"content"`
		ToolCalls  []openAICall `json:"tool_calls,omitempty"`
		ToolCallID string       `json:"tool_call_id,omitempty"`
	}
	// openAIParts is a user's message of more than text.
	openAIParts struct {
		Role    string       `json:"role"`
		Content []openAIPart `json:"content"`
	}
	openAIPart struct {
		Type     string     `json:"type"`
		Text     string     `json:"text,omitempty"`
		ImageURL *openAIURL `json:"image_url,omitempty"`
	}
	openAIURL struct {
		URL string `json:"url"`
	}
	openAICall struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"` // JSON in a string
		} `json:"function"`
	}
)

func (m *openAI) say(text string) { m.add(openAIMessage{Role: "user", Content: text}) }

func (m *openAI) answer(calls []arc.Call, results []*arc.Result) error {
	for i, r := range results {
		s, err := text(r)
		if err != nil {
			return err
		}
		m.add(openAIMessage{Role: "tool", ToolCallID: calls[i].ID, Content: s})
	}
	m.show(calls, results)
	return nil
}

// show adds the pictures of results, in a message of the user's: a tool's is text
// alone.
func (m *openAI) show(calls []arc.Call, results []*arc.Result) {
	full, plain, images := openAIParts{Role: "user"}, openAIParts{Role: "user"}, 0
	for i, r := range results {
		if len(r.Images) == 0 {
			continue
		}
		of := openAIPart{Type: "text", Text: fmt.Sprintf("[the picture of %s, call %s]", calls[i].Name, calls[i].ID)}
		full.Content, plain.Content = append(full.Content, of), append(plain.Content, of)
		for _, image := range r.Images {
			full.Content = append(full.Content, openAIPart{Type: "image_url", ImageURL: &openAIURL{"data:" + image.MIME + ";base64," + base64Of(image)}})
			plain.Content = append(plain.Content, openAIPart{Type: "text", Text: leftOut})
			images++
		}
	}
	if images == 0 {
		return
	}
	b, _ := encode(plain) // strings alone
	m.add(full)
	m.album.add(m.messages, len(m.messages)-1, images, b)
}

func (m *openAI) ask(ctx context.Context, defs []arc.Definition) (reply, error) {
	list := make([]openAITool, len(defs))
	for i, d := range defs {
		list[i] = openAITool{"function", openAIFunction{d.Name, d.Description, d.Schema}}
	}
	var out struct {
		Choices []struct {
			Message      openAIMessage `json:"message"`
			FinishReason string        `json:"finish_reason"`
		} `json:"choices"`
	}
	err := m.at.post(ctx, map[string]any{"model": m.name, "tools": list, "messages": m.messages}, &out)
	switch {
	case err != nil:
		return reply{}, err
	case len(out.Choices) == 0:
		return reply{}, errors.New("the model's server answered without a choice")
	case out.Choices[0].FinishReason == "length":
		return reply{}, errors.New("the model's answer was longer than it may be and is cut")
	}
	said := out.Choices[0].Message
	r := reply{text: said.Content}
	for i := range said.ToolCalls {
		c := &said.ToolCalls[i]
		c.ID, c.Type = m.number(c.ID), "function"
		r.calls = append(r.calls, arc.Call{ID: c.ID, Name: c.Function.Name, Args: json.RawMessage(c.Function.Arguments)})
	}
	// Only what every server takes back is sent back.
	m.add(openAIMessage{Role: "assistant", Content: said.Content, ToolCalls: said.ToolCalls})
	return r, nil
}

// number is the call's own id, or a new one: some servers send none, or the same
// one again and again, and a result has to name its call.
func (m *openAI) number(id string) string {
	for n := len(m.ids) + 1; id == "" || m.ids[id]; n++ {
		id = fmt.Sprintf("call_%d", n)
	}
	m.ids[id] = true
	return id
}

// add adds an openAIMessage or openAIParts.
func (m *openAI) add(msg any) {
	b, _ := encode(msg) // strings alone
	m.messages = append(m.messages, b)
}
