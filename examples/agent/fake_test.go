package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/tools"
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

// dialects are both wire formats.
var dialects = map[string]func(url string) (model, *endpoint){
	"Messages": func(url string) (model, *endpoint) {
		m := newAnthropic(url, "key", "m")
		return m, m.at
	},
	"Chat Completions": func(url string) (model, *endpoint) {
		m := newOpenAI(url+"/v1", "key", "m")
		return m, m.at
	},
}

// eachDialect runs a test through both.
func eachDialect(t *testing.T, f func(*testing.T, func(url string) (model, *endpoint))) {
	for name, dialect := range dialects {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, dialect)
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
func newAgent(t *testing.T, m model, providers ...arc.Provider) (*agent, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	s := &screen{Paper: paint.Paper{Out: &out, Width: 80}}
	set, err := tools.NewSet(append([]arc.Provider{plainTools()}, providers...), &tools.Options{Middleware: []tools.Middleware{s.watch}})
	if err != nil {
		t.Fatal(err)
	}
	return &agent{model: m, set: set, screen: s, steps: 10}, &out
}
