package fakemodel_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/arcseat/arc/internal/fakemodel"
)

// talk is a conversation up to its newest turn: the model's turns as a script
// makes them, each answered by one text per call.
func talk(t *testing.T, s fakemodel.Script, tools string, results ...[]string) (fakemodel.Reply, error) {
	t.Helper()
	r := &fakemodel.Request{Turns: []fakemodel.Turn{{Text: "go"}}}
	for _, name := range strings.Fields(tools) {
		r.Tools = append(r.Tools, fakemodel.Tool{Name: name, Schema: json.RawMessage(`{"type":"object"}`)})
	}
	for _, texts := range results {
		said, err := s.Answer(r)
		if err != nil {
			return said, err
		}
		answer := fakemodel.Turn{}
		for i, text := range texts {
			answer.Results = append(answer.Results, fakemodel.Result{ID: said.Calls[i].ID, Name: said.Calls[i].Name, Text: text})
		}
		r.Turns = append(r.Turns, fakemodel.Turn{Model: true, Text: said.Text, Calls: said.Calls}, answer)
	}
	return s.Answer(r)
}

func ExampleScript_Answer() {
	script := fakemodel.Script{Steps: []fakemodel.Step{
		{Name: "read", Calls: []fakemodel.Call{{Tool: "read", Args: map[string]any{"path": "a.txt"}}}},
		{
			Name: "edit with the hash that was read",
			When: fakemodel.Match{Contains: "hello"},
			Pull: map[string]fakemodel.Pull{"sha": {Of: "read", Field: "sha256"}},
			Calls: []fakemodel.Call{{Tool: "edit", Args: map[string]any{
				"path": "a.txt", "old_string": "hello", "new_string": "goodbye", "expected_sha256": "${sha}",
			}}},
		},
	}}
	tools := []fakemodel.Tool{{Name: "read"}, {Name: "edit"}}
	read := fakemodel.ToolCall{ID: "call_1_1", Name: "read", Args: json.RawMessage(`{"path":"a.txt"}`)}
	reply, err := script.Answer(&fakemodel.Request{Tools: tools, Turns: []fakemodel.Turn{
		{Text: "say goodbye"},
		{Model: true, Calls: []fakemodel.ToolCall{read}},
		{Results: []fakemodel.Result{{ID: "call_1_1", Name: "read", Text: "{\"sha256\":\"f00d\"}\nhello"}}},
	}})
	fmt.Printf("%s %s %v\n", reply.Calls[0].Name, reply.Calls[0].Args, err)
	// Output: edit {"expected_sha256":"f00d","new_string":"goodbye","old_string":"hello","path":"a.txt"} <nil>
}

