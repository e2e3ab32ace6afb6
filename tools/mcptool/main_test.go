package mcptool_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

// playing is the variable that makes this program a service; see roles.
const playing = "ARC_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(playing); role != "" {
		play(role)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// guard is how long a test waits for what should come soon.
const guard = time.Minute

// child is a service that is this program in a role.
func child(role string) mcptool.Service {
	return mcptool.Service{Name: "peer", Command: []string{os.Args[0]}, Env: []string{playing + "=" + role}}
}

// open opens services that end with the test, and leave no process.
func open(t testing.TB, o *mcptool.Options) *mcptool.Services {
	t.Helper()
	if o == nil {
		o = &mcptool.Options{}
	}
	if o.State == "" {
		o.State = t.TempDir()
	}
	s, err := mcptool.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeNow(t, s) })
	return s
}

func closeNow(t testing.TB, s *mcptool.Services) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// attach attaches one service to services of its own.
func attach(t testing.TB, one mcptool.Service, o *mcptool.Options) *mcptool.Services {
	t.Helper()
	s := open(t, o)
	if err := s.Connect(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	return s
}

// turn is one of a seat that is granted the services.
func turn(seat arc.SeatID, services ...string) arc.Turn {
	return arc.Turn{
		Env:    arc.Env{Access: arc.FullAccess, Project: true, Services: services},
		Origin: arc.Origin{Run: "run", Seat: seat, Turn: "turn_1"},
	}
}

func session(t testing.TB, s *mcptool.Services, in arc.Turn, o *tools.Options) *tools.Session {
	t.Helper()
	set, err := tools.NewSet([]arc.Provider{s}, o)
	if err != nil {
		t.Fatal(err)
	}
	return set.Session(in)
}

// ask calls a tool of the service peer in a turn of a seat of its own.
func ask(t testing.TB, s *mcptool.Services, tool, args string) *arc.Result {
	t.Helper()
	return session(t, s, turn("me", "peer"), nil).Call(t.Context(), arc.Call{Name: tool, Args: json.RawMessage(args)})
}

func code(r *arc.Result) arc.Code {
	if r.Err == nil {
		return ""
	}
	return r.Err.Code
}

// names are those of the tools that a session could call.
func names(s *tools.Session) string {
	var all []string
	for _, d := range append(s.List(), s.Deferred()...) {
		all = append(all, d.Name)
	}
	return strings.Join(all, " ")
}

// field is a field of a result's header.
func field(t testing.TB, r *arc.Result, name string) string {
	t.Helper()
	raw, err := json.Marshal(r.Data)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	s, _ := all[name].(string)
	return s
}

// whole pages what r has cut, following its next calls, and returns it with the size of
// the largest page.
func whole(t testing.TB, s *tools.Session, r *arc.Result) (text string, largest int) {
	t.Helper()
	var all strings.Builder
	for all.WriteString(r.Body); r.Next != nil; all.WriteString(r.Body) {
		args, err := json.Marshal(r.Next.Arguments)
		if err != nil {
			t.Fatal(err)
		}
		if r = s.Call(t.Context(), arc.Call{Name: r.Next.Tool, Args: args}); r.Err != nil {
			t.Fatal(r)
		}
		largest = max(largest, len(r.Body))
	}
	return all.String(), largest
}

// A record is a log that a test reads.
type record struct {
	mu   sync.Mutex
	text strings.Builder
}

func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func (r *record) logger() *slog.Logger { return slog.New(slog.NewTextHandler(r, nil)) }

// wait waits until holds is true.
func wait(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(guard); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s never came", what)
		}
	}
}

// marked are the processes that live and have a setting in their environment.
func marked(t testing.TB, setting string) (pids []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if pid, bad := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil && bad == nil && strings.Contains(string(b), setting) {
			pids = append(pids, pid)
		}
	}
	return pids
}
