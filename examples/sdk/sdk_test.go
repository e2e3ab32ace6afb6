package sdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	claude "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	gpt "github.com/openai/openai-go/v3/option"
	"go.uber.org/goleak"
	"google.golang.org/genai"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/sdk"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/tools"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start")) // an SDK starts it when it is linked
}

// The names are not in the order of letters, so that one who sorts is seen.
type numbers struct {
	Over  int `json:"over" jsonschema_description:"what is divided"`
	Under int `json:"by" jsonschema:"minimum=-1000" jsonschema_description:"by what"`
}

// divide has a sentence for what it refuses, and a picture of what it does not.
var divide = tools.Func(arc.Definition{Name: "divide", Description: "Divide a number <by> another.", Effects: arc.Effects{ReadOnly: true}},
	func(_ context.Context, n numbers) (*arc.Result, error) {
		if n.Under == 0 {
			return nil, &arc.Error{Code: arc.InvalidArguments, Message: "nothing can be divided by 0; divide by another number."}
		}
		return &arc.Result{Body: strconv.Itoa(n.Over / n.Under), Images: []arc.Image{{MIME: "image/png", Data: []byte("picture")}}}, nil
	})

// secret is listed when a search has found it.
var secret = tools.Func(arc.Definition{Name: "secret", Description: "Whisper a secret.", Listing: arc.Discover, Effects: arc.Effects{ReadOnly: true}},
	func(context.Context, struct{}) (string, error) { return "it is blue", nil })

var script = fakemodel.Script{Steps: []fakemodel.Step{
	{Name: "divide", Text: "Let me see.", Calls: []fakemodel.Call{
		{Tool: "divide", Args: map[string]int{"over": 84, "by": 2}},
		{Tool: "divide", Args: map[string]int{"over": 84, "by": 0}},
	}},
	{Name: "search", When: fakemodel.Match{Of: "divide", Fields: map[string]any{"error.code": "invalid_arguments"}}, Calls: []fakemodel.Call{
		{Tool: "tool_search", Args: map[string]string{"query": "whisper a secret"}},
	}},
	{Name: "ask", When: fakemodel.Match{Listed: []string{"secret"}}, Calls: []fakemodel.Call{{Tool: "secret"}}},
	{Name: "tell", When: fakemodel.Match{Of: "secret", Contains: "blue"}, Text: "It is 42, and blue."},
}}

// TestOneLoopOnEachSDK runs the same script through all of them.
func TestOneLoopOnEachSDK(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(ctx context.Context, url string, client *http.Client, set *tools.Set, turn arc.Turn) (string, error){
		"Anthropic": func(ctx context.Context, url string, client *http.Client, set *tools.Set, turn arc.Turn) (string, error) {
			c := anthropic.NewClient(claude.WithBaseURL(url), claude.WithAPIKey("key"), claude.WithHTTPClient(client), claude.WithMaxRetries(0))
			return sdk.Anthropic(ctx, c, "scripted", set, turn, "What is 84 / 2?")
		},
		"OpenAI": func(ctx context.Context, url string, client *http.Client, set *tools.Set, turn arc.Turn) (string, error) {
			c := openai.NewClient(gpt.WithBaseURL(url+"/v1"), gpt.WithAPIKey("key"), gpt.WithHTTPClient(client), gpt.WithMaxRetries(0))
			return sdk.OpenAI(ctx, c, "scripted", set, turn, "What is 84 / 2?")
		},
		"Gemini": func(ctx context.Context, url string, client *http.Client, set *tools.Set, turn arc.Turn) (string, error) {
			c, err := genai.NewClient(ctx, &genai.ClientConfig{
				APIKey: "key", Backend: genai.BackendGeminiAPI, HTTPClient: client, HTTPOptions: genai.HTTPOptions{BaseURL: url},
			})
			if err != nil {
				return "", err
			}
			return sdk.Gemini(ctx, c, "gemini-3-pro", set, turn, "What is 84 / 2?")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, err := fakemodel.Start(script, nil)
			if err != nil {
				t.Fatal(err)
			}
			client := &http.Client{Transport: &http.Transport{}}
			defer func() {
				client.CloseIdleConnections()
				if err := errors.Join(srv.Err(), srv.Close()); err != nil {
					t.Error(err)
				}
			}()
			set, err := tools.NewSet([]arc.Provider{tools.Of(divide, secret)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			words, err := run(t.Context(), srv.URL(), client, set, arc.Turn{Env: arc.Env{Model: arc.Model{Vision: true}}})
			if err != nil || words != "It is 42, and blue." {
				t.Errorf("the last words are %q, %v", words, err)
			}
			requests := srv.Requests()
			if len(requests) != len(script.Steps) {
				t.Fatalf("there were %d requests", len(requests))
			}
			want := divide.Definition(arc.Env{})
			got, ok := requests[0].Tool("divide")
			if !ok || got.Description != want.Description || !bytes.Equal(compact(t, got.Schema), compact(t, want.Schema)) {
				t.Errorf("the tool has arrived as %s %q, and was %s %q", got.Schema, got.Description, want.Schema, want.Description)
			}
			if answers := requests[1].Turns[2].Results; len(answers) != 2 || answers[0].Text != "42" && answers[0].Text != "42\n" || answers[0].Images != 1 {
				t.Errorf("the answers are %+v", answers)
			}
		})
	}
}

func compact(t *testing.T, schema json.RawMessage) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, schema); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
