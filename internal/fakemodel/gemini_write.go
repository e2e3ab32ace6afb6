package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

func (d gemini) write(w http.ResponseWriter, r *Request, reply Reply) {
	if !r.Stream {
		writeJSON(w, http.StatusOK, d.response(r, reply, append(d.thoughts(r), d.parts(reply)...), "STOP"))
		return
	}
	if r.events {
		s := newEventStream(w)
		d.chunks(r, reply, func(chunk any, _ int) { s.send("", chunk) })
		return
	}
	// Without alt=sse a stream is one long list.
	w.Header().Set("Content-Type", "application/json")
	d.chunks(r, reply, func(chunk any, n int) {
		b, _ := json.Marshal(chunk) // maps of strings and numbers
		fmt.Fprintf(w, "%s%s\n", map[bool]string{true: "[", false: ","}[n == 0], b)
		flush(w)
	})
	fmt.Fprintln(w, "]")
}

// chunks cuts a reply as a stream: words in pieces, a call whole, and the end apart.
func (d gemini) chunks(r *Request, reply Reply, send func(chunk any, n int)) {
	n := 0
	next := func(parts []map[string]any, finish string) {
		send(d.response(r, reply, parts, finish), n)
		n++
	}
	if thoughts := d.thoughts(r); thoughts != nil {
		next(thoughts, "")
	}
	for _, p := range pieces(reply.Text) {
		next([]map[string]any{{"text": p}}, "")
	}
	for _, p := range d.parts(Reply{Calls: reply.Calls}) {
		next([]map[string]any{p}, "")
	}
	next([]map[string]any{{"text": ""}}, "STOP")
}

// thoughts are what is told of the model's thinking, to a client that asks.
func (gemini) thoughts(r *Request) []map[string]any {
	if !r.thinks {
		return nil
	}
	return []map[string]any{{"text": r.thought(), "thought": true}}
}

func (gemini) parts(reply Reply) []map[string]any {
	parts := []map[string]any{}
	if reply.Text != "" {
		parts = append(parts, map[string]any{"text": reply.Text})
	}
	for i, c := range reply.Calls {
		p := map[string]any{"functionCall": map[string]any{"id": c.ID, "name": c.Name, "args": c.Args}}
		if i == 0 {
			p["thoughtSignature"] = signature(c.Name, c.Args)
		}
		parts = append(parts, p)
	}
	return parts
}

func (gemini) response(r *Request, reply Reply, parts []map[string]any, finish string) map[string]any {
	u := r.usage(reply)
	usage := map[string]int{"promptTokenCount": u.input, "candidatesTokenCount": u.output - u.thought, "totalTokenCount": u.input + u.output}
	if u.thought > 0 {
		usage["thoughtsTokenCount"] = u.thought
	}
	if u.cached > 0 {
		usage["cachedContentTokenCount"] = u.cached
	}
	candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	return map[string]any{
		"candidates": []any{candidate}, "usageMetadata": usage,
		"modelVersion": r.Model, "responseId": fmt.Sprintf("response_%d", len(r.Turns)),
	}
}

func (gemini) refuse(w http.ResponseWriter, status int, reason, retryAfter string) {
	word := map[int]string{
		http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusNotFound: "NOT_FOUND", http.StatusTooManyRequests: "RESOURCE_EXHAUSTED",
		http.StatusInternalServerError: "INTERNAL", http.StatusServiceUnavailable: "UNAVAILABLE",
	}[status]
	e := map[string]any{"code": status, "message": reason, "status": word}
	if retryAfter != "" { // which stands here too, or here alone
		e["details"] = []any{map[string]string{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": retryAfter + "s"}}
	}
	writeJSON(w, status, map[string]any{"error": e})
}
