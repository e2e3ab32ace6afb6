package local_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer/computertest"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
	"github.com/arcseat/arc/tools/wire"
)

var update = flag.Bool("update", false, "write testdata/wire anew")

// shown is everything that turns with Full Access are shown, as one list.
type shown struct {
	list    []arc.Definition
	accepts map[string]json.RawMessage
	native  []arc.Definition
}

func (s shown) List() []arc.Definition              { return s.list }
func (shown) Deferred() []arc.Definition            { return nil }
func (s shown) Native() []arc.Definition            { return s.native }
func (s shown) Accepts(name string) json.RawMessage { return s.accepts[name] }

// everything is shown to a model that brings native tools, in the order of names.
func everything(t *testing.T, native ...string) (shown, arc.Env) {
	t.Helper()
	var all shown
	all.accepts = map[string]json.RawMessage{}
	byName := map[string]arc.Definition{}
	var env arc.Env
	for _, mode := range []arc.Mode{arc.Planning, arc.Ordinary} {
		host, _ := open(t, local.Options{
			Access: arc.FullAccess, Mode: mode, Providers: []arc.Provider{seat.Tools()}, Screen: computertest.New(1280, 800),
			Services: []mcptool.Service{archive("")},
		})
		set, err := host.Set(nil)
		if err != nil {
			t.Fatal(err)
		}
		turn := host.Turn(arc.Origin{})
		turn.Seat, turn.Model.Native = someSeat{}, native
		env = turn.Env
		s := set.Session(turn)
		all.native = s.Native()
		for _, d := range slices.Concat(s.List(), s.Deferred()) {
			byName[d.Name], all.accepts[d.Name] = d, s.Accepts(d.Name)
		}
		delete(byName, "archive__export") // not ours
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all.list = append(all.list, byName[name])
	}
	return all, env
}

// dialectsOf are those that a provider takes.
var dialectsOf = map[wire.Provider][]wire.Dialect{
	wire.Anthropic:  {wire.JSONSchema, wire.Scalar},
	wire.OpenAI:     {wire.JSONSchema, wire.OpenAIStrict},
	wire.OpenAIChat: {wire.JSONSchema, wire.Grammar, wire.Scalar, wire.OpenAIStrict},
	wire.Gemini:     {wire.JSONSchema, wire.GeminiLegacy},
}

// TestWhatProvidersAreTold holds every tool's declaration, byte for byte, and what
// was lost in it. go test -update writes what has changed.
func TestWhatProvidersAreTold(t *testing.T) {
	all, env := everything(t)
	nativeAll, nativeEnv := everything(t, "computer")
	for provider, dialects := range dialectsOf {
		for _, d := range dialects {
			name := string(provider)
			if d != wire.JSONSchema {
				name += "_" + string(d)
			}
			told(t, name, provider, env, all, &wire.Options{Dialect: d})
		}
	}
	for _, v := range []wire.ComputerVersion{wire.AnthropicComputerToolset20260801, wire.AnthropicComputer20251124} {
		told(t, "anthropic_"+string(v), wire.Anthropic, nativeEnv, nativeAll, &wire.Options{Computer: v})
	}
	for _, v := range []wire.ComputerVersion{wire.OpenAIComputer, wire.OpenAIComputerUsePreview} {
		told(t, "openai_"+string(v), wire.OpenAI, nativeEnv, nativeAll, &wire.Options{Computer: v})
	}
}

func told(t *testing.T, name string, p wire.Provider, env arc.Env, s wire.Surface, o *wire.Options) {
	t.Helper()
	f, err := wire.New(p, env, o)
	if err != nil {
		t.Fatal(err)
	}
	list, lost, err := f.Tools(s)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(list), `"computer"`) && len(s.Native()) > 0 && strings.Contains(string(list), `"actions"`) {
		t.Errorf("%s: our own computer tool is declared beside the provider's", name)
	}
	got := lines(t, list)
	for _, l := range lost {
		got += "lost: " + l.String() + "\n"
	}
	path := filepath.Join("testdata", "wire", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is declared otherwise; go test ./examples/local -run ProvidersAreTold -update shows how:\n%s", name, firstDifference(got, string(want)))
	}
}

// lines are the tools of a list, one a line.
func lines(t *testing.T, list json.RawMessage) string {
	t.Helper()
	var all []json.RawMessage
	if err := json.Unmarshal(list, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) == 1 { // Gemini's are inside
		var inner struct{ FunctionDeclarations []json.RawMessage }
		if err := json.Unmarshal(all[0], &inner); err != nil {
			t.Fatal(err)
		}
		all = inner.FunctionDeclarations
	}
	var b strings.Builder
	for _, tool := range all {
		b.Write(tool)
		b.WriteByte('\n')
	}
	return b.String()
}

// firstDifference is the first line of got that want has not, with its neighbour.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i, line := range a {
		if i >= len(b) || line != b[i] {
			return fmt.Sprintf("got  %s\nwant %s", line, strings.Join(b[min(i, len(b)):min(i+1, len(b))], ""))
		}
	}
	return fmt.Sprintf("%d lines instead of %d", len(a), len(b))
}

