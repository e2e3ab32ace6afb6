package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools/wire"
)

// replies are a model's turn of words and two calls, as each provider sends it.
var replies = map[wire.Provider]string{
	wire.Anthropic: `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"Let me see."},` +
		`{"type":"tool_use","id":"toolu_1","name":"read","input":{"path":"a <b>.txt"}},{"type":"tool_use","id":"toolu_2","name":"look","input":{}}],` +
		`"stop_reason":"tool_use","usage":{"input_tokens":5,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"output_tokens":7}}`,
	wire.OpenAI: `{"id":"resp_1","status":"completed","output":[{"id":"rs_1","type":"reasoning","summary":[]},{"id":"msg_1","type":"message","role":"assistant","status":"completed",` +
		`"content":[{"type":"output_text","text":"Let me see.","annotations":[]}]},{"id":"fc_1","type":"function_call","call_id":"call_a","name":"read","arguments":"{\"path\":\"a <b>.txt\"}","status":"completed"},` +
		`{"id":"fc_2","type":"function_call","call_id":"call_b","name":"look","arguments":"","status":"completed"}],` +
		`"usage":{"input_tokens":125,"input_tokens_details":{"cached_tokens":100},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":3}}}`,
	wire.OpenAIChat: `{"id":"c","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":"Let me see.","reasoning_content":"hm","tool_calls":[` +
		`{"id":"call_a","type":"function","function":{"name":"read","arguments":"{\"path\":\"a <b>.txt\"}"}},{"id":"call_a","type":"function","function":{"name":"look","arguments":""}}]}}],` +
		`"usage":{"prompt_tokens":125,"prompt_tokens_details":{"cached_tokens":100},"completion_tokens":7}}`,
	wire.Gemini: `{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"Let me see."},{"functionCall":{"name":"read","args":{"path":"a <b>.txt"}},"thoughtSignature":"c2ln"},` +
		`{"functionCall":{"id":"g2","name":"look"}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":125,"cachedContentTokenCount":100,"candidatesTokenCount":4,"thoughtsTokenCount":3}}`,
}

func TestAReply(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider wire.Provider
		ids      string
		messages string
		usage    wire.Usage
		why      string
	}{
		{wire.Anthropic, "toolu_1 toolu_2", `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"Let me see."},` +
			`{"type":"tool_use","id":"toolu_1","name":"read","input":{"path":"a <b>.txt"}},{"type":"tool_use","id":"toolu_2","name":"look","input":{}}]}` + "\n",
			wire.Usage{Input: 125, Cached: 100, Written: 20, Output: 7}, "tool_use"},
		{wire.OpenAI, "call_a call_b", `{"id":"rs_1","type":"reasoning","summary":[]}` + "\n" +
			`{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Let me see.","annotations":[]}]}` + "\n" +
			`{"id":"fc_1","type":"function_call","call_id":"call_a","name":"read","arguments":"{\"path\":\"a <b>.txt\"}","status":"completed"}` + "\n" +
			`{"id":"fc_2","type":"function_call","call_id":"call_b","name":"look","arguments":"","status":"completed"}` + "\n",
			wire.Usage{Input: 125, Cached: 100, Output: 7, Reasoning: 3}, "completed"},
		{wire.OpenAIChat, "call_a call_2", `{"role":"assistant","content":"Let me see.","tool_calls":[{"id":"call_a","type":"function","function":{"name":"read","arguments":"{\"path\":\"a <b>.txt\"}"}},` +
			`{"id":"call_2","type":"function","function":{"name":"look","arguments":"{}"}}]}` + "\n",
			wire.Usage{Input: 125, Cached: 100, Output: 7}, "tool_calls"},
		{wire.Gemini, "call_1 g2", `{"role":"model","parts":[{"text":"hm","thought":true},{"text":"Let me see."},{"functionCall":{"name":"read","args":{"path":"a <b>.txt"}},"thoughtSignature":"c2ln"},` +
			`{"functionCall":{"id":"g2","name":"look"}}]}` + "\n",
			wire.Usage{Input: 125, Cached: 100, Output: 7, Reasoning: 3}, "STOP"},
	} {
		t.Run(string(c.provider), func(t *testing.T) {
			t.Parallel()
			r := read(t, open(t, c.provider, sees, nil), replies[c.provider])
			equal(t, "words", r.Text, "Let me see.")
			if len(r.Calls) != 2 || r.Stop != wire.Calling {
				t.Fatalf("got %+v", r)
			}
			equal(t, "ids", r.Calls[0].ID+" "+r.Calls[1].ID, c.ids)
			equal(t, "calls", r.Calls[0].Name+string(r.Calls[0].Args)+r.Calls[1].Name+string(r.Calls[1].Args), `read{"path":"a <b>.txt"}look{}`)
			equal(t, "messages", messages(r.Messages), c.messages)
			equal(t, "the reason", r.Why, c.why)
			if r.Usage != c.usage {
				t.Errorf("usage is %+v, want %+v", r.Usage, c.usage)
			}
		})
	}
}

