package main

//lint:file-ignore SA1019 logging and sampling are of the revision that is tested, and have been taken back since

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/png"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

// fixtures serve what the conformance suite looks for by name. What a tool of ours can
// say is a tool of ours, so that the suite sees how Serve says it; what none can (sound,
// questions to the client, resources, prompts) is the SDK's, beside them.
func (p *program) fixtures() (server, error) {
	picture, err := redPixel()
	if err != nil {
		return nil, err
	}
	set, err := tools.NewSet([]arc.Provider{tools.Of(fixtureTools(picture)...)}, &tools.Options{Logger: p.Logger})
	if err != nil {
		return nil, err
	}
	o := p.serving()
	o.Extend = func(s *mcp.Server) {
		addPeerTools(s, picture)
		addResources(s, picture)
		addPrompts(s, picture)
	}
	o.SDK = &mcp.ServerOptions{
		Capabilities:       &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}},
		CompletionHandler:  complete,
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	}
	return func(ctx context.Context, client mcp.Transport) error {
		return mcptool.Serve(ctx, set, arc.Turn{Env: arc.Env{Model: arc.Model{Vision: true}}}, client, o)
	}, nil
}

// redPixel is a picture.
func redPixel() ([]byte, error) {
	i := image.NewRGBA(image.Rect(0, 0, 1, 1))
	i.Set(0, 0, color.RGBA{255, 0, 0, 255})
	var b bytes.Buffer
	err := png.Encode(&b, i)
	return b.Bytes(), err
}

// silence is a WAV file of no samples.
var silence = []byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x00\x00\x00\x00")

// draft2020 is a schema that has to arrive as it is.
const draft2020 = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
	`"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},` +
	`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},` +
	`"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},` +
	`"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],` +
	`"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},` +
	`"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`

type nothing struct{}

// fixtureTools are those that are tools of ours.
func fixtureTools(picture []byte) []arc.Tool {
	reads := arc.Effects{ReadOnly: true}
	return []arc.Tool{
		tools.Func(arc.Definition{Name: "test_simple_text", Description: "Says a sentence.", Effects: reads},
			func(context.Context, nothing) (string, error) {
				return "This is a simple text response for testing.", nil
			}),
		tools.Func(arc.Definition{Name: "test_image_content", Description: "Shows a picture.", Effects: reads},
			func(context.Context, nothing) (*arc.Result, error) {
				return &arc.Result{Body: "A red pixel.", Images: []arc.Image{{MIME: "image/png", Data: picture}}}, nil
			}),
		tools.Func(arc.Definition{Name: "test_error_handling", Description: "Fails.", Effects: reads},
			func(context.Context, nothing) (*arc.Result, error) {
				return nil, &arc.Error{Code: arc.IOError, Message: "This tool intentionally returns an error for testing."}
			}),
		tools.New(arc.Definition{Name: "test_tool_with_progress", Description: "Reports how far it is.", Effects: reads},
			func(ctx context.Context, c arc.Call, _ nothing) (string, error) {
				for _, done := range []float64{0, 50, 100} {
					c.Report(arc.Progress{Done: done, Total: 100})
					if err := pause(ctx); err != nil {
						return "", err
					}
				}
				return "All is done.", nil
			}),
		tools.Func(arc.Definition{
			Name: "json_schema_2020_12_tool", Description: "Has a schema with much of JSON Schema 2020-12.",
			Schema: json.RawMessage(draft2020), Effects: reads,
		}, func(_ context.Context, args json.RawMessage) (string, error) { return string(args), nil }),
	}
}

// pause lets a client see one thing after the other.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(50 * time.Millisecond):
		return nil
	}
}

// addPeerTools adds the tools that need more of the protocol than a tool of ours says.
func addPeerTools(s *mcp.Server, picture []byte) {
	add := func(name, description, schema string, h mcp.ToolHandler) {
		s.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema)}, h)
	}
	const none = `{"type":"object","properties":{}}`
	says := func(content ...mcp.Content) mcp.ToolHandler {
		return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: content}, nil
		}
	}
	embedded := &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
		URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content.",
	}}
	add("test_audio_content", "Sounds.", none, says(&mcp.AudioContent{Data: silence, MIMEType: "audio/wav"}))
	add("test_embedded_resource", "Has a resource in its result.", none, says(embedded))
	add("test_multiple_content_types", "Has text, a picture and a resource in its result.", none, says(
		&mcp.TextContent{Text: "Multiple content types test:"},
		&mcp.ImageContent{Data: picture, MIMEType: "image/png"},
		embedded,
	))
	add("test_tool_with_logging", "Logs what it does.", none, logs)
	add("test_sampling", "Asks the client's model.", `{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`, sample)
	add("test_elicitation", "Asks the user.", `{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`,
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var a struct{ Message string }
			if err := json.Unmarshal(req.Params.Arguments, &a); err != nil {
				return nil, err
			}
			return ask(ctx, req, a.Message, `{"type":"object","properties":{"username":{"type":"string","description":"User's response"},`+
				`"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}`)
		})
	for name, schema := range questions {
		add(name, "Asks the user with a form.", none, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return ask(ctx, req, "Please review and update the form fields.", schema)
		})
	}
	add("test_reconnection", "Closes its stream and answers when the client is back.", none, reconnect)
}

// questions are the forms of the tools that ask, by the tool's name.
var questions = map[string]string{
	"test_elicitation_sep1034_defaults": `{"type":"object","properties":{
		"name":{"type":"string","description":"User name","default":"John Doe"},
		"age":{"type":"integer","description":"User age","default":30},
		"score":{"type":"number","description":"User score","default":95.5},
		"status":{"type":"string","description":"User status","enum":["active","inactive","pending"],"default":"active"},
		"verified":{"type":"boolean","description":"Verification status","default":true}},"required":[]}`,
	"test_elicitation_sep1330_enums": `{"type":"object","properties":{
		"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}},"required":[]}`,
}

// ask asks the client's user.
func ask(ctx context.Context, req *mcp.CallToolRequest, message, schema string) (*mcp.CallToolResult, error) {
	r, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: message, RequestedSchema: json.RawMessage(schema)})
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(r.Content)
	if err != nil {
		return nil, err
	}
	return text("User response: action=" + r.Action + ", content=" + string(content)), nil
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// logs tells the client three things on its way. The protocol has taken this back since.
func logs(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, s := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: s}); err != nil {
			return nil, err
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
	return text("Tool with logging executed successfully."), nil
}

// sample asks the client's model. The protocol has taken this back since.
func sample(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a struct{ Prompt string }
	if err := json.Unmarshal(req.Params.Arguments, &a); err != nil {
		return nil, err
	}
	r, err := req.Session.CreateMessage(ctx, &mcp.CreateMessageParams{
		Messages:  []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: a.Prompt}}},
		MaxTokens: 100,
	})
	if err != nil {
		return nil, err
	}
	said, ok := r.Content.(*mcp.TextContent)
	if !ok {
		return nil, errors.New("the client's model said something else than text")
	}
	return text("LLM response: " + said.Text), nil
}

// reconnect closes the stream of its own answer, which waits for the client to be back.
func reconnect(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Extra != nil && req.Extra.CloseSSEStream != nil {
		req.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
	}
	if err := pause(ctx); err != nil {
		return nil, err
	}
	return text("Reconnection test completed successfully."), nil
}
