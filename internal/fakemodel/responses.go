package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// responses is OpenAI's Responses.
type responses struct{}

func (responses) routes() []string { return []string{"POST /v1/responses"} }

type responsesRequest struct {
	Model        string          `json:"model"`
	Instructions string          `json:"instructions"`
	Input        json.RawMessage `json:"input"` // a string, or items
	Tools        []responsesTool `json:"tools"`
	Previous     string          `json:"previous_response_id"`
	Stream       bool            `json:"stream"`
	Store        *bool           `json:"store"` // true if it is left out
	Reasoning    *struct{}       `json:"reasoning"`
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
	Deferred    bool            `json:"defer_loading"`
	Tools       []responsesTool `json:"tools"` // of a namespace
	Width       int             `json:"display_width"`
	Height      int             `json:"display_height"`
}

// An item is one of the input, of any type.
type item struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Content   content         `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // a string; of a search an object
	Output    json.RawMessage `json:"output"`
	Tools     []responsesTool `json:"tools"` // that a search found

	Encrypted string `json:"encrypted_content"` // what was thought

	Acknowledged []safetyCheck `json:"acknowledged_safety_checks"`
	stored       bool          // the server has it too
}

func (responses) read(_ *http.Request, body []byte) (Request, error) {
	var in responsesRequest
	if err := decode(body, &in); err != nil {
		return Request{}, err
	}
	switch {
	case in.Model == "":
		return Request{}, errors.New("model is missing")
	case in.Previous != "":
		return Request{}, errors.New("previous_response_id: this server stores no responses; send the whole input")
	case in.Input == nil:
		return Request{}, errors.New("input is missing")
	}
	r := Request{Model: in.Model, System: in.Instructions, Stream: in.Stream, thinks: in.Reasoning != nil, caches: true}
	for _, t := range in.Tools {
		if err := t.join(&r, ""); err != nil {
			return Request{}, err
		}
	}
	var text string
	if json.Unmarshal(in.Input, &text) == nil {
		r.Turns = []Turn{{Text: text}}
		return r, r.check()
	}
	var items []json.RawMessage
	if err := json.Unmarshal(in.Input, &items); err != nil {
		return Request{}, errors.New("input is neither a string nor a list of items")
	}
	for i, raw := range items {
		it := item{Type: "message", stored: in.Store == nil || *in.Store}
		err := json.Unmarshal(raw, &it)
		if err == nil {
			err = it.join(&r, raw)
		}
		if err != nil {
			return Request{}, fmt.Errorf("item %d (%s): %w", i+1, it.Type, err)
		}
	}
	if err := r.thoughtful("a function_call came back without the reasoning item before it"); err != nil {
		return Request{}, err
	}
	return r, r.check()
}

// join adds a tool to the list, or a namespace's tools.
func (t responsesTool) join(r *Request, namespace string) error {
	switch t.Type {
	case "function":
		if t.Strict {
			if err := strict(t.Parameters); err != nil {
				return fmt.Errorf("the strict schema of tool %s: %w", t.Name, err)
			}
		}
		r.Tools = append(r.Tools, Tool{Name: t.Name, Description: t.Description, Schema: t.Parameters, Namespace: namespace, Deferred: t.Deferred})
		return nil
	case "namespace":
		for _, inner := range t.Tools {
			if err := inner.join(r, t.Name); err != nil {
				return err
			}
		}
		return nil
	case "computer_use_preview":
		if t.Width < 1 || t.Height < 1 {
			return errors.New("the tool computer_use_preview wants display_width and display_height")
		}
		t.Name = "computer"
	case "":
		return fmt.Errorf("the tool %q has no type", t.Name)
	}
	if t.Name == "" {
		t.Name = t.Type
	}
	r.Tools = append(r.Tools, Tool{Name: t.Name, Type: t.Type})
	return nil
}

// join adds an item to the conversation.
func (it item) join(r *Request, raw json.RawMessage) error {
	switch it.Type {
	case "message":
		return it.message(r)
	case "reasoning":
		return it.reasoning(r)
	case "function_call":
		if err := it.hasID("fc_"); err != nil {
			return err
		}
		var args string
		if err := json.Unmarshal(it.Arguments, &args); err != nil {
			return errors.New("arguments is not a string")
		}
		if err := object([]byte(args)); err != nil {
			return fmt.Errorf("the call %q: %w", it.CallID, err)
		}
		t := r.turn(true)
		t.Calls = append(t.Calls, ToolCall{ID: it.CallID, Name: it.Name, Args: json.RawMessage(args)})
		return nil
	case "computer_call":
		return it.computerCall(r, raw)
	case "function_call_output":
		res := Result{ID: it.CallID}
		var c content
		if err := json.Unmarshal(it.Output, &c); err != nil {
			return errors.New("output is neither a string nor a list of parts")
		}
		var err error
		if res.Text, res.Images, err = c.text("input_image", "input_text"); err != nil {
			return err
		}
		return it.result(r, res)
	case "computer_call_output":
		return it.screenshot(r)
	case "tool_search_call":
		t := r.turn(true)
		t.Calls = append(t.Calls, ToolCall{ID: it.CallID, Name: "tool_search", Args: it.Arguments})
		return nil
	case "tool_search_output":
		for _, t := range it.Tools {
			if err := t.found(r); err != nil {
				return err
			}
		}
		return it.result(r, Result{ID: it.CallID})
	}
	return errors.New("an item of this type is not understood here")
}

// reasoning is what the model thought, which comes back sealed or is stored.
func (it item) reasoning(r *Request) error {
	switch {
	case it.ID == "" || it.hasID("rs_") != nil:
		return fmt.Errorf("the id %q does not begin with rs_", it.ID)
	case it.Encrypted == "" && !it.stored:
		return fmt.Errorf("%s is not stored here, and has no encrypted_content", it.ID)
	case it.Encrypted != "" && it.Encrypted != signature("reasoning", encoded(it.ID)):
		return fmt.Errorf("the encrypted_content of %s is not valid", it.ID)
	}
	t := r.turn(true)
	t.thought = t.thought || t.Text == "" && t.Calls == nil
	return nil
}

// message adds words.
func (it item) message(r *Request) error {
	kind, image := "input_text", "input_image"
	if it.Role == "assistant" {
		kind, image = "output_text", ""
	}
	text, images, err := it.Content.text(image, kind)
	if err != nil {
		return err
	}
	switch it.Role {
	case "system", "developer":
		r.System += text
	case "user":
		t := r.turn(false)
		t.Text, t.Images = t.Text+text, t.Images+images
	case "assistant":
		if text == "" {
			return errors.New("the model's message is empty")
		}
		r.turn(true).Text += text
	default:
		return fmt.Errorf("there is no role %q", it.Role)
	}
	return nil
}

// result adds the answer to a call.
func (it item) result(r *Request, res Result) error {
	if it.CallID == "" {
		return errors.New("call_id is missing")
	}
	t := r.turn(false)
	t.Results = append(t.Results, res)
	return nil
}

// found lists a tool that a search found.
func (t responsesTool) found(r *Request) error {
	for i := range r.Tools {
		if r.Tools[i].Name == t.Name {
			r.Tools[i].Deferred = false
			return nil
		}
	}
	t.Deferred = false
	return t.join(r, "")
}

// hasID checks the kind of an item's id, which may be left out.
func (it item) hasID(kind string) error {
	if it.ID != "" && !strings.HasPrefix(it.ID, kind) {
		return fmt.Errorf("the id %q does not begin with %s", it.ID, kind)
	}
	return nil
}
