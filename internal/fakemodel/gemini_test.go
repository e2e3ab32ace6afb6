package fakemodel_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/arcseat/arc/internal/fakemodel"
)

func TestAClientOfGeminiThatIsNotStrictIsRefused(t *testing.T) {
	t.Parallel()
	const (
		call   = `{"role":"model","parts":[{"functionCall":{"id":"c1","name":"read","args":{"path":"naïve.txt"}},"thoughtSignature":"` + signature + `"}]}`
		answer = `{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"read","response":{"output":"hello"}}}]}`
	)
	ask := func(contents string) string {
		return `{"contents":[{"role":"user","parts":[{"text":"go"}]},` + contents + `],` + geminiTools + `}`
	}
	without := func(s, part string) string { return strings.Replace(s, part, "", 1) }
	older := func(schema string) string {
		return `{"contents":[{"role":"user","parts":[{"text":"go"}]}],"tools":[{"functionDeclarations":[{"name":"read","parameters":` + schema + `}]}]}`
	}
	refused(t, []refusal{
		{"no contents", geminiPath, `{}`, "there are no messages"},
		{"a method that is none", "/v1beta/models/m:generate", `{}`, `there is no method "generate"`},
		{"a role that is none", geminiPath, ask(`{"role":"assistant","parts":[{"text":"x"}]}`), "content 2 (assistant): there is no such role; use user or model"},
		{"no parts", geminiPath, ask(`{"role":"model","parts":[]}`), "content 2 (model): parts must not be empty"},
		{"an empty text", geminiPath, ask(`{"role":"model","parts":[{"text":""}]}`), "content 2 (model): a text part is empty"},
		{"a part of nothing", geminiPath, ask(`{"role":"model","parts":[{}]}`), "content 2 (model): a part is empty, or does not belong here"},
		{"a call by the user", geminiPath, ask(strings.Replace(call, "model", "user", 1)), "content 2 (user): a part is empty, or does not belong here"},
		{"a call without an answer", geminiPath, ask(call + `,{"role":"user","parts":[{"inlineData":{}}]}`), `the call "c1" of read is not answered in the next message`},
		{"an answer to nothing", geminiPath, ask(answer), `content 2 (user): functionResponse read, id "c1", answers no functionCall of the turn before it`},
		{"an answer that lost its id", geminiPath, ask(call + "," + without(answer, `"id":"c1",`)), `content 3 (user): functionResponse read, id "", answers no functionCall of the turn before it`},
		{"an answer by another name", geminiPath, ask(call + "," + strings.Replace(answer, `"read"`, `"write"`, 1)), `content 3 (user): functionResponse write answers the call "c1", which is of read`},
		{"an answer that is text", geminiPath, ask(call + "," + strings.Replace(answer, `{"output":"hello"}`, `"hello"`, 1)), "content 3 (user): functionResponse read: response is not an object"},
		{"a call without its signature", geminiPath, ask(without(call, `,"thoughtSignature":"`+signature+`"`) + "," + answer), "content 2: the functionCall read is missing its thoughtSignature"},
		{"a signature of another call", geminiPath, ask(strings.Replace(call, "naïve.txt", "other.txt", 1) + "," + answer), "content 2: the thoughtSignature of the functionCall read is not valid"},
		{"two schemas", geminiPath, strings.Replace(ask(call), `"parametersJsonSchema"`, `"parameters":{},"parametersJsonSchema"`, 1), "the function read has parameters and parametersJsonSchema; one of them is enough"},
		{"a word that the older schema does not have", geminiPath, older(`{"type":"OBJECT","properties":{"n":{"type":"NUMBER","exclusiveMinimum":0}}}`), `parameters of the function read: unknown name "exclusiveMinimum": cannot find field`},
		{"a list of types in the older schema", geminiPath, older(`{"type":"object","properties":{"n":{"type":"array","items":{"type":["string","null"]}}}}`), "parameters of the function read: type is not a string"},
		{"an environment that is none", geminiPath, `{"contents":[{"parts":[{"text":"go"}]}],"tools":[{"computerUse":{"environment":"linux"}}]}`, `computerUse: there is no environment "linux"`},
	})
}

