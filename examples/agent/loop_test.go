package main

import (
	"context"
	"errors"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/fakemodel"
)

func TestATurnEnds(t *testing.T) {
	t.Parallel()
	one := func(tool string, args any) []fakemodel.Call { return []fakemodel.Call{{Tool: tool, Args: args}} }
	summary := map[string]any{"summary": "All greeted."}
	t.Run("with the model's words, when it calls nothing", func(t *testing.T) {
		t.Parallel()
		eachDialect(t, func(t *testing.T, dialect func(string) (model, *endpoint)) {
			srv := serve(t, fakemodel.Script{Steps: []fakemodel.Step{
				{Name: "greet", Text: "Let me.", Calls: one("greet", map[string]any{"name": "Ada"})},
				{Name: "end", When: fakemodel.Match{Contains: "Hello, Ada"}, Text: "Greeted."},
			}})
			m, at := dialect(srv.URL())
			a, _ := newAgent(t, m)
			end, err := a.run(t.Context(), "greet Ada")
			if err != nil || end != (ending{text: "Greeted."}) {
				t.Errorf("got %+v, %v", end, err)
			}
			if at.sent == 0 || at.received == 0 {
				t.Errorf("the bytes are not counted: %d sent, %d received", at.sent, at.received)
			}
		})
	})
	t.Run("with the tool that ends it", func(t *testing.T) {
		t.Parallel()
		eachDialect(t, func(t *testing.T, dialect func(string) (model, *endpoint)) {
			srv := serve(t, fakemodel.Script{Steps: []fakemodel.Step{
				{Name: "all at once", Calls: []fakemodel.Call{{Tool: "finish", Args: summary}, {Tool: "greet"}}},
			}})
			m, _ := dialect(srv.URL())
			a, _ := newAgent(t, m, finishing())
			end, err := a.run(t.Context(), "greet")
			if err != nil || end.how != arc.Finished {
				t.Errorf("got %+v, %v", end, err)
			}
		})
	})
	t.Run("after the steps that it may take", func(t *testing.T) {
		t.Parallel()
		steps := make([]fakemodel.Step, 5)
		for i := range steps {
			steps[i] = fakemodel.Step{Name: "again", Calls: one("greet", nil)}
		}
		srv := serve(t, fakemodel.Script{Steps: steps})
		m, _ := dialects["Messages"](srv.URL())
		a, _ := newAgent(t, m)
		a.steps = 3
		_, err := a.run(t.Context(), "greet for ever")
		if want := "the model is not done after 3 steps; -steps allows more"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if n := len(srv.Requests()); n != 3 {
			t.Errorf("the model was asked %d times, want 3", n)
		}
	})
	t.Run("when it is cancelled, with every call answered", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		srv := serve(t, fakemodel.Script{Steps: []fakemodel.Step{{Name: "hang", Calls: one("hang", nil)}}})
		m, _ := dialects["Chat Completions"](srv.URL())
		a, out := newAgent(t, m)
		a.screen.Out = writerFunc(func(b []byte) (int, error) {
			if string(b) == "● hang\n" {
				cancel()
			}
			return out.Write(b)
		})
		if _, err := a.run(ctx, "hang"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		last := m.(*openAI).messages[len(m.(*openAI).messages)-1]
		if want := `"role":"tool"`; !contains(last, want) || !contains(last, `\"code\":\"canceled\"`) {
			t.Errorf("the conversation ends with %s", last)
		}
	})
}

func TestWhatTheModelSees(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, dialect func(string) (model, *endpoint)) {
		srv := serve(t, fakemodel.Script{Steps: []fakemodel.Step{
			{Name: "several", Calls: []fakemodel.Call{
				{Tool: "greet", Args: map[string]any{"name": "<Ada> & co"}}, {Tool: "refuse"}, {Tool: "picture"}, {Tool: "greet", Args: map[string]any{"nom": 1}},
			}},
			{Name: "search", When: fakemodel.Match{Unlisted: []string{"secret"}}, Calls: []fakemodel.Call{{Tool: "tool_search", Args: map[string]any{"query": "whisper a secret"}}}},
			{Name: "found", When: fakemodel.Match{Listed: []string{"secret"}}, Calls: []fakemodel.Call{{Tool: "secret"}}},
			{Name: "end", When: fakemodel.Match{Contains: "it is blue"}, Text: "Blue."},
		}})
		m, _ := dialect(srv.URL())
		a, _ := newAgent(t, m)
		if _, err := a.run(t.Context(), "what is the secret?"); err != nil {
			t.Fatal(err)
		}
		reqs := srv.Requests()
		if len(reqs) != 4 {
			t.Fatalf("%d requests", len(reqs))
		}
		if reqs[0].System != system || reqs[0].Turns[0].Text != "what is the secret?" {
			t.Errorf("the first request is %+v", reqs[0])
		}
		results := reqs[1].Turns[2].Results
		messages := reqs[1].Path == "/v1/messages"
		for i, want := range []struct {
			text    string
			isError bool
		}{
			{"Hello, <Ada> & co", false},
			{`{"error":{"code":"forbidden","message":"not today."}}`, true},
			{"a sunset", false},
			{"Hello, ", false},
		} {
			if got := results[i]; got.Text != want.text || got.IsError != (want.isError && messages) {
				t.Errorf("result %d is %+v, want %+v", i, got, want)
			}
		}
		if n := results[2].Images + reqs[1].Turns[2].Images; n != 1 {
			t.Errorf("the model was shown %d pictures", n)
		}
	})
}

// writerFunc is an io.Writer.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
