package wire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/wire"
)

// native is a turn of a model that brings its own computer tool.
var native = arc.Turn{
	Env: arc.Env{
		Access: arc.FullAccess, Desktop: arc.Desktop{OS: "linux", Width: 300, Height: 200},
		Model: arc.Model{Vision: true, Actions: 10, Native: []string{"computer"}},
	},
	Origin: arc.Origin{Run: "run", Seat: "me", Turn: "turn_1"},
}

// onFake is a set with the tool of a fake desktop, which waits for nothing.
func onFake(t *testing.T, fake *computertest.Fake) *tools.Set {
	t.Helper()
	pc, err := computer.Open(t.Context(), fake, &computer.Options{FirstChange: -1, ActionsPerSecond: 1000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pc.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	set, err := tools.NewSet([]arc.Provider{pc}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// perform runs args in a session over a fake desktop, after a screenshot, and
// returns what came to the desktop.
func perform(t *testing.T, args json.RawMessage) []string {
	t.Helper()
	fake := computertest.New(300, 200)
	session := onFake(t, fake).Session(native)
	for _, a := range []json.RawMessage{json.RawMessage(`{"actions":[{"action":"screenshot"}]}`), args} {
		fake.Forget()
		if r := session.Call(t.Context(), arc.Call{Name: "computer", Args: a}); r.Err != nil {
			t.Fatalf("%s: %v", a, r.Err)
		}
	}
	return fake.Events()
}

func TestNativeCallsDoWhatOursDo(t *testing.T) {
	t.Parallel()
	const set, newest, openai = wire.AnthropicComputerToolset20260801, wire.AnthropicComputer20251124, wire.OpenAIComputer
	for _, c := range []struct {
		name    string
		version wire.ComputerVersion
		call    string
		ours    string // the actions of our own call
		has     string // an event that both lead to; "" if nothing comes to the desktop
	}{
		{"a click", newest, toolUse(newest, "left_click", `"coordinate":[30,40]`), `{"action":"left_click","coordinate":[30,40]}`, "move 30,40"},
		{"a click with a modifier in key", newest, toolUse(newest, "left_click", `"coordinate":[30,40],"key":"shift"`), `{"action":"left_click","coordinate":[30,40],"text":"shift"}`, "shift down"},
		{"a tool of the set", set, toolUse(set, "scroll", `"coordinate":[30,40],"scroll_direction":"up","scroll_amount":2`), `{"action":"scroll","coordinate":[30,40],"scroll_direction":"up","scroll_amount":2}`, "wheel 0,-1"},
		{"a zoom", newest, toolUse(newest, "zoom", `"region":[0,0,30,20]`), `{"action":"zoom","region":[0,0,30,20]}`, ""},
		{"keys", newest, toolUse(newest, "key", `"text":"ctrl+Page_Down"`), `{"action":"key","text":"ctrl+Page_Down"}`, "Page_Down down"},
		{"OpenAI's click", openai, computerCall(`{"type":"click","button":"wheel","x":30,"y":40,"keys":["CTRL"]}`), `{"action":"middle_click","coordinate":[30,40],"text":"ctrl"}`, "middle down"},
		{"OpenAI's double click", openai, computerCall(`{"type":"double_click","x":30,"y":40}`), `{"action":"double_click","coordinate":[30,40]}`, "left down 2"},
		{"OpenAI's drag", openai, computerCall(`{"type":"drag","path":[{"x":1,"y":2},{"x":100,"y":100}]}`), `{"action":"left_click_drag","start_coordinate":[1,2],"coordinate":[100,100]}`, "move 100,100"},
		{"OpenAI's path", openai, computerCall(`{"type":"drag","path":[{"x":1,"y":2},{"x":90,"y":9},{"x":5,"y":6}]}`),
			`{"action":"left_mouse_down","coordinate":[1,2]},{"action":"mouse_move","coordinate":[90,9]},{"action":"left_mouse_up","coordinate":[5,6]}`, "move 90,9"},
		{"OpenAI's move", openai, computerCall(`{"type":"move","x":30,"y":40}`), `{"action":"mouse_move","coordinate":[30,40]}`, "move 30,40"},
		{"OpenAI's screenshot", openai, computerCall(`{"type":"screenshot"}`), `{"action":"screenshot"}`, ""},
		{"OpenAI's scroll", openai, computerCall(`{"type":"scroll","x":30,"y":40,"scroll_x":200,"scroll_y":-100}`),
			`{"action":"scroll","coordinate":[30,40],"scroll_direction":"up","scroll_amount":1},{"action":"scroll","coordinate":[30,40],"scroll_direction":"right","scroll_amount":2}`, "wheel 0,-1"},
		{"OpenAI's typing", openai, computerCall(`{"type":"type","text":"ñ <b>\n"}`), `{"action":"type","text":"ñ <b>\n"}`, `type "ñ <b>\n"`},
		{"a list of OpenAI's", openai, `{"actions":[{"type":"click","button":"right","x":3,"y":4},{"type":"keypress","keys":["ESC"]}]}`,
			`{"action":"right_click","coordinate":[3,4]},{"action":"key","text":"Escape"}`, "Escape down"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args, err := wire.ComputerArgs(c.version, json.RawMessage(c.call))
			if err != nil {
				t.Fatal(err)
			}
			got, want := perform(t, args), perform(t, json.RawMessage(`{"actions":[`+c.ours+`]}`))
			if !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			if c.has == "" && len(want) > 0 || c.has != "" && !slices.Contains(want, c.has) {
				t.Errorf("our own call led to %q", want)
			}
		})
	}
}

// OpenAI names keys in its own way; all names in use are ones that we know.
func TestOpenAIsKeyNamesAreKnown(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ALT": "alt", "ARROWDOWN": "Down", "ARROWLEFT": "Left", "ARROWRIGHT": "Right", "ARROWUP": "Up",
		"BACKSPACE": "BackSpace", "CAPSLOCK": "Caps_Lock", "CMD": "super", "CTRL": "ctrl", "DELETE": "Delete",
		"END": "End", "ENTER": "Return", "ESC": "Escape", "F5": "F5", "HOME": "Home", "INSERT": "Insert", "META": "super",
		"OPTION": "alt", "PAGEDOWN": "Page_Down", "PAGEUP": "Page_Up", "SHIFT": "shift", "SPACE": "space",
		"SUPER": "super", "TAB": "Tab", "WIN": "super", "/": "/", "+": "+", " ": "space", "\\": "\\", "a": "a",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key, err := json.Marshal(name)
			if err != nil {
				t.Fatal(err)
			}
			args, err := wire.ComputerArgs(wire.OpenAIComputer, json.RawMessage(computerCall(`{"type":"keypress","keys":[`+string(key)+`]}`)))
			if err != nil {
				t.Fatal(err)
			}
			if got := perform(t, args); !slices.Contains(got, want+" down") {
				t.Errorf("it presses %q, and not %s", got, want)
			}
		})
	}
}