// answers are results of the calls in replies: text, and a refusal with a picture.
func answers() []*arc.Result {
	return []*arc.Result{
		{Body: "1 < 2\n"},
		{Images: []arc.Image{dot}, Err: &arc.Error{Code: arc.NotFound, Message: "there is none."}},
	}
}

const refusal = `{\"error\":{\"code\":\"not_found\",\"message\":\"there is none.\"}}`

func TestResultsAnswerTheirCalls(t *testing.T) {
	t.Parallel()
	const chatTools = `{"role":"tool","tool_call_id":"call_a","content":"1 < 2\n"}` + "\n" + `{"role":"tool","tool_call_id":"call_2","content":"` + refusal + `"}` + "\n"
	for _, c := range []struct {
		name     string
		provider wire.Provider
		env      arc.Env
		options  *wire.Options
		want     string
	}{
		{"Anthropic's hold the picture", wire.Anthropic, sees, nil,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"1 < 2\n"},{"type":"tool_result","tool_use_id":"toolu_2","content":[{"type":"text","text":"` + refusal + `"},` +
				`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"ZG90"}}]},{"type":"text","text":"Go on."}]}` + "\n"},
		{"Anthropic's with the picture after all of them", wire.Anthropic, sees, &wire.Options{ImagesAside: true},
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"1 < 2\n"},{"type":"tool_result","tool_use_id":"toolu_2","content":"` + refusal + `","is_error":true},` +
				`{"type":"text","text":"[the picture of look, call toolu_2]"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"ZG90"}},{"type":"text","text":"Go on."}]}` + "\n"},
		{"a model without vision has a line of text", wire.Anthropic, arc.Env{}, nil,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"1 < 2\n"},{"type":"tool_result","tool_use_id":"toolu_2","content":"` + refusal + `\n[a picture, image/png, 3 bytes: this model sees none]","is_error":true},` +
				`{"type":"text","text":"Go on."}]}` + "\n"},
		{"OpenAI's hold the picture", wire.OpenAI, sees, nil,
			`{"type":"function_call_output","call_id":"call_a","output":"1 < 2\n"}` + "\n" +
				`{"type":"function_call_output","call_id":"call_b","output":[{"type":"input_text","text":"` + refusal + `"},{"type":"input_image","image_url":"data:image/png;base64,ZG90"}]}` + "\n" +
				`{"role":"user","content":[{"type":"input_text","text":"Go on."}]}` + "\n"},
		{"OpenAI's with the picture in a message of the user's", wire.OpenAI, sees, &wire.Options{ImagesAside: true},
			`{"type":"function_call_output","call_id":"call_a","output":"1 < 2\n"}` + "\n" + `{"type":"function_call_output","call_id":"call_b","output":"` + refusal + `"}` + "\n" +
				`{"role":"user","content":[{"type":"input_text","text":"[the picture of look, call call_b]"},{"type":"input_image","image_url":"data:image/png;base64,ZG90"}]}` + "\n" +
				`{"role":"user","content":[{"type":"input_text","text":"Go on."}]}` + "\n"},
		{"Chat's are text, and the picture is the user's", wire.OpenAIChat, sees, nil,
			chatTools + `{"role":"user","content":[{"type":"text","text":"[the picture of look, call call_2]"},{"type":"image_url","image_url":{"url":"data:image/png;base64,ZG90"}}]}` + "\n" +
				`{"role":"user","content":"Go on."}` + "\n"},
		{"Chat's for a model without vision", wire.OpenAIChat, arc.Env{}, nil,
			strings.Replace(chatTools, refusal, refusal+`\n[a picture, image/png, 3 bytes: this model sees none]`, 1) + `{"role":"user","content":"Go on."}` + "\n"},
		{"Gemini's hold the picture, and an id where the call had one", wire.Gemini, sees, nil,
			`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"1 < 2\n"}}},{"functionResponse":{"id":"g2","name":"look","response":{"error":"` + refusal + `"},` +
				`"parts":[{"inlineData":{"mimeType":"image/png","data":"ZG90"}}]}}]}` + "\n" + `{"role":"user","parts":[{"text":"Go on."}]}` + "\n"},
		{"Gemini's with the picture after all of them", wire.Gemini, sees, &wire.Options{ImagesAside: true},
			`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"1 < 2\n"}}},{"functionResponse":{"id":"g2","name":"look","response":{"error":"` + refusal + `"}}}]}` + "\n" +
				`{"role":"user","parts":[{"text":"[the picture of look, call g2]"},{"inlineData":{"mimeType":"image/png","data":"ZG90"}}]}` + "\n" + `{"role":"user","parts":[{"text":"Go on."}]}` + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := open(t, c.provider, c.env, c.options)
			r := read(t, f, replies[c.provider])
			got, err := f.AppendResults(nil, r.Calls, answers())
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "messages", messages(f.AppendUser(got, "Go on.")), c.want)
		})
	}
}

// TestWhatServersRefuse holds what makes a server refuse a whole conversation, as
// users of other libraries found.
func TestWhatServersRefuse(t *testing.T) {
	t.Parallel()
	t.Run("Anthropic refuses pictures in a result that is an error", func(t *testing.T) {
		t.Parallel()
		f := open(t, wire.Anthropic, sees, nil)
		got, err := f.AppendResults(nil, []arc.Call{{ID: "a"}, {ID: "b"}}, []*arc.Result{answers()[1], {Err: &arc.Error{Code: arc.NotFound, Message: "no."}}})
		if err != nil || strings.Count(messages(got), "is_error") != 1 || strings.Contains(messages(got), `"is_error":true},{"type":"tool_result","tool_use_id":"b"`) {
			t.Errorf("got %s, %v", messages(got), err)
		}
	})
	t.Run("Anthropic refuses blanks", func(t *testing.T) {
		t.Parallel()
		f := open(t, wire.Anthropic, sees, nil)
		got, err := f.AppendResults(f.AppendModel(f.AppendUser(nil, " \n"), "\t"), []arc.Call{{ID: "a"}, {ID: "b"}}, []*arc.Result{{Body: "\n"}, {Body: " ", Images: []arc.Image{dot}}})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "messages", messages(got), `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"b","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"ZG90"}}]}]}`+"\n")
		r := read(t, f, `{"content":[{"type":"text","text":"\n\n"},{"type":"tool_use","id":"c","name":"x","input":{}}]}`)
		equal(t, "a reply", messages(r.Messages), `{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"x","input":{}}]}`+"\n")
	})
	for p, reply := range map[wire.Provider]string{
		wire.Anthropic:  `{"content":[{"type":"tool_use","id":"c","name":"functions.read","input":{}},{"type":"tool_use","id":"d","input":{}}]}`,
		wire.OpenAI:     `{"output":[{"type":"function_call","call_id":"c","name":"functions.read","arguments":"{}"},{"type":"function_call","call_id":"d","arguments":"{}"}]}`,
		wire.OpenAIChat: `{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"functions.read","arguments":"{}"}},{"id":"d","function":{}}]}}]}`,
		wire.Gemini:     `{"candidates":[{"content":{"parts":[{"functionCall":{"id":"c","name":"functions.read"},"thoughtSignature":"c2ln"},{"functionCall":{"id":"d"}}]}}]}`,
	} {
		t.Run(string(p)+" refuses names that a model made up, or left out", func(t *testing.T) {
			t.Parallel()
			f := open(t, p, sees, nil)
			r := read(t, f, reply)
			if len(r.Calls) != 2 || r.Calls[0].Name != "functions.read" || r.Calls[1].Name != "" {
				t.Fatalf("got %+v", r.Calls)
			}
			all, err := f.AppendResults(r.Messages, r.Calls, answers())
			if err != nil {
				t.Fatal(err)
			}
			got, times := messages(all), 1
			if p == wire.Gemini { // says the name again with the result
				times = 2
			}
			for _, want := range []string{`"name":"functions_read"`, `"name":"unnamed"`} {
				if strings.Count(got, want) != times {
					t.Errorf("%s is not there %d times in %s", want, times, got)
				}
			}
			if p == wire.Gemini && !strings.Contains(got, "c2ln") || strings.Contains(got, "functions.read") {
				t.Errorf("got %s", got)
			}
		})
	}
	t.Run("Gemini refuses anything beside the results of its calls", func(t *testing.T) {
		t.Parallel()
		f := open(t, wire.Gemini, sees, &wire.Options{ImagesAside: true})
		got, err := f.AppendResults(nil, []arc.Call{{ID: "a", Name: "x"}, {ID: "b", Name: "x"}}, answers())
		if err != nil || len(got) != 2 || strings.Count(string(got[0]), "functionResponse") != 2 || strings.Contains(string(got[0]), "inlineData") {
			t.Errorf("got %s, %v", messages(got), err)
		}
	})
}

