package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer/computertest"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/tools/wire"
)

// speechless is a screen that nobody looks at.
func speechless() *speech {
	return &speech{screen: &screen{Paper: paint.Paper{Out: io.Discard, Width: 80}}}
}

// Pictures of a long job would fill the context, and the request.
func TestTheNewestPicturesAreKept(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d dialect) {
		steps := make([]fakemodel.Step, 13, 14)
		for i := range steps {
			steps[i] = fakemodel.Step{Name: "look", Calls: one("picture", `{}`)}
		}
		srv := serve(t, fakemodel.Script{Steps: append(steps, says("Seen."))})
		m := d.model(srv.URL())
		a, _ := newAgent(t, m)
		a.steps = 20
		if _, err := a.run(t.Context(), "look"); err != nil {
			t.Fatal(err)
		}
		reqs := srv.Requests()
		last := reqs[len(reqs)-1]
		shown := 0
		for _, turn := range last.Turns {
			shown += turn.Images
			for _, r := range turn.Results {
				shown += r.Images
			}
		}
		if shown != keptImages || strings.Count(string(last.Raw), "a sunset") != 13 {
			t.Errorf("%d pictures are shown, want %d: %s", shown, keptImages, last.Raw)
		}
	})
}

// What was sent before costs a fraction, where it is sent again as it was and, of
// Anthropic's, where that is asked for.
func TestWhatIsSentAgainComesFromTheCache(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d dialect) {
		srv := serve(t, fakemodel.Script{Steps: []fakemodel.Step{
			{Name: "greet", Calls: one("greet", `{"name":"Ada"}`)}, {Name: "again", Calls: one("greet", `{"name":"Bob"}`)}, says("Greeted."),
		}})
		m := d.model(srv.URL())
		a, out := newAgent(t, m)
		if _, err := a.run(t.Context(), strings.Repeat("greet ", 2000)); err != nil {
			t.Fatal(err)
		}
		if sent := m.spent.Input; m.requests != 3 || m.spent.Cached < sent/2 || m.spent.Cached >= sent {
			t.Errorf("%d of %d tokens came from the cache", m.spent.Cached, sent)
		}
		var reqs [][]byte
		for _, r := range srv.Requests() {
			reqs = append(reqs, r.Raw)
		}
		if got := m.cost(); !strings.HasPrefix(got, "3 requests: ") || !strings.HasSuffix(got, " out") {
			t.Errorf("the summary says %s\n%s", got, out)
		}
		if n := bytes.Count(bytes.Join(reqs, nil), []byte(`"stream":true`)); n != 3 && d.speak != wire.Gemini { // which says it in the address
			t.Errorf("%d requests ask for a stream", n)
		}
	})
}

func TestWhatAServerDoesNotCountIsTold(t *testing.T) {
	t.Parallel()
	m := &model{at: &endpoint{sent: 12345, received: 999}, requests: 1}
	if got, want := m.cost(), "1 request: 12.3k bytes to the model and 999 from it"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	m.count(wire.Usage{}, 4000)
	if m.size != 1000 {
		t.Errorf("a conversation of 4,000 bytes is taken for %d tokens", m.size)
	}
	m.count(wire.Usage{Input: 2_000_000, Cached: 1_500_000, Output: 50}, 4000)
	if got, want := m.cost(), "3 requests: 2M tokens in, 1.5M of them cached, 50 out"; got != want || m.size != 2_000_050 {
		t.Errorf("got %s and %d, want %s", got, m.size, want)
	}
}

// A busy server is asked again when it says, and the screen says so.
func TestABusyModel(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d dialect) {
		srv, err := fakemodel.Start(fakemodel.Script{Steps: []fakemodel.Step{says("Here.")}},
			&fakemodel.Options{Refuse: []fakemodel.Refusal{{Status: 429, RetryAfter: "0"}, {Status: 503, RetryAfter: "0"}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			http.DefaultTransport.(*http.Transport).CloseIdleConnections()
			srv.Close()
		})
		a, out := newAgent(t, d.model(srv.URL()))
		end, err := a.run(t.Context(), "hello")
		want := "the model's server says 429 Too Many Requests: the model is busy; try again;\n  asking again in 0 ms\n" +
			"the model's server says 503 Service Unavailable: the model is busy; try again;\n  asking again in 0 ms\n\nHere.\n"
		if err != nil || end.text != "Here." || out.String() != want {
			t.Errorf("%v; the screen shows\n%s\nwant\n%s", err, out, want)
		}
	})
}

