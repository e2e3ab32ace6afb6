package tools_test

import (
	"context"
	"fmt"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

func ExampleFunc() {
	type args struct {
		Name string `json:"name" jsonschema_description:"Whom to greet"`
	}
	greet := tools.Func(arc.Definition{Name: "greet", Description: "Greet somebody."},
		func(_ context.Context, a args) (string, error) { return "Hello, " + a.Name, nil })
	r, err := greet.Call(context.Background(), arc.Call{Args: []byte(`{"name":"Ada"}`)})
	fmt.Println(r, err)
	// Output: Hello, Ada <nil>
}

func ExampleOf() {
	hello := tools.Func(arc.Definition{Name: "hello", Description: "Say hello."},
		func(context.Context, struct{}) (string, error) { return "hello", nil })
	bye := tools.Func(arc.Definition{Name: "bye", Description: "Say bye.", Listing: arc.Discover},
		func(context.Context, struct{}) (string, error) { return "bye", nil })
	set, err := tools.NewSet([]arc.Provider{tools.Of(hello, bye)}, nil) // beside a workspace, a shell and others
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range set.Session(arc.Turn{}).List() { // bye is found by tool_search
		fmt.Println(d.Name)
	}
	// Output:
	// hello
	// tool_search
}

func ExampleSchema() {
	type args struct {
		_    tools.Closed
		Text string `json:"text" jsonschema_description:"Where to count"`
		Min  *int   `json:"min,omitempty" jsonschema:"minimum=1,default=1" jsonschema_description:"Shortest word that counts"`
	}
	schema, err := tools.Schema[args]()
	fmt.Println(string(schema), err)
	// Output: {"properties":{"text":{"type":"string","description":"Where to count"},"min":{"type":"integer","minimum":1,"description":"Shortest word that counts","default":1}},"additionalProperties":false,"type":"object","required":["text"]} <nil>
}

// A tag without effect is an error, and so are two that contradict each other.
func ExampleSchema_tags() {
	type args struct {
		Path  string `json:"path" jsonschema:"maxLenght=255" jsonschema_desc:"File to read"`
		Lines int    `json:"lines,omitempty" jsonschema:"maximum=100,default=200"`
	}
	_, err := tools.Schema[args]()
	fmt.Println(err)
	// Output: path has the tag key jsonschema_desc, which nobody reads; did you mean jsonschema_description?; path has jsonschema tag "maxLenght=255": it is no keyword of a property of type string; lines's default is 200, must be at most 100
}

func ExampleSession_Run() {
	read := tools.Func(arc.Definition{Name: "read", Description: "Read.", Effects: arc.Effects{ReadOnly: true}},
		func(context.Context, struct{}) (string, error) { return "some text", nil })
	finish := tools.Func(arc.Definition{Name: "finish", Description: "End the run.", Effects: arc.Effects{EndsTurn: true}},
		func(context.Context, struct{}) (*arc.Result, error) {
			return &arc.Result{Body: "bye", End: arc.Finished}, nil
		})
	set, err := tools.NewSet([]arc.Provider{tools.Of(read, finish)}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	// What ends the turn runs last; the answers are in the order of the calls.
	for _, r := range set.Session(arc.Turn{}).Run(context.Background(), []arc.Call{
		{ID: "1", Name: "finish"},
		{ID: "2", Name: "read"},
		{ID: "3", Name: "finish"},
	}) {
		fmt.Println(r)
	}
	// Output:
	// bye
	// some text
	// {"error":{"code":"terminal_conflict","message":"An earlier call has ended this turn already, so this one was not run."}}
}

func ExampleMiddleware() {
	trace := func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, c arc.Call) *arc.Result {
			r := next(ctx, c)
			fmt.Printf("%s %s %s → %s\n", c.ID, c.Name, c.Args, r)
			return r
		}
	}
	type args struct {
		Name string `json:"name" jsonschema_description:"Whom to greet"`
	}
	greet := tools.Func(arc.Definition{Name: "greet", Description: "Greet somebody."},
		func(_ context.Context, a args) (string, error) { return "Hello, " + a.Name, nil })
	set, err := tools.NewSet([]arc.Provider{tools.Of(greet)}, &tools.Options{Middleware: []tools.Middleware{trace}})
	if err != nil {
		fmt.Println(err)
		return
	}
	set.Session(arc.Turn{}).Call(context.Background(), arc.Call{Name: "greet", Args: []byte(`"{\"name\":\"Ada\"}"`)})
	// Output: call_1 greet {"name":"Ada"} → Hello, Ada
}

func ExampleVary() {
	greet := tools.Func(arc.Definition{Name: "greet", Description: "Greet somebody, in the language of the house."},
		func(context.Context, struct{}) (string, error) { return "Hello", nil })
	short := tools.Vary(greet, func(env arc.Env, d arc.Definition) arc.Definition {
		if env.Model.Compact {
			d.Description = "Greet."
		}
		return d
	})
	for _, compact := range []bool{false, true} {
		fmt.Println(short.Definition(arc.Env{Model: arc.Model{Compact: compact}}).Description)
	}
	// Output:
	// Greet somebody, in the language of the house.
	// Greet.
}
