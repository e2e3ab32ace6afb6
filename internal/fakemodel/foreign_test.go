package fakemodel_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/arcseat/arc/internal/fakemodel"
)

// What vendors' clients send is shortened here to what tells them apart.
func TestAVendorsClientIsAnswered(t *testing.T) {
	t.Parallel()
	script := fakemodel.Script{Steps: []fakemodel.Step{
		{Name: "look", Calls: []fakemodel.Call{{Tool: "workspace_read"}}},
		{Name: "tell", When: fakemodel.Match{Of: "workspace_read", Fields: map[string]any{"sha256": "f00d"}}, Text: "Read."},
	}}
	const schema = `{"type":"object"}`
	for name, tt := range map[string]struct{ path, first, call, second string }{
		"with a server's prefix, and a reminder before the results": {
			messagesPath,
			`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"context"},{"role":"user","content":"go"}%s],
				"tools":[{"name":"Read","input_schema":` + schema + `},{"name":"mcp__arc__workspace_read","input_schema":` + schema + `}]}`,
			`"name":"mcp__arc__workspace_read"`,
			`,{"role":"assistant","content":[{"type":"tool_use","id":"call_1_1","name":"mcp__arc__workspace_read","input":{},"caller":{"type":"direct"}}]},
				{"role":"user","content":[{"type":"text","text":"reminder"},{"type":"tool_result","tool_use_id":"call_1_1","content":[{"type":"text","text":"{\"sha256\":\"f00d\"}\nhello","cache_control":{"type":"ephemeral"}}]}]}`,
		},
		"with a namespace, and a line before the result": {
			responsesPath,
			`{"model":"m","input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"be brief"}]},{"role":"user","content":"go"}%s],
				"tools":[{"type":"web_search"},{"type":"namespace","name":"mcp__arc","tools":[{"type":"function","name":"workspace_read","parameters":` + schema + `}]}]}`,
			`"name":"workspace_read","namespace":"mcp__arc"`,
			`,{"type":"function_call","call_id":"call_1_1","name":"workspace_read","namespace":"mcp__arc","arguments":"{}"},
				{"type":"function_call_output","call_id":"call_1_1","output":[{"type":"input_text","text":"Wall time: 0.1 seconds"},{"type":"input_text","text":"{\"sha256\":\"f00d\"}\nhello"}]}`,
		},
		"with words around the result": {
			geminiPath,
			`{"contents":[{"role":"user","parts":[{"text":"go"}]}%s],"tools":[{"functionDeclarations":[{"name":"update_topic"},{"name":"mcp_arc_workspace_read","parametersJsonSchema":` + schema + `}]}]}`,
			`"name":"mcp_arc_workspace_read"`,
			`,{"role":"model","parts":[{"functionCall":{"name":"mcp_arc_workspace_read"},"thoughtSignature":"skip_thought_signature_validator"},{"text":""}]},
				{"role":"user","parts":[{"functionResponse":{"name":"mcp_arc_workspace_read","response":{"output":"<untrusted>\n{\"sha256\":\"f00d\"}\nhello\n</untrusted>"}}}]}`,
		},
		"with a server's name": {
			chatPath,
			`{"model":"m","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"go"}%s],
				"tools":[{"type":"function","function":{"name":"arc_workspace_read","parameters":` + schema + `}}]}`,
			`"name":"arc_workspace_read"`,
			`,{"role":"assistant","content":"","tool_calls":[{"id":"call_1_1","type":"function","function":{"name":"arc_workspace_read","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"call_1_1","content":"{\"sha256\":\"f00d\"}\nhello"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, script, &fakemodel.Options{Foreign: true})
			if _, _, body := post(t, srv, tt.path, fmt.Sprintf(tt.first, "")); !strings.Contains(body, tt.call) {
				t.Errorf("the first reply is %s, without %s", body, tt.call)
			}
			if _, _, body := post(t, srv, tt.path, fmt.Sprintf(tt.first, tt.second)); !strings.Contains(body, `"Read."`) {
				t.Errorf("the second reply is %s", body)
			}
			if err := srv.Err(); err != nil || srv.Reached() != 2 {
				t.Errorf("%d steps are reached; %v", srv.Reached(), err)
			}
		})
	}
	t.Run("with a refusal in a sentence of its own", func(t *testing.T) {
		t.Parallel()
		srv := start(t, fakemodel.Script{Steps: []fakemodel.Step{
			{Name: "edit", Calls: []fakemodel.Call{{Tool: "edit"}}},
			{Name: "tell", When: fakemodel.Match{Fields: map[string]any{"error.code": "stale"}}, Text: "Stale."},
		}}, &fakemodel.Options{Foreign: true})
		_, _, body := post(t, srv, geminiPath, `{"contents":[{"parts":[{"text":"go"}]},
			{"role":"model","parts":[{"functionCall":{"name":"mcp_arc_edit"},"thoughtSignature":"skip_thought_signature_validator"}]},
			{"parts":[{"functionResponse":{"name":"mcp_arc_edit","response":{"error":"MCP tool 'edit' reported an error for the call: {\"name\":\"edit\"} with response: [{\"functionResponse\":{\"name\":\"edit\",\"response\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"error\\\":{\\\"code\\\":\\\"stale\\\"}}\"}],\"isError\":true}}}]"}}}]}],
			"tools":[{"functionDeclarations":[{"name":"mcp_arc_edit"}]}]}`)
		if !strings.Contains(body, `"Stale."`) {
			t.Errorf("got %s", body)
		}
		if res, _ := srv.Requests()[0].Last("edit"); !res.IsError {
			t.Error("the result is no error")
		}
	})
	for name, tt := range map[string]struct{ path, body, want string }{
		"and a server's tool comes before the client's own of that name": {
			geminiPath, `{"contents":[{"parts":[{"text":"go"}]}],"tools":[{"functionDeclarations":[
				{"name":"workspace_read"},{"name":"google_workspace_read"},{"name":"mcp_arc_workspace_read"}]}]}`,
			`"name":"mcp_arc_workspace_read"`,
		},
		"and before the provider's": {
			responsesPath, `{"model":"m","input":"go","tools":[{"type":"workspace_read"},{"type":"namespace","name":"mcp__arc","tools":[
				{"type":"function","name":"workspace_read","parameters":{"type":"object"}}]}]}`,
			`"name":"workspace_read","namespace":"mcp__arc"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, script, &fakemodel.Options{Foreign: true})
			if _, _, body := post(t, srv, tt.path, tt.body); !strings.Contains(body, tt.want) {
				t.Errorf("got %s", body)
			}
		})
	}
	t.Run("and two tools that could be meant are none", func(t *testing.T) {
		t.Parallel()
		srv := start(t, script, &fakemodel.Options{Foreign: true})
		_, _, body := post(t, srv, geminiPath, `{"contents":[{"parts":[{"text":"go"}]}],"tools":[{"functionDeclarations":[{"name":"a_workspace_read"},{"name":"b_workspace_read"}]}]}`)
		if want := "it calls workspace_read, which the request does not list; listed are a_workspace_read, b_workspace_read"; !strings.Contains(body, want) {
			t.Errorf("got %s", body)
		}
	})
}

