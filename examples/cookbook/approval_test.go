package cookbook

import (
	"context"
	"fmt"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// ask puts a call to a person. A product shows it, and waits until ctx ends; this one
// knows the answer.
func ask(_ context.Context, c arc.Call) bool { return c.Name != "drop_table" }

// approve is asked once a call is allowed in its turn and its arguments are right, so
// that a person sees only what would really run.
func approve(ctx context.Context, c arc.Call, d arc.Definition) error {
	if !d.Effects.Destructive || ask(ctx, c) {
		return nil
	}
	return &arc.Error{Code: arc.Forbidden, Message: "the operator said no to this call; ask what they want instead."}
}

// A person's word before a call that destroys something. What every call must pass is
// Options.Approve; what looks at results as well is a Middleware.
func Example_approval() {
	drop := tools.Func(arc.Definition{
		Name: "drop_table", Description: "Drop a table.", Effects: arc.Effects{Destructive: true},
	}, func(context.Context, struct{}) (string, error) { return "dropped", nil })
	count := func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, c arc.Call) *arc.Result {
			r := next(ctx, c)
			fmt.Println(c.Name, "refused:", r.Err != nil)
			return r
		}
	}
	set, err := tools.NewSet([]arc.Provider{tools.Of(drop)}, &tools.Options{Approve: approve, Middleware: []tools.Middleware{count}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Session(arc.Turn{}).Call(context.Background(), arc.Call{Name: "drop_table"}))
	// Output:
	// drop_table refused: true
	// {"error":{"code":"forbidden","message":"the operator said no to this call; ask what they want instead."}}
}
