package tools_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// CountArgs are the arguments of a tool that counts words.
type CountArgs struct {
	_    tools.Closed // other properties are refused
	Text string       `json:"text" jsonschema_description:"Where to count"`
	Min  *int         `json:"min,omitempty" jsonschema:"minimum=1,default=1" jsonschema_description:"Shortest word that counts"`
}

// A CountResult is what the model gets, as JSON.
type CountResult struct {
	Words int `json:"words"`
}

// Count is a typed function that is usable from plain Go.
func Count(_ context.Context, a CountArgs) (CountResult, error) {
	least := 1
	if a.Min != nil {
		least = *a.Min
	}
	var r CountResult
	for _, w := range strings.Fields(a.Text) {
		if len(w) >= least {
			r.Words++
		}
	}
	return r, nil
}

// A typed function becomes a tool, the tool a set, and the set a session for one
// turn of a model.
func Example() {
	counter := tools.Func(arc.Definition{
		Name:        "count_words",
		Description: "Count the words of a text.",
		Effects:     arc.Effects{ReadOnly: true},
	}, Count)
	set, err := tools.NewSet([]arc.Provider{tools.Of(counter)}, nil)
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
