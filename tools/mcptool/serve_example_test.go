package mcptool_test

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

// A program whose client starts it serves &mcp.StdioTransport{MaxLineLength:
// mcptool.MaxMessage} in place of the one in memory.
func ExampleServe() {
	greet := tools.Func(arc.Definition{Name: "greet", Description: "Greet somebody.", Effects: arc.Effects{ReadOnly: true}},
		func(_ context.Context, a struct {
			Name string `json:"name" jsonschema_description:"whom"`
		}) (string, error) {
			return "Hello, " + a.Name + "!", nil
		})
	set, err := tools.NewSet([]arc.Provider{tools.Of(greet)}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	here, there := mcp.NewInMemoryTransports()
	served := make(chan error)
	go func() { served <- mcptool.Serve(ctx, set, arc.Turn{}, here, nil) }()

	client, err := mcp.NewClient(&mcp.Implementation{Name: "example"}, nil).Connect(ctx, there, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "greet", Arguments: map[string]string{"name": "Ada"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Content[0].(*mcp.TextContent).Text)
	client.Close()
	fmt.Println(<-served)
	// Output:
	// Hello, Ada!
	// <nil>
}