// FuzzComputerArgs holds that what is not refused fits the tool, so that a session
// neither repairs nor refuses it.
func FuzzComputerArgs(f *testing.F) {
	versions := []wire.ComputerVersion{
		wire.AnthropicComputer20241022, wire.AnthropicComputer20250124, wire.AnthropicComputer20251124,
		wire.AnthropicComputerToolset20260801, wire.OpenAIComputerUsePreview, wire.OpenAIComputer, "",
	}
	for i, call := range []string{
		toolUse(versions[0], "left_click_drag", `"coordinate":[3,4],"start_coordinate":[1,2]`),
		toolUse(versions[1], "scroll", `"coordinate":[3.0,4],"scroll_direction":"up","scroll_amount":3`),
		toolUse(versions[2], "zoom", `"region":[0,0,9,9]`),
		toolUse(versions[3], "hold_key", `"text":"w","duration":1.5`),
		computerCall(`{"type":"drag","path":[{"x":1,"y":2},{"x":90,"y":9},{"x":5,"y":6}]}`),
		`{"actions":[{"type":"keypress","keys":["CTRL","+"]},{"type":"scroll","x":1,"y":2,"scroll_x":-250,"scroll_y":1}]}`,
		`{}`,
	} {
		f.Add(uint8(i), []byte(call))
	}
	env := native.Env
	env.Model.Actions = 1000
	var got json.RawMessage
	session := schemaOnly(f, env, &got)
	f.Fuzz(func(t *testing.T, version uint8, call []byte) {
		args, err := wire.ComputerArgs(versions[int(version)%len(versions)], call)
		if err != nil {
			if e, ok := err.(*arc.Error); !ok || e.Code != arc.InvalidArguments || e.Message == "" || len(e.Message) > 600 {
				t.Errorf("%s: %#v", call, err)
			}
			return
		}
		var typed computer.Args
		d := json.NewDecoder(bytes.NewReader(args))
		d.DisallowUnknownFields()
		if err := d.Decode(&typed); err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		if len(typed.Actions) > env.Model.Actions {
			return // the session says so
		}
		got = nil
		r := session.Call(t.Context(), arc.Call{Name: "computer", Args: args})
		if r.Err != nil {
			t.Fatalf("%s: %v", args, r.Err)
		}
		if !bytes.Equal(got, args) {
			t.Errorf("%s was repaired to %s", args, got)
		}
	})
}

