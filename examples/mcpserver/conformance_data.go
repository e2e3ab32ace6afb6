package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addResources adds the resources that the suite reads.
func addResources(s *mcp.Server, picture []byte) {
	holds := func(c mcp.ResourceContents) mcp.ResourceHandler {
		return func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			c := c
			c.URI = req.Params.URI
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&c}}, nil
		}
	}
	s.AddResource(&mcp.Resource{Name: "static-text", Description: "A text.", MIMEType: "text/plain", URI: "test://static-text"},
		holds(mcp.ResourceContents{MIMEType: "text/plain", Text: "This is the content of the static text resource."}))
	s.AddResource(&mcp.Resource{Name: "static-binary", Description: "A picture.", MIMEType: "image/png", URI: "test://static-binary"},
		holds(mcp.ResourceContents{MIMEType: "image/png", Blob: picture}))
	s.AddResource(&mcp.Resource{Name: "watched-resource", Description: "A text to subscribe to.", MIMEType: "text/plain", URI: "test://watched-resource"},
		holds(mcp.ResourceContents{MIMEType: "text/plain", Text: "Watched resource content"}))
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "template", Description: "Data by its id.", MIMEType: "application/json", URITemplate: "test://template/{id}/data"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
			data, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
			if err != nil {
				return nil, err
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: string(data)}}}, nil
		})
}

// addPrompts adds the prompts that the suite asks for.
func addPrompts(s *mcp.Server, picture []byte) {
	add := func(name, description string, args []*mcp.PromptArgument, says func(map[string]string) []mcp.Content) {
		s.AddPrompt(&mcp.Prompt{Name: name, Description: description, Arguments: args},
			func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				r := &mcp.GetPromptResult{Description: description}
				for _, c := range says(req.Params.Arguments) {
					r.Messages = append(r.Messages, &mcp.PromptMessage{Role: "user", Content: c})
				}
				return r, nil
			})
	}
	add("test_simple_prompt", "A sentence.", nil, func(map[string]string) []mcp.Content {
		return []mcp.Content{&mcp.TextContent{Text: "This is a simple prompt for testing."}}
	})
	add("test_prompt_with_arguments", "A sentence with two arguments.", []*mcp.PromptArgument{
		{Name: "arg1", Description: "First test argument", Required: true},
		{Name: "arg2", Description: "Second test argument", Required: true},
	}, func(a map[string]string) []mcp.Content {
		return []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])}}
	})
	add("test_prompt_with_embedded_resource", "A resource and a sentence.", []*mcp.PromptArgument{
		{Name: "resourceUri", Description: "URI of the resource to embed", Required: true},
	}, func(a map[string]string) []mcp.Content {
		return []mcp.Content{
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: a["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}},
			&mcp.TextContent{Text: "Please process the embedded resource above."},
		}
	})
	add("test_prompt_with_image", "A picture and a sentence.", nil, func(map[string]string) []mcp.Content {
		return []mcp.Content{
			&mcp.ImageContent{Data: picture, MIMEType: "image/png"},
			&mcp.TextContent{Text: "Please analyze the image above."},
		}
	})
}

// complete knows no words to complete.
func complete(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
}