func TestWhatCannotBeRendered(t *testing.T) {
	t.Parallel()
	for _, p := range providers {
		f := open(t, p, sees, nil)
		before := f.AppendUser(nil, "hello")
		if got, err := f.AppendResults(before, []arc.Call{{ID: "1"}}, nil); err == nil || len(got) != 1 {
			t.Errorf("%s: a call without a result: %s, %v", p, messages(got), err)
		}
		if got, err := f.AppendResults(before, []arc.Call{{ID: "1", Name: "x"}}, []*arc.Result{{Data: 7}}); err == nil || len(got) != 1 || !strings.Contains(err.Error(), "the result of x") {
			t.Errorf("%s: data that is no object: %s, %v", p, messages(got), err)
		}
		if got, err := f.AppendResults(before, []arc.Call{{ID: "1", Name: "x"}}, []*arc.Result{nil}); err != nil || !strings.Contains(messages(got), "{}") {
			t.Errorf("%s: no result at all: %s, %v", p, messages(got), err)
		}
		if got, err := f.AppendResults(before, nil, nil); err != nil || len(got) != 1 {
			t.Errorf("%s: no calls: %s, %v", p, messages(got), err)
		}
	}
}

// TestMessagesAreNotChanged holds what a host relies on that has kept the bytes: to
// a message at the end something is added in a new one.
func TestMessagesAreNotChanged(t *testing.T) {
	t.Parallel()
	for _, p := range providers {
		f := open(t, p, sees, nil)
		first := f.AppendUser(nil, "one")
		kept := string(first[0])
		bytes := first[0]
		second := f.AppendUser(first, "two", dot)
		if string(bytes) != kept {
			t.Errorf("%s: the first message became %s", p, bytes)
		}
		for _, m := range second {
			if !json.Valid(m) {
				t.Errorf("%s: %s is not JSON", p, m)
			}
		}
		alternates := p == wire.Anthropic
		if alternates != (len(second) == 1) {
			t.Errorf("%s: %s", p, messages(second))
		}
		third := f.AppendModel(second, "three")
		fourth := f.AppendUser(third, "")
		if len(third) != len(second)+1 || len(fourth) != len(third) {
			t.Errorf("%s: %s", p, messages(fourth))
		}
	}
}

