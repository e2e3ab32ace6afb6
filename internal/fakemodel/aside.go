package fakemodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/arcseat/arc/internal/plainjson"
)

// asideText is what a client is told that asks beside the conversation.
const asideText = "Scripted work"

// aside reports whether a request is none of the script's: a client asks so for a
// title, or for the next of several models. It lists no tools, or none of those
// that the script names.
func (s Script) aside(r *Request) bool {
	named := false
	for _, st := range s.Steps {
		for _, c := range st.Calls {
			named = true
			if slices.ContainsFunc(r.Tools, func(t Tool) bool { return r.is(t.Name, c.Tool) }) {
				return false
			}
		}
	}
	return named || len(r.Tools) == 0
}

// aside is the answer to such a request: a few words, or the smallest value of the
// schema that it names.
func aside(body []byte) string {
	var asked struct {
		Anthropic struct {
			Format struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"output_config"`
		OpenAI struct {
			Format struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"text"`
		Chat struct {
			Schema struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
		Gemini struct {
			JSON  json.RawMessage `json:"responseJsonSchema"`
			Older json.RawMessage `json:"responseSchema"`
		} `json:"generationConfig"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return asideText
	}
	for _, schema := range []json.RawMessage{asked.Anthropic.Format.Schema, asked.OpenAI.Format.Schema, asked.Chat.Schema.Schema, asked.Gemini.JSON, asked.Gemini.Older} {
		if schema != nil {
			b, _ := plainjson.Marshal(smallest(schema))
			return string(b)
		}
	}
	return asideText
}

// smallest is a value that a simple schema allows.
func smallest(schema json.RawMessage) any {
	var s struct {
		Type       string                     `json:"type"`
		Enum       []any                      `json:"enum"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	if len(s.Enum) > 0 {
		return s.Enum[0]
	}
	switch strings.ToLower(s.Type) {
	case "object":
		v := map[string]any{}
		for _, name := range s.Required {
			v[name] = smallest(s.Properties[name])
		}
		return v
	case "array":
		return []any{}
	case "string":
		return asideText
	case "number", "integer":
		return 0
	case "boolean":
		return false
	}
	return nil
}

// handleAsides serves what clients ask a provider for beside the model: how long a
// prompt is, and which models there are.
func (s *Server) handleAsides(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/messages/count_tokens", s.count("input_tokens"))
	mux.HandleFunc("POST /v1/responses/input_tokens", s.count("input_tokens"))
	const model = "scripted"
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) {
		one := map[string]any{"id": model, "object": "model", "created": 0, "owned_by": "script"}
		list := map[string]any{"object": "list", "data": []any{one}}
		if r.Header.Get("anthropic-version") != "" {
			one = map[string]any{"id": model, "type": "model", "display_name": model, "created_at": "2025-01-01T00:00:00Z"}
			list = map[string]any{"data": []any{one}, "has_more": false, "first_id": model, "last_id": model}
		}
		writeJSON(w, http.StatusOK, list)
	})
	mux.HandleFunc("GET /v1beta/models", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{"models": []any{map[string]any{
			"name": "models/" + model, "displayName": model, "supportedGenerationMethods": []string{"generateContent", "countTokens"},
		}}})
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "a scripted model") })
}

// count answers how many tokens the request is, in a field of that name.
func (s *Server) count(field string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, s.fail(err).Error(), http.StatusRequestEntityTooLarge)
			return
		}
		writeJSON(w, http.StatusOK, map[string]any{field: len(body)/bytesPerToken + 1})
	}
}
