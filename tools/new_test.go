package tools_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

type greetArgs struct {
	_    tools.Closed
	Name string `json:"name" jsonschema_description:"Whom to greet" check:"maxLength=10"`
	Loud *bool  `json:"loud,omitempty" jsonschema:"default=false" jsonschema_description:"In capitals"`
	From int    `json:"from,omitempty" additive:"true" jsonschema_description:"Where to go on"`
}

func TestNewDerivesWhatIsPublished(t *testing.T) {
	t.Parallel()
	got, err := tools.Schema[greetArgs]()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"properties":{"name":{"type":"string","description":"Whom to greet"},"loud":{"type":"boolean","description":"In capitals","default":false}},"additionalProperties":false,"type":"object","required":["name"]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	greet := tools.Func(arc.Definition{Name: "greet"}, func(_ context.Context, a greetArgs) (string, error) {
		return "hello " + a.Name, nil
	})
	set, err := tools.NewSet([]arc.Provider{provider{greet}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := set.Session(arc.Turn{}).Call(t.Context(), arc.Call{Name: "greet", Args: []byte(`{"name":"Ada"}`)})
	if r.String() != "hello Ada" {
		t.Errorf("got %s", r)
	}
}

// provider is a fixed list of tools.
type provider []arc.Tool

func (p provider) Tools() []arc.Tool { return p }

func marshal(v any) json.RawMessage { return must(json.Marshal(v)) }
