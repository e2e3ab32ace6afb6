package main

import (
	"fmt"
	"testing"
)

func TestTheEnvironmentNamesTheModel(t *testing.T) {
	t.Parallel()
	type env = map[string]string
	for name, tt := range map[string]struct {
		env  env
		flag string
		want string
	}{
		"nothing":                          {env{}, "", "none"},
		"a key of Anthropic's":             {env{"ANTHROPIC_API_KEY": "k"}, "", "https://api.anthropic.com/v1/messages claude-sonnet-4-5"},
		"and another model":                {env{"ANTHROPIC_API_KEY": "k"}, "other", "https://api.anthropic.com/v1/messages other"},
		"and another server":               {env{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://localhost:1/"}, "", "http://localhost:1/v1/messages claude-sonnet-4-5"},
		"a key of OpenAI's":                {env{"OPENAI_API_KEY": "k"}, "", "https://api.openai.com/v1/chat/completions gpt-5"},
		"a server without a key":           {env{"OPENAI_BASE_URL": "http://localhost:11434/v1/"}, "qwen3", "http://localhost:11434/v1/chat/completions qwen3"},
		"a server, and no word of a model": {env{"OPENAI_BASE_URL": "http://localhost:11434/v1"}, "", "none"},
		"a model without a server":         {env{}, "qwen3", "none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := "none"
			switch m, at := provider(func(k string) string { return tt.env[k] }, tt.flag); m := m.(type) {
			case *anthropic:
				got = fmt.Sprint(at.url, " ", m.name)
			case *openAI:
				got = fmt.Sprint(at.url, " ", m.name)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
