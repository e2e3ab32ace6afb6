package sdk

import (
	"context"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/wire"
)

// OpenAI does a task with a model of OpenAI's, in one turn, and returns the model's last
// words. Its conversation is kept here and not with OpenAI.
func OpenAI(ctx context.Context, client openai.Client, model string, set *tools.Set, turn arc.Turn, task string) (string, error) {
	session := set.Session(turn)
	format, err := wire.New(wire.OpenAI, turn.Env, nil)
	if err != nil {
		return "", err
	}
	items := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(task, responses.EasyInputMessageRoleUser)}
	for {
		list, _, err := format.Tools(session)
		if err != nil {
			return "", err
		}
		declared, err := each(list, param.Override[responses.ToolUnionParam])
		if err != nil {
			return "", err
		}
		said, err := client.Responses.New(ctx, responses.ResponseNewParams{
			Model: model, Input: responses.ResponseNewParamsInputUnion{OfInputItemList: items}, Tools: declared,
			Store: openai.Bool(false), Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent},
		})
		if err != nil {
			return "", err
		}
		reply, err := format.Read([]byte(said.RawJSON()))
		if err != nil || reply.Stop != wire.Calling {
			return reply.Text, err
		}
		answers, err := format.AppendResults(reply.Messages, reply.Calls, session.Run(ctx, reply.Calls))
		if err != nil {
			return "", err
		}
		items = append(items, all(answers, param.Override[responses.ResponseInputItemUnionParam])...)
	}
}