func TestAGeminiClientMayLeaveOutWhatItMay(t *testing.T) {
	t.Parallel()
	twice := fakemodel.Script{Steps: []fakemodel.Step{
		{Name: "look", Calls: []fakemodel.Call{{Tool: "read", Args: map[string]any{"n": 1}}, {Tool: "read", Args: map[string]any{"n": 2}}}},
		{Name: "tell", When: fakemodel.Match{Of: "read", Contains: "second"}, Text: "Read."},
	}}
	for name, ask := range map[string]string{
		"the ids of calls and of their answers": `[{"role":"user","parts":[{"text":"go"}]},
			{"role":"model","parts":[{"functionCall":{"name":"read","args":{"n":1}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"name":"read","args":{"n":2}}}]},
			{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"first"}}},{"functionResponse":{"name":"read","response":{"output":"second"}}}]}]`,
		"the signatures of what was before the user's newest words": `[{"role":"user","parts":[{"text":"go"}]},
			{"role":"model","parts":[{"functionCall":{"id":"call_1_1","name":"read","args":{"n":1}}},{"functionCall":{"id":"call_1_2","name":"read","args":{"n":2}}}]},
			{"role":"user","parts":[{"functionResponse":{"id":"call_1_2","name":"read","response":{"output":"second"}}},{"functionResponse":{"id":"call_1_1","name":"read","response":{"output":"second"}}},{"text":"well?"}]}]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, twice, nil)
			if status, _, body := post(t, srv, geminiPath, `{"contents":`+ask+`,`+geminiTools+`}`); status != 200 || !strings.Contains(body, `"text":"Read."`) {
				t.Errorf("got %d %s", status, body)
			}
		})
	}
}

// The Go client of Google's writes no arguments that are empty, and sends the signature.
func TestAGeminiClientMayLeaveOutEmptyArguments(t *testing.T) {
	t.Parallel()
	srv := start(t, fakemodel.Script{Steps: []fakemodel.Step{
		{Name: "look", Calls: []fakemodel.Call{{Tool: "read"}}}, {Name: "tell", Text: "Read."},
	}}, nil)
	const ask = `{"contents":[{"role":"user","parts":[{"text":"go"}]}`
	_, _, first := post(t, srv, geminiPath, ask+`],`+geminiTools+`}`)
	signature := regexp.MustCompile(`"thoughtSignature":"([^"]+)"`).FindStringSubmatch(first)
	if signature == nil {
		t.Fatalf("the call is not signed: %s", first)
	}
	status, _, body := post(t, srv, geminiPath, ask+`,{"role":"model","parts":[{"functionCall":{"id":"call_1_1","name":"read"},"thoughtSignature":"`+signature[1]+`"}]},
		{"role":"user","parts":[{"functionResponse":{"id":"call_1_1","name":"read","response":{"output":"words"}}}]}],`+geminiTools+`}`)
	if status != 200 || !strings.Contains(body, `"text":"Read."`) {
		t.Errorf("got %d %s", status, body)
	}
}

func TestAStreamOfGeminiJoinsToTheWholeReply(t *testing.T) {
	t.Parallel()
	ask := `{"contents":[{"role":"user","parts":[{"text":"go"}]}],` + geminiTools + `}`
	for name, tt := range map[string]struct {
		query string
		read  func(body string) []map[string]any
	}{
		"of events": {"?alt=sse", events},
		"as a list": {"", func(body string) (list []map[string]any) {
			if err := json.Unmarshal([]byte(body), &list); err != nil {
				t.Error(err)
			}
			return list
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, readThenTell, nil)
			_, _, body := post(t, srv, "/v1beta/models/m:streamGenerateContent"+tt.query, ask)
			var text, call, finish string
			for _, e := range tt.read(body) {
				c := e["candidates"].([]any)[0].(map[string]any)
				if f, ok := c["finishReason"].(string); ok {
					finish = f
				}
				for _, p := range c["content"].(map[string]any)["parts"].([]any) {
					part := p.(map[string]any)
					s, _ := part["text"].(string)
					text += s
					if part["functionCall"] != nil {
						b, err := json.Marshal(part)
						if err != nil {
							t.Fatal(err)
						}
						call += string(b)
					}
				}
			}
			want := `{"functionCall":{"args":{"path":"naïve.txt"},"id":"call_1_1","name":"read"},"thoughtSignature":"` + signature + `"}`
			if text != "Let me look at the naïve file." || call != want || finish != "STOP" {
				t.Errorf("got %q, %s and %q", text, call, finish)
			}
		})
	}
}

func TestABusyGeminiSaysWhenInTheErrorToo(t *testing.T) {
	t.Parallel()
	srv := start(t, readThenTell, &fakemodel.Options{Refuse: []fakemodel.Refusal{{Status: 429, RetryAfter: "7"}}})
	status, _, body := post(t, srv, geminiPath, `{"contents":[{"role":"user","parts":[{"text":"go"}]}],`+geminiTools+`}`)
	want := `{"error":{"code":429,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}],"message":"the model is busy; try again","status":"RESOURCE_EXHAUSTED"}}`
	if status != 429 || body != want {
		t.Errorf("got %d %s", status, body)
	}
}
