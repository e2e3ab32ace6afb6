package sdk

import (
	"context"
	"encoding/json"

	"google.golang.org/genai"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/wire"
)

// Gemini does a task with a model of Google's, in one turn, and returns the model's last
// words.
func Gemini(ctx context.Context, client *genai.Client, model string, set *tools.Set, turn arc.Turn, task string) (string, error) {
	session := set.Session(turn)
	format, err := wire.New(wire.Gemini, turn.Env, nil)
	if err != nil {
		return "", err
	}
	contents := []*genai.Content{genai.NewContentFromText(task, genai.RoleUser)}
	for {
		list, _, err := format.Tools(session)
		if err != nil {
			return "", err
		}
		// The SDK's own type of a tool has a map in it, which would sort a schema.
		declare := func(body map[string]any) map[string]any {
			if len(list) > 0 {
				body["tools"] = list
			}
			return body
		}
		said, err := client.Models.GenerateContent(ctx, model, contents, &genai.GenerateContentConfig{
			HTTPOptions: &genai.HTTPOptions{ExtrasRequestProvider: declare},
		})
		if err != nil {
			return "", err
		}
		raw, err := json.Marshal(said)
		if err != nil {
			return "", err
		}
		reply, err := format.Read(raw)
		if err != nil || reply.Stop != wire.Calling {
			return reply.Text, err
		}
		answers, err := format.AppendResults(nil, reply.Calls, session.Run(ctx, reply.Calls))
		if err != nil {
			return "", err
		}
		contents = append(contents, said.Candidates[0].Content)
		for _, a := range answers {
			var c genai.Content
			if err := json.Unmarshal(a, &c); err != nil {
				return "", err
			}
			contents = append(contents, &c)
		}
	}
}
