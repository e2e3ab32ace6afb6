package tools_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/toolstest"
)

// The arguments of tools that need every feature of the tags.
type (
	listArgs struct {
		Path      string `json:"path,omitempty" jsonschema_description:"Folder"`
		Recursive *bool  `json:"recursive,omitempty" jsonschema:"default=true" jsonschema_description:"Subfolders too"`
		Limit     int    `json:"limit,omitempty" jsonschema:"default=200" check:"minimum=1" jsonschema_description:"Most entries"`
		Offset    int    `json:"offset,omitempty" jsonschema:"default=0" check:"minimum=0" jsonschema_description:"Entries to skip"`
		After     string `json:"after,omitempty" additive:"true" jsonschema_description:"Go on behind this one"`
	}
	execArgs struct {
		_              tools.Closed
		Command        string   `json:"command" jsonschema_description:"Shell command"`
		Cwd            string   `json:"cwd,omitempty" jsonschema_description:"Folder"`
		TimeoutSec     *float64 `json:"timeout_sec,omitempty" jsonschema:"exclusiveMinimum=0,maximum=900" jsonschema_description:"Ends it"`
		BlockBudgetSec *float64 `json:"block_budget_sec,omitempty" jsonschema:"exclusiveMinimum=0,maximum=60" jsonschema_description:"Waits for it"`
		StdinText      string   `json:"stdin_text,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Its input"`
	}
	waitArgs struct {
		_       tools.Closed
		After   any     `json:"after,omitempty" jsonschema_extras:"type=string,type=number,type=null" jsonschema_description:"How long"`
		TaskID  *int64  `json:"task_id,omitempty" jsonschema:"minimum=1" jsonschema_extras:"type=integer,type=null" jsonschema_description:"Task"`
		JobID   *string `json:"job_id,omitempty" jsonschema_extras:"type=string,type=null" jsonschema_description:"Job"`
		Timeout any     `json:"timeout,omitempty" jsonschema_extras:"type=string,type=number,type=null" jsonschema_description:"At most"`
		Note    string  `json:"note" jsonschema:"maxLength=1500" jsonschema_description:"What for"`
	}
	planArgs struct {
		_        tools.Closed
		Summary  string    `json:"summary" jsonschema_description:"In short"`
		Subtasks []subtask `json:"subtasks" jsonschema:"minItems=1,maxItems=12" jsonschema_description:"In order"`
	}
	subtask struct {
		Title       string   `json:"title" jsonschema_description:"Name"`
		Instruction string   `json:"instruction" jsonschema_description:"What to do"`
		TargetFiles []string `json:"target_files" jsonschema:"minItems=1" jsonschema_description:"Files"`
		Acceptance  string   `json:"acceptance" jsonschema_description:"When it is done"`
	}
	desktopArgs struct {
		Actions []action `json:"actions" jsonschema:"minItems=1,maxItems=1" jsonschema_description:"One action"`
	}
	action struct {
		Action          string   `json:"action" jsonschema:"enum=screenshot,enum=zoom,enum=left_click,enum=right_click,enum=middle_click,enum=double_click,enum=triple_click,enum=left_click_drag,enum=mouse_move,enum=left_mouse_down,enum=left_mouse_up,enum=cursor_position,enum=scroll,enum=type,enum=key,enum=hold_key,enum=wait" jsonschema_description:"What"`
		Coordinate      []int    `json:"coordinate,omitempty" jsonschema_description:"x, y"`
		StartCoordinate []int    `json:"start_coordinate,omitempty" jsonschema_description:"x, y"`
		Text            string   `json:"text,omitempty" jsonschema_description:"Text or keys"`
		ScrollDirection string   `json:"scroll_direction,omitempty" jsonschema:"enum=up,enum=down,enum=left,enum=right" jsonschema_description:"Where to"`
		ScrollAmount    *int     `json:"scroll_amount,omitempty" jsonschema_description:"How far"`
		Region          []int    `json:"region,omitempty" jsonschema_description:"x0, y0, x1, y1"`
		Duration        *float64 `json:"duration,omitempty" jsonschema_description:"Seconds"`
	}
	noArgs struct{}
)

func TestSchemasOfTheSource(t *testing.T) {
	t.Parallel()
	for _, tool := range []arc.Tool{
		text[listArgs]("workspace_list"), text[noArgs]("workspace_recovery_status"), text[execArgs]("shell_exec"),
		text[waitArgs]("wait"), text[planArgs]("submit_plan"), text[desktopArgs]("computer"),
	} {
		t.Run(tool.Definition(arc.Env{}).Name, func(t *testing.T) {
			t.Parallel()
			toolstest.Schema(t, tool)
		})
	}
}

// text is a tool that answers its own name.
func text[A any](name string) arc.Tool {
	return tools.Func(arc.Definition{Name: name}, func(context.Context, A) (string, error) { return name, nil })
}

