package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/arcseat/arc/internal/page"
)

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
	flush(s.w)
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
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
