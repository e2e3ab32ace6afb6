package mcptool_test

import (
	"context"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "mcp")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	services, err := mcptool.Open(&mcptool.Options{State: dir})
	if err != nil {
		panic(err)
	}
	defer services.Close(ctx)

	// A command would be Command: []string{"mcp-server-filesystem", "/srv/files"}.
	err = services.Connect(ctx, mcptool.Service{Name: "greeter", Dial: func(ctx context.Context) (mcp.Transport, error) {
		here, there := mcp.NewInMemoryTransports()
		server := mcp.NewServer(&mcp.Implementation{Name: "greeter", Version: "1"}, nil)
		type who struct {
			Name string `json:"name"`
		}
		mcp.AddTool(server, &mcp.Tool{Name: "greet", Description: "Greet somebody"},
			func(_ context.Context, _ *mcp.CallToolRequest, a who) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Good day, " + a.Name}}}, nil, nil
			})
		_, err := server.Connect(ctx, there, nil)
		return here, err
	}})
	if err != nil {
		panic(err)
	}

	set, err := tools.NewSet([]arc.Provider{services}, nil)
	if err != nil {
		panic(err)
	}
	session := set.Session(arc.Turn{Env: arc.Env{Access: arc.FullAccess, Project: true, Services: services.Names()}})
	for _, d := range session.Search("greet", 1) {
		fmt.Println(d.Name + ": " + d.Description)
	}
	result := session.Call(ctx, arc.Call{Name: "greeter__greet", Args: []byte(`{"name":"Ada"}`)})
	fmt.Println(result)
	// Output:
	// greeter__greet: Greet somebody
	// {"untrusted":true}
	// Good day, Ada
}