func TestAVendorsClientAsksBesideItsConversation(t *testing.T) {
	t.Parallel()
	srv := start(t, readThenTell, &fakemodel.Options{Foreign: true, Refuse: []fakemodel.Refusal{{Status: 429}}})
	for name, tt := range map[string]struct{ method, path, body, want string }{
		"for a title":                      {"POST", messagesPath, `{"model":"small","max_tokens":9,"messages":[{"role":"user","content":"A title?"}]}`, `"text":"Scripted work"`},
		"with tools of its own":            {"POST", geminiPath, `{"contents":[{"parts":[{"text":"Which?"}]}],"tools":[{"functionDeclarations":[{"name":"choose"}]}]}`, `"text":"Scripted work"`},
		"for JSON, of Anthropic's":         {"POST", messagesPath, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"?"}],"output_config":{"format":{"schema":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}}}}`, `{\"title\":\"Scripted work\"}`},
		"for JSON, of OpenAI's":            {"POST", responsesPath, `{"model":"m","input":"?","text":{"format":{"schema":{"type":"object","properties":{"n":{"type":"integer"},"list":{"type":"array"},"yes":{"type":"boolean"}},"required":["n","list","yes"]}}}}`, `{\"list\":[],\"n\":0,\"yes\":false}`},
		"for JSON, in Chat Completions":    {"POST", chatPath, `{"model":"m","messages":[{"role":"user","content":"?"}],"response_format":{"json_schema":{"schema":{"enum":["a","b"]}}}}`, `"content":"\"a\""`},
		"for JSON, of Gemini's":            {"POST", geminiPath, `{"contents":[{"parts":[{"text":"?"}]}],"generationConfig":{"responseSchema":{"type":"OBJECT"}}}`, `"text":"{}"`},
		"how long a prompt is":             {"POST", messagesPath + "/count_tokens", `{"messages":[]}`, `{"input_tokens":4}`},
		"how long a prompt of Gemini's is": {"POST", "/v1beta/models/m:countTokens", `{"contents":[]}`, `{"totalTokens":4}`},
		"how long an input is":             {"POST", responsesPath + "/input_tokens", `{"input":"go"}`, `{"input_tokens":4}`},
		"for the models":                   {"GET", "/v1/models", "", `"id":"scripted"`},
		"for Gemini's models":              {"GET", "/v1beta/models", "", `"name":"models/scripted"`},
		"whether the server is there":      {"GET", "/", "", "a scripted model"},
		"for what is not there":            {"POST", "/api/telemetry", `{}`, "404 page not found"},
	} {
		t.Run(name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), tt.method, srv.URL()+tt.path, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if _, _, body := do(t, req); !strings.Contains(body, tt.want) {
				t.Errorf("got %s, without %s", body, tt.want)
			}
		})
	}
	if err := srv.Err(); err != nil || len(srv.Requests()) != 0 || srv.Reached() != 0 {
		t.Errorf("%v, %d requests of the conversation", err, len(srv.Requests()))
	}
}
