package toolstest_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/toolstest"
)

func ExampleCheck() {
	type args struct {
		Zone string `json:"zone" jsonschema_description:"Time zone"`
		Days []int  `json:"days,omitempty"`
	}
	clock := tools.Func(arc.Definition{Name: "clock", Effects: arc.Effects{ReadOnly: true}},
		func(_ context.Context, a args) (string, error) { return "noon in " + a.Zone, nil })
	err := toolstest.Check(tools.Of(clock), &toolstest.Options{
		Calls: []arc.Call{{Name: "clock", Args: json.RawMessage(`{"zone":"UTC"}`)}},
	})
	fmt.Println(err)
	// Output:
	// every property has a description: clock has no description
	// every property has a description: clock: the property days has no description
}
