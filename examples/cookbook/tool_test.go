package cookbook

import (
	"context"
	"fmt"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// Deploys are what this host's tool knows: it is any type of yours.
type Deploys map[string]time.Time

// DeployArgs are what a model sends. Tags make the schema; what does not fit it never
// arrives.
type DeployArgs struct {
	_       tools.Closed // other properties are refused
	Service string       `json:"service" jsonschema:"minLength=1" jsonschema_description:"Name of the service"`
}

// Deployed is what the model gets, as a line of JSON.
type Deployed struct {
	Service string    `json:"service"`
	At      time.Time `json:"at"`
}

// Last is usable from Go. Its errors are for a model: a stable code, what to do next,
// and the exact call where there is one.
func (d Deploys) Last(_ context.Context, a DeployArgs) (*Deployed, error) {
	at, ok := d[a.Service]
	if !ok {
		return nil, &arc.Error{
			Code:    arc.NotFound,
			Message: "no service has that name; look at the list and take one of it.",
			Next:    &arc.Next{Tool: "deploy_list", Arguments: struct{}{}},
		}
	}
	return &Deployed{a.Service, at}, nil
}

// List is a tool without arguments.
func (d Deploys) List(context.Context, struct{}) (string, error) {
	return fmt.Sprintf("%d services", len(d)), nil
}

// Tools makes Deploys an arc.Provider, which stands beside the families in NewSet.
func (d Deploys) Tools() []arc.Tool {
	reads := arc.Effects{ReadOnly: true} // without it a call runs alone, and never while planning
	return []arc.Tool{
		tools.Func(arc.Definition{Name: "deploy_last", Description: "When a service was deployed last.", Effects: reads}, d.Last),
		tools.Func(arc.Definition{Name: "deploy_list", Description: "How many services there are.", Effects: reads, Listing: arc.Discover}, d.List),
	}
}

// A tool of your own. Its tests may run toolstest.Run, which holds any provider to
// what a host relies on.
func Example_tool() {
	deploys := Deploys{"shop": time.Date(2026, 5, 4, 9, 30, 0, 0, time.UTC)}
	set, err := tools.NewSet([]arc.Provider{deploys}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	session := set.Session(arc.Turn{})
	for _, args := range []string{`{"service":"shop"}`, `{"service":"ship"}`} {
		fmt.Println(session.Call(context.Background(), arc.Call{Name: "deploy_last", Args: []byte(args)}))
	}
	for _, d := range session.List() { // the second answer has named a tool that was not listed
		fmt.Println(d.Name)
	}
	// Output:
	// {"service":"shop","at":"2026-05-04T09:30:00Z"}
	// {"error":{"code":"not_found","message":"no service has that name; look at the list and take one of it.","next_call":{"tool":"deploy_list","arguments":{}}}}
	// deploy_last
	// tool_search
	// deploy_list
}
