package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer/computertest"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/tools/wire"
)

// A model that brings its own computer tool is shown that and not ours, and what it does
// comes to the same desktop, with pictures in the answers.
func TestTheProvidersOwnComputerTool(t *testing.T) {
	t.Parallel()
	acts := func(tool, args string) fakemodel.Step { return fakemodel.Step{Name: tool, Calls: one(tool, args)} }
	for name, tt := range map[string]struct {
		speak    wire.Provider
		version  wire.ComputerVersion
		declared string
		steps    []fakemodel.Step
	}{
		"Anthropic's": {
			wire.Anthropic, "", `{"type":"computer_toolset_20260801"`,
			[]fakemodel.Step{acts("screenshot", `{}`), acts("left_click", `{"coordinate":[30,40]}`), acts("type", `{"text":"é"}`)},
		},
		"an earlier one of Anthropic's": {
			wire.Anthropic, wire.AnthropicComputer20250124, `{"type":"computer_20250124","name":"computer","display_width_px":300,"display_height_px":200}`,
			[]fakemodel.Step{acts("computer", `{"action":"screenshot"}`), acts("computer", `{"action":"left_click","coordinate":[30,40]}`), acts("computer", `{"action":"type","text":"é"}`)},
		},
		"OpenAI's, several actions in a call": {
			wire.OpenAI, "", `{"type":"computer"}`,
			[]fakemodel.Step{
				acts("computer", `{"actions":[{"type":"screenshot"}]}`),
				acts("computer", `{"actions":[{"type":"click","button":"left","x":30,"y":40},{"type":"type","text":"é"}]}`),
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			end := fakemodel.Step{Name: "end", Calls: one("finish", `{"summary":"Typed."}`)}
			srv := serve(t, fakemodel.Script{Steps: append(tt.steps, end)})
			scratch := t.TempDir()
			fake := computertest.New(300, 200)
			j := job{
				task: "Type é into the field.", dir: filepath.Join(scratch, "project"), steps: 20,
				local: local.Options{Access: arc.FullAccess, State: filepath.Join(scratch, "state"), Screen: fake},
				model: dialect{speak: tt.speak}.model(srv.URL()),
			}
			j.model.native, j.model.options.Computer = true, tt.version
			if err := os.Mkdir(j.dir, 0o755); err != nil {
				t.Fatal(err)
			}
			var out, stderr bytes.Buffer
			if code := j.do(t.Context(), &screen{Paper: paint.Paper{Out: &out, Width: 100}}, &stderr); code != exitDone {
				t.Fatalf("exit code %d\n%s\n%s", code, out.String(), stderr.String())
			}
			for _, want := range []string{"move 30,40", "left down", `type "é"`} {
				if !slices.Contains(fake.Events(), want) {
					t.Errorf("to the desktop came %q, without %s", fake.Events(), want)
				}
			}
			reqs := srv.Requests()
			var list struct{ Tools []json.RawMessage }
			if err := json.Unmarshal(reqs[0].Raw, &list); err != nil {
				t.Fatal(err)
			}
			own := slices.ContainsFunc(list.Tools, func(b json.RawMessage) bool { return strings.HasPrefix(string(b), tt.declared) })
			if ours := strings.Contains(string(reqs[0].Raw), `"left_click_drag"`); !own || ours {
				t.Errorf("the provider's tool is declared: %v, and ours: %v: %s", own, ours, list.Tools)
			}
			for i, r := range reqs[1:] {
				res := r.Turns[len(r.Turns)-1].Results
				if len(res) != 1 || res[0].Images == 0 {
					t.Errorf("request %d brings no picture back: %+v", i+2, res)
				}
			}
		})
	}
}