func TestAStepThatDoesNotFitSaysWhichAndWhy(t *testing.T) {
	t.Parallel()
	look := fakemodel.Step{Name: "look", Calls: []fakemodel.Call{{Tool: "read"}}}
	tests := []struct {
		name   string
		second fakemodel.Step
		result string
		want   string
	}{
		{"text that is not there", fakemodel.Step{Text: "ok", When: fakemodel.Match{Contains: "red"}}, "green", `step 2 "": the result of read should contain "red": green`},
		{"text that should not be there", fakemodel.Step{Text: "ok", When: fakemodel.Match{Lacks: "green"}}, "green", `step 2 "": the result of read should not contain "green": green`},
		{"an expression", fakemodel.Step{Text: "ok", When: fakemodel.Match{Regexp: `^\d+$`}}, "x1", `step 2 "": the result of read should match "^\\d+$": x1`},
		{"a field of the header", fakemodel.Step{Text: "ok", When: fakemodel.Match{Fields: map[string]any{"error.code": "stale"}}}, `{"error":{"code":"no_match"}}`, `step 2 "": error.code of the result of read should be stale and is no_match: {"error":{"code":"no_match"}}`},
		{"a field that should be absent", fakemodel.Step{Text: "ok", When: fakemodel.Match{Fields: map[string]any{"error": nil}}}, `{"error":1}`, `step 2 "": error of the result of read should be <nil> and is 1: {"error":1}`},
		{"a result of another tool", fakemodel.Step{Text: "ok", When: fakemodel.Match{Of: "edit", Contains: "x"}}, "x", `step 2 "": there is no result of edit yet`},
		{"a value that cannot be pulled", fakemodel.Step{Text: "ok", Pull: map[string]fakemodel.Pull{"id": {Field: "changes.0.id"}}}, `{"changes":[]}`, `step 2 "": pull id: the result of read has no changes.0.id: {"changes":[]}`},
		{"a value that was never pulled", fakemodel.Step{Text: "see ${it}"}, "x", `step 2 "": no value was pulled as "it"`},
		{"a tool that is not listed", fakemodel.Step{Calls: []fakemodel.Call{{Tool: "undo"}}}, "x", `step 2 "": it calls undo, which the request does not list; listed are read, edit`},
		{"a tool that should be listed", fakemodel.Step{Text: "ok", When: fakemodel.Match{Listed: []string{"undo"}}}, "x", `step 2 "": undo should be listed by now; listed are read, edit`},
		{"a tool that should not be listed", fakemodel.Step{Text: "ok", When: fakemodel.Match{Unlisted: []string{"edit"}}}, "x", `step 2 "": edit should not be listed yet`},
		{"a func that refuses", fakemodel.Step{Do: func(*fakemodel.Request, map[string]any) (string, []fakemodel.Call, error) {
			return "", nil, errors.New("no")
		}}, "x", `step 2 "": no`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := talk(t, fakemodel.Script{Steps: []fakemodel.Step{look, tt.second}}, "read edit", []string{tt.result})
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	t.Run("a client that asks on after the end", func(t *testing.T) {
		t.Parallel()
		_, err := talk(t, fakemodel.Script{Steps: []fakemodel.Step{look}}, "read", []string{"x"})
		if want := "the script has ended after 1 steps and the client asks on"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	})
}

func TestPulledValues(t *testing.T) {
	t.Parallel()
	script := fakemodel.Script{Steps: []fakemodel.Step{
		{Name: "look", Calls: []fakemodel.Call{{Tool: "read"}, {Tool: "edit"}}},
		{Name: "use", Pull: map[string]fakemodel.Pull{
			"n":    {Of: "read", Field: "list.1.n"},
			"word": {Of: "edit", Regexp: `job_(\w+)`},
		}, Text: "${word}!", Calls: []fakemodel.Call{{Tool: "read", Args: map[string]any{"n": "${n}", "s": "n is ${n} < 2", "deep": []any{"${word}"}}}}},
		{Name: "later", Calls: []fakemodel.Call{{Tool: "read", Args: struct {
			Word string `json:"word"`
		}{"${word}"}}}},
	}}
	both := []string{`{"list":[0,{"n":9007199254740993}]}`, "started job_7"}
	t.Run("a whole string becomes the value itself, exact, and a part of one becomes text", func(t *testing.T) {
		t.Parallel()
		reply, err := talk(t, script, "read edit", both)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"deep":["7"],"n":9007199254740993,"s":"n is 9007199254740993 < 2"}`
		if got := string(reply.Calls[0].Args); got != want || reply.Text != "7!" {
			t.Errorf("got %s and %q, want %s and %q", got, reply.Text, want, "7!")
		}
	})
	t.Run("they stay for the steps that follow", func(t *testing.T) {
		t.Parallel()
		reply, err := talk(t, script, "read edit", both, []string{"x"})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(reply.Calls[0].Args), `{"word":"7"}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestParse(t *testing.T) {
	t.Parallel()
	s, err := fakemodel.Parse([]byte(`{"steps":[
		{"name":"look","calls":[{"tool":"read","args":{"path":"a"}}]},
		{"name":"end","when":{"fields":{"size":3}},"pull":{"s":{"field":"size"}},"text":"${s} bytes"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	reply, err := talk(t, s, "read", []string{`{"size":3}`})
	if err != nil || reply.Text != "3 bytes" {
		t.Errorf("got %q, %v; want %q", reply.Text, err, "3 bytes")
	}
	for name, tt := range map[string]struct{ in, want string }{
		"a misspelt field is an error":       {`{"steps":[{"nmae":"x","text":"y"}]}`, `script: json: unknown field "nmae"`},
		"an empty step is an error":          {`{"steps":[{"name":"x"}]}`, `step 1 "x": it says nothing and calls nothing`},
		"a broken expression is an error":    {`{"steps":[{"name":"x","text":"y","when":{"regexp":"("}}]}`, "step 1 \"x\": error parsing regexp: missing closing ): `(`"},
		"a pull without a place is an error": {`{"steps":[{"name":"x","text":"y","pull":{"v":{}}}]}`, `step 1 "x": pull v wants a field or a regexp`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := fakemodel.Parse([]byte(tt.in)); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
