package tools_test

import (
	"context"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// varying allows as many items as the model may have actions.
func varying(asked *int) arc.Tool {
	base := tools.Func(arc.Definition{Name: "x", Description: "Plain."}, func(_ context.Context, a struct {
		Items []string `json:"items" jsonschema:"maxItems=1" jsonschema_description:"Items"`
		From  int      `json:"from,omitempty" additive:"true" check:"minimum=1" jsonschema_description:"Where to go on"`
	}) (string, error) {
		return strings.Join(a.Items, " "), nil
	})
	return tools.Vary(base, func(env arc.Env, d arc.Definition) arc.Definition {
		*asked++
		if env.Services != nil || env.Deny != nil || env.Model.Native != nil {
			d.Description = "it sees what it must not"
		}
		if env.Model.Actions > 1 {
			d.Description = "Many."
			d.Schema = []byte(strings.Replace(string(d.Schema), `"maxItems":1`, `"maxItems":3`, 1))
		}
		return d
	})
}

func TestVary(t *testing.T) {
	t.Parallel()
	asked := 0
	tool := varying(&asked)
	many := full
	many.Model.Actions = 3

	t.Run("what is published and what is checked stay in step", func(t *testing.T) {
		set := must(tools.NewSet([]arc.Provider{tools.Of(tool)}, nil))
		for _, c := range []struct {
			turn       arc.Turn
			args, want string
		}{
			{full, `{"items":["a"]}`, `a`},
			{full, `{"items":["a","b"]}`, `items has 2 items, must have at most 1.`},
			{many, `{"items":["a","b"]}`, `a b`},
			{many, `{"items":["a"],"from":0}`, `from is 0, must be at least 1.`},
			{many, `{"items":["a"],"Items":["b"]}`, `the arguments object has no property "Items"; did you mean "items"?`},
		} {
			r := set.Session(c.turn).Call(t.Context(), arc.Call{Name: "x", Args: []byte(c.args)})
			got := r.Body
			if r.Err != nil {
				got = r.Err.Message
			}
			if got != c.want {
				t.Errorf("%s: got %q, want %q", c.args, got, c.want)
			}
		}
		if d := set.Session(many).List()[0]; d.Description != "Many." || !strings.Contains(string(d.Schema), `"maxItems":3`) || strings.Contains(string(d.Schema), "from") {
			t.Errorf("it is listed as %s %s", d.Description, d.Schema)
		}
	})
	t.Run("it is asked once for each env that can matter", func(t *testing.T) {
		before := asked
		for _, deny := range [][]string{nil, {"a"}, {"b"}} {
			env := many.Env
			env.Deny, env.Services, env.Model.Native = deny, deny, deny
			if d := tool.Definition(env); d.Description != "Many." {
				t.Errorf("got %q", d.Description)
			}
		}
		if asked != before {
			t.Errorf("it was asked %d times more", asked-before)
		}
	})
}

// Not parallel: it counts allocations.
func TestADefinitionIsMadeOnce(t *testing.T) {
	asked := 0
	for _, tool := range []arc.Tool{text[desktopArgs]("computer"), varying(&asked)} {
		tool.Definition(full.Env)
		if n := testing.AllocsPerRun(100, func() { tool.Definition(full.Env) }); n != 0 {
			t.Errorf("%s allocates %v times", tool.Definition(full.Env).Name, n)
		}
	}
}
