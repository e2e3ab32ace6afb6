package wire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/wire"
)

// An agent is a whole one: with another Provider it talks to another server.
type agent struct {
	provider         wire.Provider
	base, key, model string
	set              *tools.Set
}

func (a agent) run(ctx context.Context, turn arc.Turn, task string, words func(string)) error {
	session := a.set.Session(turn)
	format, err := wire.New(a.provider, turn.Env, nil)
	if err != nil {
		return err
	}
	conversation := format.AppendUser(nil, task)
	for {
		list, _, err := format.Tools(session)
		if err != nil {
			return err
		}
		body, err := format.Request(wire.Request{
			Model: a.model, System: "Use the tools.", Messages: conversation, Tools: list, Stream: true,
		})
		if err != nil {
			return err
		}
		reply, err := a.post(ctx, format, body, words)
		if err != nil {
			return err
		}
		conversation = append(conversation, reply.Messages...)
		if reply.Stop != wire.Calling {
			return nil // or it was cut, or refused
		}
		results := session.Run(ctx, reply.Calls)
		if conversation, err = format.AppendResults(conversation, reply.Calls, results); err != nil {
			return err
		}
	}
}

func (a agent) post(ctx context.Context, format *wire.Format, body []byte, words func(string)) (wire.Reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base+a.provider.Path(a.model, true), bytes.NewReader(body))
	if err != nil {
		return wire.Reply{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range format.Headers(a.key) {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return wire.Reply{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
		return wire.Reply{}, fmt.Errorf("%s: %s", resp.Status, wire.ProviderError(b))
	}
	return format.ReadStream(resp.Body, words)
}

// A loop over any provider is a page. Here it is run against a scripted model.
func Example() {
	server, err := fakemodel.Start(fakemodel.Script{Steps: []fakemodel.Step{
		{Name: "ask", Text: "Let me see. ", Calls: []fakemodel.Call{{Tool: "add", Args: map[string]any{"a": 19, "b": 23}}}},
		{Name: "tell", When: fakemodel.Match{Of: "add", Contains: "42"}, Text: "It is 42."},
	}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	defer http.DefaultClient.CloseIdleConnections()

	type numbers struct {
		A int `json:"a" jsonschema_description:"one number"`
		B int `json:"b" jsonschema_description:"the other"`
	}
	add := tools.Func(arc.Definition{Name: "add", Description: "Add two numbers."}, func(_ context.Context, n numbers) (string, error) {
		return fmt.Sprint(n.A + n.B), nil
	})
	set, err := tools.NewSet([]arc.Provider{tools.Of(add)}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	a := agent{provider: wire.Anthropic, base: server.URL(), model: "scripted", set: set}
	if err := a.run(context.Background(), arc.Turn{}, "What is 19 + 23?", func(s string) { fmt.Print(s) }); err != nil {
		fmt.Println(err)
	}
	// Output: Let me see. It is 42.
}

func ExampleFormat_Tools() {
	list := wire.Definitions{{
		Name: "read", Description: "Read a file.",
		Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"line":{"type":["integer","null"],"exclusiveMinimum":0}},"required":["path"]}`),
	}}
	format, err := wire.New(wire.Gemini, arc.Env{}, &wire.Options{Dialect: wire.GeminiLegacy})
	if err != nil {
		fmt.Println(err)
		return
	}
	declared, lost, err := format.Tools(list)
	fmt.Println(string(declared), err)
	for _, l := range lost {
		fmt.Println(l)
	}
	// Output:
	// [{"functionDeclarations":[{"name":"read","description":"Read a file.","parameters":{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer","minimum":0,"nullable":true}},"required":["path"],"propertyOrdering":["path","line"]}}]}] <nil>
	// read: line: exclusiveMinimum 0 became minimum
}
