package fakemodel_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/arcseat/arc/internal/fakemodel"
)

// A model that is let think thinks before each answer, and what it thought has to come
// back with its calls, as it was.
func TestThinkingComesBack(t *testing.T) {
	t.Parallel()
	script := fakemodel.Script{Steps: []fakemodel.Step{
		{Name: "look", Calls: []fakemodel.Call{{Tool: "read"}}},
		{Name: "tell", When: fakemodel.Match{Of: "read", Contains: "hello"}, Text: "Read."},
	}}
	for name, tt := range map[string]struct {
		path, ask     string // with a place for what the model said and its answer
		turns, answer string // around the model's content, or output
		of            string // where that is
		kind          string // of the thinking
		seal          string // the field that seals it
		without, odd  string // what is refused
	}{
		"in Messages": {
			messagesPath, `{"model":"m","max_tokens":9,"thinking":{"type":"adaptive"},"messages":[{"role":"user","content":"go"}%s],` + messagesTools + `}`,
			`,{"role":"assistant","content":%s}`, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1_1","content":"hello"}]}`,
			"content", "thinking", "signature",
			"the message must start with its thinking block, as it came", "message 2 (assistant): the signature of a thinking block is not valid",
		},
		"in Responses": {
			responsesPath, `{"model":"m","store":false,"reasoning":{"effort":"low"},"input":[{"role":"user","content":"go"}%s],` + responsesTools + `}`,
			`,%s`, `,{"type":"function_call_output","call_id":"call_1_1","output":"hello"}`,
			"output", "reasoning", "encrypted_content",
			"a function_call came back without the reasoning item before it", "item 2 (reasoning): the encrypted_content of rs_1 is not valid",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, script, nil)
			_, _, body := post(t, srv, tt.path, fmt.Sprintf(tt.ask, ""))
			var reply map[string]json.RawMessage
			var said []map[string]any
			if err := json.Unmarshal([]byte(body), &reply); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(reply[tt.of], &said); err != nil || len(said) != 2 || said[0]["type"] != tt.kind {
				t.Fatalf("the model says %s, %v", body, err)
			}
			back := func(said ...map[string]any) string {
				b, err := json.Marshal(said)
				if err != nil {
					t.Fatal(err)
				}
				list := string(b)
				if tt.path == responsesPath {
					list = strings.Trim(list, "[]")
				}
				_, _, body := post(t, srv, tt.path, fmt.Sprintf(tt.ask, fmt.Sprintf(tt.turns, list)+tt.answer))
				return body
			}
			if got := back(said...); !strings.Contains(got, `"Read."`) {
				t.Errorf("as it came: %s", got)
			}
			if err := srv.Err(); err != nil {
				t.Error(err)
			}
			if got := back(said[1]); !strings.Contains(got, tt.without) {
				t.Errorf("without it: %s", got)
			}
			said[0][tt.seal] = "another"
			if got := back(said...); !strings.Contains(got, tt.odd) {
				t.Errorf("with another seal: %s", got)
			}
			if tt.path == responsesPath {
				delete(said[0], tt.seal)
				if got, want := back(said...), "item 2 (reasoning): rs_1 is not stored here, and has no encrypted_content"; !strings.Contains(got, want) {
					t.Errorf("without its seal: %s", got)
				}
			}
		})
	}
}

func TestThinkingIsStreamedAndCounted(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ path, ask, want string }{
		"in Messages":        {messagesPath, `{"model":"m","max_tokens":9,"stream":true,"thinking":{"type":"enabled"},"messages":[{"role":"user","content":"go"}],` + messagesTools + `}`, `"type":"signature_delta"`},
		"in Responses":       {responsesPath, `{"model":"m","stream":true,"reasoning":{},"input":"go",` + responsesTools + `}`, `"output_tokens_details":{"reasoning_tokens":7}`},
		"in generateContent": {"/v1beta/models/m:streamGenerateContent?alt=sse", `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true}},` + geminiTools + `}`, `"thoughtsTokenCount":7`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, readThenTell, nil)
			if _, _, body := post(t, srv, tt.path, tt.ask); !strings.Contains(body, tt.want) {
				t.Errorf("the stream has no %s: %s", tt.want, body)
			}
		})
	}
}
