package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/invopop/jsonschema"
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
	set, err := tools.NewSet([]arc.Provider{tools.Of(greet)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := set.Session(arc.Turn{}).Call(t.Context(), arc.Call{Name: "greet", Args: []byte(`{"name":"Ada"}`)})
	if r.String() != "hello Ada" {
		t.Errorf("got %s", r)
	}
}

func marshal(v any) json.RawMessage { return must(json.Marshal(v)) }

// even takes even numbers alone.
type even int

func (e *even) UnmarshalJSON(b []byte) error {
	n, err := strconv.Atoi(string(b))
	if err == nil && n%2 != 0 {
		return &arc.Error{Code: arc.InvalidArguments, Message: "pairs is odd, must be even."}
	}
	*e = even(n)
	return err
}

func (even) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "integer"} }

func TestWhatTheSchemaLetsThroughAndTheTypeDoesNotTake(t *testing.T) {
	t.Parallel()
	s := session(t, full, nil, tools.Func(arc.Definition{Name: "x"}, func(_ context.Context, a struct {
		Small int8 `json:"small,omitempty" jsonschema_description:"Small"`
		Pairs even `json:"pairs,omitempty" jsonschema:"minimum=0" jsonschema_description:"Even"`
		Any   any  `json:"any,omitempty" jsonschema_description:"Anything"`
	}) (string, error) {
		return fmt.Sprintf("%d %d %v", a.Small, a.Pairs, a.Any), nil
	}))
	for _, c := range []struct{ args, want string }{
		{`{"small":127,"pairs":"4","any":9007199254740993}`, `127 4 9007199254740993`},
		{`{"small":128}`, `!small is 128, which does not fit.`},
		{`{"pairs":3}`, `!pairs is odd, must be even.`},
		{`{"pairs":-2}`, `!pairs is -2, must be at least 0.`},
	} {
		r := s.Call(t.Context(), arc.Call{Name: "x", Args: []byte(c.args)})
		got := r.Body
		if r.Err != nil {
			got = "!" + r.Err.Message
		}
		if got != c.want || r.Err != nil && r.Err.Code != arc.InvalidArguments {
			t.Errorf("%s: got %q, want %q", c.args, got, c.want)
		}
	}
}

// What only the Go type refuses is told as a check would tell it.
func TestADecoderNamesEachValueThatItRefuses(t *testing.T) {
	t.Parallel()
	type visit struct {
		At time.Time `json:"at,omitzero" jsonschema_description:"When"`
		N  int8      `json:"n,omitempty" jsonschema_description:"How often"`
	}
	type spans struct {
		From time.Time `json:"from,omitzero" jsonschema_description:"From"`
	}
	s := session(t, full, nil, tools.Func(arc.Definition{Name: "x"}, func(_ context.Context, a struct {
		spans
		Visits []visit          `json:"visits,omitempty" jsonschema_description:"Visits"`
		By     map[string]visit `json:"by,omitempty" jsonschema_description:"Visits by name"`
		IP     netip.Addr       `json:"ip,omitzero" jsonschema_description:"Address"`
		Quoted int8             `json:"quoted,omitempty,string" jsonschema_description:"A number in quotes"`
		Either any              `json:"either,omitempty" jsonschema_description:"Anything"`
		Words  string           `json:"words,omitempty" jsonschema:"type=array" jsonschema_description:"Said to be a list, which it is not"`
	}) (string, error) {
		return a.From.Format(time.DateOnly), nil
	}))
	for _, c := range []struct {
		args string
		want []string
	}{
		{`{"from":"yesterday"}`, []string{`from is "yesterday", must be a time such as 2026-11-30T12:00:00Z`}},
		{`{"from":"yesterday","visits":[{"n":1},{"at":"noon","n":200}],"by":{"Ada":{"n":-129}}}`, []string{
			`from is "yesterday", must be a time such as 2026-11-30T12:00:00Z`,
			`visits[1].at is "noon", must be a time such as 2026-11-30T12:00:00Z`,
			`visits[1].n is 200, which does not fit`,
			`by.Ada.n is -129, which does not fit`,
		}},
		{`{"ip":"nowhere"}`, []string{`ip is "nowhere", which is not in the form that the description asks for`}},
		{`{"quoted":"999"}`, []string{`quoted is "999", which does not fit`}},
		{`{"words":["a","b"]}`, []string{`words is an array, which does not fit`}},
	} {
		r := s.Call(t.Context(), arc.Call{Name: "x", Args: []byte(c.args)})
		if r.Err == nil || r.Err.Code != arc.InvalidArguments || r.Err.Message != strings.Join(c.want, "; ")+"." || r.Err.Err == nil {
			t.Errorf("%s: got %v", c.args, r.Err)
			continue
		}
		if got, want := string(marshal(r.Err.Detail)), string(marshal(map[string]any{"problems": c.want})); got != want {
			t.Errorf("%s: the detail is %s, want %s", c.args, got, want)
		}
	}
	if r := s.Call(t.Context(), arc.Call{Name: "x", Args: []byte(`{"from":"2026-11-30T12:00:00Z","quoted":"5","either":[{"a":"noon"}]}`)}); r.String() != "2026-11-30" {
		t.Errorf("got %s", r)
	}
}

// looped reads itself from an object of its fields, so that its schema holds.
type looped struct {
	N int `json:"n" jsonschema_description:"How often"`
}

func (l *looped) UnmarshalJSON(b []byte) error {
	type plain looped
	*l = looped{N: 7}
	return json.Unmarshal(b, (*plain)(l))
}

func TestATypeThatReadsItselfKeepsTheSchemaOfItsFields(t *testing.T) {
	t.Parallel()
	s := session(t, full, nil, tools.Func(arc.Definition{Name: "x"}, func(_ context.Context, a looped) (string, error) { return fmt.Sprint(a.N), nil }))
	if r := s.Call(t.Context(), arc.Call{Name: "x", Args: []byte(`{"n":"8"}`)}); r.String() != "8" {
		t.Errorf("got %s", r)
	}
}

func TestAnyArgumentsGoWithASchemaByHand(t *testing.T) {
	t.Parallel()
	def := arc.Definition{Name: "x", Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}
	s := session(t, full, nil, tools.Func(def, func(_ context.Context, a map[string]any) (map[string]any, error) { return a, nil }))
	if r := s.Call(t.Context(), arc.Call{Name: "x", Args: []byte(`{"n":"9007199254740993","more":[1]}`)}); r.String() != `{"more":[1],"n":9007199254740993}` {
		t.Errorf("got %s", r)
	}
}

func TestABrokenToolRefusesWithoutAPanic(t *testing.T) {
	t.Parallel()
	tool := tools.Func[noArgs, string](arc.Definition{Name: "x"}, nil)
	if _, err := tool.Call(t.Context(), arc.Call{}); err == nil || err.Error() != "tool x is broken: it has no function" {
		t.Errorf("got %v", err)
	}
}
