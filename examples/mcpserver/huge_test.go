package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// hugeText is what the service answers: 2 MB, some of it of two bytes a character.
func hugeText() string {
	var b strings.Builder
	for n := 0; b.Len() < 2_000_000; n++ {
		fmt.Fprintf(&b, "line %d:%s\n", n, strings.Repeat(" größer", 20))
	}
	return b.String()
}

// huge is an MCP service with a huge answer.
func huge() {
	s := mcp.NewServer(&mcp.Implementation{Name: "huge", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "log", Description: "The whole log.", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: hugeText()}}}, nil
		})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
