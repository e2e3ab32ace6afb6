package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools/wire"
)

// toolUse is a block of Anthropic's as v has it.
func toolUse(v wire.ComputerVersion, action, fields string) string {
	if v == wire.AnthropicComputerToolset20260801 {
		return fmt.Sprintf(`{"type":"tool_use","id":"toolu_1","name":%q,"input":{%s}}`, action, fields)
	}
	return fmt.Sprintf(`{"type":"tool_use","id":"toolu_1","name":"computer","input":{"action":%q%s}}`, action, comma(fields))
}

func comma(fields string) string {
	if fields == "" {
		return ""
	}
	return "," + fields
}

// computerCall is an item of OpenAI's with one action.
func computerCall(action string) string {
	return `{"type":"computer_call","id":"cu_1","call_id":"call_1","status":"completed","pending_safety_checks":[],"action":` + action + `}`
}

func TestAnthropicsActionsAreOurs(t *testing.T) {
	t.Parallel()
	versions := []wire.ComputerVersion{
		wire.AnthropicComputer20241022, wire.AnthropicComputer20250124,
		wire.AnthropicComputer20251124, wire.AnthropicComputerToolset20260801,
	}
	for _, c := range []struct {
		since          int // index of the first version that has it
		action, fields string
		want           string // ours, if it is not fields as they stand
	}{
		{0, "screenshot", ``, ``},
		{0, "left_click", `"coordinate":[10,20]`, ``},
		{0, "left_click", ``, ``},
		{0, "left_click", `"coordinate":[10.0,2e1],"start_coordinate":null`, `"coordinate":[10,20]`},
		{0, "left_click", `"coordinate":[10,20],"text":"ctrl+shift"`, ``},
		{0, "left_click", `"coordinate":[10,20],"key":"shift"`, `"coordinate":[10,20],"text":"shift"`},
		{0, "right_click", `"coordinate":[10,20]`, ``},
		{0, "middle_click", `"coordinate":[10,20]`, ``},
		{0, "double_click", `"coordinate":[0,0]`, ``},
		{0, "left_click_drag", `"coordinate":[30,40]`, ``},
		{0, "left_click_drag", `"coordinate":[30,40],"start_coordinate":[10,20]`, ``},
		{0, "mouse_move", `"coordinate":[10,20]`, ``},
		{0, "cursor_position", ``, ``},
		{0, "type", `"text":"a < b\n"`, `"text":"a \u003c b\n"`},
		{0, "key", `"text":"ctrl+s"`, ``},
		{1, "triple_click", `"coordinate":[10,20]`, ``},
		{1, "left_mouse_down", ``, ``},
		{1, "left_mouse_up", `"coordinate":[10,20]`, ``},
		{1, "scroll", `"coordinate":[10,20],"scroll_direction":"down","scroll_amount":5`, ``},
		{1, "scroll", `"scroll_direction":"left","key":"shift"`, `"text":"shift","scroll_direction":"left"`},
		{1, "hold_key", `"text":"w","duration":0.5`, ``},
		{1, "wait", `"duration":2`, ``},
		{2, "zoom", `"region":[0,0,100,50]`, ``},
	} {
		for i, v := range versions {
			t.Run(fmt.Sprintf("%s %s {%s}", v, c.action, c.fields), func(t *testing.T) {
				got, err := wire.ComputerArgs(v, json.RawMessage(toolUse(v, c.action, c.fields)))
				if i < c.since {
					refused(t, err, "unknown_action")
					return
				}
				want := c.want
				if want == "" {
					want = c.fields
				}
				want = fmt.Sprintf(`{"actions":[{"action":%q%s}]}`, c.action, comma(want))
				if err != nil || !same(t, string(got), want) {
					t.Errorf("got  %s, %v\nwant %s", got, err, want)
				}
			})
		}
	}
}

// same compares JSON whatever the order of properties.
func same(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%#v", x) == fmt.Sprintf("%#v", y)
}

