package wire

import (
	"encoding/json"
	"net/url"
	"regexp"
)

// A Provider is a wire format for talking with a model.
type Provider string

// The providers.
const (
	Anthropic  Provider = "anthropic" // Anthropic's Messages
	OpenAI     Provider = "openai"    // OpenAI's Responses
	OpenAIChat Provider = "chat"      // Chat Completions: OpenAI, Ollama, llama.cpp, vLLM and others
	Gemini     Provider = "gemini"    // Google's generateContent
)

// Path is what follows a server's base address: https://api.anthropic.com,
// https://api.openai.com/v1, http://127.0.0.1:11434/v1 or
// https://generativelanguage.googleapis.com. It is empty for an unknown provider.
func (p Provider) Path(model string, stream bool) string {
	switch p {
	case Anthropic:
		return "/v1/messages"
	case OpenAI:
		return "/responses"
	case OpenAIChat:
		return "/chat/completions"
	case Gemini:
		path := "/v1beta/models/" + url.PathEscape(model)
		if stream {
			return path + ":streamGenerateContent?alt=sse"
		}
		return path + ":generateContent"
	}
	return ""
}

// traits are what providers differ in and a value can say.
type traits struct {
	dialects []Dialect
	computer []ComputerVersion // the first is the default
	names    *regexp.Regexp
	rule     string // names in words
	grammar  language
}

// traits are p's, unless it is unknown. A name that a server would refuse costs the
// whole request, so that it is refused before.
func (p Provider) traits() (traits, bool) {
	const rule = "1 to 64 letters, digits, _ and -"
	any64 := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	switch p {
	case Anthropic:
		return traits{
			dialects: []Dialect{JSONSchema, Scalar},
			computer: []ComputerVersion{
				AnthropicComputerToolset20260801, AnthropicComputer20251124, AnthropicComputer20250124, AnthropicComputer20241022,
			},
			names: any64, rule: rule, grammar: messages{},
		}, true
	case OpenAI:
		return traits{
			dialects: []Dialect{JSONSchema, OpenAIStrict, Grammar, Scalar},
			computer: []ComputerVersion{OpenAIComputer, OpenAIComputerUsePreview},
			names:    any64, rule: rule, grammar: responses{},
		}, true
	case OpenAIChat:
		return traits{
			dialects: []Dialect{JSONSchema, OpenAIStrict, Grammar, Scalar},
			names:    any64, rule: rule, grammar: chat{},
		}, true
	case Gemini:
		return traits{
			dialects: []Dialect{JSONSchema, GeminiLegacy, Scalar},
			names:    regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`),
			rule:     rule + ", of which the first is a letter or _", grammar: gemini{},
		}, true
	}
	return traits{}, false
}

// A language is what the four do each in their own way. Its methods keep nothing;
// what a conversation has to remember is the Format's.
type language interface {
	// headers are those of every request but the key's name, which is first, and
	// what stands before the key.
	headers(f *Format) map[string]string
	key() (header, before string)

	declare(f *Format, all []declared) json.RawMessage
	request(f *Format, r Request) object

	text(s string) json.RawMessage                // a part of a user's message
	image(mime, data64 string) json.RawMessage    // the same
	user(parts []json.RawMessage) json.RawMessage // a message
	joins() string                                // how a user's message begins to which parts can be added; "" for none
	model(text string) json.RawMessage            // a message
	results(f *Format, calls []answered) (own, parts []json.RawMessage)

	read(f *Format, body []byte) (Reply, error)
	accumulate() accumulator
}

// An accumulator puts the events of a stream together to the response that would
// have come without.
type accumulator interface {
	add(event object) (words string, err error)
	response() (json.RawMessage, bool) // false: the end has not come
	over() bool                        // what follows is of no use
}
