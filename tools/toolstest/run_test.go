package toolstest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/toolstest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type pageArgs struct {
	_     tools.Closed
	Of    string `json:"of" jsonschema_description:"What to page"`
	Start int    `json:"start,omitempty" jsonschema:"minimum=0,default=0" jsonschema_description:"First byte"`
}

// pager pages a long text, as it should.
func pager() arc.Tool {
	text := strings.Repeat("€", 100)
	return tools.Func(arc.Definition{Name: "pager", Description: "Page a text.", Effects: arc.Effects{ReadOnly: true}},
		func(ctx context.Context, a pageArgs) (*arc.Result, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if a.Start > len(text) {
				return nil, &arc.Error{Code: arc.OutOfRange, Message: "The text is shorter; start earlier."}
			}
			end := min(len(text), a.Start+30)
			r := &arc.Result{Data: map[string]any{"truncated": end < len(text)}, Body: text[a.Start:end]}
			if end < len(text) {
				r.Next = &arc.Next{Tool: "pager", Arguments: pageArgs{Of: a.Of, Start: end}}
			}
			return r, nil
		})
}

func paging() *toolstest.Options {
	return &toolstest.Options{Calls: []arc.Call{{Name: "pager", Args: json.RawMessage(`{"of":"it"}`)}}}
}

func TestAProviderThatKeepsTheRules(t *testing.T) {
	t.Parallel()
	toolstest.Run(t, tools.Of(pager()), paging())
}

// A tool is tried in turns of its own: while planning, and with a seat.
func TestToolsThatNeedATurnOfTheirOwn(t *testing.T) {
	t.Parallel()
	toolstest.Run(t, tools.Of(
		tools.Func(arc.Definition{Name: "plan", Description: "Plan.", Needs: arc.Needs{Planning: arc.Required, Seat: true}, Effects: arc.Effects{EndsTurn: true}},
			func(context.Context, pageArgs) (string, error) { return "", nil }),
		tools.Func(arc.Definition{Name: "a__b", Description: "Do.", Needs: arc.Needs{Service: "a", Access: arc.FullAccess, Desktop: true, Vision: true}},
			func(context.Context, pageArgs) (string, error) { return "", nil }),
	), nil)
}

// A schema by hand has blanks, and names that look like paths.
func TestASchemaIsReadAsJSONAndNotAsText(t *testing.T) {
	t.Parallel()
	const schema = `{"type": "object", "properties": {
		"a.b": {"type": "integer", "description": "A number"},
		"c[]": {"description": "Any", "type": "object", "properties": {"description": {"type": "string", "description": "Words"}}}
	}}`
	if err := toolstest.Check(tools.Of(raw{def: fixed("x", schema)}), nil); err != nil {
		t.Error(err)
	}
}

// raw is a tool by hand, as a third party writes it.
type raw struct {
	def  func(arc.Env) arc.Definition
	call func(context.Context, arc.Call) (*arc.Result, error)
}

func (r raw) Definition(env arc.Env) arc.Definition { return r.def(env) }

func (r raw) Call(ctx context.Context, c arc.Call) (*arc.Result, error) {
	if r.call == nil {
		return nil, nil
	}
	return r.call(ctx, c)
}

const described = `{"type":"object","properties":{"n":{"type":"integer","description":"A number"}}}`

func fixed(name, schema string) func(arc.Env) arc.Definition {
	d := arc.Definition{Name: name, Description: "Do it.", Schema: json.RawMessage(schema)}
	return func(arc.Env) arc.Definition { return d }
}

// answering is a tool x that answers so.
func answering(r *arc.Result, err error) arc.Provider {
	return tools.Of(raw{fixed("x", described), func(context.Context, arc.Call) (*arc.Result, error) { return r, err }})
}

