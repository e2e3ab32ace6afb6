package fakemodel_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/arcseat/arc/internal/fakemodel"
)

// Each provider has a computer tool of its own, which has no schema.
func TestAProvidersOwnComputerTool(t *testing.T) {
	t.Parallel()
	click := json.RawMessage(`{"actions":[{"type":"click","button":"left","x":3,"y":4}],"pending_safety_checks":[{"id":"sc_1","code":"odd","message":"Sure?"}]}`)
	openai := `{"type":"computer_call","id":"cu_call_1_1","call_id":"call_1_1","status":"completed","actions":[{"type":"click","button":"left","x":3,"y":4}],"pending_safety_checks":[{"id":"sc_1","code":"odd","message":"Sure?"}]}`
	seen := `{"type":"computer_call_output","call_id":"call_1_1","acknowledged_safety_checks":[{"id":"sc_1"}],"output":{"type":"computer_screenshot","image_url":"data:image/png;base64,AAAA"}}`
	input := func(items string) string {
		return `{"model":"m","input":[{"role":"user","content":"go"}` + items + `],"tools":[{"type":"computer"}]}`
	}
	for name, tt := range map[string]struct {
		path, first, call, second, want string
		tool                            string
		args                            json.RawMessage
	}{
		"OpenAI's": {
			responsesPath, input(""), `"call_id":"call_1_1","id":"cu_call_1_1"`,
			input("," + openai + "," + seen), `"text":"Clicked."`, "computer", click,
		},
		"OpenAI's, with a check that is not acknowledged": {
			responsesPath, input(""), `"type":"computer_call"`,
			input("," + openai + "," + strings.Replace(seen, "sc_1", "sc_2", 1)), `the safety check \"sc_1\" of the call \"call_1_1\" is not acknowledged`, "computer", click,
		},
		"OpenAI's, answered in words": {
			responsesPath, input(""), `"type":"computer_call"`,
			input("," + openai + "," + strings.Replace(seen, "computer_screenshot", "input_text", 1)), `output is not a computer_screenshot with a picture`, "computer", click,
		},
		"Anthropic's, by the action's name": {
			messagesPath, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"tools":[{"type":"computer_toolset_20260801"}]}`,
			`{"id":"call_1_1","input":{"coordinate":[3,4]},"name":"left_click","type":"tool_use"}`,
			`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"},
				{"role":"assistant","content":[{"type":"tool_use","id":"call_1_1","name":"left_click","input":{"coordinate":[3,4]}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1_1","content":[{"type":"image","source":{}}]}]}],"tools":[{"type":"computer_toolset_20260801"}]}`,
			`"text":"Clicked."`, "left_click", json.RawMessage(`{"coordinate":[3,4]}`),
		},
		"Gemini's, by the action's name": {
			geminiPath, `{"contents":[{"parts":[{"text":"go"}]}],"tools":[{"computerUse":{"environment":"ENVIRONMENT_BROWSER"}}]}`,
			`"name":"click_at"`,
			`{"contents":[{"parts":[{"text":"go"}]},
				{"role":"model","parts":[{"functionCall":{"name":"click_at","args":{"x":3,"y":4}},"thoughtSignature":"skip_thought_signature_validator"}]},
				{"parts":[{"functionResponse":{"name":"click_at","response":{"url":"x"},"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}}]}],
				"tools":[{"computerUse":{"environment":"ENVIRONMENT_BROWSER"}}]}`,
			`"text":"Clicked."`, "click_at", json.RawMessage(`{"x":3,"y":4}`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, fakemodel.Script{Steps: []fakemodel.Step{
				{Name: "click", Calls: []fakemodel.Call{{Tool: tt.tool, Args: tt.args}}},
				{Name: "end", Text: "Clicked."},
			}}, nil)
			if _, _, body := post(t, srv, tt.path, tt.first); !strings.Contains(body, tt.call) {
				t.Errorf("the first reply is %s, without %s", body, tt.call)
			}
			_, _, body := post(t, srv, tt.path, tt.second)
			if !strings.Contains(body, tt.want) {
				t.Errorf("the second reply is %s, without %s", body, tt.want)
			}
			if strings.Contains(body, "Clicked.") {
				if res, ok := srv.Requests()[1].Last(tt.tool); !ok || res.Images != 1 {
					t.Errorf("the result came as %+v", res)
				}
			}
		})
	}
}

func TestAnthropicsEarlierComputerToolsWantTheirHeaderAndASize(t *testing.T) {
	t.Parallel()
	const wide = `"display_width_px":300,"display_height_px":200`
	for name, tt := range map[string]struct{ beta, size, want string }{
		"with both":       {"other, computer-use-2025-11-24", wide, `"type":"message"`},
		"without a size":  {"computer-use-2025-11-24", `"display_width_px":300`, "wants display_width_px and display_height_px"},
		"of another time": {"computer-use-2025-01-24", wide, "wants the header anthropic-beta: computer-use-2025-11-24"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, fakemodel.Script{Steps: []fakemodel.Step{{Text: "Seen."}}}, nil)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL()+messagesPath,
				strings.NewReader(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"tools":[{"type":"computer_20251124","name":"computer",`+tt.size+`}]}`))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("anthropic-beta", tt.beta)
			if _, _, body := do(t, req); !strings.Contains(body, tt.want) {
				t.Errorf("got %s, without %s", body, tt.want)
			}
		})
	}
}
