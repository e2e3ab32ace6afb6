package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

// exporter is an MCP service with a tool whose answer is text.
func exporter(name, text string) mcptool.Service {
	return mcptool.Service{Name: name, Dial: func(ctx context.Context) (mcp.Transport, error) {
		here, there := mcp.NewInMemoryTransports()
		server := mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, nil)
		server.AddTool(&mcp.Tool{Name: "export", Description: "Export the " + name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
			})
		_, err := server.Connect(ctx, there, nil)
		return here, err
	}}
}

// A service answers with 2 MB (less under the race detector): the model finds its tool, gets the head, and pages the
// rest to its end. While it reads it again the operator withdraws the grant.
func TestAServiceWithAHugeAnswer(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for i := 0; all.Len() < archiveSize; i++ {
		fmt.Fprintf(&all, "%d: é 漢 🙂\n", i)
	}
	srv := serve(t, archiveScript())
	var withdrawn atomic.Bool
	seen := &reader{whole: func() { withdrawn.Store(true) }}
	j := job{
		task: "What is in the archive?", dir: t.TempDir(), steps: 100, model: dialectOf(t).model(srv.URL()), watch: []tools.Middleware{seen.watch},
		local: local.Options{
			State: t.TempDir(), Access: arc.FullAccess, Services: []mcptool.Service{exporter("archive", all.String()), exporter("minutes", "")},
			Granted: func(arc.SeatID) []string {
				if withdrawn.Load() {
					return []string{"minutes"}
				}
				return []string{"archive", "minutes"}
			},
		},
	}
	var out, stderr bytes.Buffer
	if code := j.do(t.Context(), &screen{Paper: paint.Paper{Out: &out, Width: 100}}, &stderr); code != exitDone || stderr.Len() > 0 {
		t.Fatalf("exit code %d\n%s\n%s", code, out.String(), stderr.String())
	}
	if got, want := seen.text.String(), all.String(); got != want {
		t.Errorf("the pages are %d bytes of %d", len(got), len(want))
	}
	if len(seen.sizes) < 10 || seen.sizes[0] > 16<<10 {
		t.Errorf("the head and the pages have %v bytes", seen.sizes)
	}
	for _, n := range seen.sizes {
		if n > 49152 {
			t.Errorf("a page has %d bytes", n)
		}
	}
	if seen.refused != arc.ServiceNotGranted {
		t.Errorf("without the grant the next page is answered with %q", seen.refused)
	}
}

// archiveScript is what a model does that reads the archive, and then its second page
// again: each of its calls is one that a result names.
func archiveScript() fakemodel.Script {
	page := func(r *fakemodel.Request, _ map[string]any) (string, []fakemodel.Call, error) {
		last, _ := r.Last("")
		h := last.Header()
		if h["error"] != nil {
			return "", one("finish", `{"summary":"The archive is read, and may no longer be."}`), nil
		}
		if h["next_call"] == nil { // from the head again
			for _, turn := range r.Turns {
				for _, x := range turn.Results {
					if next, ok := x.Header()["next_call"].(map[string]any); ok && x.Name == "archive__export" {
						return "", []fakemodel.Call{{Tool: next["tool"].(string), Args: next["arguments"]}}, nil
					}
				}
			}
		}
		return follow(r, nil)
	}
	steps := []fakemodel.Step{
		{Name: "search", When: fakemodel.Match{Unlisted: []string{"archive__export", "mcp_output"}}, Calls: one("tool_search", `{"query":"export the archive"}`)},
		{Name: "export", When: fakemodel.Match{Listed: []string{"archive__export"}, Unlisted: []string{"mcp_output"}}, Calls: one("archive__export", `{}`)},
		{Name: "the second page", When: fakemodel.Match{Listed: []string{"mcp_output"}, Fields: map[string]any{"next_call.tool": "mcp_output"}}, Do: follow},
	}
	for range 80 { // more than there are pages
		steps = append(steps, fakemodel.Step{Name: "page", Do: page})
	}
	return fakemodel.Script{Steps: steps}
}

// A reader keeps what a service answers, once, and tells when that is whole.
type reader struct {
	text    strings.Builder
	sizes   []int // of the head and of each page
	whole   func()
	refused arc.Code // what came after it was whole
}

func (k *reader) watch(next tools.Handler) tools.Handler {
	return func(ctx context.Context, c arc.Call) *arc.Result {
		r := next(ctx, c)
		if c.Name != "archive__export" && c.Name != "mcp_output" {
			return r
		}
		if r.Err != nil {
			k.refused = r.Err.Code
			return r
		}
		k.text.WriteString(r.Body)
		k.sizes = append(k.sizes, len(r.Body))
		if r.Next == nil {
			k.whole()
		}
		return r
	}
}