func TestOlderPicturesAreLeftOut(t *testing.T) {
	t.Parallel()
	for _, p := range providers {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			f := open(t, p, sees, nil)
			conversation := f.AppendUser(nil, "one", dot)
			said := ""
			for range 3 {
				r := read(t, f, replies[p])
				said += messages(r.Messages)
				conversation = append(conversation, r.Messages...)
				var err error
				if conversation, err = f.AppendResults(conversation, r.Calls, answers()); err != nil {
					t.Fatal(err)
				}
			}
			before := strings.Count(messages(conversation), "ZG90")
			if n := f.LeaveOutImages(conversation, 2); n != 2 || before != 4 {
				t.Errorf("%d of %d went, want 2 of 4", n, before)
			}
			after := messages(conversation)
			if n := strings.Count(after, "ZG90"); n != 2 {
				t.Errorf("%d are left:\n%s", n, after)
			}
			for _, m := range conversation {
				if !json.Valid(m) {
					t.Errorf("%s is not JSON", m)
				}
			}
			for line := range strings.Lines(said) {
				if !strings.Contains(after, line) {
					t.Errorf("the model's turn has changed: %s", line)
				}
			}
			if n := f.LeaveOutImages(conversation, 2); n != 0 {
				t.Errorf("%d more went", n)
			}
			if n := f.LeaveOutImages(conversation, 0); n != 1 || strings.Count(messages(conversation), "ZG90") != 1 {
				t.Errorf("the newest stays: %d went", n)
			}
		})
	}
}

