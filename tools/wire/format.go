package wire

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/arcseat/arc"
)

// A Format speaks a provider's language in one conversation. It remembers how the
// calls of the conversation came, because some are answered in another way than
// they were put to the session; a conversation that begins anew has a new one. It
// is safe for concurrent use.
type Format struct {
	provider Provider
	traits   traits
	env      arc.Env
	opts     Options
	computer ComputerVersion

	mu       sync.Mutex
	ids      map[string]bool   // of calls so far
	origins  map[string]origin // how they came, by id
	known    map[string]declared
	loaded   map[string]bool // deferred tools that a search has shown the model
	deferred bool            // some tool is declared as deferred
	native   string          // the tool that native computer calls are for; "": none is declared
}

// Options of a [Format].
type Options struct {
	// Dialect is what tools' schemas are written in. The default, JSONSchema, is
	// the schema as it is.
	Dialect Dialect

	// Computer is the provider's computer tool that is declared where the model
	// brings one. The default is the provider's newest that needs no beta header.
	Computer ComputerVersion

	// Defer declares what the session can find, so that finding it does not change
	// the list of tools, on which a provider's cache depends. Anthropic and OpenAI
	// have this; for the others the list is sent again, as it is by default.
	Defer bool

	// ImagesAside puts the pictures of results into one message of the user's after
	// them, also where the provider takes them in results: for servers that speak
	// its language in part, and for Gemini's models before the third. OpenAIChat
	// always does. Default false.
	ImagesAside bool

	// Echo names fields of the model's messages, beside content and tool_calls,
	// that a server of OpenAIChat wants back, such as reasoning_content. Default
	// none.
	Echo []string

	// Acknowledge is asked before a native computer call to which OpenAI has
	// attached safety checks; it is for the operator to decide. It is called from
	// Read and may block. Without leave the call is refused and left out of the
	// conversation, as all such calls are by default: OpenAI takes no answer that
	// does not acknowledge its checks.
	Acknowledge func(c arc.Call, checks []SafetyCheck) bool
}

// A SafetyCheck is what OpenAI wants a person to look at, as it tells it.
type SafetyCheck struct {
	ID      string // opaque
	Code    string // its kind, such as malicious_instructions
	Message string // for a person
}

// New opens a conversation with a model of provider p, in a turn with env. It is
// an error if p is unknown, or has no such dialect or computer tool.
func New(p Provider, env arc.Env, o *Options) (*Format, error) {
	t, ok := p.traits()
	if !ok {
		return nil, fmt.Errorf("wire: unknown provider %q", string(p))
	}
	f := &Format{
		provider: p, traits: t, env: env,
		ids: map[string]bool{}, origins: map[string]origin{}, known: map[string]declared{}, loaded: map[string]bool{},
	}
	if o != nil {
		f.opts = *o
		f.opts.Echo = slices.Clone(o.Echo)
	}
	if !slices.Contains(t.dialects, f.opts.Dialect) {
		return nil, fmt.Errorf("wire: %s takes no schemas in the dialect %q", p, string(f.opts.Dialect))
	}
	f.computer = f.opts.Computer
	switch {
	case f.computer == "" && len(t.computer) > 0:
		f.computer = t.computer[0]
	case f.computer != "" && !slices.Contains(t.computer, f.computer):
		return nil, fmt.Errorf("wire: %s has no computer tool %q", p, string(f.computer))
	}
	return f, nil
}

// Headers are those that each request needs beside its content type. An empty key
// is left out: a local server wants none.
func (f *Format) Headers(key string) map[string]string {
	h := maps.Clone(f.traits.grammar.headers(f))
	if h == nil {
		h = map[string]string{}
	}
	if name, before := f.traits.grammar.key(); key != "" {
		h[name] = before + key
	}
	return h
}

// nativeTool is the tool of ours for which the provider's computer tool is
// declared, or "".
func (f *Format) nativeTool() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.native
}
