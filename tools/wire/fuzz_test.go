package wire_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools/wire"
)

// holds is what is true of every conversation, whatever a provider sent: it is
// valid JSON, its calls have ids of their own, and each is answered.
func holds(t *testing.T, f *wire.Format, r wire.Reply) {
	t.Helper()
	conversation := append(f.AppendUser(nil, "hello"), r.Messages...)
	ids := map[string]bool{}
	var results []*arc.Result
	for i, c := range r.Calls {
		if c.ID == "" || ids[c.ID] {
			t.Errorf("the id %q is there twice, or none", c.ID)
		}
		ids[c.ID] = true
		result := &arc.Result{Body: "done"}
		if i%2 == 1 {
			result = &arc.Result{Images: []arc.Image{dot}, Offers: []string{"undo"}, Err: &arc.Error{Code: arc.NotFound, Message: "no."}}
		}
		results = append(results, result)
	}
	conversation, err := f.AppendResults(conversation, r.Calls, results)
	if err != nil {
		t.Fatal(err)
	}
	conversation = f.AppendUser(conversation, "go on")
	f.LeaveOutImages(conversation, 1)
	body, err := f.Request(wire.Request{Model: "m", Messages: conversation})
	if err != nil || !json.Valid(body) {
		t.Errorf("the next request is %s, %v", body, err)
	}
}

// fuzzed are the formats that are fuzzed: with as many parts in play as there are.
func fuzzed(t *testing.T, n uint8) *wire.Format {
	p := providers[int(n)%len(providers)]
	o := &wire.Options{Defer: true, Echo: []string{"reasoning_content"}}
	s := surface{list: []arc.Definition{tool("read"), tool("tool_search")}, deferred: []arc.Definition{tool("undo")}}
	if p == wire.OpenAIChat {
		o.Dialect = wire.Grammar
	}
	if p == wire.Anthropic || p == wire.OpenAI {
		s.native = []arc.Definition{{Name: "computer", Native: "computer"}}
	}
	f := open(t, p, desk, o)
	declare(t, f, s)
	return f
}

func FuzzReplies(f *testing.F) {
	for i, p := range providers {
		f.Add(uint8(i), []byte(replies[p]))
	}
	f.Add(uint8(0), []byte(`{"content":[{"type":"tool_use","id":"","name":"left_click","input":"{"},{"type":"tool_use","name":"tool_search"},{"type":"text","text":""},7]}`))
	f.Add(uint8(1), []byte(`{"output":[{"type":"computer_call","actions":[{"type":"wait"}],"pending_safety_checks":[7]},{"type":"tool_search_call","arguments":{}},{"type":"function_call","arguments":"7"}]}`))
	f.Add(uint8(2), []byte(`{"choices":[{"message":{"content":[{"type":"text","text":"a"}],"tool_calls":[{"function":{"arguments":"[]"}},null,{"id":7}]}}]}`))
	f.Add(uint8(3), []byte(`{"candidates":[{"content":{"parts":[{"functionCall":{"args":null}},{"functionCall":7},{"text":"a"}]}}]}`))
	f.Fuzz(func(t *testing.T, n uint8, body []byte) {
		format := fuzzed(t, n)
		r, err := format.Read(body)
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Errorf("the error is %d bytes long", len(err.Error()))
			}
			return
		}
		holds(t, format, r)
	})
}

func FuzzStreams(f *testing.F) {
	for i, p := range providers {
		f.Add(uint8(i), []byte("data: "+strings.Join(streams[p], "\n\ndata: ")+"\n"))
	}
	f.Add(uint8(0), []byte("data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"key\"}}\n\ndata:{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"7\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n"))
	f.Fuzz(func(t *testing.T, n uint8, body []byte) {
		format := fuzzed(t, n)
		said := ""
		r, err := format.ReadStream(bytes.NewReader(body), func(s string) { said += s })
		if err != nil {
			return
		}
		holds(t, format, r)
	})
}

// FuzzDialects holds that a schema in a dialect is a valid one, of which the
// dialect has nothing more to change.
func FuzzDialects(f *testing.F) {
	for i := range dialects {
		for _, s := range []string{
			in(`{"type":["string","number","null"],"enum":["a",1,null],"default":"a"}`), in(`{"type":"array","items":{"$ref":"#/properties/p"}}`),
			in(`{"oneOf":[{"type":"object","properties":{}},{"allOf":[{"const":1}]}],"exclusiveMinimum":0}`), in(`true`), in(`{"type":"object","additionalProperties":{"not":{}}}`),
			`{"properties":{"a":{"$ref":"#"},"b":{"anyOf":[{"type":"null"}]}},"required":["a","z"],"allOf":[{"$ref":"#/properties/b"}]}`,
		} {
			f.Add(uint8(i), []byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, schema []byte) {
		d := dialects[int(n)%len(dialects)]
		once, _, err := d.Schema(schema)
		if err != nil {
			return
		}
		var o struct {
			Type json.RawMessage
		}
		if err := json.Unmarshal(once, &o); err != nil {
			t.Fatalf("%s is not a schema: %v", once, err)
		}
		if d != wire.JSONSchema && string(o.Type) != `"object"` {
			t.Errorf("%s is not an object's", once)
		}
		twice, lost, err := d.Schema(once)
		if err != nil || string(twice) != string(once) {
			t.Errorf("%s\nbecame %s\nand    %s %v, %v", schema, once, twice, lost, err)
		}
	})
}
