package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/arcseat/arc/internal/page"
)

// content is a message's content: a string, or a list of parts.
type content []part

type part struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   content         `json:"content"`
	IsError   bool            `json:"is_error"`
}

func (c *content) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*c = content{{Type: "text", Text: s}}
		return nil
	}
	return json.Unmarshal(b, (*[]part)(c))
}

// text joins the text parts and counts the images; other kinds are errors.
func (c content) text(image string) (text string, images int, err error) {
	var b strings.Builder
	for _, p := range c {
		switch p.Type {
		case "text":
			b.WriteString(p.Text)
		case image:
			images++
		default:
			return "", 0, fmt.Errorf("content of type %q is not understood here", p.Type)
		}
	}
	return b.String(), images, nil
}

// decode reads a JSON body, with the place of a mistake in the error.
func decode(body []byte, v any) error {
	err := json.Unmarshal(body, v)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("the body is not JSON: %w at byte %d", err, syntax.Offset)
	}
	return err
}

// object checks that arguments are a JSON object.
func object(args []byte) error {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(args, &m); err != nil || m == nil {
		return fmt.Errorf("the arguments %q are not a JSON object", args)
	}
	return nil
}

// tokens is a rough count: four bytes make a token.
func tokens(n int) int { return n/4 + 1 }

// size is what a reply counts for.
func (r Reply) size() int {
	n := len(r.Text)
	for _, c := range r.Calls {
		n += len(c.Name) + len(c.Args)
	}
	return n
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that is gone is its own affair
}

// An eventStream writes server-sent events, each at once.
type eventStream struct{ w http.ResponseWriter }

func newEventStream(w http.ResponseWriter) eventStream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	return eventStream{w}
}

// send writes one event; name may be empty, data is marshalled unless it is a
// string.
func (s eventStream) send(name string, data any) {
	line, ok := data.(string)
	if !ok {
		b, _ := json.Marshal(data) // maps of strings and numbers
		line = string(b)
	}
	if name != "" {
		fmt.Fprintf(s.w, "event: %s\n", name)
	}
	fmt.Fprintf(s.w, "data: %s\n\n", line)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// pieces cuts a string as a model's stream does: small, and never inside a
// character.
func pieces(s string) []string {
	var out []string
	for s != "" {
		n := page.Cut(s, 16)
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}
