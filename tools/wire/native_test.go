package wire_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools/wire"
)

// desk is the Env of a model that brings its own computer tool.
var desk = arc.Env{
	Access: arc.FullAccess, Desktop: arc.Desktop{OS: "darwin", Width: 8, Height: 6},
	Model: arc.Model{Vision: true, Native: []string{"computer"}},
}

var ours = surface{
	list:   []arc.Definition{tool("read"), tool("wait")},
	native: []arc.Definition{{Name: "computer", Native: "computer"}, {Name: "ear", Native: "ear"}},
}

func TestNativeToolsAreDeclared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider wire.Provider
		version  wire.ComputerVersion
		want     string // before the other tools
		lost     string
		beta     string
	}{
		{wire.Anthropic, "", `{"type":"computer_toolset_20260801","configs":{"wait":{"enabled":false}}}`, "computer: wait: left out, since another tool has this name", ""},
		{wire.Anthropic, wire.AnthropicComputer20251124, `{"type":"computer_20251124","name":"computer","display_width_px":8,"display_height_px":6,"enable_zoom":true}`, "", "computer-use-2025-11-24"},
		{wire.Anthropic, wire.AnthropicComputer20250124, `{"type":"computer_20250124","name":"computer","display_width_px":8,"display_height_px":6}`, "", "computer-use-2025-01-24"},
		{wire.Anthropic, wire.AnthropicComputer20241022, `{"type":"computer_20241022","name":"computer","display_width_px":8,"display_height_px":6}`, "", "computer-use-2024-10-22"},
		{wire.OpenAI, "", `{"type":"computer"}`, "", ""},
		{wire.OpenAI, wire.OpenAIComputerUsePreview, `{"type":"computer_use_preview","display_width":8,"display_height":6,"environment":"mac"}`, "", ""},
	} {
		t.Run(string(c.provider)+" "+string(c.version), func(t *testing.T) {
			t.Parallel()
			f := open(t, c.provider, desk, &wire.Options{Computer: c.version})
			list, lost, err := f.Tools(ours)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(list), "["+c.want+",") || strings.Contains(string(list), "ear") {
				t.Errorf("got  %s\nwant %s", list, c.want)
			}
			said := ""
			for _, l := range lost {
				said += l.String()
			}
			equal(t, "lost", said, c.lost)
			equal(t, "the beta", f.Headers("")["anthropic-beta"], c.beta)
			body, err := f.Request(wire.Request{Model: "m"})
			if err != nil || strings.Contains(string(body), `"truncation":"auto"`) != (c.version == wire.OpenAIComputerUsePreview) {
				t.Errorf("the request is %s, %v", body, err)
			}
		})
	}
}

func TestNativeToolsThatCannotBeDeclared(t *testing.T) {
	t.Parallel()
	for _, p := range []wire.Provider{wire.OpenAIChat, wire.Gemini} {
		if _, _, err := open(t, p, desk, nil).Tools(ours); err == nil || !strings.Contains(err.Error(), "no computer tool of its own") {
			t.Errorf("%s: %v", p, err)
		}
	}
	if _, _, err := open(t, wire.Anthropic, sees, nil).Tools(ours); err == nil || !strings.Contains(err.Error(), "size of the screenshots") {
		t.Errorf("without a screen: %v", err)
	}
	if _, err := wire.New(wire.Anthropic, desk, &wire.Options{Computer: wire.OpenAIComputer}); err == nil {
		t.Error("Anthropic has OpenAI's tool")
	}
}

