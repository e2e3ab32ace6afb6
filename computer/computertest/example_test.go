package computertest_test

import (
	"context"
	"fmt"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
)

// A host's test looks at what its model's call did to the desktop.
func ExampleNew() {
	ctx := context.Background()
	screen := computertest.New(1280, 800)
	pc, err := computer.Open(ctx, screen, nil)
	if err != nil {
		panic(err)
	}
	defer pc.Close(ctx)

	env := arc.Env{Model: arc.Model{Vision: true, Actions: 2}}
	if _, err := pc.Do(ctx, arc.Origin{}, env, computer.Args{Actions: []computer.Action{{Action: computer.Screenshot}}}); err != nil {
		panic(err)
	}
	screen.Forget()
	if _, err := pc.Do(ctx, arc.Origin{}, env, computer.Args{Actions: []computer.Action{
		{Action: computer.Type, Text: "hello"},
		{Action: computer.PressKey, Text: "Return"},
	}}); err != nil {
		panic(err)
	}
	for _, event := range screen.Events() {
		fmt.Println(event)
	}
	fmt.Printf("typed: %q\n", screen.Typed())
	// Output:
	// type "hello"
	// Return down
	// Return up
	// typed: "hello"
}
