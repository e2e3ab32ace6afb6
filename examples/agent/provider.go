package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools/wire"
)

// A vendor is a wire format, and how the environment names a server of it.
type vendor struct {
	name     string // in -provider
	speaks   wire.Provider
	key, url string // variables: the key, and another server's address
	home     string // the provider's own server
	model    string // what is asked there unless -model names another
	computer bool   // it has a computer tool of its own
}

var vendors = []vendor{
	{"anthropic", wire.Anthropic, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com", "claude-sonnet-4-5", true},
	{"openai", wire.OpenAI, "OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1", "gpt-5", true},
	{"openai-chat", wire.OpenAIChat, "OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1", "gpt-5", false},
	{"gemini", wire.Gemini, "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "https://generativelanguage.googleapis.com", "gemini-2.5-pro", false},
}

// errNoModel is what a task without a model is told.
var errNoModel = errors.New("a task needs a model: set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, or OPENAI_BASE_URL with -model; -h says more")

// named is the vendor of -provider, or, if that is empty, the one whose key the
// environment has. Another server than OpenAI's own is taken for one that speaks
// Chat Completions, as nearly all do.
func named(getenv func(string) string, provider string) (vendor, error) {
	if provider == "" {
		switch {
		case getenv("ANTHROPIC_API_KEY") != "":
			provider = "anthropic"
		case getenv("OPENAI_BASE_URL") != "":
			provider = "openai-chat"
		case getenv("OPENAI_API_KEY") != "":
			provider = "openai"
		case getenv("GEMINI_API_KEY") != "":
			provider = "gemini"
		default:
			return vendor{}, errNoModel
		}
	}
	i := slices.IndexFunc(vendors, func(v vendor) bool { return v.name == provider })
	if i < 0 {
		return vendor{}, fmt.Errorf("-provider is anthropic, openai, openai-chat or gemini, and not %q", provider)
	}
	v := vendors[i]
	if getenv(v.key) == "" && getenv(v.url) == "" {
		return vendor{}, fmt.Errorf("-provider %s needs %s, or %s for another server", v.name, v.key, v.url)
	}
	return v, nil
}

// A wish is what the flags say of the model.
type wish struct {
	provider string
	model    string
	native   string // true, a version, or nothing
	dialect  string // of schemas
}

// flags defines them.
func (w *wish) flags(fs *flag.FlagSet) {
	fs.StringVar(&w.provider, "provider", "", "`anthropic|openai|openai-chat|gemini`: whose wire format the model's server speaks (default: the one whose key is there)")
	fs.StringVar(&w.model, "model", "", "the model's `name` at its provider")
	fs.BoolFunc("native", "the model has the computer tool of its provider in place of ours: the newest, or that of -native=`version`, such as computer_20251124", func(s string) error {
		w.native = strings.TrimPrefix(s, "false")
		return nil
	})
	fs.StringVar(&w.dialect, "dialect", "", "`grammar|scalar|gemini-legacy|openai-strict`: what a server takes of schemas that does not take all: grammar is for llama.cpp (default: all)")
}

// choose is the model that the flags and the environment name.
func (w wish) choose(getenv func(string) string) (*model, error) {
	v, err := named(getenv, w.provider)
	if err != nil {
		return nil, err
	}
	base := strings.TrimRight(cmp.Or(getenv(v.url), v.home), "/")
	if w.model == "" && v.url == "OPENAI_BASE_URL" && base != v.home { // what it has, only its user knows
		return nil, errors.New("another server than OpenAI's needs -model, the name of a model that it has")
	}
	m := newModel(v.speaks, base, getenv(v.key), cmp.Or(w.model, v.model))
	m.home, m.native, m.options.Dialect = base == v.home, w.native != "", wire.Dialect(w.dialect)
	if err := m.begin(arc.Env{}, ""); err != nil {
		return nil, fmt.Errorf("-dialect: there is no %q for %s", w.dialect, v.name)
	}
	if m.native && !v.computer {
		return nil, fmt.Errorf("-native: no computer tool of %s's own is known here; leave it out, and the model uses ours", v.name)
	}
	if m.native && w.native != "true" {
		m.options.Computer = wire.ComputerVersion(w.native)
	}
	if err := m.begin(arc.Env{}, ""); err != nil {
		return nil, fmt.Errorf("-native: there is no %s of %s's", w.native, v.name)
	}
	return m, nil
}
