package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// gemini is Google's generateContent.
type gemini struct{ foreign bool }

func (gemini) routes() []string { return []string{"POST /v1beta/models/{call}"} }

type geminiRequest struct {
	System   geminiContent   `json:"systemInstruction"`
	Contents []geminiContent `json:"contents"`
	Tools    []struct {
		Functions []geminiFunction `json:"functionDeclarations"`
		Computer  *struct {
			Environment string `json:"environment"`
		} `json:"computerUse"`
	} `json:"tools"`
	Generation struct {
		Thinking struct {
			Include bool `json:"includeThoughts"`
		} `json:"thinkingConfig"`
	} `json:"generationConfig"`
}

type geminiFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Schema      json.RawMessage `json:"parametersJsonSchema"`
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text      *string         `json:"text"`
	Thought   bool            `json:"thought"`
	Signature string          `json:"thoughtSignature"`
	Inline    *geminiBlob     `json:"inlineData"`
	Call      *geminiCall     `json:"functionCall"`
	Response  *geminiResponse `json:"functionResponse"`
}

type geminiBlob struct {
	MIME string `json:"mimeType"`
	Data string `json:"data"`
}

type geminiCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// args are those of the call. A client may leave out what is empty.
func (c geminiCall) args() json.RawMessage {
	if c.Args == nil {
		return json.RawMessage("{}")
	}
	return c.Args
}

type geminiResponse struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Response json.RawMessage `json:"response"`
	Parts    []struct {
		Inline *geminiBlob `json:"inlineData"`
	} `json:"parts"`
}

func (d gemini) read(req *http.Request, body []byte) (Request, error) {
	var in geminiRequest
	if err := decode(body, &in); err != nil {
		return Request{}, err
	}
	model, method, _ := strings.Cut(req.PathValue("call"), ":")
	r := Request{Model: model, Stream: method == "streamGenerateContent", events: req.URL.Query().Get("alt") == "sse", thinks: in.Generation.Thinking.Include, caches: true}
	if method != "generateContent" && method != "streamGenerateContent" {
		return Request{}, fmt.Errorf("there is no method %q", method)
	}
	for _, p := range in.System.Parts {
		if p.Text == nil {
			return Request{}, errors.New("systemInstruction is text alone")
		}
		r.System += *p.Text
	}
	for _, t := range in.Tools {
		if t.Computer != nil {
			if !slices.Contains([]string{"ENVIRONMENT_BROWSER", "ENVIRONMENT_MOBILE", "ENVIRONMENT_DESKTOP"}, t.Computer.Environment) {
				return Request{}, fmt.Errorf("computerUse: there is no environment %q", t.Computer.Environment)
			}
			r.Tools = append(r.Tools, Tool{Name: "computer", Type: "computerUse"})
		}
		for _, f := range t.Functions {
			tool, err := f.tool()
			if err != nil {
				return Request{}, err
			}
			r.Tools = append(r.Tools, tool)
		}
	}
	for i, c := range in.Contents {
		if err := d.join(&r, c); err != nil {
			return Request{}, fmt.Errorf("content %d (%s): %w", i+1, c.Role, err)
		}
	}
	if err := d.signed(in.Contents); err != nil {
		return Request{}, err
	}
	return r, r.check()
}

// tool is a declaration of a function. Its schema is JSON Schema's or the older kind,
// of which little is understood.
func (f geminiFunction) tool() (Tool, error) {
	t := Tool{Name: f.Name, Description: f.Description, Schema: f.Schema}
	switch {
	case f.Schema != nil && f.Parameters != nil:
		return t, fmt.Errorf("the function %s has parameters and parametersJsonSchema; one of them is enough", f.Name)
	case f.Parameters != nil:
		if err := legacy(f.Parameters); err != nil {
			return t, fmt.Errorf("parameters of the function %s: %w", f.Name, err)
		}
		t.Schema, t.shouts = f.Parameters, true
	case f.Schema == nil: // a function without parameters needs none
		t.Schema = json.RawMessage(`{"type":"object"}`)
	}
	return t, nil
}

// legacy refuses what the older kind of schema does not have.
func legacy(schema json.RawMessage) error {
	known := strings.Fields("type format title description nullable enum items maxItems minItems properties required minProperties " +
		"maxProperties minLength maxLength pattern example anyOf propertyOrdering default minimum maximum")
	var s map[string]json.RawMessage
	if err := json.Unmarshal(schema, &s); err != nil {
		return errors.New("a schema is not an object")
	}
	for word, v := range s {
		if !slices.Contains(known, word) {
			return fmt.Errorf("unknown name %q: cannot find field", word)
		}
		if word == "type" && v[0] != '"' {
			return errors.New("type is not a string")
		}
	}
	var inner struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Items      json.RawMessage            `json:"items"`
		AnyOf      []json.RawMessage          `json:"anyOf"`
	}
	if err := json.Unmarshal(schema, &inner); err != nil {
		return err
	}
	all := inner.AnyOf
	for _, p := range inner.Properties {
		all = append(all, p)
	}
	if inner.Items != nil {
		all = append(all, inner.Items)
	}
	for _, p := range all {
		if err := legacy(p); err != nil {
			return err
		}
	}
	return nil
}

