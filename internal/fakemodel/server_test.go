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
	chatPath     = "/v1/chat/completions"
	messagesPath = "/v1/messages"

	chatTools     = `"tools":[{"type":"function","function":{"name":"read","description":"Read.","parameters":{"type":"object","properties":{}}}}]`
	messagesTools = `"tools":[{"name":"read","description":"Read.","input_schema":{"type":"object","properties":{}}}]`
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
			`{"choices":[{"finish_reason":"tool_calls","index":0,"message":{"content":"Let me look at the naïve file.","role":"assistant","tool_calls":[{"id":"call_1_1","type":"function","function":{"name":"read","arguments":"{\"path\":\"naïve.txt\"}"}}]}}],"created":0,"id":"chatcmpl-1","model":"m","object":"chat.completion","usage":{"completion_tokens":15,"prompt_tokens":56,"total_tokens":71}}`,
			`{"model":"m","messages":[{"role":"user","content":"go"},
				{"role":"assistant","content":"Let me look at the naïve file.","tool_calls":[{"id":"call_1_1","type":"function","function":{"name":"read","arguments":"{\"path\": \"na\u00efve.txt\"}"}}]},
				{"role":"tool","tool_call_id":"call_1_1","content":"hello"}],` + chatTools + `}`,
			`{"choices":[{"finish_reason":"stop","index":0,"message":{"content":"It says hello.","role":"assistant"}}],"created":0,"id":"chatcmpl-3","model":"m","object":"chat.completion","usage":{"completion_tokens":4,"prompt_tokens":111,"total_tokens":115}}`,
		},
		{
			"in Messages", messagesPath,
			`{"model":"m","max_tokens":9,"system":"be brief","messages":[{"role":"user","content":"go"}],` + messagesTools + `}`,
			`{"content":[{"text":"Let me look at the naïve file.","type":"text"},{"id":"call_1_1","input":{"path":"naïve.txt"},"name":"read","type":"tool_use"}],"id":"msg_1","model":"m","role":"assistant","stop_reason":"tool_use","stop_sequence":null,"type":"message","usage":{"input_tokens":48,"output_tokens":15}}`,
			`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"},
				{"role":"assistant","content":[{"type":"text","text":"Let me look at the naïve file."},{"type":"tool_use","id":"call_1_1","name":"read","input":{"path":"naïve.txt"}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1_1","content":[{"type":"text","text":"hello"}],"is_error":true}]}],` + messagesTools + `}`,
			`{"content":[{"text":"It says hello.","type":"text"}],"id":"msg_3","model":"m","role":"assistant","stop_reason":"end_turn","stop_sequence":null,"type":"message","usage":{"input_tokens":122,"output_tokens":4}}`,
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
			if res.Text != "hello" || res.IsError != (tt.path == messagesPath) {
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
	tests := []struct{ name, path, body, want string }{
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

func TestAnotherAddressIsAMistakeOfTheClient(t *testing.T) {
	t.Parallel()
	srv := start(t, readThenTell, nil)
	status, _, _ := post(t, srv, "/v1/responses", `{}`)
	if want := "POST /v1/responses is no address of this model"; status != 404 || srv.Err() == nil || srv.Err().Error() != want {
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
		want := "message_start content_block_start content_block_stop content_block_start content_block_stop message_delta message_stop"
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