// What a model thought goes back with its calls, and is not shown.
func TestWhatTheModelThoughtGoesBack(t *testing.T) {
	t.Parallel()
	for speak, extra := range map[wire.Provider]string{
		wire.Anthropic: `{"thinking":{"type":"adaptive"}}`,
		wire.OpenAI:    `{"reasoning":{"effort":"low"},"store":false,"include":["reasoning.encrypted_content"]}`,
		wire.Gemini:    `{"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`,
	} {
		t.Run(string(speak), func(t *testing.T) {
			t.Parallel()
			srv := serve(t, fakemodel.Script{Steps: []fakemodel.Step{
				{Name: "both", Text: "Let me.", Calls: append(one("greet", `{"name":"Ada"}`), one("greet", `{"name":"Bob"}`)...)},
				{Name: "again", Calls: one("greet", `{"name":"Eve"}`)}, says("Greeted."),
			}})
			m := dialect{speak: speak}.model(srv.URL())
			if err := json.Unmarshal([]byte(extra), &m.extra); err != nil {
				t.Fatal(err)
			}
			a, out := newAgent(t, m)
			if end, err := a.run(t.Context(), "greet"); err != nil || end.text != "Greeted." || strings.Contains(out.String(), "what next?") {
				t.Errorf("%v, %v; the screen shows %s", end, err, out)
			}
		})
	}
}

// Servers that are not what they say they are.
func TestAServerThatAnswersOddly(t *testing.T) {
	t.Parallel()
	const whole = `{"choices":[{"finish_reason":"stop","message":{"content":"Whole."}}]}`
	for name, tt := range map[string]struct{ kind, reply, want string }{
		"an answer that is no stream": {"application/json", whole, "Whole."},
		"a stream that breaks off":    {"text/event-stream", `data: {"choices":[{"delta":{"content":"Wh"}}]}` + "\n\n", "the stream stopped before its end"},
		"no choice":                   {"application/json", `{"choices":[]}`, "nothing of a model's turn"},
		"a cut answer":                {"application/json", strings.Replace(whole, "stop", "length", 1), "the model's answer was longer than it may be and is cut"},
		"an answer that is withheld":  {"application/json", strings.Replace(whole, "stop", "content_filter", 1), "the model does not go on, for the reason content_filter"},
		"no JSON at all":              {"text/html", `<html>`, "html"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.kind)
				io.WriteString(w, tt.reply)
			}))
			defer srv.Close()
			m := newModel(wire.OpenAIChat, srv.URL, "", "m")
			m.at.client, m.at.pause = srv.Client(), 1
			if err := m.begin(arc.Env{}, ""); err != nil {
				t.Fatal(err)
			}
			m.say("hello")
			r, err := m.ask(t.Context(), wire.Definitions(nil), speechless())
			if got := r.Text; err == nil && got != tt.want || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, %v; want %s", got, err, tt.want)
			}
		})
	}
}

