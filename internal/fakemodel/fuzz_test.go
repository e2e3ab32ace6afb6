package fakemodel_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/arcseat/arc/internal/fakemodel"
)

// FuzzRequest holds that any body in any wire format is answered, or refused in the
// dialect's own words.
func FuzzRequest(f *testing.F) {
	paths := []string{chatPath, messagesPath, responsesPath, geminiPath}
	for i, body := range []string{
		`{"model":"m","messages":[{"role":"user","content":"go"}],` + chatTools + `}`,
		`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"read","input":{}}]}],` + messagesTools + `}`,
		`{"model":"m","input":[{"role":"user","content":"go"},{"type":"computer_call","call_id":"c","pending_safety_checks":[]},{"type":"computer_call_output","call_id":"c","output":{}}],"tools":[{"type":"computer"}]}`,
		`{"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"read"},"thoughtSignature":"x"}]},{"parts":[{"functionResponse":{"name":"read","response":{}}}]}],` + geminiTools + `}`,
	} {
		f.Add(uint8(i), false, body)
		f.Add(uint8(i), true, body)
	}
	var servers [2]*fakemodel.Server
	for i := range servers {
		srv, err := fakemodel.Start(readThenTell, &fakemodel.Options{Foreign: i == 1})
		if err != nil {
			f.Fatal(err)
		}
		f.Cleanup(func() { http.DefaultClient.CloseIdleConnections(); srv.Close() })
		servers[i] = srv
	}
	f.Fuzz(func(t *testing.T, path uint8, foreign bool, body string) {
		srv := servers[map[bool]int{true: 1}[foreign]]
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL()+paths[int(path)%len(paths)], strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("anthropic-version", "2023-06-01")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("%q: %v", body, err) // a panic ends the connection
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		stream := resp.Header.Get("Content-Type") == "text/event-stream"
		if !stream && !json.Valid(b) || resp.StatusCode != 200 && resp.StatusCode != 400 {
			t.Errorf("%q is answered with %d %s", body, resp.StatusCode, b)
		}
	})
}