// schemaOnly is a session with a tool that has the schema of the tool computer, and
// only writes down its arguments.
func schemaOnly(f *testing.F, env arc.Env, got *json.RawMessage) *tools.Session {
	pc, err := computer.Open(f.Context(), computertest.New(300, 200), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { pc.Close(context.Background()) })
	def := pc.Tools()[0].Definition(env)
	set, err := tools.NewSet([]arc.Provider{tools.Of(recorder{def, got})}, nil)
	if err != nil {
		f.Fatal(err)
	}
	return set.Session(arc.Turn{Env: env})
}

type recorder struct {
	def arc.Definition
	got *json.RawMessage
}

func (r recorder) Definition(arc.Env) arc.Definition { return r.def }

func (r recorder) Call(_ context.Context, c arc.Call) (*arc.Result, error) {
	*r.got = c.Args
	return &arc.Result{}, nil
}

// TestANativeTurn holds that a model which brings its own computer tool is shown
// that and not ours, and that what it calls runs through ours and comes back with
// the picture.
func TestANativeTurn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider              wire.Provider
		declared, reply, back string
	}{
		{wire.Anthropic, `[{"type":"computer_toolset_20260801"}]`,
			`{"content":[{"type":"tool_use","id":"a","name":"screenshot","toolset_name":"computer","input":{}},{"type":"tool_use","id":"b","name":"left_click","toolset_name":"computer","input":{"coordinate":[30,40]}}]}`,
			`{"type":"image","source":{"type":"base64","media_type":"image/png"`},
		{wire.OpenAI, `[{"type":"computer"}]`,
			`{"status":"completed","output":[{"type":"computer_call","call_id":"a","action":{"type":"screenshot"}},{"type":"computer_call","call_id":"b","actions":[{"type":"click","button":"left","x":30,"y":40}]}]}`,
			`"output":{"type":"computer_screenshot","image_url":"data:image/png;base64,iVBOR`},
	} {
		t.Run(string(c.provider), func(t *testing.T) {
			t.Parallel()
			screen := computertest.New(300, 200)
			session, f := onFake(t, screen).Session(native), open(t, c.provider, native.Env, nil)
			equal(t, "declared", declare(t, f, session), c.declared)
			r := read(t, f, c.reply)
			results := session.Run(t.Context(), r.Calls)
			if !slices.Contains(screen.Events(), "move 30,40") {
				t.Errorf("on the desktop: %q", screen.Events())
			}
			conversation, err := f.AppendResults(r.Messages, r.Calls, results)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(messages(conversation), c.back); n != 2 {
				t.Errorf("%d pictures came back:\n%.2000s", n, messages(conversation))
			}
		})
	}
	t.Run("where the room does not allow it, there is none", func(t *testing.T) {
		t.Parallel()
		safe := native
		safe.Access = arc.Safe
		session := onFake(t, computertest.New(300, 200)).Session(safe)
		equal(t, "declared", declare(t, open(t, wire.OpenAI, safe.Env, nil), session), "")
	})
}
