package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

// surface has a tool of each listing, in an order that is not the alphabet's.
func surface(t testing.TB) *tools.Set {
	return setOf(t,
		tool(arc.Definition{Name: "zoo_write", Effects: arc.Effects{Destructive: true}}, says("written")),
		look("ant_read", says("read")),
		tool(arc.Definition{Name: "web_page", Listing: arc.Hosted, Effects: arc.Effects{ReadOnly: true, OpenWorld: true}}, says("a page")),
		tool(arc.Definition{Name: "deep_history", Listing: arc.Discover, Effects: arc.Effects{ReadOnly: true}}, says("history")),
		tool(arc.Definition{Name: "shell_run", Needs: arc.Needs{Access: arc.FullAccess}}, says("ran")),
	)
}

func TestList(t *testing.T) {
	t.Parallel()

	t.Run("all that the turn allows is listed from the start, in the providers' order, without tool_search", func(t *testing.T) {
		t.Parallel()
		c, _ := client(t, surface(t), arc.Turn{}, nil, nil)
		if got, want := listedBy(t, c), []string{"zoo_write", "ant_read", "web_page", "deep_history"}; !slices.Equal(got, want) {
			t.Errorf("listed %q, want %q", got, want)
		}
	})

	t.Run("on demand the list is short, and is announced when a search has made it longer", func(t *testing.T) {
		t.Parallel()
		changed := make(chan struct{}, 10)
		c, _ := client(t, surface(t), arc.Turn{}, &mcptool.ServeOptions{OnDemand: true}, &mcp.ClientOptions{
			ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
		})
		if got, want := listedBy(t, c), []string{"zoo_write", "ant_read", "tool_search", "web_page"}; !slices.Equal(got, want) {
			t.Errorf("listed %q, want %q", got, want)
		}
		if text, _ := call(t, c, "deep_history"); text != "history" {
			t.Errorf("a tool that was not listed says %q", text)
		}
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "tool_search", Arguments: map[string]string{"query": "history"}})
		if err != nil || r.IsError {
			t.Fatalf("the search fails: %v %v", r, err)
		}
		select {
		case <-changed:
		case <-time.After(hang):
			t.Fatal("the longer list is not announced")
		}
		if got, want := listedBy(t, c), []string{"zoo_write", "ant_read", "tool_search", "web_page", "deep_history"}; !slices.Equal(got, want) {
			t.Errorf("listed %q, want %q", got, want)
		}
	})

	t.Run("schemas arrive byte for byte", func(t *testing.T) {
		t.Parallel()
		const schema = `{"type":"object","properties":{"z":{"type":["string","number"],"description":"<a> & \"b\" ü   1e3","maximum":1e3,"default":1.0},"a":{"type":"integer","maximum":9007199254740993}},"required":[]}`
		c, _ := rawClient(t, setOf(t, tool(arc.Definition{Name: "odd", Schema: json.RawMessage(schema)}, says("x"))), arc.Turn{}, nil)
		c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if a := c.hear(); !strings.Contains(a.line, `"inputSchema":`+schema) {
			t.Errorf("the schema was changed on its way:\n%s", a.line)
		}
	})

	t.Run("effects are told as hints", func(t *testing.T) {
		t.Parallel()
		c, _ := client(t, surface(t), arc.Turn{}, nil, nil)
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		write, page := list.Tools[0].Annotations, list.Tools[2].Annotations
		if write.ReadOnlyHint || !*write.DestructiveHint || *write.OpenWorldHint {
			t.Errorf("zoo_write: %+v", write)
		}
		if !page.ReadOnlyHint || *page.DestructiveHint || !*page.OpenWorldHint {
			t.Errorf("web_page: %+v", page)
		}
	})

	t.Run("what the host adds stands after the set's", func(t *testing.T) {
		t.Parallel()
		c, _ := client(t, surface(t), arc.Turn{}, &mcptool.ServeOptions{Extend: func(s *mcp.Server) {
			s.AddTool(&mcp.Tool{Name: "a_peer", InputSchema: json.RawMessage(`{"type":"object"}`)},
				func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "peer"}}}, nil
				})
		}}, nil)
		if got := listedBy(t, c); got[len(got)-1] != "a_peer" || len(got) != 5 {
			t.Errorf("listed %q", got)
		}
		if text, _ := call(t, c, "a_peer"); text != "peer" {
			t.Errorf("the peer says %q", text)
		}
	})

	t.Run("a set without tools has an empty list", func(t *testing.T) {
		t.Parallel()
		c, _ := rawClient(t, setOf(t), arc.Turn{}, nil)
		c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if a := c.hear(); !strings.Contains(a.line, `"tools":[]`) {
			t.Errorf("got %s", a.line)
		}
	})
}