func TestNativeCallsGoThroughOurTool(t *testing.T) {
	t.Parallel()
	shot := &arc.Result{Data: map[string]int{"frame": 1}, Images: []arc.Image{dot}}
	refused := &arc.Result{Err: &arc.Error{Code: arc.InvalidArguments, Message: "ours."}}
	const pending = `[{"id":"sc_1","code":"malicious_instructions","message":"Look out"}]`
	openAI := func(action, checks string) string {
		return `{"status":"completed","output":[{"type":"computer_call","id":"cu_1","call_id":"c1","status":"completed","action":` + action + `,"pending_safety_checks":` + checks + `}]}`
	}
	const click = `{"type":"click","button":"left","x":1,"y":2}`
	const leftClick = `computer{"actions":[{"action":"left_click","coordinate":[1,2]}]}`
	const held = `{"role":"user","content":[{"type":"input_text","text":"[a call of computer was held back: {\"type\":\"computer_call\",\"id\":\"cu_1\",\"call_id\":\"c1\",\"status\":\"completed\",\"action\":{\"type\":\"click\",\"button\":\"left\",\"x\":1,\"y\":2},` +
		`\"pending_safety_checks\":[{\"id\":\"sc_1\",\"code\":\"malicious_instructions\",\"message\":\"Look out\"}]}]\n`
	const blank = "a picture of 8 by 6"
	yes := func(arc.Call, []wire.SafetyCheck) bool { return true }
	no := func(c arc.Call, checks []wire.SafetyCheck) bool {
		return c.ID != "c1" || checks[0] != wire.SafetyCheck{ID: "sc_1", Code: "malicious_instructions", Message: "Look out"}
	}
	for _, c := range []struct {
		name     string
		provider wire.Provider
		options  *wire.Options
		body     string
		call     string
		result   *arc.Result
		want     string
	}{
		{"a member of Anthropic's set", wire.Anthropic, nil, `{"content":[{"type":"tool_use","id":"c1","name":"left_click","toolset_name":"computer","input":{"coordinate":[1,2]}}]}`, leftClick, shot,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","toolset_name":"computer","content":[{"type":"text","text":"{\"frame\":1}"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"ZG90"}}]}]}`},
		{"a member that does not say that it is one", wire.Anthropic, nil, `{"content":[{"type":"tool_use","id":"c1","name":"left_click","input":{"coordinate":[1,2]}}]}`, leftClick, shot,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"{\"frame\":1}"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"ZG90"}}]}]}`},
		{"our own tool of a member's name", wire.Anthropic, nil, `{"content":[{"type":"tool_use","id":"c1","name":"wait","input":{}}]}`, `wait{}`, &arc.Result{Body: "ok"},
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok"}]}`},
		{"Anthropic's one tool", wire.Anthropic, &wire.Options{Computer: wire.AnthropicComputer20250124}, `{"content":[{"type":"tool_use","id":"c1","name":"computer","input":{"action":"left_click","coordinate":[1,2]}}]}`, leftClick, shot,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"{\"frame\":1}"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"ZG90"}}]}]}`},
		{"a call that says what cannot be is answered in its own words", wire.Anthropic, &wire.Options{Computer: wire.AnthropicComputer20250124},
			`{"content":[{"type":"tool_use","id":"c1","name":"computer","input":{"action":"zoom","actions":[{"action":"screenshot"}]}}]}`, `computer{"actions":[]}`, refused,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"{\"error\":{\"code\":\"invalid_arguments\",\"message\":\"the field \\\"actions\\\" has no counterpart here; leave it out.\",\"reason\":\"unknown_field\"}}","is_error":true}]}`},
		{"OpenAI's is answered by the screenshot", wire.OpenAI, nil, openAI(click, `[]`), leftClick, shot,
			`{"type":"computer_call_output","call_id":"c1","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,ZG90"}}`},
		{"OpenAI's with checks that the operator has acknowledged", wire.OpenAI, &wire.Options{Acknowledge: yes}, openAI(click, pending), leftClick, shot,
			`{"type":"computer_call_output","call_id":"c1","acknowledged_safety_checks":` + pending + `,"output":{"type":"computer_screenshot","image_url":"data:image/png;base64,ZG90"}}`},
		{"OpenAI's with checks that the operator has not acknowledged", wire.OpenAI, &wire.Options{Acknowledge: no}, openAI(click, pending), `computer{"actions":[]}`, refused,
			held + `{\"error\":{\"code\":\"forbidden\",\"message\":\"the operator has not acknowledged the safety checks of this call; do it another way, or ask the operator.\"}}"}]}`},
		{"OpenAI's with checks that nobody is there to see", wire.OpenAI, nil, openAI(click, pending), `computer{"actions":[]}`, refused,
			held + `{\"error\":{\"code\":\"forbidden\",\"message\":\"the operator has not acknowledged the safety checks of this call; do it another way, or ask the operator.\"}}"}]}`},
		{"OpenAI's with checks that nobody can read", wire.OpenAI, &wire.Options{Acknowledge: yes}, openAI(click, `[7]`), `computer{"actions":[]}`, refused,
			strings.Replace(held, `[{\"id\":\"sc_1\",\"code\":\"malicious_instructions\",\"message\":\"Look out\"}]`, `[7]`, 1) +
				`{\"error\":{\"code\":\"forbidden\",\"message\":\"the operator has not acknowledged the safety checks of this call; do it another way, or ask the operator.\"}}"}]}`},
		{"OpenAI's that says what cannot be", wire.OpenAI, nil, openAI(`{"type":"fly"}`, `[]`), `computer{"actions":[]}`, refused,
			`{"type":"computer_call_output","call_id":"c1","output":{"type":"computer_screenshot","image_url":"` + blank + `"}}` + "\n" +
				`{"role":"user","content":[{"type":"input_text","text":"[the result of computer, call c1]\n{\"error\":{\"code\":\"invalid_arguments\",\"message\":\"there is no action \\\"fly\\\"; use click, double_click, drag, keypress, move, screenshot, scroll, type or wait.\",\"reason\":\"unknown_action\"}}"}]}`},
		{"OpenAI's with more pictures than one", wire.OpenAI, nil, openAI(click, `null`), leftClick, &arc.Result{Images: []arc.Image{dot, {MIME: "image/png", Data: []byte("last")}}},
			`{"type":"computer_call_output","call_id":"c1","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,bGFzdA=="}}` + "\n" +
				`{"role":"user","content":[{"type":"input_text","text":"[the result of computer, call c1]\n{}"},{"type":"input_image","image_url":"data:image/png;base64,ZG90"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := open(t, c.provider, desk, c.options)
			declare(t, f, ours)
			r := read(t, f, c.body)
			if len(r.Calls) != 1 {
				t.Fatalf("got %+v", r)
			}
			equal(t, "the call", r.Calls[0].Name+string(r.Calls[0].Args), c.call)
			got, err := f.AppendResults(nil, r.Calls, []*arc.Result{c.result})
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "messages", anyPNG.ReplaceAllStringFunc(messages(got), sizeOf), c.want+"\n")
		})
	}
}

// anyPNG is a picture that is one, in an address.
var anyPNG = regexp.MustCompile(`data:image/png;base64,iVBOR[^"]*`)

func sizeOf(address string) string {
	_, data, _ := strings.Cut(address, ",")
	c, err := png.DecodeConfig(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("a picture of %d by %d", c.Width, c.Height)
}

func TestACallThatIsHeldBackIsLeftOut(t *testing.T) {
	t.Parallel()
	f := open(t, wire.OpenAI, desk, nil)
	declare(t, f, ours)
	const message = `{"type":"message","content":[{"type":"output_text","text":"Hm."}]}`
	r := read(t, f, `{"output":[{"type":"reasoning","id":"rs_0"},`+message+`,{"type":"reasoning","id":"rs_1"},{"type":"computer_call","call_id":"c1","action":{"type":"screenshot"},"pending_safety_checks":[{"id":"sc"}]}]}`)
	equal(t, "messages", messages(r.Messages), `{"type":"reasoning","id":"rs_0"}`+"\n"+message+"\n")
	if len(r.Calls) != 1 || r.Stop != wire.Calling {
		t.Errorf("got %+v", r)
	}
	const other = `{"type":"function_call","call_id":"c2","name":"read","arguments":"{}"}`
	r = read(t, f, `{"output":[{"type":"reasoning","id":"rs_1"},{"type":"computer_call","call_id":"c3","action":{"type":"screenshot"},"pending_safety_checks":[{"id":"sc"}]},`+other+`]}`)
	equal(t, "messages of a reasoning that led to more", messages(r.Messages), `{"type":"reasoning","id":"rs_1"}`+"\n"+other+"\n")
}

// TestAComputerThatWasNotDeclared holds that a model which calls what it was not
// shown does not get through.
func TestAComputerThatWasNotDeclared(t *testing.T) {
	t.Parallel()
	f := open(t, wire.Anthropic, desk, nil)
	declare(t, f, surface{list: []arc.Definition{tool("read")}})
	r := read(t, f, `{"content":[{"type":"tool_use","id":"c1","name":"left_click","input":{"coordinate":[1,2]}}]}`)
	equal(t, "the call", r.Calls[0].Name, "left_click")
	g := open(t, wire.OpenAI, desk, nil)
	declare(t, g, surface{})
	r = read(t, g, `{"output":[{"type":"computer_call","call_id":"c1","action":{"type":"screenshot"}}]}`)
	if r.Calls[0].Name == "computer" {
		t.Errorf("it is a call of %s", r.Calls[0].Name)
	}
}

func TestDeferredTools(t *testing.T) {
	t.Parallel()
	search := tool("tool_search")
	before := surface{list: []arc.Definition{tool("read"), search}, deferred: []arc.Definition{tool("undo"), tool("shell")}}
	after := surface{list: []arc.Definition{tool("read"), search, tool("undo"), tool("named")}, deferred: []arc.Definition{tool("shell")}}
	found := &arc.Result{Data: map[string]any{"tools": []string{}}, Offers: []string{"undo", "strange"}, Notices: []string{"There is more."}}
	nothing := &arc.Result{Body: "none"}
	const schema = `{"type":"object","properties":{}}`
	anthropic := func(name, more string) string {
		return `{"name":"` + name + `","description":"Do it.","input_schema":` + schema + more + `}`
	}
	openAI := func(name, more string) string {
		return `{"type":"function","name":"` + name + `","description":"Do it.","parameters":` + schema + `,"strict":false` + more + `}`
	}
	const later = `,"defer_loading":true`
	const theirSearch = `{"type":"tool_search","execution":"client","description":"Do it.","parameters":` + schema + `}`
	for _, c := range []struct {
		provider            wire.Provider
		first, second, call string
		result, none        string
	}{
		{wire.Anthropic, anthropic("read", "") + "," + anthropic("tool_search", "") + "," + anthropic("undo", later) + "," + anthropic("shell", later),
			anthropic("read", "") + "," + anthropic("tool_search", "") + "," + anthropic("named", "") + "," + anthropic("undo", later) + "," + anthropic("shell", later),
			`{"content":[{"type":"tool_use","id":"s1","name":"tool_search","input":{"query":"undo"}}]}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"s1","content":[{"type":"tool_reference","tool_name":"undo"}]},{"type":"text","text":"There is more."}]}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"s1","content":"none"}]}`},
		{wire.OpenAI, openAI("read", "") + "," + theirSearch, openAI("read", "") + "," + theirSearch + "," + openAI("named", ""),
			`{"output":[{"type":"tool_search_call","id":"ts_1","call_id":"s1","execution":"client","arguments":{"query":"undo"},"status":"completed"}]}`,
			`{"type":"tool_search_output","call_id":"s1","execution":"client","status":"completed","tools":[` + openAI("undo", later) + `]}` + "\n" +
				`{"role":"user","content":[{"type":"input_text","text":"[the result of tool_search]\nThere is more."}]}`,
			`{"type":"tool_search_output","call_id":"s1","execution":"client","status":"completed","tools":[]}` + "\n" +
				`{"role":"user","content":[{"type":"input_text","text":"[the result of tool_search]\nnone"}]}`},
	} {
		t.Run(string(c.provider)+" loads what a search has found, and its list of tools keeps its beginning", func(t *testing.T) {
			t.Parallel()
			f := open(t, c.provider, sees, &wire.Options{Defer: true})
			equal(t, "first", declare(t, f, before), "["+c.first+"]")
			r := read(t, f, c.call)
			equal(t, "the call", r.Calls[0].Name+string(r.Calls[0].Args), `tool_search{"query":"undo"}`)
			got, err := f.AppendResults(nil, r.Calls, []*arc.Result{found})
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "the result", messages(got), c.result+"\n")
			equal(t, "second", declare(t, f, after), "["+c.second+"]")

			g := open(t, c.provider, sees, &wire.Options{Defer: true})
			declare(t, g, before)
			if got, err = g.AppendResults(nil, read(t, g, c.call).Calls, []*arc.Result{nothing}); err != nil {
				t.Fatal(err)
			}
			equal(t, "nothing", messages(got), c.none+"\n")
		})
	}
	for _, p := range []wire.Provider{wire.OpenAIChat, wire.Gemini} {
		got := declare(t, open(t, p, sees, &wire.Options{Defer: true}), before)
		if strings.Contains(got, "undo") || strings.Contains(got, "defer") {
			t.Errorf("%s declares %s", p, got)
		}
	}
	for _, o := range []*wire.Options{nil, {Defer: true}} {
		s := before
		if o != nil {
			s.list = s.list[:1] // there is no search, so that nothing could be found
		}
		if got := declare(t, open(t, wire.Anthropic, sees, o), s); strings.Contains(got, "undo") {
			t.Errorf("with %+v it declares %s", o, got)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 65)
	for _, c := range []struct {
		name    string
		refused []wire.Provider
	}{
		{"a", nil},
		{long[:64], nil},
		{"_a-b9", nil},
		{"9a", []wire.Provider{wire.Gemini}},
		{"-a", []wire.Provider{wire.Gemini}},
		{long, providers},
		{"", providers},
		{"a.b", providers},
		{"a\n", providers},
		{"größe", providers},
	} {
		for _, p := range providers {
			_, _, err := open(t, p, sees, nil).Tools(wire.Definitions{tool("fine"), tool(c.name)})
			want := false
			for _, r := range c.refused {
				want = want || r == p
			}
			if want != (err != nil) || want && !strings.Contains(err.Error(), "does not take the name") {
				t.Errorf("%s and %q: %v", p, c.name, err)
			}
		}
	}
	_, _, err := open(t, wire.Gemini, sees, nil).Tools(wire.Definitions{tool("twice"), tool("twice"), tool("1st"), {Name: "list", Schema: json.RawMessage(`[]`)}})
	for _, want := range []string{"two tools are named twice", `the name "1st"`, "the schema of list"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider    wire.Provider
		full, least string
		header      string
	}{
		{wire.Anthropic,
			`{"model":"m","max_tokens":9,"system":"s","tools":[{"name":"read","description":"Do it.","input_schema":{"type":"object","properties":{}}}],"messages":[{"role":"user","content":[{"type":"text","text":"<hi>"}]}],"stream":true,"temperature":0}`,
			`{"model":"m","max_tokens":16000,"messages":[]}`, "x-api-key=k"},
		{wire.OpenAI,
			`{"model":"m","instructions":"s","max_output_tokens":9,"tools":[{"type":"function","name":"read","description":"Do it.","parameters":{"type":"object","properties":{}},"strict":false}],"input":[{"role":"user","content":[{"type":"input_text","text":"<hi>"}]}],"stream":true,"temperature":0}`,
			`{"model":"m","input":[]}`, "Authorization=Bearer k"},
		{wire.OpenAIChat,
			`{"model":"m","max_completion_tokens":9,"tools":[{"type":"function","function":{"name":"read","description":"Do it.","parameters":{"type":"object","properties":{}}}}],"messages":[{"role":"system","content":"s"},{"role":"user","content":"<hi>"}],"stream":true,"stream_options":{"include_usage":true},"temperature":0}`,
			`{"model":"m","messages":[]}`, "Authorization=Bearer k"},
		{wire.Gemini,
			`{"systemInstruction":{"parts":[{"text":"s"}]},"tools":[{"functionDeclarations":[{"name":"read","description":"Do it.","parametersJsonSchema":{"type":"object","properties":{}}}]}],"contents":[{"role":"user","parts":[{"text":"<hi>"}]}],"generationConfig":{"maxOutputTokens":9},"temperature":0}`,
			`{"contents":[]}`, "x-goog-api-key=k"},
	} {
		t.Run(string(c.provider), func(t *testing.T) {
			t.Parallel()
			f := open(t, c.provider, sees, nil)
			list, _, err := f.Tools(wire.Definitions{tool("read")})
			if err != nil {
				t.Fatal(err)
			}
			full, err := f.Request(wire.Request{
				Model: "m", System: "s", Messages: f.AppendUser(nil, "<hi>"), Tools: list, MaxTokens: 9, Stream: true, Extra: map[string]any{"temperature": 0},
			})
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "all of it", string(full), c.full)
			least, err := f.Request(wire.Request{Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "the least", string(least), c.least)
			if _, err := f.Request(wire.Request{Extra: map[string]any{"f": func() {}}}); err == nil {
				t.Error("a func is JSON")
			}
			name, value, _ := strings.Cut(c.header, "=")
			if h := f.Headers("k"); h[name] != value {
				t.Errorf("headers are %v", h)
			}
			if h := f.Headers(""); h[name] != "" {
				t.Errorf("without a key they are %v", h)
			}
			if got := declare(t, f, wire.Definitions{}); got != "" {
				t.Errorf("no tools are %s", got)
			}
		})
	}
	if _, err := wire.New("other", sees, nil); err == nil || wire.Provider("other").Path("m", true) != "" {
		t.Error("there is another provider")
	}
	equal(t, "Gemini's path", wire.Gemini.Path("a/b", true), "/v1beta/models/a%2Fb:streamGenerateContent?alt=sse")
	equal(t, "Gemini's path", wire.Gemini.Path("g", false), "/v1beta/models/g:generateContent")
}
