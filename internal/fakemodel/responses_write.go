package fakemodel

import (
	"fmt"
	"maps"
	"net/http"
)

func (d responses) write(w http.ResponseWriter, r *Request, reply Reply) {
	u := r.usage(reply)
	whole := map[string]any{
		"id": fmt.Sprintf("resp_%d", len(r.Turns)), "object": "response", "created_at": 0, "status": "completed", "model": r.Model,
		"output": d.items(r, reply), "error": nil, "incomplete_details": nil, "instructions": nil, "metadata": map[string]any{},
		"parallel_tool_calls": true, "previous_response_id": nil, "tool_choice": "auto", "tools": []any{}, "store": false,
		"usage": map[string]any{
			"input_tokens": u.input, "input_tokens_details": map[string]int{"cached_tokens": u.cached},
			"output_tokens": u.output, "output_tokens_details": map[string]int{"reasoning_tokens": u.thought},
			"total_tokens": u.input + u.output,
		},
	}
	if r.Stream {
		d.stream(w, whole)
		return
	}
	writeJSON(w, http.StatusOK, whole)
}

// items are a reply's.
func (responses) items(r *Request, reply Reply) []map[string]any {
	items := []map[string]any{}
	if r.thinks {
		id := fmt.Sprintf("rs_%d", len(r.Turns))
		items = append(items, map[string]any{"type": "reasoning", "id": id, "summary": []any{}, "encrypted_content": signature("reasoning", encoded(id))})
	}
	if reply.Text != "" {
		items = append(items, map[string]any{
			"type": "message", "id": fmt.Sprintf("msg_%d", len(r.Turns)), "role": "assistant", "status": "completed",
			"content": []any{outputText(reply.Text)},
		})
	}
	for _, c := range reply.Calls {
		t, _ := r.Tool(c.Name)
		switch t.Type {
		case "computer", "computer_use_preview":
			items = append(items, computerItem(c))
			continue
		case "tool_search":
			items = append(items, map[string]any{
				"type": "tool_search_call", "id": "tsc_" + c.ID, "call_id": c.ID, "execution": "client", "status": "completed", "arguments": c.Args,
			})
			continue
		}
		it := map[string]any{
			"type": "function_call", "id": "fc_" + c.ID, "call_id": c.ID, "status": "completed",
			"name": c.Name, "arguments": string(c.Args),
		}
		if t.Namespace != "" {
			it["namespace"] = t.Namespace
		}
		items = append(items, it)
	}
	return items
}

func outputText(text string) map[string]any {
	return map[string]any{"type": "output_text", "text": text, "annotations": []any{}}
}

func (responses) stream(w http.ResponseWriter, whole map[string]any) {
	s, n := newEventStream(w), 0
	send := func(kind string, event map[string]any) {
		event["type"], event["sequence_number"] = kind, n
		n++
		s.send(kind, event)
	}
	begun := maps.Clone(whole)
	begun["status"], begun["output"], begun["usage"] = "in_progress", []any{}, nil
	send("response.created", map[string]any{"response": begun})
	send("response.in_progress", map[string]any{"response": begun})
	for i, it := range whole["output"].([]map[string]any) {
		first := maps.Clone(it)
		first["status"] = "in_progress"
		at := func(more map[string]any) map[string]any {
			more["item_id"], more["output_index"] = it["id"], i
			return more
		}
		added := map[string]any{"output_index": i, "item": first}
		switch it["type"] {
		case "message":
			text := it["content"].([]any)[0].(map[string]any)["text"].(string)
			first["content"] = []any{}
			send("response.output_item.added", added)
			send("response.content_part.added", at(map[string]any{"content_index": 0, "part": outputText("")}))
			for _, p := range pieces(text) {
				send("response.output_text.delta", at(map[string]any{"content_index": 0, "delta": p, "logprobs": []any{}}))
			}
			send("response.output_text.done", at(map[string]any{"content_index": 0, "text": text, "logprobs": []any{}}))
			send("response.content_part.done", at(map[string]any{"content_index": 0, "part": outputText(text)}))
		case "function_call":
			first["arguments"] = ""
			send("response.output_item.added", added)
			args := it["arguments"].(string)
			for _, p := range pieces(args) {
				send("response.function_call_arguments.delta", at(map[string]any{"delta": p}))
			}
			send("response.function_call_arguments.done", at(map[string]any{"name": it["name"], "arguments": args}))
		default:
			send("response.output_item.added", added)
		}
		send("response.output_item.done", map[string]any{"output_index": i, "item": it})
	}
	send("response.completed", map[string]any{"response": whole})
}

func (responses) refuse(w http.ResponseWriter, status int, reason, retryAfter string) {
	chat{}.refuse(w, status, reason, retryAfter) // the same error object
}