func TestResults(t *testing.T) {
	t.Parallel()
	picture := []byte("\x89PNG…")
	set := setOf(t,
		look("full", func(context.Context, arc.Call) (*arc.Result, error) {
			return &arc.Result{
				Data: map[string]int{"lines": 2}, Body: "<a>\n{b}", Next: &arc.Next{Tool: "full", Arguments: map[string]int{"from": 3}},
				Images: []arc.Image{{MIME: "image/png", Data: picture}},
			}, nil
		}),
		look("refused", func(context.Context, arc.Call) (*arc.Result, error) {
			return nil, &arc.Error{Code: arc.Stale, Message: "the file has changed; read it again.", Next: &arc.Next{Tool: "full", Arguments: struct{}{}}}
		}),
		look("has_text", func(context.Context, arc.Call) (*arc.Result, error) {
			return &arc.Result{Data: map[string]string{"text": "of the data"}, Body: "of the body"}, nil
		}),
		look("empty", func(context.Context, arc.Call) (*arc.Result, error) { return nil, nil }),
	)
	get := func(t *testing.T, name string, o *mcptool.ServeOptions) *mcp.CallToolResult {
		t.Helper()
		c, _ := client(t, set, arc.Turn{}, o, nil)
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const fullText = `{"lines":2,"next_call":{"tool":"full","arguments":{"from":3}}}` + "\n<a>\n{b}"

	t.Run("a result is its text and its pictures", func(t *testing.T) {
		t.Parallel()
		r := get(t, "full", nil)
		if len(r.Content) != 2 || r.IsError || r.StructuredContent != nil {
			t.Fatalf("got %+v", r)
		}
		if text := r.Content[0].(*mcp.TextContent).Text; text != fullText {
			t.Errorf("text is %q", text)
		}
		if i := r.Content[1].(*mcp.ImageContent); i.MIMEType != "image/png" || string(i.Data) != string(picture) {
			t.Errorf("picture is %+v", i)
		}
	})

	t.Run("a refusal is an error with its code and its next call", func(t *testing.T) {
		t.Parallel()
		r := get(t, "refused", nil)
		const want = `{"error":{"code":"stale","message":"the file has changed; read it again.","next_call":{"tool":"full","arguments":{}}}}`
		if text := r.Content[0].(*mcp.TextContent).Text; !r.IsError || text != want {
			t.Errorf("got %v %q", r.IsError, text)
		}
	})

	t.Run("structured content is there when it is asked for", func(t *testing.T) {
		t.Parallel()
		for name, want := range map[string]string{
			"full":     `{"lines":2,"next_call":{"arguments":{"from":3},"tool":"full"},"text":"<a>\n{b}"}`,
			"has_text": `{"body":"of the body","text":"of the data"}`,
			"empty":    `{}`,
		} {
			r := get(t, name, &mcptool.ServeOptions{Structured: true})
			b, err := json.Marshal(r.StructuredContent)
			got := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(b))
			if err != nil || got != want {
				t.Errorf("%s: got %s %v, want %s", name, got, err, want)
			}
		}
		if text := get(t, "full", &mcptool.ServeOptions{Structured: true}).Content[0].(*mcp.TextContent).Text; text != fullText {
			t.Errorf("the text is %q", text)
		}
	})

	t.Run("a tool that does not exist, or that the turn does not allow, is an error of the protocol that says so", func(t *testing.T) {
		t.Parallel()
		c, _ := client(t, surface(t), arc.Turn{}, nil, nil)
		for name, code := range map[string]string{"ant_raed": "unknown_tool", "shell_run": "unavailable"} {
			_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
			var e *jsonrpc.Error
			if !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams || !strings.HasPrefix(e.Message, code+": ") {
				t.Errorf("%s: got %v", name, err)
			}
		}
	})

	t.Run("arguments are repaired and checked like all others", func(t *testing.T) {
		t.Parallel()
		set := setOf(t, tools.Func(arc.Definition{Name: "count"}, func(_ context.Context, a struct {
			N int `json:"n" jsonschema:"minimum=1" jsonschema_description:"how many"`
		}) (string, error) {
			return strings.Repeat("x", a.N), nil
		}))
		c, _ := client(t, set, arc.Turn{}, nil, nil)
		for args, want := range map[string]string{`{"n":"3"}`: "xxx", `{"n":0}`: `{"error":{"code":"invalid_arguments"`} {
			r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "count", Arguments: json.RawMessage(args)})
			if err != nil || !strings.HasPrefix(r.Content[0].(*mcp.TextContent).Text, want) {
				t.Errorf("%s: got %+v %v", args, r, err)
			}
		}
	})
}
