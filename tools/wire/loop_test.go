package wire_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/wire"
)

// server is a scripted model, and where p is spoken there.
func server(t *testing.T, p wire.Provider, s fakemodel.Script) (*fakemodel.Server, string) {
	t.Helper()
	srv, err := fakemodel.Start(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	base := srv.URL()
	if p == wire.OpenAI || p == wire.OpenAIChat {
		base += "/v1"
	}
	return srv, base
}

// converse is a loop, streamed or not, with options; it returns what the model said.
func converse(t *testing.T, p wire.Provider, base string, session *tools.Session, env arc.Env, o *wire.Options, stream bool) string {
	t.Helper()
	f := open(t, p, env, o)
	conversation, said := f.AppendUser(nil, "Do it."), ""
	for range 20 {
		list, _, err := f.Tools(session)
		if err != nil {
			t.Fatal(err)
		}
		body, err := f.Request(wire.Request{Model: "m", System: "You are a test.", Messages: conversation, Tools: list, Stream: stream})
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+p.Path("m", stream), bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range f.Headers("key") {
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s %v: %s\nto %s", resp.Status, err, wire.ProviderError(got), body)
		}
		read := f.Read
		if stream {
			read = func(b []byte) (wire.Reply, error) { return f.ReadStream(bytes.NewReader(b), nil) }
		}
		r, err := read(got)
		if err != nil {
			t.Fatalf("%v: %s", err, got)
		}
		if r.Usage.Input == 0 || r.Usage.Output == 0 {
			t.Errorf("usage is %+v: %s", r.Usage, got)
		}
		said += r.Text
		conversation = append(conversation, r.Messages...)
		if r.Stop != wire.Calling {
			return said
		}
		if conversation, err = f.AppendResults(conversation, r.Calls, session.Run(t.Context(), r.Calls)); err != nil {
			t.Fatal(err)
		}
		conversation = f.AppendUser(conversation, "[the host has a word]")
	}
	t.Fatal("there is no end")
	return ""
}

// TestALoopOverEachProvider runs one script through all of them: calls side by side,
// a picture, a refusal, a tool that has to be found, words of the host's in between.
func TestALoopOverEachProvider(t *testing.T) {
	t.Parallel()
	script := fakemodel.Script{Steps: []fakemodel.Step{
		{Name: "both", Text: "Let me look. ", Calls: []fakemodel.Call{{Tool: "look", Args: map[string]any{"at": "<naïve>"}}, {Tool: "refuse"}}},
		{Name: "search", When: fakemodel.Match{Of: "refuse", Contains: "not_found"}, Calls: []fakemodel.Call{{Tool: "tool_search", Args: map[string]any{"query": "juggle apples"}}}},
		{Name: "found", Calls: []fakemodel.Call{{Tool: "juggle", Args: map[string]any{}}}},
		{Name: "tell", When: fakemodel.Match{Of: "juggle", Contains: "in the air"}, Text: "Done."},
	}}
	type where struct {
		At string `json:"at" jsonschema_description:"a place"`
	}
	list := tools.Of(
		tools.Func(arc.Definition{Name: "look", Description: "Look."}, func(_ context.Context, w where) (*arc.Result, error) {
			return &arc.Result{Body: "at " + w.At, Images: []arc.Image{dot}}, nil
		}),
		tools.Func(arc.Definition{Name: "refuse", Description: "Refuse."}, func(context.Context, struct{}) (string, error) {
			return "", &arc.Error{Code: arc.NotFound, Message: "there is none."}
		}),
		tools.Func(arc.Definition{Name: "juggle", Description: "Juggle apples.", Listing: arc.Discover}, func(context.Context, struct{}) (string, error) {
			return "in the air", nil
		}),
	)
	for _, p := range providers {
		for _, env := range []arc.Env{sees, {}} {
			for name, o := range map[string]*wire.Options{"as it is": nil, "pictures aside": {ImagesAside: true}, "scalar": {Dialect: wire.Scalar}, "deferred": {Defer: true}} {
				for _, stream := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s, %s, vision %v, streamed %v", p, name, env.Model.Vision, stream), func(t *testing.T) {
						srv, base := server(t, p, script)
						set, err := tools.NewSet([]arc.Provider{list}, nil)
						if err != nil {
							t.Fatal(err)
						}
						said := converse(t, p, base, set.Session(arc.Turn{Env: env}), env, o, stream)
						equal(t, "words", said, "Let me look. Done.")
						if err := srv.Err(); err != nil {
							t.Error(err)
						}
						pictures := 0
						for _, r := range srv.Requests() {
							for _, turn := range r.Turns {
								pictures = max(pictures, turn.Images)
								for _, a := range turn.Results {
									pictures = max(pictures, a.Images)
								}
							}
						}
						if (pictures > 0) != env.Model.Vision {
							t.Errorf("the model saw %d pictures", pictures)
						}
					})
				}
			}
		}
	}
}
