package sdk

import (
	"context"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/wire"
)

const maxTokens = 16_000 // of a reply

// Anthropic does a task with a model of Anthropic's, in one turn, and returns the
// model's last words.
func Anthropic(ctx context.Context, client anthropic.Client, model string, set *tools.Set, turn arc.Turn, task string) (string, error) {
	session := set.Session(turn)
	format, err := wire.New(wire.Anthropic, turn.Env, nil)
	if err != nil {
		return "", err
	}
	messages := []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(task))}
	for {
		list, _, err := format.Tools(session)
		if err != nil {
			return "", err
		}
		declared, err := each(list, param.Override[anthropic.ToolUnionParam])
		if err != nil {
			return "", err
		}
		said, err := client.Messages.New(ctx, anthropic.MessageNewParams{
			Model: anthropic.Model(model), MaxTokens: maxTokens, Messages: messages, Tools: declared,
		})
		if err != nil {
			return "", err
		}
		messages = append(messages, said.ToParam())
		reply, err := format.Read([]byte(said.RawJSON()))
		if err != nil || reply.Stop != wire.Calling {
			return reply.Text, err
		}
		answers, err := format.AppendResults(nil, reply.Calls, session.Run(ctx, reply.Calls))
		if err != nil {
			return "", err
		}
		messages = append(messages, all(answers, param.Override[anthropic.MessageParam])...)
	}
}
