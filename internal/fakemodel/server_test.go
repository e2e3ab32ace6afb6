package fakemodel_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/arcseat/arc/internal/fakemodel"
)

const (
	chatPath      = "/v1/chat/completions"
	messagesPath  = "/v1/messages"
	responsesPath = "/v1/responses"
	geminiPath    = "/v1beta/models/m:generateContent"

	chatTools      = `"tools":[{"type":"function","function":{"name":"read","description":"Read.","parameters":{"type":"object","properties":{}}}}]`
	messagesTools  = `"tools":[{"name":"read","description":"Read.","input_schema":{"type":"object","properties":{}}}]`
	responsesTools = `"tools":[{"type":"function","name":"read","description":"Read.","strict":false,"parameters":{"type":"object","properties":{}}}]`
	geminiTools    = `"tools":[{"functionDeclarations":[{"name":"read","description":"Read.","parametersJsonSchema":{"type":"object","properties":{}}}]}]`

	// signature is that of the first call of readThenTell.
	signature = "CfPJgq9VIs4Gf3NlgIUsK94JSWcK1BHMuOP+bE50a/o="
)

var readThenTell = fakemodel.Script{Steps: []fakemodel.Step{
	{Name: "look", Text: "Let me look at the naïve file.", Calls: []fakemodel.Call{{Tool: "read", Args: map[string]any{"path": "naïve.txt"}}}},
	{Name: "tell", When: fakemodel.Match{Of: "read", Contains: "hello"}, Text: "It says hello."},
}}

