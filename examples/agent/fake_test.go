package main

import (
	"bytes"
	"context"
	"errors"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/wire"
)

type nameArgs struct {
	Name string `json:"name,omitempty" jsonschema_description:"Whom to greet"`
}

// plainTools are tools without a project.
func plainTools() arc.Provider {
	read := arc.Effects{ReadOnly: true}
	return tools.Of(
		tools.Func(arc.Definition{Name: "greet", Description: "Greet.", Effects: read}, func(_ context.Context, a nameArgs) (string, error) {
			return "Hello, " + a.Name, nil
		}),
		tools.Func(arc.Definition{Name: "refuse", Description: "Refuse.", Effects: read}, func(context.Context, nameArgs) (string, error) {
			return "", &arc.Error{Code: arc.Forbidden, Message: "not today."}
		}),
		tools.Func(arc.Definition{Name: "picture", Description: "Paint.", Effects: read}, func(context.Context, nameArgs) (*arc.Result, error) {
			return &arc.Result{Body: "a sunset", Images: []arc.Image{{MIME: "image/png", Data: []byte("png")}}}, nil
		}),
		tools.Func(arc.Definition{Name: "secret", Description: "Whisper a secret.", Listing: arc.Discover, Effects: read}, func(context.Context, nameArgs) (string, error) {
			return "it is blue", nil
		}),
		tools.Func(arc.Definition{Name: "hang", Description: "Hang.", Effects: read}, func(ctx context.Context, _ nameArgs) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}),
	)
}

// A dialect is a wire format, as a test chooses it.
type dialect struct {
	name  string
	speak wire.Provider
}

var dialects = []dialect{
	{"Messages", wire.Anthropic}, {"Responses", wire.OpenAI}, {"Chat Completions", wire.OpenAIChat}, {"generateContent", wire.Gemini},
}

// model talks to the scripted model at url.
func (d dialect) model(url string) *model { return newModel(d.speak, d.base(url), "key", "m") }

// base is the server's address as it is named in this dialect.
func (d dialect) base(url string) string {
	if d.speak == wire.OpenAI || d.speak == wire.OpenAIChat {
		url += "/v1"
	}
	return url
}

// program is what a user says to have the program talk to url: flags and variables.
func (d dialect) program(url string) (flags, env []string) {
	i := slices.IndexFunc(vendors, func(v vendor) bool { return v.speaks == d.speak })
	v := vendors[i]
	return []string{"-provider", v.name, "-model", "m"}, []string{v.key + "=key", v.url + "=" + d.base(url)}
}

// dialectOf is the test's: each has one of its own, so that all are heard.
func dialectOf(t *testing.T) dialect {
	h := fnv.New32a()
	h.Write([]byte(t.Name()))
	return dialects[h.Sum32()%uint32(len(dialects))]
}

// getenv looks variables up.
func getenv(env []string) func(string) string {
	return func(name string) string {
		for _, v := range env {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// eachDialect runs a test through all of them.
func eachDialect(t *testing.T, f func(*testing.T, dialect)) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			f(t, d)
		})
	}
}

// serve starts a scripted model that has to be content at the end.
func serve(t *testing.T, s fakemodel.Script) *fakemodel.Server {
	t.Helper()
	srv, err := fakemodel.Start(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		if err := errors.Join(srv.Err(), srv.Close()); err != nil {
			t.Error(err)
		}
	})
	return srv
}

// newAgent is an agent with tools that need no project, and its screen.
func newAgent(t *testing.T, m *model, providers ...arc.Provider) (*agent, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	s := &screen{Paper: paint.Paper{Out: &out, Width: 80}}
	set, err := tools.NewSet(append([]arc.Provider{plainTools()}, providers...), &tools.Options{Middleware: []tools.Middleware{s.watch}})
	if err != nil {
		t.Fatal(err)
	}
	return &agent{model: m, set: set, screen: s, steps: 10, turn: arc.Turn{Env: arc.Env{Model: arc.Model{Vision: true}}}}, &out
}