// samples are arguments that tools take, of all kinds that their schemas have.
var samples = map[string]string{
	"workspace_list":             `{"path":"src","recursive":false,"limit":10,"offset":5}`,
	"workspace_read":             `{"path":"a.txt","start_line":3,"start_character":5}`,
	"workspace_search":           `{"query":"x","path":"src","limit":7,"after":"a.txt:1"}`,
	"workspace_write":            `{"path":"a.txt","content":"<&>","expected_sha256":"ab"}`,
	"workspace_edit":             `{"path":"a.txt","old_string":"a","new_string":"","replace_all":true}`,
	"workspace_history":          `{"limit":3,"before":"change_1"}`,
	"workspace_recovery_status":  `{}`,
	"workspace_undo":             `{"change_id":"change_1"}`,
	"workspace_document_inspect": `{"path":"a.pdf"}`,
	"workspace_document_read":    `{"path":"a.pdf","start_page":2,"end_page":3,"start_character":9}`,
	"workspace_document_search":  `{"path":"a.pdf","query":"x","limit":50}`,
	"shell_exec":                 `{"command":"ls","timeout_sec":0.5,"block_budget_sec":60,"stdin_text":"` + strings.Repeat("x", 3000) + `"}`,
	"shell_output":               `{"spool_id":"sp_1","offset":4,"max_bytes":100}`,
	"shell_job":                  `{"job_id":"job_1","tail":true}`,
	"finish":                     `{"summary":"done","reply_message_id":7}`,
	"remind":                     `{"after":"2h","note":"n"}`,
	"wait":                       `{"after":"90m","note":"n"}`,
	"save_notes":                 `{"notes":"n"}`,
	"web_fetch":                  `{"url":"https://example.com","offset":8}`,
	"web_search":                 `{"query":"x","max_results":5}`,
	"submit_plan":                `{"summary":"s","subtasks":[{"title":"t","instruction":"i","target_files":["a.go"],"acceptance":"a"}]}`,
	"answer_user":                `{"answer":"a"}`,
	"computer":                   `{"actions":[{"action":"left_click","coordinate":[1,2],"text":"shift"}]}`,
	"tool_search":                `{"query":"x","limit":3}`,
	"mcp_output":                 `{"service_id":"s","output_id":"o","offset":1}`,
}

// checked is what a session makes of arguments, by a schema alone.
func checked(t *testing.T, schema json.RawMessage, args string) (string, error) {
	t.Helper()
	var got string
	set, err := tools.NewSet([]arc.Provider{tools.Of(taker{schema, &got})}, nil)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	r := set.Session(arc.Turn{}).Call(t.Context(), arc.Call{Name: "taker", Args: json.RawMessage(args)})
	if r.Err != nil {
		return "", r.Err
	}
	return got, nil
}

// taker is a tool that writes down its arguments.
type taker struct {
	schema json.RawMessage
	got    *string
}

func (t taker) Definition(arc.Env) arc.Definition {
	return arc.Definition{Name: "taker", Schema: t.schema}
}

func (t taker) Call(_ context.Context, c arc.Call) (*arc.Result, error) {
	*t.got = string(c.Args)
	return &arc.Result{}, nil
}

// TestADialectTakesWhatTheToolTakes holds that a schema that has lost something
// refuses nothing for that: what it does not check any more, the session does.
func TestADialectTakesWhatTheToolTakes(t *testing.T) {
	all, _ := everything(t)
	for _, d := range all.list {
		sample, ok := samples[d.Name]
		if !ok {
			t.Errorf("%s has no sample", d.Name)
			continue
		}
		if _, err := checked(t, all.accepts[d.Name], sample); err != nil {
			t.Fatalf("%s: the sample does not fit: %v", d.Name, err)
		}
		for _, dialect := range []wire.Dialect{wire.GeminiLegacy, wire.Grammar, wire.Scalar} {
			schema, _, err := dialect.Schema(all.accepts[d.Name])
			if err != nil {
				t.Fatal(err)
			}
			if _, err := checked(t, schema, sample); err != nil {
				t.Errorf("%s of %s refuses what the tool takes: %v\n%s", dialect, d.Name, err, schema)
			}
		}
	}
}

// TestNullsOfStrictModeAreLeftOut holds that the arguments which strict mode makes a
// model write, null for all that it does not give, are those that the tool gets
// without.
func TestNullsOfStrictModeAreLeftOut(t *testing.T) {
	all, _ := everything(t)
	for _, d := range all.list {
		schema, _, err := wire.OpenAIStrict.Schema(all.accepts[d.Name])
		if err != nil {
			t.Fatal(err)
		}
		var strict struct {
			Properties map[string]json.RawMessage
			Required   []string
		}
		if err := json.Unmarshal(schema, &strict); err != nil {
			t.Fatal(err)
		}
		if len(strict.Required) != len(strict.Properties) {
			t.Errorf("%s does not require everything: %s", d.Name, schema)
		}
		var filled map[string]any
		if err := json.Unmarshal([]byte(samples[d.Name]), &filled); err != nil {
			t.Fatal(err)
		}
		for _, name := range strict.Required {
			if _, ok := filled[name]; !ok {
				filled[name] = nil
			}
		}
		if d.Name == "computer" { // and inside
			action := filled["actions"].([]any)[0].(map[string]any)
			for _, name := range []string{"start_coordinate", "region", "duration", "scroll_amount", "scroll_direction"} {
				action[name] = nil
			}
		}
		b, err := json.Marshal(filled)
		if err != nil {
			t.Fatal(err)
		}
		got, err := checked(t, all.accepts[d.Name], string(b))
		if err != nil {
			t.Errorf("%s refuses %s: %v", d.Name, b, err)
			continue
		}
		var with, without any
		if json.Unmarshal([]byte(withoutNulls(t, got)), &with) != nil || json.Unmarshal([]byte(samples[d.Name]), &without) != nil || fmt.Sprint(with) != fmt.Sprint(without) {
			t.Errorf("%s gets %s, want %s", d.Name, got, samples[d.Name])
		}
	}
}

// withoutNulls leaves out nulls that a tool's own schema takes, where they mean
// that nothing was given: those of wait.
func withoutNulls(t *testing.T, args string) string {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(args), &m); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(m, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