func TestAProviderThatBreaksARule(t *testing.T) {
	t.Parallel()
	calls := &toolstest.Options{Calls: []arc.Call{{Name: "x"}}, Patience: 50 * time.Millisecond, Steps: 20}
	grown := []byte(nil)
	for _, c := range []struct {
		name string
		p    arc.Provider
		o    *toolstest.Options
		want string
	}{
		{"a name with a blank", tools.Of(raw{def: fixed("a b", described)}), nil, `definitions are valid and names unique: provider 0 (tools.fixed): tool "a b": a name is`},
		{"a schema of no object", tools.Of(raw{def: fixed("x", `{"type":"string"}`)}), nil, `definitions are valid and names unique: `},
		{"one name for two tools", tools.Of(raw{def: fixed("x", described)}, raw{def: fixed("x", described)}), nil, `tool x: the name is taken`},
		{"a property without words", tools.Of(raw{def: fixed("x", `{"type":"object","properties":{"a":{"type":"array","description":"D","items":{"type":"object","properties":{"b":{"type":"string"}}}}}}`)}), nil,
			`every property has a description: x: the property a[].b has no description`},
		{"effects that depend on the env", tools.Of(raw{def: func(env arc.Env) arc.Definition {
			d := fixed("x", described)(env)
			d.Effects.ReadOnly = env.Mode == arc.Planning
			return d
		}}), nil, `only description and schema vary with the env: x becomes`},
		{"words that change each time", tools.Of(raw{def: func(env arc.Env) arc.Definition {
			d := fixed("x", described)(env)
			grown = append(grown, '.')
			d.Description = string(grown)
			return d
		}}), nil, `x says something else when it is asked again`},
		{"a definition that is made anew each time", tools.Of(raw{def: func(arc.Env) arc.Definition {
			return arc.Definition{Name: "x", Description: "Do it.", Schema: json.RawMessage(strings.Clone(described))}
		}}), nil, `a definition allocates nothing the second time: x allocates`},
		{"a body that is too long", answering(&arc.Result{Body: strings.Repeat("x", 65_537)}, nil), calls, `results and refusals are in their bounds: x: its body has 65537 bytes, more than 65536`},
		{"a body that is not UTF-8", answering(&arc.Result{Body: "\xff"}, nil), calls, `x: its body is not UTF-8`},
		{"a header that is too long", answering(&arc.Result{Data: map[string]string{"a": strings.Repeat("x", 16_384)}}, nil), calls, `x: its header has 16392 bytes, more than 16384`},
		{"data that is no object", answering(&arc.Result{Data: []int{1}}, nil), calls, `x: it cannot be shown`},
		{"an error that no model may see", answering(nil, errors.New("open /home/x: denied")), calls, `x: it fails with open /home/x: denied, which a model would see as internal`},
		{"a call that comes back to itself", answering(&arc.Result{Next: &arc.Next{Tool: "x", Arguments: map[string]int{"n": 1}}}, nil), calls, `following next_call advances and ends: x: the next call comes back to x {"n":1}`},
		{"a next call that its own tool refuses", answering(&arc.Result{Next: &arc.Next{Tool: "x", Arguments: map[string]string{"n": "one"}}}, nil), calls, `the next call x {"n":"one"} is refused: invalid_arguments`},
		{"next calls without end", endless(), calls, `after 20 next calls there is still another`},
		{"a tool that ignores its context", sleeping(), calls, `a canceled call returns at once: x: a canceled call had not returned after 50ms`},
		{"a call of another's tool", answering(nil, nil), &toolstest.Options{Calls: []arc.Call{{Name: "y"}}}, `the provider has no tool "y"`},
		{"a call that only the tool's own type refuses", dated(), &toolstest.Options{Calls: []arc.Call{{Name: "x", Args: json.RawMessage(`{"day":"yesterday"}`)}}},
			`calls that work are not refused for their arguments: x: one of Options.Calls is refused by the tool: invalid_arguments: day is "yesterday", must be a time`},
		{"a call that is refused", answering(nil, nil), &toolstest.Options{Calls: []arc.Call{{Name: "x", Args: json.RawMessage(`{"n":"one"}`)}}}, `one of Options.Calls is refused: invalid_arguments`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := toolstest.Check(c.p, c.o)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant …%s…", err, c.want)
			}
		})
	}
}

func endless() arc.Provider {
	var n atomic.Int64
	return tools.Of(raw{fixed("x", described), func(context.Context, arc.Call) (*arc.Result, error) {
		return &arc.Result{Next: &arc.Next{Tool: "x", Arguments: map[string]int64{"n": n.Add(1)}}}, nil
	}})
}

// dated is a tool whose schema takes any word for a time, which its type does not.
func dated() arc.Provider {
	return tools.Of(tools.Func(arc.Definition{Name: "x", Description: "Do it."}, func(_ context.Context, a struct {
		Day time.Time `json:"day" jsonschema_description:"When"`
	}) (string, error) {
		return a.Day.String(), nil
	}))
}

// sleeping sleeps past the suite's patience, whatever its context says.
func sleeping() arc.Provider {
	return tools.Of(raw{fixed("x", described), func(context.Context, arc.Call) (*arc.Result, error) {
		time.Sleep(300 * time.Millisecond)
		return nil, nil
	}})
}

// A third party's result that is too long is cut by a session, and its author
// hears of it here.
func TestAnOversizeResultIsCutByASessionAndFailsTheSuite(t *testing.T) {
	t.Parallel()
	p := answering(&arc.Result{Data: map[string]int{"n": 1}, Body: strings.Repeat("€", 30_000)}, nil)
	set, err := tools.NewSet([]arc.Provider{p}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := set.Session(arc.Turn{}).Call(t.Context(), arc.Call{Name: "x"})
	if got := fmt.Sprintf("%s %d", r.Data, len(r.Body)); got != `{"n":1,"truncated":true,"total_bytes":90000} 65535` {
		t.Errorf("got %s", got)
	}
	err = toolstest.Check(p, &toolstest.Options{Calls: []arc.Call{{Name: "x"}}})
	if err == nil || err.Error() != "results and refusals are in their bounds: x: its body has 90000 bytes, more than 65536" {
		t.Errorf("got %v", err)
	}
}

func TestSchemaFindsWhatDiffers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, schema, want string }{
		{"shell_job", `{"type":"object","additionalProperties":false,"properties":{"job_id":{"type":"string","description":"J"},"tail":{"type":"boolean","description":"T"}},"required":["job_id"]}`, ``},
		{"shell_job", `{"type":"object","properties":{"job_id":{"type":"string","description":"J"},"tail":{"type":"boolean","description":"T"}},"required":["job_id"]}`, `shell_job has another schema than its source`},
		{"shell_job", `{"type":"object","additionalProperties":false,"properties":{"tail":{"type":"boolean","description":"T"},"job_id":{"type":"string","description":"J"}},"required":["job_id"]}`, `shell_job has its properties in the order`},
		{"shell_job", `{"type":"object","additionalProperties":false,"properties":{"job_id":{"type":"string","description":"J"},"tail":{"type":"boolean"}},"required":["job_id"]}`, `shell_job: the property tail has no description`},
		{"arc_seat_edit_reply", `{"type":"object"}`, `arc_seat_edit_reply has another schema`},
		{"no_such_tool", `{"type":"object"}`, `the source documents have no tool "no_such_tool"`},
	} {
		r := &recorder{TB: t}
		toolstest.Schema(r, raw{def: fixed(c.name, c.schema)})
		if got := strings.Join(r.errors, "\n"); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.schema, got, c.want)
		}
	}
}

// recorder keeps what a test would have failed with.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper()           {}
func (r *recorder) Error(args ...any) { r.errors = append(r.errors, fmt.Sprint(args...)) }