// join adds a content to the conversation.
func (d gemini) join(r *Request, c geminiContent) error {
	if !slices.Contains([]string{"", "user", "model", "function"}, c.Role) {
		return errors.New("there is no such role; use user or model")
	}
	if len(c.Parts) == 0 {
		return errors.New("parts must not be empty")
	}
	t := r.turn(c.Role == "model")
	for _, p := range c.Parts {
		var err error
		switch {
		case p.Call != nil && t.Model:
			err = p.Call.join(r, t)
		case p.Response != nil && !t.Model:
			err = p.Response.join(r, t)
		case p.Inline != nil && !t.Model:
			t.Images++
		case p.Text != nil && p.Thought && t.Model: // its thinking, which is nobody's words
		case p.Text != nil && *p.Text == "" && p.Signature == "" && !d.foreign:
			err = errors.New("a text part is empty")
		case p.Text != nil:
			t.Text += *p.Text
		case p.Signature != "" && t.Model:
		default:
			err = errors.New("a part is empty, or does not belong here")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// join adds a call, and numbers it as this server does if its id was left out.
func (c geminiCall) join(r *Request, t *Turn) error {
	if err := object(c.args()); err != nil {
		return fmt.Errorf("functionCall %s: %w", c.Name, err)
	}
	call := ToolCall{ID: c.ID, Name: c.Name, Args: c.args()}
	if c.ID == "" {
		call.ID, call.numbered = fmt.Sprintf("call_of_%d_%d", len(r.Turns), len(t.Calls)+1), true
	}
	t.Calls = append(t.Calls, call)
	return nil
}

// join adds a result, to the call of its id or else to the first of its name that has
// none yet.
func (f geminiResponse) join(r *Request, t *Turn) error {
	var response map[string]json.RawMessage
	if json.Unmarshal(f.Response, &response) != nil || response == nil {
		return fmt.Errorf("functionResponse %s: response is not an object", f.Name)
	}
	res := Result{ID: f.ID, Text: string(f.Response), IsError: response["error"] != nil}
	for _, key := range []string{"output", "result", "error"} {
		var text string
		if len(response) == 1 && json.Unmarshal(response[key], &text) == nil {
			res.Text = text
		}
	}
	for _, p := range f.Parts {
		if p.Inline == nil {
			return fmt.Errorf("functionResponse %s: a part has no inlineData", f.Name)
		}
		res.Images++
	}
	var calls []ToolCall
	if n := len(r.Turns); n > 1 {
		calls = r.Turns[n-2].Calls
	}
	i := slices.IndexFunc(calls, func(c ToolCall) bool {
		if !c.numbered {
			return c.ID == f.ID
		}
		return c.Name == f.Name && !slices.ContainsFunc(t.Results, func(r Result) bool { return r.ID == c.ID })
	})
	if i < 0 {
		return fmt.Errorf("functionResponse %s, id %q, answers no functionCall of the turn before it", f.Name, f.ID)
	}
	if calls[i].Name != f.Name {
		return fmt.Errorf("functionResponse %s answers the call %q, which is of %s", f.Name, calls[i].ID, calls[i].Name)
	}
	res.ID = calls[i].ID
	t.Results = append(t.Results, res)
	return nil
}

// unsigned is what a client may send in place of a signature that it never got.
const unsigned = "skip_thought_signature_validator"

// signed checks the signatures of calls: the first call of each of the model's
// contents since the newest words of the user's has to have its own.
func (d gemini) signed(contents []geminiContent) error {
	newest := 0
	for i, c := range contents {
		if c.Role != "model" && slices.ContainsFunc(c.Parts, func(p geminiPart) bool { return p.Text != nil }) {
			newest = i
		}
	}
	for i, c := range contents {
		first := true
		for _, p := range c.Parts {
			if p.Call == nil {
				continue
			}
			s := signature(p.Call.Name, p.Call.args())
			switch {
			case p.Signature == "" && (i < newest || !first), p.Signature == unsigned:
			case p.Signature == "":
				return fmt.Errorf("content %d: the functionCall %s is missing its thoughtSignature", i+1, p.Call.Name)
			case p.Signature != s:
				return fmt.Errorf("content %d: the thoughtSignature of the functionCall %s is not valid", i+1, p.Call.Name)
			}
			first = false
		}
	}
	return nil
}
