package fakemodel_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// The beginning that a conversation's request before had too is counted as cached,
// if it is long enough; Anthropic's only where a client asks for it.
func TestUsage(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("work ", 2000) // 10,000 bytes
	const said = "Let me look at the naïve file."
	type usage map[string]any
	for name, tt := range map[string]struct {
		path, ask, more string
		of              string
		first, second   usage
	}{
		"in Chat Completions": {
			chatPath, `{"model":"m","messages":[{"role":"user","content":"` + long + `"}%s],` + chatTools + `}`,
			`,{"role":"assistant","content":"` + said + `","tool_calls":[{"id":"call_1_1","type":"function","function":{"name":"read","arguments":"{\"path\":\"naïve.txt\"}"}}]},
				{"role":"tool","tool_call_id":"call_1_1","content":"hello"}`,
			"usage",
			usage{"prompt_tokens": 2511.0, "completion_tokens": 15.0, "total_tokens": 2526.0, "prompt_tokens_details": usage{"cached_tokens": 0.0}},
			usage{"prompt_tokens": 2526.0, "completion_tokens": 4.0, "total_tokens": 2530.0, "prompt_tokens_details": usage{"cached_tokens": 2432.0}},
		},
		"in Messages": {
			messagesPath, `{"model":"m","max_tokens":9,"cache_control":{"type":"ephemeral"},"messages":[{"role":"user","content":"` + long + `"}%s],` + messagesTools + `}`,
			`,{"role":"assistant","content":[{"type":"text","text":"` + said + `"},{"type":"tool_use","id":"call_1_1","name":"read","input":{"path":"naïve.txt"}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1_1","content":"hello"}]}`,
			"usage",
			usage{"input_tokens": 79.0, "cache_creation_input_tokens": 2432.0, "cache_read_input_tokens": 0.0, "output_tokens": 15.0},
			usage{"input_tokens": 94.0, "cache_creation_input_tokens": 0.0, "cache_read_input_tokens": 2432.0, "output_tokens": 4.0},
		},
		"in Messages, without a cache": {
			messagesPath, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"` + long + `"}%s],` + messagesTools + `}`,
			`,{"role":"assistant","content":[{"type":"text","text":"` + said + `"},{"type":"tool_use","id":"call_1_1","name":"read","input":{"path":"naïve.txt"}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1_1","content":[{"type":"text","text":"hello"},{"type":"image"}]}]}`,
			"usage",
			usage{"input_tokens": 2511.0, "cache_creation_input_tokens": 0.0, "cache_read_input_tokens": 0.0, "output_tokens": 15.0},
			usage{"input_tokens": 3526.0, "cache_creation_input_tokens": 0.0, "cache_read_input_tokens": 0.0, "output_tokens": 4.0},
		},
		"in generateContent": {
			geminiPath, `{"contents":[{"role":"user","parts":[{"text":"` + long + `"}]}%s],` + geminiTools + `}`,
			`,{"role":"model","parts":[{"text":"` + said + `"},{"functionCall":{"name":"read","args":{"path":"naïve.txt"}},"thoughtSignature":"` + signature + `"}]},
				{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"hello"}}}]}`,
			"usageMetadata",
			usage{"promptTokenCount": 2511.0, "candidatesTokenCount": 15.0, "totalTokenCount": 2526.0},
			usage{"promptTokenCount": 2526.0, "candidatesTokenCount": 4.0, "totalTokenCount": 2530.0, "cachedContentTokenCount": 2432.0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, readThenTell, nil)
			for i, want := range []usage{tt.first, tt.second} {
				_, _, body := post(t, srv, tt.path, fmt.Sprintf(tt.ask, map[int]string{1: tt.more}[i]))
				var reply map[string]any
				if err := json.Unmarshal([]byte(body), &reply); err != nil {
					t.Fatal(err)
				}
				if got := fmt.Sprint(reply[tt.of]); got != fmt.Sprint(want) {
					t.Errorf("request %d: got %s, want %v", i+1, got, want)
				}
			}
		})
	}
}