func refused(t *testing.T, err error, reason string) {
	t.Helper()
	var e *arc.Error
	if !errors.As(err, &e) || e.Code != arc.InvalidArguments {
		t.Fatalf("it was not refused: %v", err)
	}
	if got := e.Detail.(map[string]string)["reason"]; got != reason || e.Message == "" {
		t.Errorf("it is refused for %s (%s), and not for %s", got, e.Message, reason)
	}
}

func TestOpenAIsActionsBecomeOurs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, action, want string }{
		{"click", `{"type":"click","button":"left","x":10,"y":20}`, `{"action":"left_click","coordinate":[10,20]}`},
		{"a click at the corner", `{"type":"click","button":"left","x":0,"y":0}`, `{"action":"left_click","coordinate":[0,0]}`},
		{"the right button", `{"type":"click","button":"right","x":10,"y":20,"keys":null}`, `{"action":"right_click","coordinate":[10,20]}`},
		{"the wheel is the middle button", `{"type":"click","button":"wheel","x":10,"y":20}`, `{"action":"middle_click","coordinate":[10,20]}`},
		{"keys held in a click", `{"type":"click","button":"left","x":10,"y":20,"keys":["CTRL","SHIFT"]}`, `{"action":"left_click","coordinate":[10,20],"text":"CTRL+SHIFT"}`},
		{"double_click", `{"type":"double_click","x":10,"y":20,"keys":["ALT"]}`, `{"action":"double_click","coordinate":[10,20],"text":"ALT"}`},
		{"a straight drag", `{"type":"drag","path":[{"x":1,"y":2},{"x":3,"y":4}],"keys":["SHIFT"]}`, `{"action":"left_click_drag","coordinate":[3,4],"start_coordinate":[1,2],"text":"SHIFT"}`},
		{"a drag along a path keeps its corners", `{"type":"drag","path":[{"x":1,"y":2},{"x":3,"y":4},{"x":5,"y":6}]}`,
			`{"action":"left_mouse_down","coordinate":[1,2]},{"action":"mouse_move","coordinate":[3,4]},{"action":"left_mouse_up","coordinate":[5,6]}`},
		{"keypress", `{"type":"keypress","keys":["CTRL","A"]}`, `{"action":"key","text":"CTRL+A"}`},
		{"a blank is the space bar", `{"type":"keypress","keys":[" "]}`, `{"action":"key","text":"space"}`},
		{"plus is a key", `{"type":"keypress","keys":["CTRL","+"]}`, `{"action":"key","text":"CTRL++"}`},
		{"move", `{"type":"move","x":10,"y":20,"keys":[]}`, `{"action":"mouse_move","coordinate":[10,20]}`},
		{"screenshot", `{"type":"screenshot"}`, `{"action":"screenshot"}`},
		{"scrolling down", `{"type":"scroll","x":10,"y":20,"scroll_x":0,"scroll_y":300}`, `{"action":"scroll","coordinate":[10,20],"scroll_direction":"down","scroll_amount":3}`},
		{"scrolling up", `{"type":"scroll","x":10,"y":20,"scroll_x":0,"scroll_y":-150}`, `{"action":"scroll","coordinate":[10,20],"scroll_direction":"up","scroll_amount":2}`},
		{"149 pixels are a notch", `{"type":"scroll","x":10,"y":20,"scroll_y":149}`, `{"action":"scroll","coordinate":[10,20],"scroll_direction":"down","scroll_amount":1}`},
		{"a few pixels are a notch", `{"type":"scroll","x":10,"y":20,"scroll_x":-3}`, `{"action":"scroll","coordinate":[10,20],"scroll_direction":"left","scroll_amount":1}`},
		{"scrolling both ways", `{"type":"scroll","x":10,"y":20,"scroll_x":100,"scroll_y":200,"keys":["SHIFT"]}`,
			`{"action":"scroll","coordinate":[10,20],"text":"SHIFT","scroll_direction":"down","scroll_amount":2},{"action":"scroll","coordinate":[10,20],"text":"SHIFT","scroll_direction":"right","scroll_amount":1}`},
		{"type", `{"type":"type","text":"words"}`, `{"action":"type","text":"words"}`},
		{"wait", `{"type":"wait"}`, `{"action":"wait"}`},
	} {
		for _, v := range []wire.ComputerVersion{wire.OpenAIComputerUsePreview, wire.OpenAIComputer} {
			t.Run(string(v)+" "+c.name, func(t *testing.T) {
				got, err := wire.ComputerArgs(v, json.RawMessage(computerCall(c.action)))
				if want := `{"actions":[` + c.want + `]}`; err != nil || string(got) != want {
					t.Errorf("got  %s, %v\nwant %s", got, err, want)
				}
			})
		}
	}
	t.Run("a list of actions keeps its order", func(t *testing.T) {
		got, err := wire.ComputerArgs(wire.OpenAIComputer, json.RawMessage(`{"type":"computer_call","action":null,"actions":[{"type":"move","x":1,"y":2},{"type":"screenshot"}]}`))
		if want := `{"actions":[{"action":"mouse_move","coordinate":[1,2]},{"action":"screenshot"}]}`; err != nil || string(got) != want {
			t.Errorf("got  %s, %v\nwant %s", got, err, want)
		}
	})
}

