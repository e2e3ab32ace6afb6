package main

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/tools/wire"
)

func TestATurnEnds(t *testing.T) {
	t.Parallel()
	one := func(tool string, args any) []fakemodel.Call { return []fakemodel.Call{{Tool: tool, Args: args}} }
	summary := map[string]any{"summary": "All greeted."}
	t.Run("with the model's words, when it calls nothing", func(t *testing.T) {
		t.Parallel()
		eachDialect(t, func(t *testing.T, d dialect) {
			srv := serve(t, fakemodel.Script{Steps: []fakemodel.Step{
				{Name: "greet", Text: "Let me.", Calls: one("greet", map[string]any{"name": "Ada"})},
				{Name: "end", When: fakemodel.Match{Contains: "Hello, Ada"}, Text: "Greeted."},
			}})
			m := d.model(srv.URL())
			a, _ := newAgent(t, m)
			end, err := a.run(t.Context(), "greet Ada")
			if err != nil || end != (ending{text: "Greeted."}) {
				t.Errorf("got %+v, %v", end, err)
			}
			if m.at.sent == 0 || m.at.received == 0 || m.spent.Input == 0 || m.spent.Output == 0 || m.requests != 2 {
				t.Errorf("what it cost is not counted: %s; %+v", m.cost(), m.at)
			}
		})
	})
	t.Run("with the tool that ends it", func(t *testing.T) {
		t.Parallel()
		eachDialect(t, func(t *testing.T, d dialect) {
			srv := serve(t, fakemodel.Script{Steps: []fakemodel.Step{
				{Name: "all at once", Calls: []fakemodel.Call{{Tool: "finish", Args: summary}, {Tool: "greet"}}},
			}})
			a, _ := newAgent(t, d.model(srv.URL()), finishing())
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
		a, _ := newAgent(t, dialectOf(t).model(srv.URL()))
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
		m := dialectOf(t).model(srv.URL())
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
		last := m.messages[len(m.messages)-1]
		if !bytes.Contains(last, []byte(`\"code\":\"canceled\"`)) {
			t.Errorf("the conversation ends with %s", last)
		}
	})
}

func TestWhatTheModelSees(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d dialect) {
		srv := serve(t, fakemodel.Script{Steps: []fakemodel.Step{
			{Name: "several", Calls: []fakemodel.Call{
				{Tool: "greet", Args: map[string]any{"name": "<Ada> & co"}}, {Tool: "refuse"}, {Tool: "picture"}, {Tool: "greet", Args: map[string]any{"nom": 1}},
			}},
			{Name: "search", When: fakemodel.Match{Unlisted: []string{"secret"}}, Calls: []fakemodel.Call{{Tool: "tool_search", Args: map[string]any{"query": "whisper a secret"}}}},
			{Name: "found", When: fakemodel.Match{Listed: []string{"secret"}}, Calls: []fakemodel.Call{{Tool: "secret"}}},
			{Name: "end", When: fakemodel.Match{Contains: "it is blue"}, Text: "Blue."},
		}})
		a, _ := newAgent(t, d.model(srv.URL()))
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
		tells := d.speak == wire.Anthropic || d.speak == wire.Gemini // the others have no word for an error
		for i, want := range []struct {
			text    string
			isError bool
		}{
			{"Hello, <Ada> & co", false},
			{`{"error":{"code":"forbidden","message":"not today."}}`, true},
			{"a sunset", false},
			{"Hello, ", false},
		} {
			if got := results[i]; got.Text != want.text || got.IsError != (want.isError && tells) {
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
