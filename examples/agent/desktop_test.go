package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/x11"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/internal/xclient"
	"github.com/jezek/xgb"
)

// A desktop is offered unasked only to a model that is known to see.
func TestWhoIsOfferedADesktop(t *testing.T) {
	t.Parallel()
	const at = "OPENAI_BASE_URL=http://localhost:11434/v1"
	for name, tt := range map[string]struct{ env, asked, want string }{
		"Anthropic":                       {"ANTHROPIC_API_KEY=k", local.AutoDesktop, local.AutoDesktop},
		"OpenAI":                          {"OPENAI_API_KEY=k", local.AutoDesktop, local.AutoDesktop},
		"Google":                          {"GEMINI_API_KEY=k", local.AutoDesktop, local.AutoDesktop},
		"a server of one's own":           {at, local.AutoDesktop, ""},
		"a server of one's own, if asked": {at, local.X11Desktop, local.X11Desktop},
	} {
		m, err := wish{model: "m"}.choose(getenv([]string{tt.env}))
		if err != nil {
			t.Fatal(err)
		}
		j := job{model: m, local: local.Options{Desktop: tt.asked}}
		if j.offerDesktop(); j.local.Desktop != tt.want {
			t.Errorf("%s: it is %s, want %s", name, j.local.Desktop, tt.want)
		}
	}
}

// formScript fills in a form as a model does that sees it: a screenshot, a zoom, a
// click into the zoomed picture, typing, a look at what has become of it. It also does
// what is refused: two actions in one call, and, once shrink has been called, a click in
// a picture of another screen.
func formScript(text string, shrink func() error) fakemodel.Script {
	type fields = map[string]any
	act := func(actions string) []fakemodel.Call {
		return []fakemodel.Call{{Tool: "computer", Args: json.RawMessage(`{"actions":[` + actions + `]}`)}}
	}
	seen := func(f fields) fakemodel.Match { return fakemodel.Match{Of: "computer", Fields: f} }
	return fakemodel.Script{Steps: []fakemodel.Step{
		{Name: "look", When: fakemodel.Match{Listed: []string{"computer"}}, Calls: act(`{"action":"screenshot"}`)},
		{Name: "zoom", When: seen(fields{"frame.kind": "screenshot", "executed": 1}), Calls: act(`{"action":"zoom","region":[300,200,364,240]}`)},
		{Name: "click in the zoom", When: seen(fields{"frame.kind": "zoom"}), Do: func(r *fakemodel.Request, _ map[string]any) (string, []fakemodel.Call, error) {
			last, _ := r.Last("computer")
			var h struct {
				Frame struct{ Width, Height int }
			}
			if err := json.Unmarshal([]byte(last.Text), &h); err != nil {
				return "", nil, err
			}
			return "The field.", act(fmt.Sprintf(`{"action":"left_click","coordinate":[%d,%d]}`, h.Frame.Width/2, h.Frame.Height/2)), nil
		}},
		{Name: "type", When: seen(fields{"frame.kind": "screenshot", "error": nil}), Calls: act(fmt.Sprintf(`{"action":"type","text":%q}`, text))},
		{Name: "two at once", When: seen(fields{"executed": 1, "error": nil}), Calls: act(`{"action":"key","text":"Tab"},{"action":"key","text":"Return"}`)},
		{Name: "a stale frame", When: seen(fields{"error.code": "invalid_arguments"}), Do: func(*fakemodel.Request, map[string]any) (string, []fakemodel.Call, error) {
			return "", act(`{"action":"left_click","coordinate":[10,10]}`), shrink()
		}},
		{Name: "finish", When: seen(fields{"error.code": "stale_frame", "frame.kind": "screenshot"}), Calls: []fakemodel.Call{{Tool: "finish", Args: json.RawMessage(`{"summary":"The form is filled in."}`)}}},
	}}
}

// TestAFormOnTheDesktop is a form that is filled in on a real display, on screens of two
// sizes, through the real loop, in all wire formats.
func TestAFormOnTheDesktop(t *testing.T) {
	for _, name := range []string{"Xvfb", "xrandr"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	const text = "Zoë, 12 € 漢"
	for i, size := range [][2]int{{1280, 800}, {2560, 1600}} {
		for _, d := range dialects[2*i : 2*i+2] {
			t.Run(fmt.Sprintf("%dx%d, %s", size[0], size[1], d.name), func(t *testing.T) {
				v, err := x11.StartVirtual(t.Context(), size[0], size[1])
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := v.Close(); err != nil {
						t.Error(err)
					}
				})
				t.Setenv("DISPLAY", v.Display)
				t.Setenv("XAUTHORITY", v.Xauthority)
				t.Setenv("WAYLAND_DISPLAY", "")
				t.Setenv("XDG_SESSION_TYPE", "")
				x, err := xgb.NewConn()
				if err != nil {
					t.Fatal(err)
				}
				form := xclient.Start(t, x, xclient.Options{Name: computer.KeyName})
				form.Paint()

				shrunk := false
				srv := serve(t, formScript(text, func() error {
					if shrunk { // a script is replayed
						return nil
					}
					shrunk = true
					return exec.Command("xrandr", "--output", "screen", "--off", "--fb", fmt.Sprintf("%dx%d", size[0]/2, size[1]/2)).Run()
				}))
				scratch := t.TempDir()
				j := job{
					task: "Fill in the form.", dir: filepath.Join(scratch, "project"), steps: 20,
					local: local.Options{Access: arc.FullAccess, State: filepath.Join(scratch, "state"), Desktop: local.X11Desktop, Images: filepath.Join(scratch, "images")},
				}
				if err := os.Mkdir(j.dir, 0o755); err != nil {
					t.Fatal(err)
				}
				j.model = d.model(srv.URL())
				var out, stderr bytes.Buffer
				if code := j.do(t.Context(), &screen{Paper: paint.Paper{Out: &out, Width: 100}}, &stderr); code != exitDone || stderr.Len() > 0 {
					t.Fatalf("exit code %d\n%s\n%s", code, out.String(), stderr.String())
				}

				// The middle of the region, in pixels of the screen.
				mx, my := 332*size[0]/1280, 220*size[1]/800
				if got := form.Text(text); got != text {
					t.Errorf("typed %q and %q arrived", text, got)
				}
				form.Pressed(fmt.Sprintf("press 1 at %d,%d state 0", mx, my))

				// What the model saw is what was kept: five pictures, the stale frame's among them.
				reqs := srv.Requests()
				shown := 0
				for _, turn := range reqs[len(reqs)-1].Turns {
					shown += turn.Images
					for _, r := range turn.Results {
						shown += r.Images
					}
				}
				kept, err := filepath.Glob(filepath.Join(scratch, "images", "*-computer.png"))
				if err != nil || shown != 5 || len(kept) != shown {
					t.Errorf("the model was shown %d pictures and %v were kept, %v", shown, kept, err)
				}
				if !strings.Contains(out.String(), "The field.") {
					t.Errorf("the screen shows\n%s", out.String())
				}
			})
		}
	}
}
