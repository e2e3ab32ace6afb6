package desk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/scripttest"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Seats on a server are nobody's, so that nobody has to be asked for them.
func TestSeatsOnAServerHaveNoDoor(t *testing.T) {
	t.Parallel()
	server := scripttest.Postgres(t)
	host, err := local.Open(t.TempDir(), &local.Options{State: t.TempDir(), Seats: true, Store: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close(t.Context())
	door, err := Open(host, Serving{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Knock(t.Context(), host.State); !errors.Is(err, ErrNoDoor) {
		t.Errorf("there is a door: %v", err)
	}
	if err := door.Close(); err != nil {
		t.Error(err)
	}
}

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
	for _, verb := range []string{"context", "status", "tasks", "plans", "seats", "hello"} {
		args := any(seat.Ref{RunID: "demo"})
		if verb == "seats" || verb == "hello" {
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

// What is asked at the door before anything else does not grow with the project: a room
// is found among any number.
func TestARoomAmongMany(t *testing.T) {
	t.Parallel()
	host, err := local.Open(t.TempDir(), &local.Options{State: t.TempDir(), Seats: true})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close(t.Context())
	for n := range maxSeats + 2 {
		for _, member := range []string{"main", "second"} {
			if _, err := host.Seats.Join(t.Context(), seat.Spec{Room: fmt.Sprintf("room %03d", n), Membership: member}); err != nil {
				t.Fatal(err)
			}
		}
	}
	desk := At(host.Seats, host.Operator)
	for room, want := range map[string][]string{
		"room 101": {"room 101/main", "room 101/second"},
		"room 102": {},
	} {
		var ids []string
		for _, s := range seatsIn(t, desk, room) {
			ids = append(ids, string(s.ID))
		}
		if !slices.Equal(ids, want) {
			t.Errorf("in %s are %q, want %q", room, ids, want)
		}
	}
	if all := seatsIn(t, desk, ""); len(all) != maxSeats || all[0].ID != "room 000/main" || all[maxSeats-1].Room != "room 099" {
		t.Errorf("%d rooms are told", len(all))
	}
}

func seatsIn(t *testing.T, d Desk, room string) (list []Seat) {
	t.Helper()
	b, err := d.Do(t.Context(), "olga", "seats", SeatsArgs{Room: room})
	if err != nil || json.Unmarshal(b, &list) != nil {
		t.Fatalf("got %s, %v", b, err)
	}
	return list
}
