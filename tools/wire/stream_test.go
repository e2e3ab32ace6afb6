package wire_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/arcseat/arc/tools/wire"
)

// streams are the turns of replies as events, with what else comes on the way.
var streams = map[wire.Provider][]string{
	wire.Anthropic: {
		`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":5,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"ping"}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Let me "}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"see."}}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"read","input":{}}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"\"a <b>.txt\"}"}}`,
		`{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_2","name":"look","input":{}}}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":7}}`,
		`{"type":"message_stop"}`,
	},
	wire.OpenAI: {
		`{"type":"response.created","response":{"id":"resp_1","status":"in_progress","output":[],"error":null}}`,
		`{"type":"response.output_text.delta","output_index":1,"delta":"Let me "}`,
		`{"type":"response.output_text.delta","output_index":1,"delta":"see."}`,
		`{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{"}`,
		`{"type":"response.completed","response":` + replies[wire.OpenAI] + `}`,
	},
	wire.OpenAIChat: {
		`{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`,
		`{"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"Let me "}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"see."}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"read","arguments":""}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":"}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"a <b>.txt\"}"}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_a","type":"function","function":{"name":"look","arguments":""}}]}}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":125,"prompt_tokens_details":{"cached_tokens":100},"completion_tokens":7}}`,
		`[DONE]`,
	},
	wire.Gemini: {
		`{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true}]}}]}`,
		`{"candidates":[{"content":{"role":"model","parts":[{"text":"Let me "}]}}]}`,
		`{"candidates":[{"content":{"role":"model","parts":[{"text":"see."}]}}]}`,
		`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"read","args":{"path":"a <b>.txt"}},"thoughtSignature":"c2ln"}]}}]}`,
		`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"g2","name":"look"}}]},"finishReason":"STOP"}],` +
			`"usageMetadata":{"promptTokenCount":125,"cachedContentTokenCount":100,"candidatesTokenCount":4,"thoughtsTokenCount":3}}`,
	},
}

func TestAStreamIsTheReply(t *testing.T) {
	t.Parallel()
	for _, p := range providers {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			o := &wire.Options{Echo: []string{"reasoning_content"}}
			want := read(t, open(t, p, sees, o), replies[p])
			for _, end := range []string{"\n", "\r\n"} {
				body := ": a remark" + end
				for _, e := range streams[p] {
					body += "event: some" + end + "data: " + e + end + end
				}
				said := ""
				got, err := open(t, p, sees, o).ReadStream(strings.NewReader(body), func(s string) { said += s })
				if err != nil {
					t.Fatal(err)
				}
				equal(t, "words", said, "Let me see.")
				equal(t, "messages", messages(got.Messages), messages(want.Messages))
				if got.Messages = want.Messages; !reflect.DeepEqual(got, want) {
					t.Errorf("got  %+v\nwant %+v", got, want)
				}
			}
		})
	}
}

func TestAStreamThatStops(t *testing.T) {
	t.Parallel()
	for _, p := range providers {
		for n := range streams[p] {
			s := open(t, p, sees, nil).Stream()
			for _, e := range streams[p][:n] {
				if _, err := s.Add([]byte(e)); err != nil {
					t.Fatal(err)
				}
			}
			_, err := s.Reply()
			over := p == wire.OpenAIChat && n > len(streams[p])-3 // its reason has come
			if over != (err == nil) || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s after %d events: %v", p, n, err)
			}
		}
	}
}

func TestWhatAStreamReports(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		provider wire.Provider
		event    string
		want     string
	}{
		{"no JSON", wire.Gemini, `<html>`, "is not a JSON object: <html>"},
		{"Anthropic's errors", wire.Anthropic, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "Overloaded"},
		{"a block that has not begun", wire.Anthropic, `{"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"a"}}`, "block 4"},
		{"OpenAI's errors", wire.OpenAI, `{"type":"error","code":"x","message":"Slow down"}`, "Slow down"},
		{"a response that failed", wire.OpenAI, `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"Sorry"}}}`, "Sorry"},
		{"Chat's errors", wire.OpenAIChat, `{"error":{"message":"No model"}}`, "No model"},
		{"Ollama's errors", wire.OpenAIChat, `{"error":"model not found"}`, "model not found"},
		{"Gemini's errors", wire.Gemini, `{"error":{"code":503,"message":"Full","status":"UNAVAILABLE"}}`, "Full"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, c.provider, sees, nil).Stream()
			_, err := s.Add([]byte(c.event))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			if _, again := s.Reply(); again != err {
				t.Errorf("then it says %v", again)
			}
		})
	}
}

