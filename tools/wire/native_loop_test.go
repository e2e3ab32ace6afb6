package wire_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/wire"
)

// TestNativeLoops runs each provider's own computer tool through ours, against a
// model that is as strict as the provider.
func TestNativeLoops(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider wire.Provider
		version  wire.ComputerVersion
		tool     string
		args     string
		leave    bool
		said     string
	}{
		{wire.Anthropic, "", "left_click", `{"coordinate":[30,40]}`, false, "Clicked."},
		{wire.Anthropic, wire.AnthropicComputer20251124, "computer", `{"action":"left_click","coordinate":[30,40]}`, false, "Clicked."},
		{wire.OpenAI, "", "computer", `{"actions":[{"type":"screenshot"},{"type":"click","button":"left","x":30,"y":40}]}`, false, "Clicked."},
		{wire.OpenAI, wire.OpenAIComputerUsePreview, "computer", `{"action":{"type":"click","button":"left","x":30,"y":40}}`, false, "Clicked."},
		{wire.OpenAI, "", "computer", `{"actions":[{"type":"click","button":"left","x":30,"y":40}],"pending_safety_checks":[{"id":"sc_1","code":"odd","message":"Sure?"}]}`, true, "Clicked."},
	} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %s, streamed %v", c.provider, c.version, stream), func(t *testing.T) {
				screen := computertest.New(300, 200)
				pc, err := computer.Open(t.Context(), screen, &computer.Options{FirstChange: -1, ActionsPerSecond: 1000})
				if err != nil {
					t.Fatal(err)
				}
				defer pc.Close(context.Background())
				srv, base := server(t, c.provider, fakemodel.Script{Steps: []fakemodel.Step{
					{Name: "click", Calls: []fakemodel.Call{{Tool: c.tool, Args: json.RawMessage(c.args)}}},
					{Name: "tell", Text: "Clicked."},
				}})
				set, err := tools.NewSet([]arc.Provider{pc}, nil)
				if err != nil {
					t.Fatal(err)
				}
				session := set.Session(native)
				if c.args[2] == 'c' || c.version != "" || c.leave { // a click needs a frame
					session.Call(t.Context(), arc.Call{Name: "computer", Args: json.RawMessage(`{"actions":[{"action":"screenshot"}]}`)})
				}
				o := &wire.Options{Computer: c.version, Acknowledge: func(arc.Call, []wire.SafetyCheck) bool { return c.leave }}
				equal(t, "words", converse(t, c.provider, base, session, native.Env, o, stream), c.said)
				if err := srv.Err(); err != nil {
					t.Error(err)
				}
				if !slices.Contains(screen.Events(), "move 30,40") {
					t.Errorf("on the desktop: %q", screen.Events())
				}
			})
		}
	}
}
