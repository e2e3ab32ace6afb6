package fakemodel_test

import (
	"strings"
	"testing"
)

func TestAClientOfResponsesThatIsNotStrictIsRefused(t *testing.T) {
	t.Parallel()
	const (
		call   = `{"type":"function_call","call_id":"c1","name":"read","arguments":"{}"}`
		output = `{"type":"function_call_output","call_id":"c1","output":"hello"}`
	)
	ask := func(items string) string {
		return `{"model":"m","input":[{"role":"user","content":"go"},` + items + `],` + responsesTools + `}`
	}
	refused(t, []refusal{
		{"no model", responsesPath, `{"input":"go"}`, "model is missing"},
		{"no input", responsesPath, `{"model":"m"}`, "input is missing"},
		{"a response that is stored elsewhere", responsesPath, `{"model":"m","input":"go","previous_response_id":"resp_1"}`, "previous_response_id: this server stores no responses; send the whole input"},
		{"a call without an answer", responsesPath, ask(call + `,{"role":"user","content":"well?"}`), `the call "c1" of read is not answered in the next message`},
		{"a call answered twice", responsesPath, ask(call + `,` + output + `,` + output), `the result of "c1" answers no call of the message before it, or answers it twice`},
		{"an answer without an id", responsesPath, ask(call + `,` + strings.Replace(output, `"call_id":"c1",`, "", 1)), "item 3 (function_call_output): call_id is missing"},
		{"an answer that is an object", responsesPath, ask(call + `,` + strings.Replace(output, `"hello"`, `{}`, 1)), "item 3 (function_call_output): output is neither a string nor a list of parts"},
		{"arguments that are no string", responsesPath, ask(strings.Replace(call, `"{}"`, `{}`, 1)), "item 2 (function_call): arguments is not a string"},
		{"arguments that are no object", responsesPath, ask(strings.Replace(call, `"{}"`, `"[]"`, 1)), `item 2 (function_call): the call "c1": the arguments "[]" are not a JSON object`},
		{"an id of another kind", responsesPath, ask(strings.Replace(call, `"call_id"`, `"id":"msg_1","call_id"`, 1)), `item 2 (function_call): the id "msg_1" does not begin with fc_`},
		{"the model's words as the user's", responsesPath, ask(`{"role":"assistant","content":[{"type":"input_text","text":"x"}]}`), `item 2 (message): content of type "input_text" is not understood here`},
		{"a role that is none", responsesPath, ask(`{"role":"tool","content":"x"}`), `item 2 (message): there is no role "tool"`},
		{"an item that is none", responsesPath, ask(`{"type":"thought"}`), "item 2 (thought): an item of this type is not understood here"},
		{"a tool without a type", responsesPath, `{"model":"m","input":"go","tools":[{"name":"read"}]}`, `the tool "read" has no type`},
		{"a tool as in Chat Completions", responsesPath, `{"model":"m","input":"go",` + chatTools + `}`, "tool name \"\" does not match ^[a-zA-Z0-9_-]{1,64}$"},
		{"a strict schema that is open", responsesPath, strings.Replace(ask(call), `"strict":false`, `"strict":true`, 1), "the strict schema of tool read: additionalProperties must be false"},
		{"a desktop of no size", responsesPath, `{"model":"m","input":"go","tools":[{"type":"computer_use_preview","environment":"linux"}]}`, "the tool computer_use_preview wants display_width and display_height"},
		{"a turn of the model that was altered", responsesPath, ask(call + `,` + output), `step 1 "look": the client sends back "" as the model's text, which was "Let me look at the naïve file."`},
	})
}

func TestAStreamOfResponsesJoinsToTheWholeReply(t *testing.T) {
	t.Parallel()
	srv := start(t, readThenTell, nil)
	_, _, body := post(t, srv, responsesPath, `{"model":"m","stream":true,"input":"go",`+responsesTools+`}`)
	var kinds []string
	var text, args string
	var last map[string]any
	for i, e := range events(body) {
		kind := e["type"].(string)
		if n := e["sequence_number"]; n != float64(i) {
			t.Errorf("event %d has the number %v", i, n)
		}
		last = e
		d, _ := e["delta"].(string)
		switch kind {
		case "response.output_text.delta":
			text += d
		case "response.function_call_arguments.delta":
			args += d
		default:
			kinds = append(kinds, strings.TrimPrefix(kind, "response."))
		}
	}
	want := "created in_progress output_item.added content_part.added output_text.done content_part.done output_item.done " +
		"output_item.added function_call_arguments.done output_item.done completed"
	if text != "Let me look at the naïve file." || args != `{"path":"naïve.txt"}` || strings.Join(kinds, " ") != want {
		t.Errorf("got %q %q %v", text, args, kinds)
	}
	whole := last["response"].(map[string]any)
	if items := whole["output"].([]any); len(items) != 2 || whole["status"] != "completed" {
		t.Errorf("it ends with %v", whole)
	}
}
