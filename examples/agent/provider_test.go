package main

import (
	"fmt"
	"testing"
)

func TestTheModelIsTheOneThatIsNamed(t *testing.T) {
	t.Parallel()
	const (
		claude = "ANTHROPIC_API_KEY=k"
		gpt    = "OPENAI_API_KEY=k"
		gemini = "GEMINI_API_KEY=k"
		ollama = "OPENAI_BASE_URL=http://localhost:11434/v1/"
		none   = "a task needs a model: set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, or OPENAI_BASE_URL with -model; -h says more"
		which  = "another server than OpenAI's needs -model, the name of a model that it has"
	)
	type env = []string
	for name, tt := range map[string]struct {
		env  env
		wish wish
		want string
	}{
		"nothing":                               {env{}, wish{}, none},
		"a model without a server":              {env{}, wish{model: "qwen3"}, none},
		"a key of Anthropic's":                  {env{claude}, wish{}, "https://api.anthropic.com/v1/messages claude-sonnet-4-5, at home"},
		"and another model":                     {env{claude}, wish{model: "other"}, "https://api.anthropic.com/v1/messages other, at home"},
		"and another server":                    {env{claude, "ANTHROPIC_BASE_URL=http://localhost:1/"}, wish{}, "http://localhost:1/v1/messages claude-sonnet-4-5"},
		"a key of OpenAI's":                     {env{gpt}, wish{}, "https://api.openai.com/v1/responses gpt-5, at home"},
		"in the older format":                   {env{gpt}, wish{provider: "openai-chat"}, "https://api.openai.com/v1/chat/completions gpt-5, at home"},
		"a server without a key":                {env{ollama}, wish{model: "qwen3"}, "http://localhost:11434/v1/chat/completions qwen3"},
		"a server in the newer format":          {env{ollama, gpt}, wish{provider: "openai", model: "qwen3"}, "http://localhost:11434/v1/responses qwen3"},
		"a server, and no word of a model":      {env{ollama}, wish{}, which},
		"a key of Google's":                     {env{gemini}, wish{}, "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse gemini-2.5-pro, at home"},
		"one of several keys":                   {env{claude, gpt, gemini}, wish{provider: "gemini", model: "g"}, "https://generativelanguage.googleapis.com/v1beta/models/g:streamGenerateContent?alt=sse g, at home"},
		"a provider without its key":            {env{claude}, wish{provider: "gemini"}, "-provider gemini needs GEMINI_API_KEY, or GOOGLE_GEMINI_BASE_URL for another server"},
		"a provider that is none":               {env{claude}, wish{provider: "claude"}, `-provider is anthropic, openai, openai-chat or gemini, and not "claude"`},
		"the provider's computer tool":          {env{gpt}, wish{native: "true"}, "https://api.openai.com/v1/responses gpt-5, at home, native []"},
		"and one of its versions":               {env{claude}, wish{native: "computer_20250124"}, "https://api.anthropic.com/v1/messages claude-sonnet-4-5, at home, native [computer_20250124]"},
		"a version that is none":                {env{claude}, wish{native: "computer_1"}, "-native: there is no computer_1 of anthropic's"},
		"a server that takes little of schemas": {env{ollama}, wish{model: "qwen3", dialect: "grammar"}, "http://localhost:11434/v1/chat/completions qwen3, in grammar"},
		"a dialect that is none":                {env{claude}, wish{dialect: "grammar"}, `-dialect: there is no "grammar" for anthropic`},
		"and not":                               {env{gemini}, wish{model: "g"}, "https://generativelanguage.googleapis.com/v1beta/models/g:streamGenerateContent?alt=sse g, at home"},
		"a computer tool where there is none":   {env{gemini}, wish{native: "true"}, "-native: no computer tool of gemini's own is known here; leave it out, and the model uses ours"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := tt.wish.choose(getenv(tt.env))
			got := fmt.Sprint(err)
			if err == nil {
				got = m.at.url + " " + m.name
				if m.home {
					got += ", at home"
				}
				if m.native {
					got += fmt.Sprintf(", native [%s]", m.options.Computer)
				}
				if m.options.Dialect != "" {
					got += fmt.Sprintf(", in %s", m.options.Dialect)
				}
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