func TestWhatHasNoCounterpartIsRefused(t *testing.T) {
	t.Parallel()
	const newest = wire.AnthropicComputer20251124
	for _, c := range []struct {
		name, reason string
		version      wire.ComputerVersion
		call         string
	}{
		{"an unknown version", "version", "computer_19991231", toolUse(newest, "screenshot", ``)},
		{"no JSON", "not_an_object", newest, `{`},
		{"nothing", "not_an_object", newest, ``},
		{"a list", "not_an_object", wire.OpenAIComputer, `[]`},
		{"null", "unknown_action", newest, `null`},
		{"an unknown action", "unknown_action", newest, toolUse(newest, "fly", ``)},
		{"an unknown tool of the set", "unknown_action", wire.AnthropicComputerToolset20260801, toolUse(wire.AnthropicComputerToolset20260801, "fly", ``)},
		{"an action inside of one", "unknown_field", wire.AnthropicComputerToolset20260801, toolUse(wire.AnthropicComputerToolset20260801, "type", `"action":"key","text":"a"`)},
		{"a field that could matter", "unknown_field", newest, toolUse(newest, "key", `"text":"a","repeat":5`)},
		{"half a pixel", "numbers", newest, toolUse(newest, "left_click", `"coordinate":[1.5,2]`)},
		{"a pixel too far for any screen", "numbers", newest, toolUse(newest, "left_click", `"coordinate":[1e300,2]`)},
		{"no number", "numbers", newest, toolUse(newest, "left_click", `"coordinate":[null,2]`)},
		{"an empty coordinate", "numbers", newest, toolUse(newest, "left_click", `"coordinate":[]`)},
		{"a coordinate in words", "type", newest, toolUse(newest, "left_click", `"coordinate":"here"`)},
		{"three numbers of a region", "numbers", newest, toolUse(newest, "zoom", `"region":[1,2,3]`)},
		{"modifiers given twice", "key", newest, toolUse(newest, "left_click", `"text":"shift","key":"ctrl"`)},
		{"key beside typed text", "key", newest, toolUse(newest, "type", `"key":"ctrl"`)},
		{"a way that wheels do not turn", "direction", newest, toolUse(newest, "scroll", `"scroll_direction":"north"`)},
		{"no notches", "amount", newest, toolUse(newest, "scroll", `"scroll_direction":"up","scroll_amount":0`)},
		{"no time", "duration", newest, toolUse(newest, "wait", `"duration":0`)},

		{"a call without actions", "no_action", wire.OpenAIComputer, `{"type":"computer_call","actions":[]}`},
		{"action and actions", "two_lists", wire.OpenAIComputer, `{"action":{"type":"wait"},"actions":[{"type":"wait"}]}`},
		{"a list for the preview", "batch", wire.OpenAIComputerUsePreview, `{"actions":[{"type":"wait"}]}`},
		{"an action of ours", "unknown_action", wire.OpenAIComputer, computerCall(`{"type":"zoom"}`)},
		{"the button back", "button", wire.OpenAIComputer, computerCall(`{"type":"click","button":"back","x":1,"y":2}`)},
		{"the button forward", "button", wire.OpenAIComputer, computerCall(`{"type":"click","button":"forward","x":1,"y":2}`)},
		{"no button", "button", wire.OpenAIComputer, computerCall(`{"type":"click","x":1,"y":2}`)},
		{"no place", "numbers", wire.OpenAIComputer, computerCall(`{"type":"click","button":"left","x":1}`)},
		{"keys held in a move", "keys", wire.OpenAIComputer, computerCall(`{"type":"move","x":1,"y":2,"keys":["SHIFT"]}`)},
		{"keys held along a path", "keys", wire.OpenAIComputer, computerCall(`{"type":"drag","path":[{"x":1,"y":2},{"x":1,"y":3},{"x":1,"y":4}],"keys":["SHIFT"]}`)},
		{"a path of one point", "path", wire.OpenAIComputer, computerCall(`{"type":"drag","path":[{"x":1,"y":2}]}`)},
		{"half a point", "numbers", wire.OpenAIComputer, computerCall(`{"type":"drag","path":[{"x":1,"y":2},{"x":1}]}`)},
		{"no keys", "keys", wire.OpenAIComputer, computerCall(`{"type":"keypress","keys":[]}`)},
		{"two keys in one", "keys", wire.OpenAIComputer, computerCall(`{"type":"keypress","keys":["CTRL+A"]}`)},
		{"keys with a blank between", "keys", wire.OpenAIComputer, computerCall(`{"type":"keypress","keys":["A B"]}`)},
		{"no way to scroll", "amount", wire.OpenAIComputer, computerCall(`{"type":"scroll","x":1,"y":2,"scroll_x":0,"scroll_y":0}`)},
		{"nothing to type", "text", wire.OpenAIComputer, computerCall(`{"type":"type","text":""}`)},
		{"a place for a screenshot", "unknown_field", wire.OpenAIComputer, computerCall(`{"type":"screenshot","x":1}`)},
		{"a field that nobody has", "unknown_field", wire.OpenAIComputer, computerCall(`{"type":"wait","ms":5}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := wire.ComputerArgs(c.version, json.RawMessage(c.call))
			refused(t, err, c.reason)
			if got != nil {
				t.Errorf("there are arguments too: %s", got)
			}
		})
	}
	t.Run("a list names the action", func(t *testing.T) {
		_, err := wire.ComputerArgs(wire.OpenAIComputer, json.RawMessage(`{"actions":[{"type":"wait"},{"type":"move"}]}`))
		refused(t, err, "numbers")
		if !strings.Contains(err.Error(), "actions[1]") {
			t.Errorf("it does not say which: %v", err)
		}
	})
	t.Run("a long name does not fill the message", func(t *testing.T) {
		_, err := wire.ComputerArgs(newest, json.RawMessage(toolUse(newest, strings.Repeat("é", 5000), ``)))
		refused(t, err, "unknown_action")
		if len(err.Error()) > 500 {
			t.Errorf("the message has %d bytes", len(err.Error()))
		}
	})
}

func TestTheCallIsNotChanged(t *testing.T) {
	t.Parallel()
	call := json.RawMessage(computerCall(`{"type":"keypress","keys":["CTRL","A"]}`))
	before := slices.Clone(call)
	if _, err := wire.ComputerArgs(wire.OpenAIComputer, call); err != nil || string(call) != string(before) {
		t.Errorf("%v: %s", err, call)
	}
}
