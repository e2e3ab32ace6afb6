package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/invopop/jsonschema"
)

func TestNewSetReportsAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := tools.NewSet([]arc.Provider{
		tools.Of(
			says(arc.Definition{Name: "good"}, ""),
			says(arc.Definition{Name: "no spaces please"}, ""),
			says(arc.Definition{Name: strings.Repeat("x", 65)}, ""),
			says(arc.Definition{Name: "broken_schema", Schema: json.RawMessage(`{"type":"array"}`)}, ""),
			tools.Func(arc.Definition{Name: "bad_tag"}, func(context.Context, struct {
				A int `json:"a" jsonschema:"minimun=1"`
			}) (string, error) {
				return "", nil
			}),
			tools.Func(arc.Definition{Name: "bad_result"}, func(context.Context, noArgs) ([]int, error) { return nil, nil }),
			tools.Func[noArgs, string](arc.Definition{Name: "no_function"}, nil),
			tools.Vary(nil, nil),
			tools.Vary(says(arc.Definition{Name: "varies_too_much"}, ""), func(_ arc.Env, d arc.Definition) arc.Definition { d.Native = "x"; return d }),
			nil, (*nilTool)(nil), panics{}, text[panickingSchema]("panicking_schema"),
		),
		tools.Of(says(arc.Definition{Name: "good"}, ""), says(arc.Definition{Name: "tool_search"}, "")),
		nil,
		panickingProvider{},
	}, nil)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`tool "no spaces please": a name is 1 to 64 letters`,
		`tool "xxxxx`,
		`tool "broken_schema": its schema is not one of an object`,
		`tool "bad_tag": a has jsonschema tag "minimun=1"`,
		`tool "bad_result": its result is []int, must be a struct`,
		`tool "no_function": it has no function`,
		`it varies nothing`,
		`more than its description and schema varies`,
		`a tool is nil`,
		`a tool's Definition panics: oh`,
		`tool good: the name is taken`,
		`tool tool_search: the name is taken`,
		`provider 2 is nil`,
		`provider 3 (tools_test.panickingProvider): its Tools panics: ouch`,
		`tool "panicking_schema": the schema of tools_test.panickingSchema cannot be made: eek`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q", want)
		}
	}
	if t.Failed() {
		t.Log(err)
	}
}

type panickingProvider struct{}

func (panickingProvider) Tools() []arc.Tool { panic("ouch") }

type panickingSchema struct {
	A panickingType `json:"a"`
}

type panickingType int

func (panickingType) JSONSchema() *jsonschema.Schema { panic("eek") }

type nilTool struct{ arc.Tool }

type panics struct{}

func (panics) Definition(arc.Env) arc.Definition                   { panic("oh") }
func (panics) Call(context.Context, arc.Call) (*arc.Result, error) { panic("ah") }