// A public report: a local server gives each call the same id, or none, and the
// answers then cannot be told apart.
func TestCallsWithoutIDsOfTheirOwnAreNumbered(t *testing.T) {
	t.Parallel()
	replies := []string{
		`{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[
			{"id":"","type":"function","function":{"name":"greet","arguments":"{\"name\":\"A\"}"}},
			{"id":"call","function":{"name":"greet","arguments":"{\"name\":\"B\"}"}},
			{"id":"call","function":{"name":"greet","arguments":"not json"}}]}}]}`,
		`{"choices":[{"message":{"role":"assistant","content":"Done."},"finish_reason":"stop"}]}`,
	}
	var last []byte
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		last, _ = io.ReadAll(r.Body)
		io.WriteString(w, replies[0])
		replies = replies[1:]
	}))
	defer srv.Close()
	m := newModel(wire.OpenAIChat, srv.URL, "", "m")
	m.at.client = srv.Client()
	a, _ := newAgent(t, m)
	if _, err := a.run(t.Context(), "greet"); err != nil {
		t.Fatal(err)
	}
	var req struct {
		Messages []struct {
			Role, Content string
			ToolCallID    string                      `json:"tool_call_id"`
			ToolCalls     []struct{ ID, Type string } `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(last, &req); err != nil {
		t.Fatal(err)
	}
	var calls, answers []string
	for _, m := range req.Messages {
		for _, c := range m.ToolCalls {
			calls = append(calls, c.ID)
		}
		if m.Role == "tool" {
			content, _, _ := strings.Cut(m.Content, ",")
			answers = append(answers, m.ToolCallID+" "+content)
		}
	}
	if len(calls) != 3 || calls[0] == calls[1] || calls[1] == calls[2] || calls[0] == calls[2] {
		t.Fatalf("the calls are %q", calls)
	}
	want := fmt.Sprintf("%s Hello|%s Hello|%s {\"error\":{\"code\":\"invalid_arguments\"", calls[0], calls[1], calls[2])
	if got := strings.Join(answers, "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// In each dialect the scripted model takes every tool that there is, as strictly as the
// providers do.
func TestSchemasInTheDialectsOfServers(t *testing.T) {
	t.Parallel()
	host, err := local.Open(t.TempDir(), &local.Options{State: t.TempDir(), Access: arc.FullAccess, Screen: computertest.New(64, 48), Seats: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close(context.Background()) })
	var all wire.Definitions
	env := host.Turn(arc.Origin{}).Env
	for _, p := range host.Providers() {
		for _, tool := range p.Tools() {
			all = append(all, tool.Definition(env))
		}
	}
	for _, tt := range []struct {
		speak   wire.Provider
		dialect wire.Dialect
		shown   string // in the request, of a schema as it became
	}{
		{wire.Anthropic, wire.JSONSchema, `"exclusiveMinimum":0`},
		{wire.Anthropic, wire.Scalar, `"type":"object"`},
		{wire.OpenAI, wire.JSONSchema, `"strict":false`},
		{wire.OpenAI, wire.OpenAIStrict, `"strict":true`},
		{wire.OpenAIChat, wire.JSONSchema, `"exclusiveMinimum":0`},
		{wire.OpenAIChat, wire.OpenAIStrict, `"strict":true`},
		{wire.OpenAIChat, wire.Grammar, `"additionalProperties":false`},
		{wire.OpenAIChat, wire.Scalar, `"type":"object"`},
		{wire.Gemini, wire.JSONSchema, `"parametersJsonSchema":{`},
		{wire.Gemini, wire.GeminiLegacy, `"parameters":{`},
	} {
		t.Run(string(tt.speak)+", "+string(tt.dialect), func(t *testing.T) {
			t.Parallel()
			srv := serve(t, fakemodel.Script{Steps: []fakemodel.Step{says("Seen.")}})
			m := dialect{speak: tt.speak}.model(srv.URL())
			m.options.Dialect = tt.dialect
			if err := m.begin(env, ""); err != nil {
				t.Fatal(err)
			}
			m.say("look")
			words := speechless()
			var out bytes.Buffer
			words.Out = &out
			if _, err := m.ask(t.Context(), all, words); err != nil {
				t.Fatal(err)
			}
			if told := strings.Contains(out.String(), "Of the tools' schemas"); told != (tt.dialect != wire.JSONSchema) {
				t.Errorf("the screen shows\n%s", out.String())
			}
			if r := srv.Requests()[0]; len(r.Tools) != len(all) || len(all) < 20 || !bytes.Contains(r.Raw, []byte(tt.shown)) {
				t.Errorf("%d tools of %d: %s", len(r.Tools), len(all), r.Raw)
			}
		})
	}
}