func TestASchemaIsCompactAndOrdered(t *testing.T) {
	t.Parallel()
	got, err := tools.Schema[struct {
		B string `json:"b" jsonschema_description:"a < b & c"`
		A *int   `json:"a,omitempty" jsonschema:"default=7" jsonschema_description:"A number"`
	}]()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"properties":{"b":{"type":"string","description":"a < b & c"},"a":{"type":"integer","description":"A number","default":7}},"type":"object","required":["b"]}`
	if string(got) != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestWhatIsCheckedAndNotPublished(t *testing.T) {
	t.Parallel()
	set := must(tools.NewSet([]arc.Provider{tools.Of(text[listArgs]("list"))}, nil))
	s := set.Session(arc.Turn{Env: arc.Env{Access: arc.FullAccess}})
	if schema := string(s.List()[0].Schema); strings.Contains(schema, "minimum") || strings.Contains(schema, "after") {
		t.Errorf("published: %s", schema)
	}
	for args, want := range map[string]string{
		`{"limit":0}`:             `limit is 0, must be at least 1.`,
		`{"after":5,"limit":"1"}`: ``,
		`{"after":{}}`:            `after is an object, must be a string.`,
		`{"offset":-1}`:           `offset is -1, must be at least 0.`,
	} {
		r := s.Call(t.Context(), arc.Call{Name: "list", Args: []byte(args)})
		got := ""
		if r.Err != nil {
			got = r.Err.Message
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
}

func TestStrictRefusesWithoutSayingSo(t *testing.T) {
	t.Parallel()
	tool := text[struct {
		_      tools.Strict
		DryRun bool `json:"dry_run,omitempty" jsonschema_description:"Change nothing"`
	}]("retry")
	if schema := string(tool.Definition(arc.Env{}).Schema); strings.Contains(schema, "additionalProperties") {
		t.Errorf("published: %s", schema)
	}
	r := session(t, full, nil, tool).Call(t.Context(), arc.Call{Name: "retry", Args: []byte(`{"dryrun":true}`)})
	if r.Err == nil || r.Err.Message != `the arguments object has no property "dryrun" (did you mean "dry_run"?); it has dry_run.` {
		t.Errorf("got %v", r.Err)
	}
}

func TestEveryCheckTagIsChecked(t *testing.T) {
	t.Parallel()
	type inner struct {
		Name string `json:"name,omitempty" check:"minLength=2,maxLength=3" jsonschema_description:"Name"`
	}
	type embedded struct {
		Code string `json:"code,omitempty" check:"pattern=^[a-z]{1\\,2}$" jsonschema_description:"Code"`
	}
	s := session(t, full, nil, text[struct {
		embedded
		From  float64           `json:"from,omitempty" check:"exclusiveMinimum=0,maximum=9,multipleOf=0.5" jsonschema_description:"From"`
		Below int               `json:"below,omitempty" check:"exclusiveMaximum=5,enum=1,enum=2,enum=7" jsonschema_description:"Below"`
		Kind  string            `json:"kind,omitempty" check:"enum=up,enum=down" jsonschema_description:"Kind"`
		List  []string          `json:"list,omitempty" check:"minItems=1,maxItems=2,maxLength=4" jsonschema_description:"List"`
		Set   []float64         `json:"set,omitempty" check:"uniqueItems=true" jsonschema_description:"Set"`
		Some  any               `json:"some,omitempty" jsonschema_extras:"type=string,type=array,pattern=^a" check:"maxLength=2,uniqueItems=true" jsonschema_description:"Word or words"`
		Inner *inner            `json:"inner,omitempty" jsonschema_description:"Inner"`
		Map   map[string]*inner `json:"map,omitempty" jsonschema_description:"Map"`
		Null  *int              `json:"null,omitempty" jsonschema:"nullable,minimum=1" jsonschema_description:"Null or more"`
		Time  time.Time         `json:"time,omitzero" jsonschema_description:"Time"`
		Plain any               `json:",omitempty" jsonschema_description:"Plain"`
		None  string            `json:"-"`
	}]("x"))
	for args, want := range map[string]string{
		`{"code":"abc"}`:                  `code is "abc", must match ^[a-z]{1,2}$.`,
		`{"from":0}`:                      `from is 0, must be more than 0.`,
		`{"from":9.5}`:                    `from is 9.5, must be at most 9.`,
		`{"from":1.25}`:                   `from is 1.25, must be a multiple of 0.5.`,
		`{"below":7}`:                     `below is 7, must be less than 5.`,
		`{"below":3}`:                     `below is 3, must be one of 1, 2, 7.`,
		`{"kind":"Up"}`:                   `kind is "Up" (did you mean "up"?), must be one of "up", "down".`,
		`{"list":[]}`:                     `list has 0 items, must have at least 1.`,
		`{"list":["a","b","c"]}`:          `list has 3 items, must have at most 2.`,
		`{"list":["abcde"]}`:              `list[0] has 5 characters, must have at most 4.`,
		`{"set":[1,2,1.0,"2"]}`:           `set has 1.0 at [0] and again at [2], must have each item once; set has 2 at [1] and again at [3], must have each item once.`,
		`{"set":[1,2],"some":["b"]}`:      ``,
		`{"some":"abc"}`:                  `some has 3 characters, must have at most 2.`,
		`{"some":"b"}`:                    `some is "b", must match ^a.`,
		`{"some":["b","b"]}`:              `some has "b" at [0] and again at [1], must have each item once.`,
		`{"inner":{"name":"a"}}`:          `inner.name has 1 characters, must have at least 2.`,
		`{"map":{"k":{"name":"abcd"}}}`:   `map.k.name has 4 characters, must have at most 3.`,
		`{"null":0}`:                      `null is 0, must be at least 1.`,
		`{"null":null,"Plain":[1],"a":1}`: ``,
		`{"time":"2026-11-30T12:00:00Z"}`: ``,
		`{"time":"noon"}`:                 `time is "noon", must be a time such as 2026-11-30T12:00:00Z.`,
	} {
		got := ""
		if r := s.Call(t.Context(), arc.Call{Name: "x", Args: []byte(args)}); r.Err != nil {
			got = r.Err.Message
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", args, got, want)
		}
	}
}

func schemaOf[A any]() error { _, err := tools.Schema[A](); return err }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
