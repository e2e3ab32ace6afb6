package tools_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// CountArgs are the arguments of a tool that counts words.
type CountArgs struct {
	_    tools.Closed
	Text string `json:"text" jsonschema_description:"Where to count"`
	Min  *int   `json:"min,omitempty" jsonschema:"minimum=1,default=1" jsonschema_description:"Shortest word that counts"`
}

type countResult struct {
	Words int `json:"words"`
}

func count(_ context.Context, a CountArgs) (countResult, error) {
	least := 1
	if a.Min != nil {
		least = *a.Min
	}
	var r countResult
	for _, w := range strings.Fields(a.Text) {
		if len(w) >= least {
			r.Words++
		}
	}
	return r, nil
}

func counter() arc.Tool {
	return tools.Func(arc.Definition{
		Name:        "count_words",
		Description: "Count the words of a text.",
		Effects:     arc.Effects{ReadOnly: true},
	}, count)
}

func ExampleNew() {
	remember := tools.New(arc.Definition{Name: "remember", Description: "Keep a note."},
		func(_ context.Context, c arc.Call, a struct {
			Note string `json:"note" jsonschema_description:"What to keep"`
		}) (string, error) {
			return fmt.Sprintf("%s keeps %q", c.Origin.Seat, a.Note), nil
		})
	set, err := tools.NewSet([]arc.Provider{tools.Of(remember)}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	turn := arc.Turn{Origin: arc.Origin{Seat: "seat_a"}}
	fmt.Println(set.Session(turn).Call(context.Background(), arc.Call{Name: "remember", Args: []byte(`{"note":"tea"}`)}))
	// Output: seat_a keeps "tea"
}

func ExampleSchema() {
	schema, err := tools.Schema[CountArgs]()
	fmt.Println(string(schema), err)
	// Output: {"properties":{"text":{"type":"string","description":"Where to count"},"min":{"type":"integer","minimum":1,"description":"Shortest word that counts","default":1}},"additionalProperties":false,"type":"object","required":["text"]} <nil>
}

func ExampleSet() {
	set, err := tools.NewSet([]arc.Provider{tools.Of(counter())}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := set.Session(arc.Turn{})
	for _, d := range s.List() {
		fmt.Println(d.Name, "–", d.Description)
	}
	// What a model sends is repaired where there is one reading, and else refused.
	for _, args := range []string{`{"text":"a bee sees","min":"2"}`, `{"texts":"a","min":0}`} {
		fmt.Println(s.Call(context.Background(), arc.Call{Name: "count_words", Args: []byte(args)}))
	}
	// Output:
	// count_words – Count the words of a text.
	// {"words":2}
	// {"error":{"code":"invalid_arguments","message":"the arguments object has no property \"texts\" (did you mean \"text\"?); it has min, text; min is 0, must be at least 1; text is missing.","problems":["the arguments object has no property \"texts\" (did you mean \"text\"?); it has min, text","min is 0, must be at least 1","text is missing"]}}
}

func ExampleSession_Run() {
	finish := tools.Func(arc.Definition{Name: "finish", Effects: arc.Effects{EndsTurn: true}},
		func(context.Context, struct{}) (*arc.Result, error) {
			return &arc.Result{Body: "bye", End: arc.Finished}, nil
		})
	set, err := tools.NewSet([]arc.Provider{tools.Of(counter(), finish)}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	// What ends the turn runs last; the answers are in the order of the calls.
	for _, r := range set.Session(arc.Turn{}).Run(context.Background(), []arc.Call{
		{ID: "1", Name: "finish"},
		{ID: "2", Name: "count_words", Args: []byte(`{"text":"one two"}`)},
		{ID: "3", Name: "finish"},
	}) {
		fmt.Println(r)
	}
	// Output:
	// bye
	// {"words":2}
	// {"error":{"code":"terminal_conflict","message":"An earlier call has ended this turn already, so this one was not run."}}
}

func ExampleMiddleware() {
	trace := func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, c arc.Call) *arc.Result {
			r := next(ctx, c)
			fmt.Fprintf(os.Stdout, "%s %s %s → %s\n", c.ID, c.Name, c.Args, r)
			return r
		}
	}
	set, err := tools.NewSet([]arc.Provider{tools.Of(counter())}, &tools.Options{Middleware: []tools.Middleware{trace}})
	if err != nil {
		fmt.Println(err)
		return
	}
	set.Session(arc.Turn{}).Call(context.Background(), arc.Call{Name: "count_words", Args: []byte(`"{\"text\":\"one two\"}"`)})
	// Output: call_1 count_words {"text":"one two"} → {"words":2}
}

func ExampleVary() {
	where := tools.Vary(counter(), func(env arc.Env, d arc.Definition) arc.Definition {
		if env.Model.Compact {
			d.Description = "Count words."
		}
		return d
	})
	for _, compact := range []bool{false, true} {
		fmt.Println(where.Definition(arc.Env{Model: arc.Model{Compact: compact}}).Description)
	}
	// Output:
	// Count the words of a text.
	// Count words.
}