func start(t *testing.T, s fakemodel.Script, o *fakemodel.Options) *fakemodel.Server {
	t.Helper()
	srv, err := fakemodel.Start(s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

func post(t *testing.T, srv *fakemodel.Server, path, body string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return do(t, req)
}

func do(t *testing.T, req *http.Request) (int, http.Header, string) {
	t.Helper()
	req.Header.Set("anthropic-version", "2023-06-01")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, strings.TrimSpace(string(b))
}

func TestAConversation(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, path, first, firstReply, second, secondReply string }{
		{
			"in Chat Completions", chatPath,
			`{"model":"m","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"go"}],` + chatTools + `}`,
			`{"choices":[{"finish_reason":"tool_calls","index":0,"message":{"content":"Let me look at the naïve file.","role":"assistant","tool_calls":[{"id":"call_1_1","type":"function","function":{"name":"read","arguments":"{\"path\":\"naïve.txt\"}"}}]}}],"created":0,"id":"chatcmpl-1","model":"m","object":"chat.completion","usage":{"completion_tokens":15,"prompt_tokens":14,"prompt_tokens_details":{"cached_tokens":0},"total_tokens":29}}`,
			`{"model":"m","messages":[{"role":"user","content":"go"},
				{"role":"assistant","content":"Let me look at the naïve file.","tool_calls":[{"id":"call_1_1","type":"function","function":{"name":"read","arguments":"{\"path\": \"na\u00efve.txt\"}"}}]},
				{"role":"tool","tool_call_id":"call_1_1","content":"hello"}],` + chatTools + `}`,
			`{"choices":[{"finish_reason":"stop","index":0,"message":{"content":"It says hello.","role":"assistant"}}],"created":0,"id":"chatcmpl-3","model":"m","object":"chat.completion","usage":{"completion_tokens":4,"prompt_tokens":27,"prompt_tokens_details":{"cached_tokens":0},"total_tokens":31}}`,
		},
		{
			"in Messages", messagesPath,
			`{"model":"m","max_tokens":9,"system":"be brief","messages":[{"role":"user","content":"go"}],` + messagesTools + `}`,
			`{"content":[{"text":"Let me look at the naïve file.","type":"text"},{"id":"call_1_1","input":{"path":"naïve.txt"},"name":"read","type":"tool_use"}],"id":"msg_1","model":"m","role":"assistant","stop_reason":"tool_use","stop_sequence":null,"type":"message","usage":{"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"input_tokens":14,"output_tokens":15}}`,
			`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"},
				{"role":"assistant","content":[{"type":"text","text":"Let me look at the naïve file."},{"type":"tool_use","id":"call_1_1","name":"read","input":{"path":"naïve.txt"}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1_1","content":[{"type":"text","text":"hello"}],"is_error":true}]}],` + messagesTools + `}`,
			`{"content":[{"text":"It says hello.","type":"text"}],"id":"msg_3","model":"m","role":"assistant","stop_reason":"end_turn","stop_sequence":null,"type":"message","usage":{"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"input_tokens":27,"output_tokens":4}}`,
		},
		{
			"in Responses", responsesPath,
			`{"model":"m","instructions":"be brief","input":"go",` + responsesTools + `}`,
			`{"created_at":0,"error":null,"id":"resp_1","incomplete_details":null,"instructions":null,"metadata":{},"model":"m","object":"response","output":[{"content":[{"annotations":[],"text":"Let me look at the naïve file.","type":"output_text"}],"id":"msg_1","role":"assistant","status":"completed","type":"message"},{"arguments":"{\"path\":\"naïve.txt\"}","call_id":"call_1_1","id":"fc_call_1_1","name":"read","status":"completed","type":"function_call"}],"parallel_tool_calls":true,"previous_response_id":null,"status":"completed","store":false,"tool_choice":"auto","tools":[],"usage":{"input_tokens":14,"input_tokens_details":{"cached_tokens":0},"output_tokens":15,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":29}}`,
			`{"model":"m","input":[{"role":"user","content":"go"},
				{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Let me look at the naïve file.","annotations":[]}]},
				{"type":"function_call","id":"fc_call_1_1","call_id":"call_1_1","name":"read","arguments":"{\"path\": \"na\u00efve.txt\"}"},
				{"type":"function_call_output","call_id":"call_1_1","output":[{"type":"input_text","text":"hello"}]}],` + responsesTools + `}`,
			`{"created_at":0,"error":null,"id":"resp_3","incomplete_details":null,"instructions":null,"metadata":{},"model":"m","object":"response","output":[{"content":[{"annotations":[],"text":"It says hello.","type":"output_text"}],"id":"msg_3","role":"assistant","status":"completed","type":"message"}],"parallel_tool_calls":true,"previous_response_id":null,"status":"completed","store":false,"tool_choice":"auto","tools":[],"usage":{"input_tokens":27,"input_tokens_details":{"cached_tokens":0},"output_tokens":4,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":31}}`,
		},
		{
			"in generateContent", geminiPath,
			`{"systemInstruction":{"parts":[{"text":"be brief"}]},"contents":[{"role":"user","parts":[{"text":"go"}]}],` + geminiTools + `}`,
			`{"candidates":[{"content":{"parts":[{"text":"Let me look at the naïve file."},{"functionCall":{"args":{"path":"naïve.txt"},"id":"call_1_1","name":"read"},"thoughtSignature":"` + signature + `"}],"role":"model"},"finishReason":"STOP","index":0}],"modelVersion":"m","responseId":"response_1","usageMetadata":{"candidatesTokenCount":15,"promptTokenCount":14,"totalTokenCount":29}}`,
			`{"contents":[{"role":"user","parts":[{"text":"go"}]},
				{"role":"model","parts":[{"text":"Let me look at the naïve file."},{"functionCall":{"id":"call_1_1","name":"read","args":{"path":"naïve.txt"}},"thoughtSignature":"` + signature + `"}]},
				{"role":"user","parts":[{"functionResponse":{"id":"call_1_1","name":"read","response":{"error":"hello"}}}]}],` + geminiTools + `}`,
			`{"candidates":[{"content":{"parts":[{"text":"It says hello."}],"role":"model"},"finishReason":"STOP","index":0}],"modelVersion":"m","responseId":"response_3","usageMetadata":{"candidatesTokenCount":4,"promptTokenCount":27,"totalTokenCount":31}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, readThenTell, nil)
			for _, ask := range [][2]string{{tt.first, tt.firstReply}, {tt.second, tt.secondReply}, {tt.second, tt.secondReply}} {
				if status, _, got := post(t, srv, tt.path, ask[0]); status != 200 || got != ask[1] {
					t.Errorf("got %d %s\nwant %s", status, got, ask[1])
				}
			}
			if err := srv.Err(); err != nil {
				t.Error(err)
			}
			seen := srv.Requests()
			if len(seen) != 3 || seen[0].System != "be brief" || seen[0].Tools[0].Name != "read" {
				t.Fatalf("the requests are not kept: %+v", seen)
			}
			res, _ := seen[1].Last("read")
			if n := srv.Reached(); n != 2 {
				t.Errorf("%d steps are reached", n)
			}
			if res.Text != "hello" || res.IsError != (tt.path == messagesPath || tt.path == geminiPath) {
				t.Errorf("the result came as %+v", res)
			}
		})
	}
}

func TestAClientThatIsNotStrictIsRefused(t *testing.T) {
	t.Parallel()
	const (
		chatCall = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}]}`
		use      = `{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"read","input":{}}]}`
		result   = `{"type":"tool_result","tool_use_id":"c1","content":"hello"}`
	)
	chat := func(messages string) string {
		return `{"model":"m","messages":[{"role":"user","content":"go"},` + messages + `],` + chatTools + `}`
	}
	msgs := func(messages string) string {
		return `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"go"},` + messages + `],` + messagesTools + `}`
	}
	tests := []refusal{
		{"chat: not JSON", chatPath, `{"model":`, "the body is not JSON: unexpected end of JSON input at byte 9"},
		{"chat: no messages", chatPath, `{"model":"m"}`, "there are no messages"},
		{"chat: no model", chatPath, `{"messages":[]}`, "model is missing"},
		{"chat: a call without an answer", chatPath, chat(chatCall + `,{"role":"user","content":"well?"}`), `the call "c1" of read is not answered in the next message`},
		{"chat: a call answered twice", chatPath, chat(chatCall + `,{"role":"tool","tool_call_id":"c1","content":"x"},{"role":"tool","tool_call_id":"c1","content":"x"}`), `the result of "c1" answers no call of the message before it, or answers it twice`},
		{"chat: an answer to nothing", chatPath, chat(`{"role":"tool","tool_call_id":"c9","content":"x"}`), `message 2 (tool): a tool message follows the call, not the user's words`},
		{"chat: an answer without an id", chatPath, chat(chatCall + `,{"role":"tool","content":"x"}`), `message 3 (tool): tool_call_id is missing`},
		{"chat: arguments that are no object", chatPath, chat(strings.Replace(chatCall, `"{}"`, `"[]"`, 1)), `message 2 (assistant): the call "c1": the arguments "[]" are not a JSON object`},
		{"chat: an empty turn of the model", chatPath, chat(`{"role":"assistant","content":null}`), `message 2 (assistant): it has neither content nor tool_calls`},
		{"chat: an image in a result", chatPath, chat(chatCall + `,{"role":"tool","tool_call_id":"c1","content":[{"type":"image_url"}]}`), `message 3 (tool): a tool message is text alone`},
		{"chat: a name with a dot", chatPath, strings.Replace(chat(chatCall), `"name":"read","description"`, `"name":"a.b","description"`, 1), "tool name \"a.b\" does not match ^[a-zA-Z0-9_-]{1,64}$"},
		{"chat: a schema of a choice", chatPath, strings.Replace(chat(chatCall), `{"type":"object"`, `{"anyOf":[],"type":"object"`, 1), "the schema of tool read has anyOf at its root"},
		{"chat: a strict schema with an optional property", chatPath, strings.Replace(chat(chatCall), `"parameters":{"type":"object","properties":{}}`, `"strict":true,"parameters":{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, 1), "the strict schema of tool read: required must name every property"},
		{"chat: a strict schema that is open", chatPath, strings.Replace(chat(chatCall), `"parameters":{`, `"strict":true,"parameters":{`, 1), "the strict schema of tool read: additionalProperties must be false"},
		{"chat: a strict schema with a default", chatPath, strings.Replace(chat(chatCall), `"parameters":{"type":"object","properties":{}}`, `"strict":true,"parameters":{"type":"object","properties":{"a":{"type":"array","items":{"default":1}}},"required":["a"],"additionalProperties":false}`, 1), "the strict schema of tool read: default is not permitted"},
		{"messages: a desktop of no size", messagesPath, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"go"}],"tools":[{"type":"computer_20251124","name":"computer"}]}`, "the tool computer_20251124 wants the header anthropic-beta: computer-use-2025-11-24"},
		{"chat: a schema of an array", chatPath, strings.Replace(chat(chatCall), `{"type":"object"`, `{"type":"array"`, 1), "the schema of tool read is not of an object"},
		{"messages: no max_tokens", messagesPath, `{"model":"m","messages":[{"role":"user","content":"go"}]}`, "max_tokens is missing"},
		{"messages: two users in a row", messagesPath, msgs(`{"role":"user","content":"again"}`), "message 2 (user): roles must alternate between user and assistant"},
		{"messages: a role that is none", messagesPath, msgs(`{"role":"tool","content":"x"}`), "message 2 (tool): there is no such role"},
		{"messages: an empty content", messagesPath, msgs(`{"role":"assistant","content":[]}`), "message 2 (assistant): the content is empty"},
		{"messages: an empty text block", messagesPath, msgs(`{"role":"assistant","content":[{"type":"text","text":""}]}`), "message 2 (assistant): a text block is empty"},
		{"messages: text before a result", messagesPath, msgs(use + `,{"role":"user","content":[{"type":"text","text":"so"},` + result + `]}`), "message 3 (user): tool_result blocks come before text"},
		{"messages: a result one turn late", messagesPath, msgs(use + `,{"role":"user","content":"wait"},{"role":"assistant","content":"ok"},{"role":"user","content":[` + result + `]}`), `the call "c1" of read is not answered in the next message`},
		{"messages: a call by the user", messagesPath, msgs(`{"role":"assistant","content":"x"},{"role":"user","content":[{"type":"tool_use","id":"c1","name":"read","input":{}}]}`), `message 3 (user): a block of type "tool_use" does not belong here`},
		{"messages: the same id again", messagesPath, msgs(use + `,{"role":"user","content":[` + result + `]},` + use + `,{"role":"user","content":[` + result + `]}`), "call id \"c1\" is used twice or does not match ^[a-zA-Z0-9_-]{1,64}$"},
		{"messages: the model speaks last", messagesPath, msgs(`{"role":"assistant","content":"x"}`), "the last message is the model's: there is nothing to answer"},
		{"a turn of the model that was altered", chatPath, chat(chatCall + `,{"role":"tool","tool_call_id":"c1","content":"hello"}`), `step 1 "look": the client sends back "" as the model's text, which was "Let me look at the naïve file."`},
		{"a list without the tool", messagesPath, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"go"}]}`, `step 1 "look": it calls read, which the request does not list; listed are `},
	}
	refused(t, tests)
	t.Run("messages: no version header", func(t *testing.T) {
		t.Parallel()
		srv := start(t, readThenTell, nil)
		resp, err := http.Post(srv.URL()+messagesPath, "application/json", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if want := "/v1/messages: the header anthropic-version is missing"; resp.StatusCode != 400 || srv.Err().Error() != want {
			t.Errorf("got %d, %v; want 400, %s", resp.StatusCode, srv.Err(), want)
		}
	})
}

// A refusal is a request that breaks a rule, and what the client is told of it.
type refusal struct{ name, path, body, want string }

// refused sends each request to a server of its own.
func refused(t *testing.T, tests []refusal) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, readThenTell, nil)
			status, _, body := post(t, srv, tt.path, tt.body)
			var e struct{ Error struct{ Message string } }
			if err := json.Unmarshal([]byte(body), &e); err != nil {
				t.Fatalf("%v: %s", err, body)
			}
			want := tt.want
			if !strings.HasPrefix(want, "step ") {
				want = tt.path + ": " + want
			}
			if status != 400 || e.Error.Message != want {
				t.Errorf("got %d %q\nwant 400 %q", status, e.Error.Message, want)
			}
			if err := srv.Err(); err == nil || err.Error() != want {
				t.Errorf("Err is %v, want %s", err, want)
			}
		})
	}
}

func TestAnotherAddressIsAMistakeOfTheClient(t *testing.T) {
	t.Parallel()
	srv := start(t, readThenTell, nil)
	status, _, _ := post(t, srv, "/v2/messages", `{}`)
	if want := "POST /v2/messages is no address of this model"; status != 404 || srv.Err() == nil || srv.Err().Error() != want {
		t.Errorf("got %d, %v; want 404, %s", status, srv.Err(), want)
	}
}

func TestABusyModelRefusesFirst(t *testing.T) {
	t.Parallel()
	srv := start(t, readThenTell, &fakemodel.Options{Refuse: []fakemodel.Refusal{{Status: 529, RetryAfter: "7"}}})
	ask := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],` + messagesTools + `}`
	status, h, body := post(t, srv, messagesPath, ask)
	if want := `{"error":{"message":"the model is busy; try again","type":"overloaded_error"},"type":"error"}`; status != 529 || h.Get("Retry-After") != "7" || body != want {
		t.Errorf("got %d, Retry-After %q, %s", status, h.Get("Retry-After"), body)
	}
	if status, _, body = post(t, srv, messagesPath, ask); status != 200 {
		t.Errorf("the second request is not answered: %d %s", status, body)
	}
	if err := srv.Err(); err != nil {
		t.Errorf("a refusal is nobody's mistake: %v", err)
	}
}

// events reads a stream's data lines.
func events(body string) (out []map[string]any) {
	for sc := bufio.NewScanner(strings.NewReader(body)); sc.Scan(); {
		data, ok := strings.CutPrefix(sc.Text(), "data: ")
		var e map[string]any
		if ok && json.Unmarshal([]byte(data), &e) == nil {
			out = append(out, e)
		}
	}
	return out
}

func TestAStreamOfTextThatIsNotUTF8Ends(t *testing.T) {
	t.Parallel()
	srv := start(t, fakemodel.Script{Steps: []fakemodel.Step{{Text: strings.Repeat("\x80", 40)}}}, nil)
	_, _, body := post(t, srv, chatPath, `{"model":"m","stream":true,"messages":[{"role":"user","content":"go"}]}`)
	if !strings.HasSuffix(body, "data: [DONE]") {
		t.Errorf("the stream is %s", body)
	}
}

func TestAStreamJoinsToTheWholeReply(t *testing.T) {
	t.Parallel()
	const text, args = "Let me look at the naïve file.", `{"path":"naïve.txt"}`
	t.Run("in Chat Completions", func(t *testing.T) {
		t.Parallel()
		srv := start(t, readThenTell, nil)
		_, h, body := post(t, srv, chatPath, `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"go"}],`+chatTools+`}`)
		var gotText, gotArgs, id, finish string
		var usage any
		for _, e := range events(body) {
			if u, ok := e["usage"]; ok {
				usage = u
				continue
			}
			choice := e["choices"].([]any)[0].(map[string]any)
			if f, ok := choice["finish_reason"].(string); ok {
				finish = f
			}
			delta := choice["delta"].(map[string]any)
			if s, ok := delta["content"].(string); ok {
				gotText += s
			}
			if calls, ok := delta["tool_calls"].([]any); ok {
				call := calls[0].(map[string]any)
				if s, ok := call["id"].(string); ok {
					id = s
				}
				gotArgs += call["function"].(map[string]any)["arguments"].(string)
			}
		}
		if gotText != text || gotArgs != args || id != "call_1_1" || finish != "tool_calls" || usage == nil {
			t.Errorf("got %q %q %q %q %v", gotText, gotArgs, id, finish, usage)
		}
		if h.Get("Content-Type") != "text/event-stream" || !strings.HasSuffix(body, "data: [DONE]") {
			t.Errorf("%s … %s", h.Get("Content-Type"), body[len(body)-40:])
		}
	})
	t.Run("in Messages", func(t *testing.T) {
		t.Parallel()
		srv := start(t, readThenTell, nil)
		_, _, body := post(t, srv, messagesPath, `{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"go"}],`+messagesTools+`}`)
		var kinds []string
		var gotText, gotArgs string
		for _, e := range events(body) {
			kind := e["type"].(string)
			if d, ok := e["delta"].(map[string]any); ok && kind == "content_block_delta" {
				s, _ := d["text"].(string)
				gotText += s
				s, _ = d["partial_json"].(string)
				gotArgs += s
				continue
			}
			kinds = append(kinds, kind)
		}
		want := "message_start ping content_block_start content_block_stop content_block_start content_block_stop message_delta message_stop"
		if gotText != text || gotArgs != args || strings.Join(kinds, " ") != want {
			t.Errorf("got %q %q %v", gotText, gotArgs, kinds)
		}
	})
}

func TestASceneIsATurnOfALongerConversation(t *testing.T) {
	t.Parallel()
	srv := start(t, fakemodel.Script{}, &fakemodel.Options{Scenes: []fakemodel.Scene{
		{Asked: "second", Script: fakemodel.Script{Steps: []fakemodel.Step{{Name: "two", Text: "Two."}}}},
		{Asked: "first", Script: fakemodel.Script{Steps: []fakemodel.Step{{Name: "one", Text: "One."}}}},
	}})
	for _, tt := range []struct{ messages, want string }{
		{`[{"role":"user","content":"the first"}]`, `"content":"One."`},
		{`[{"role":"user","content":"the first"},{"role":"assistant","content":"what is remembered, whoever said it"},{"role":"user","content":"the second"}]`, `"content":"Two."`},
		{`[{"role":"user","content":"the third"}]`, `the script has ended`},
	} {
		if _, _, got := post(t, srv, chatPath, `{"model":"m","messages":`+tt.messages+`}`); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.messages, got, tt.want)
		}
	}
}
