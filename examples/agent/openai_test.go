package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func contains(b []byte, s string) bool { return bytes.Contains(b, []byte(s)) }

// A public report: a local server gives each call the same id, or none, and the
// answers then cannot be told apart.
func TestCallsWithoutIDsOfTheirOwnAreNumbered(t *testing.T) {
	t.Parallel()
	replies := []string{
		`{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[
			{"id":"","type":"function","function":{"name":"greet","arguments":"{\"name\":\"A\"}"}},
			{"id":"call","function":{"name":"greet","arguments":"{\"name\":\"B\"}"}},
			{"id":"call","function":{"name":"greet","arguments":"not json"}}]}}]}`,
		`{"choices":[{"message":{"role":"assistant","content":"Done."},"finish_reason":"stop"}]}`,
	}
	var last []byte
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		last, _ = io.ReadAll(r.Body)
		w.Write([]byte(replies[0]))
		replies = replies[1:]
	}))
	defer srv.Close()
	m := newOpenAI(srv.URL, "", "m")
	m.at.client = srv.Client()
	a, _ := newAgent(t, m)
	if _, err := a.run(t.Context(), "greet"); err != nil {
		t.Fatal(err)
	}
	var req struct{ Messages []openAIMessage }
	if err := json.Unmarshal(last, &req); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range req.Messages {
		for _, c := range m.ToolCalls {
			got = append(got, "call "+c.ID+" "+c.Type)
		}
		if m.Role == "tool" {
			content, _, _ := strings.Cut(m.Content, ",")
			got = append(got, "answer "+m.ToolCallID+" "+content)
		}
	}
	want := []string{
		"call call_1 function", "call call function", "call call_3 function",
		"answer call_1 Hello", "answer call Hello", `answer call_3 {"error":{"code":"invalid_arguments"`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAServerThatAnswersOddlyIsAnError(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ reply, want string }{
		"no choice":      {`{"choices":[]}`, "the model's server answered without a choice"},
		"a cut answer":   {`{"choices":[{"finish_reason":"length","message":{"content":"and then"}}]}`, "the model's answer was longer than it may be and is cut"},
		"no JSON at all": {`<html>`, "invalid character '<' looking for beginning of value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, tt.reply) }))
			defer srv.Close()
			m := newOpenAI(srv.URL, "", "m")
			m.at.client = srv.Client()
			if _, err := m.ask(t.Context(), nil); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
