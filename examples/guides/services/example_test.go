package services

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

// catalogue is a service in this process, with one tool, whose answer is long.
func catalogue(ctx context.Context) (mcp.Transport, error) {
	type shelf struct {
		Shelf string `json:"shelf"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "catalogue", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "books", Description: "List the books of a shelf"},
		func(_ context.Context, _ *mcp.CallToolRequest, a shelf) (*mcp.CallToolResult, any, error) {
			text := strings.Repeat("a book of shelf "+a.Shelf+"\n", 5000)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
	here, there := mcp.NewInMemoryTransports()
	_, err := server.Connect(ctx, there, nil)
	return here, err
}

// A seat that is granted a service finds its tool, calls it, and pages its long answer
// to the end; another seat has no such tool; and when the operator withdraws the grant,
// the next call is refused.
func Example() {
	ctx := context.Background()
	state, err := os.MkdirTemp("", "services")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(state)
	services, err := mcptool.Open(&mcptool.Options{State: state})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer services.Close(ctx)
	err = services.Connect(ctx, mcptool.Service{Name: "library", Dial: catalogue}) // in life: Command or URL
	if err != nil {
		fmt.Println(err)
		return
	}

	granted := map[arc.SeatID][]string{"reader": {"library"}}
	set, err := tools.NewSet([]arc.Provider{services}, &tools.Options{
		Recheck: func(_ context.Context, t arc.Turn) arc.Env {
			t.Services = granted[t.Origin.Seat]
			return t.Env
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	sessionOf := func(seat arc.SeatID) *tools.Session {
		env := arc.Env{Access: arc.FullAccess, Project: true, Services: granted[seat]}
		return set.Session(arc.Turn{Env: env, Origin: arc.Origin{Seat: seat}})
	}
	reader, stranger := sessionOf("reader"), sessionOf("stranger")

	books := arc.Call{Name: "library__books", Args: json.RawMessage(`{"shelf":3}`)} // a number where a string is wanted
	fmt.Println("a stranger:", stranger.Call(ctx, books).Err.Code)
	fmt.Println("found:", reader.Search("which books are there", 1)[0].Name)

	follow := func(n *arc.Next) *arc.Result { // what the model would do, literally
		args, err := json.Marshal(n.Arguments)
		if err != nil {
			panic(err)
		}
		return reader.Call(ctx, arc.Call{Name: n.Tool, Args: args})
	}
	first := reader.Call(ctx, books)
	all, pages := first.Body, 0
	for r := first; r.Next != nil; pages++ {
		r = follow(r.Next)
		all += r.Body
	}
	fmt.Println(strings.Count(all, "a book of shelf 3\n"), "books, the rest of them in", pages, "pages")

	granted["reader"] = nil
	fmt.Println("withdrawn:", reader.Call(ctx, books).Err.Code)
	// Output:
	// a stranger: service_not_granted
	// found: library__books
	// 5000 books, the rest of them in 2 pages
	// withdrawn: service_not_granted
}
