package mcptool_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// noopArgs are a few arguments of a tool that does nothing.
type noopArgs struct {
	Path  string `json:"path" jsonschema_description:"a file"`
	Limit int    `json:"limit,omitempty" jsonschema_description:"most lines"`
	All   *bool  `json:"all,omitempty" jsonschema_description:"every one"`
}

// sdkArgs are the same in the tags of the SDK.
type sdkArgs struct {
	Path  string `json:"path" jsonschema:"a file"`
	Limit int    `json:"limit,omitempty" jsonschema:"most lines"`
	All   *bool  `json:"all,omitempty" jsonschema:"every one"`
}

var noopJSON = json.RawMessage(`{"path":"main.go","limit":20,"all":true}`)

// ways are the ways to call a tool that does nothing.
func ways(tb testing.TB) map[string]func() {
	set := setOf(tb, tools.Func(arc.Definition{Name: "noop", Effects: arc.Effects{ReadOnly: true}},
		func(context.Context, noopArgs) (string, error) { return "ok", nil }))
	session := set.Session(arc.Turn{})
	ctx := context.Background()
	overMCP := func(c *mcp.ClientSession) func() {
		return func() {
			if r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "noop", Arguments: noopJSON}); err != nil || r.IsError {
				tb.Fatal(r, err)
			}
		}
	}
	bare := mcp.NewServer(&mcp.Implementation{Name: "bare", Version: "1"}, nil)
	bare.AddTool(&mcp.Tool{Name: "noop", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ok"}}}, nil
	})
	typed := mcp.NewServer(&mcp.Implementation{Name: "typed", Version: "1"}, nil)
	mcp.AddTool(typed, &mcp.Tool{Name: "noop"}, func(context.Context, *mcp.CallToolRequest, sdkArgs) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ok"}}}, nil, nil
	})
	served, _ := client(tb, set, arc.Turn{}, nil, nil)
	return map[string]func(){
		"Session.Call": func() {
			if r := session.Call(ctx, arc.Call{Name: "noop", Args: noopJSON}); r.Err != nil {
				tb.Fatal(r.Err)
			}
		},
		"SDK, unchecked": overMCP(sdk(tb, bare)),
		"SDK, typed":     overMCP(sdk(tb, typed)),
		"Serve":          overMCP(served),
	}
}

// sdk is a client of a server of the SDK's, in memory.
func sdk(tb testing.TB, s *mcp.Server) *mcp.ClientSession {
	tb.Helper()
	there, here := mcp.NewInMemoryTransports()
	ss, err := s.Connect(context.Background(), there, nil)
	if err != nil {
		tb.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(), here, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		c.Close()
		ss.Wait()
	})
	return c
}

// TestDispatchIsCheapBesideARoundTrip compares the shortest of many rounds, which a
// machine that is busy otherwise lengthens on both sides.
func TestDispatchIsCheapBesideARoundTrip(t *testing.T) {
	ways := ways(t)
	const rounds, calls = 20, 20
	shortest := map[string]time.Duration{}
	for range rounds {
		for name, way := range ways {
			begin := time.Now()
			for range calls {
				way()
			}
			if took := time.Since(begin) / calls; shortest[name] == 0 || took < shortest[name] {
				shortest[name] = took
			}
		}
	}
	ours := shortest["Session.Call"]
	for name, took := range shortest {
		t.Logf("%s: %v, %.1f times Session.Call", name, took, float64(took)/float64(ours))
	}
	trip := shortest["SDK, unchecked"]
	t.Logf("score: overhead %.1f ≥ 8 calls in the time of a round trip of the MCP SDK in memory", float64(trip)/float64(ours))
	if ours*8 > trip {
		t.Errorf("a call takes %v, more than an eighth of the SDK's round trip in memory, which takes %v", ours, trip)
	}
}

func BenchmarkNoop(b *testing.B) {
	for name, way := range ways(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				way()
			}
		})
	}
}