func TestPeculiarStreams(t *testing.T) {
	t.Parallel()
	calls := func(t *testing.T, p wire.Provider, events ...string) (wire.Reply, string) {
		t.Helper()
		s := open(t, p, sees, nil).Stream()
		for _, e := range events {
			if _, err := s.Add([]byte(e)); err != nil {
				t.Fatal(err)
			}
		}
		r, err := s.Reply()
		if err != nil {
			t.Fatal(err)
		}
		all := ""
		for _, c := range r.Calls {
			all += fmt.Sprintf("%s %s%s;", c.ID, c.Name, c.Args)
		}
		return r, all
	}
	const done = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	piece := func(s string) string { return `{"choices":[{"index":0,"delta":{"tool_calls":[` + s + `]}}]}` }
	for _, c := range []struct {
		name, want string
		events     []string
	}{
		{"every call has the number 0, with an id of its own", `a x{"n":1};b y{};`, []string{
			piece(`{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\""}}`), piece(`{"index":0,"id":"a","function":{"name":"x","arguments":":1}"}}`),
			piece(`{"index":0,"id":"b","function":{"name":"y","arguments":"{}"}}`)}},
		{"no call has a number", `a x{"n":1};b y{"n":2};`, []string{
			piece(`{"id":"a","function":{"name":"x","arguments":"{\"n\":1"}}`), piece(`{"function":{"arguments":"}"}}`), piece(`{"id":"b","function":{"name":"y","arguments":"{\"n\":2}"}}`)}},
		{"no call has an id, and both come at once", `call_1 x{};call_2 y{};`, []string{
			piece(`{"index":0,"function":{"name":"x","arguments":"{}"}},{"index":1,"function":{"name":"y","arguments":"{}"}}`)}},
		{"arguments that are not in a string", `a x{"n":1};`, []string{piece(`{"index":0,"id":"a","function":{"name":"x","arguments":{"n":1}}}`)}},
		{"arguments that are cut", `a x{"n":;`, []string{piece(`{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\":"}}`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, got := calls(t, wire.OpenAIChat, append(c.events, done)...)
			equal(t, "calls", got, c.want)
			if strings.Contains(messages(r.Messages), `{\"n\":"`) {
				t.Errorf("what is no object goes back: %s", messages(r.Messages))
			}
		})
	}
	t.Run("no reason for the end, and a connection that stays open", func(t *testing.T) {
		t.Parallel()
		body, server := io.Pipe()
		defer server.Close()
		go io.WriteString(server, "data: "+piece(`{"id":"a","function":{"name":"x","arguments":"{}"}}`)+"\n\ndata: [DONE]\n\n")
		got, err := open(t, wire.OpenAIChat, sees, nil).ReadStream(body, nil)
		if err != nil || len(got.Calls) != 1 || got.Stop != wire.Calling {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("Anthropic's input that is cut is told to the session, and goes back empty", func(t *testing.T) {
		t.Parallel()
		r, got := calls(t, wire.Anthropic, `{"type":"message_start","message":{}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"x","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"n\":"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}`, `{"type":"message_stop"}`)
		equal(t, "calls", got, `a x{"n":;`)
		equal(t, "messages", messages(r.Messages), `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{}}]}`+"\n")
		if r.Stop != wire.Cut {
			t.Errorf("it stopped for %v", r.Stop)
		}
	})
	t.Run("items of OpenAI's that the last event leaves out", func(t *testing.T) {
		t.Parallel()
		_, got := calls(t, wire.OpenAI, `{"type":"response.output_item.done","item":{"type":"function_call","call_id":"a","name":"x","arguments":"{}"}}`, `{"type":"response.completed","response":{"status":"completed","output":[]}}`)
		equal(t, "calls", got, `a x{};`)
	})
}

func TestWhyATurnIsOver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider wire.Provider
		body     string
		stop     wire.Stop
		why      string
	}{
		{wire.Anthropic, `{"content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}`, wire.Ended, "end_turn"},
		{wire.Anthropic, `{"content":[],"stop_reason":"max_tokens"}`, wire.Cut, "max_tokens"},
		{wire.Anthropic, `{"content":[{"type":"text","text":""}],"stop_reason":"refusal"}`, wire.Refused, "refusal"},
		{wire.Anthropic, `{"content":[],"stop_reason":"pause_turn"}`, wire.Paused, "pause_turn"},
		{wire.OpenAI, `{"output":[],"status":"completed"}`, wire.Ended, "completed"},
		{wire.OpenAI, `{"output":[],"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}`, wire.Cut, "max_output_tokens"},
		{wire.OpenAI, `{"output":[],"status":"incomplete","incomplete_details":{"reason":"content_filter"}}`, wire.Refused, "content_filter"},
		{wire.OpenAI, `{"output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}],"status":"completed"}`, wire.Refused, "completed"},
		{wire.OpenAIChat, `{"choices":[{"message":{"content":null},"finish_reason":"length"}]}`, wire.Cut, "length"},
		{wire.OpenAIChat, `{"choices":[{"message":{"content":[{"type":"text","text":"a"}]},"finish_reason":"stop"}]}`, wire.Ended, "stop"},
		{wire.OpenAIChat, `{"choices":[{"message":{"refusal":"No."},"finish_reason":"stop"}]}`, wire.Refused, "stop"},
		{wire.OpenAIChat, `{"choices":[{"message":{},"finish_reason":"content_filter"}]}`, wire.Refused, "content_filter"},
		{wire.Gemini, `{"candidates":[{"finishReason":"MAX_TOKENS"}]}`, wire.Cut, "MAX_TOKENS"},
		{wire.Gemini, `{"candidates":[{"finishReason":"SAFETY"}]}`, wire.Refused, "SAFETY"},
		{wire.Gemini, `{"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL"}]}`, wire.Paused, "MALFORMED_FUNCTION_CALL"},
		{wire.Gemini, `{"promptFeedback":{"blockReason":"OTHER"}}`, wire.Refused, "OTHER"},
	} {
		r := read(t, open(t, c.provider, sees, nil), c.body)
		if r.Stop != c.stop || r.Why != c.why {
			t.Errorf("%s %s: got %d %q", c.provider, c.body, r.Stop, r.Why)
		}
	}
}

func TestNoResponse(t *testing.T) {
	t.Parallel()
	for _, p := range providers {
		for _, body := range []string{``, `{`, `[]`, `null`, `{}`, `{"error":{"message":"Not today"}}`, `{"choices":[{}]}`} {
			if r, err := open(t, p, sees, nil).Read([]byte(body)); err == nil {
				t.Errorf("%s reads %s as %+v", p, body, r)
			} else if strings.Contains(body, "Not today") && !strings.Contains(err.Error(), "Not today") {
				t.Errorf("%s: %v", p, err)
			}
		}
	}
	if got := wire.ProviderError([]byte(`[{"error":{"message":"in a list"}}]`)); got != "in a list" {
		t.Errorf("got %q", got)
	}
}

func TestAnErrorOfAStreamStays(t *testing.T) {
	t.Parallel()
	s := open(t, wire.OpenAIChat, sees, nil).Stream()
	_, first := s.Add([]byte(`{"error":{"message":"busy"}}`))
	_, then := s.Add([]byte(`{"choices":[{"delta":{"content":"Hi."},"finish_reason":"stop"}]}`))
	_, end := s.Reply()
	if first == nil || !strings.Contains(first.Error(), "busy") || then != first || end != first {
		t.Errorf("got %v, then %v, at the end %v", first, then, end)
	}
}