func TestOlderPicturesGoHoweverFew(t *testing.T) {
	t.Parallel()
	f := open(t, wire.Anthropic, sees, nil)
	conversation := f.AppendUser(nil, "one", dot)
	conversation = append(conversation, read(t, f, `{"content":[{"type":"text","text":"Yes?"}]}`).Messages...)
	conversation = f.AppendUser(conversation, "two", dot, dot)
	conversation = append(conversation, read(t, f, `{"content":[{"type":"text","text":"Yes?"}]}`).Messages...)
	conversation = f.AppendUser(conversation, "three", dot, dot)
	if n := f.LeaveOutImages(conversation, 3); n != 3 || strings.Contains(string(conversation[0]), "ZG90") {
		t.Errorf("%d went of %s", n, messages(conversation))
	}
}

func TestANameThatIsTooLongIsCut(t *testing.T) {
	t.Parallel()
	f := open(t, wire.Anthropic, sees, nil)
	r := read(t, f, `{"content":[{"type":"tool_use","id":"c","name":"`+strings.Repeat("x", 70)+`","input":{}}]}`)
	equal(t, "the model's turn", messages(r.Messages), `{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"`+strings.Repeat("x", 64)+`","input":{}}]}`+"\n")
}

func TestARequestIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	f := open(t, wire.OpenAI, sees, nil)
	extra := map[string]any{"store": false, "temperature": 0, "top_p": 1, "seed": 7, "user": "u", "metadata": nil}
	for range 20 {
		b, err := f.Request(wire.Request{Model: "m", Extra: extra})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the request", string(b), `{"model":"m","input":[],"metadata":null,"seed":7,"store":false,"temperature":0,"top_p":1,"user":"u"}`)
	}
}
