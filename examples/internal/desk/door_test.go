package desk

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestADoor(t *testing.T) {
	t.Parallel()
	host, err := local.Open(t.TempDir(), &local.Options{State: t.TempDir(), Seats: true})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close(t.Context())
	if _, err := host.Seats.Join(t.Context(), seat.Spec{Room: "demo"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Knock(t.Context(), host.State); !errors.Is(err, ErrNoDoor) {
		t.Errorf("there is a door already: %v", err)
	}
	door, err := Open(host, Serving{Room: "demo", Terms: Terms{Access: arc.FullAccess, Deny: []string{"web_search"}, Checks: []string{"true"}}})
	if err != nil {
		t.Fatal(err)
	}
	outside, err := Knock(t.Context(), host.State)
	if err != nil {
		t.Fatal(err)
	}

	if b, err := outside.Do(t.Context(), "", "serving", None{}); err != nil || string(b) != `{"room":"demo","terms":{"access":1,"deny":["web_search"],"checks":["true"]}}` {
		t.Errorf("it serves %s, %v", b, err)
	}

	// Inside and outside hear the same answers and the same refusals.
	for _, verb := range []string{"context", "status", "tasks", "plans", "seats"} {
		args := any(seat.Ref{RunID: "demo"})
		if verb == "seats" {
			args = None{}
		}
		a, errA := At(host.Seats, host.Operator).Do(t.Context(), "olga", verb, args)
		b, errB := outside.Do(t.Context(), "olga", verb, args)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %s, %v inside and %s, %v outside", verb, a, errA, b, errB)
		}
	}
	for _, tt := range []struct {
		verb string
		args any
		code arc.Code
	}{
		{"context", seat.Ref{RunID: "other"}, arc.NotFound},
		{"retry", map[string]any{"run_id": "demo", "turn_id": "x", "dryrun": true}, arc.InvalidArguments},
		{"dance", None{}, arc.UnknownTool},
	} {
		for where, d := range map[string]Desk{"inside": At(host.Seats, host.Operator), "outside": outside} {
			if _, err := d.Do(t.Context(), "olga", tt.verb, tt.args); !errors.Is(err, tt.code) {
				t.Errorf("%s %s: got %v, want %s", where, tt.verb, err, tt.code)
			}
		}
	}

	file := filepath.Join(host.State, doorFile)
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the key is kept as %v, %v", info.Mode(), err)
	}
	var at address
	b, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(b, &at) != nil {
		t.Fatalf("the file is %s, %v", b, err)
	}
	for name, key := range map[string]string{"no key": "", "another key": "Bearer x", "a key that is cut": "Bearer " + at.Key[:5]} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at.URL+"/status", bytes.NewReader([]byte(`{"args":{"run_id":"demo"}}`)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", key)
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}

	if err := door.Close(); err != nil {
		t.Error(err)
	}
	if _, err := outside.Do(t.Context(), "olga", "seats", None{}); !errors.Is(err, ErrNoDoor) {
		t.Errorf("the door is closed: %v", err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Error("the key is left behind")
	}
}
