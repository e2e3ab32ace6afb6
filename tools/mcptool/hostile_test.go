package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools/mcptool"
)

// A service that cannot be trusted, in a call of its tool. Whatever it does, the call
// ends, its error says what to do, and the seat can go on with another service.
func TestHostileServicesInACall(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		role  string
		code  arc.Code
		body  string
		says  string   // in the error
		again arc.Code // of the next call
		limit time.Duration
	}{
		"endless notices":               {role: "endless-notices", code: arc.Unavailable, says: "ended during this call", again: arc.Unavailable},
		"an endless line":               {role: "endless-line", code: arc.Unavailable, says: "ended during this call", again: arc.Unavailable},
		"endless questions":             {role: "endless-questions", code: arc.Unavailable, says: "ended during this call", again: arc.Unavailable},
		"endless standard error":        {role: "endless-stderr", body: "done"},
		"bad JSON and other prints":     {role: "bad-json", body: "after all"},
		"answers nobody asked for":      {role: "wrong-ids", body: "true"},
		"only answers of wrong numbers": {role: "wrong-ids only", code: arc.TimedOut, says: "did not answer", again: arc.TimedOut, limit: 500 * time.Millisecond},
		"an answer nested too deeply":   {role: "deep", code: mcptool.ServiceError, says: "cannot be read", again: mcptool.ServiceError},
		"death in mid-call":             {role: "dies", code: arc.Unavailable, says: "look before you call again", again: arc.Unavailable},
		"a fork that outlives it":       {role: "forks", code: arc.Unavailable, says: "ended during this call", again: arc.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mark := fmt.Sprintf("ARC_TEST_MARK=%s-%d", strings.ReplaceAll(name, " ", "-"), os.Getpid())
			s := open(t, nil)
			one := child(tt.role)
			one.Env, one.CallTimeout = append(one.Env, mark), tt.limit
			if err := s.Connect(t.Context(), one); err != nil {
				t.Fatal(err)
			}
			good := inside(t)
			good.Name = "good"
			if err := s.Connect(t.Context(), good); err != nil {
				t.Fatal(err)
			}
			x := session(t, s, turn("me", "peer", "good"), nil)
			r := x.Call(t.Context(), arc.Call{Name: "peer__do"})
			if code(r) != tt.code || r.Err == nil && r.Body != tt.body || r.Err != nil && !strings.Contains(r.Err.Message, tt.says) {
				t.Errorf("it answers %.500s", r)
			}
			if r := x.Call(t.Context(), arc.Call{Name: "peer__do"}); code(r) != tt.again {
				t.Errorf("then it answers %.500s", r)
			}
			if r := x.Call(t.Context(), arc.Call{Name: "good__echo", Args: json.RawMessage(`{"text":"x"}`)}); r.Err != nil {
				t.Errorf("another service answers %s", r)
			}
			closeNow(t, s)
			if runtime.GOOS == "linux" {
				if n := len(marked(t, mark)); n != 0 {
					t.Errorf("%d of its processes live on", n)
				}
			}
		})
	}
}

// What a service says with a code of its own choice is told as it says it.
func TestCodesThatMeanSomethingHere(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"-32099", "-32098", "-32005", "-32000"} {
		t.Run(number, func(t *testing.T) {
			t.Parallel()
			r := ask(t, attach(t, child("refuses "+number), nil), "peer__do", `{}`)
			if code(r) != mcptool.ServiceError || r.Body != "slow down" {
				t.Errorf("it answers %s", r)
			}
		})
	}
}

// An answer of 100 MB on one line costs the call, and not the service or the host's
// memory.
func TestALineOf100MB(t *testing.T) {
	s := attach(t, child("long-line"), nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := ask(t, s, "peer__do", `{}`)
	runtime.ReadMemStats(&after)
	if code(r) != arc.TooLarge || !strings.Contains(r.String(), `"size":100000`) {
		t.Errorf("it answers %.500s", r)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 80<<20 {
		t.Errorf("it cost %d MiB", grown>>20)
	}
	if r := ask(t, s, "peer__do", `{}`); r.Body != "short" {
		t.Errorf("then it answers %s", r)
	}
}

func TestAServiceThatDiesIsStartedAgainOnce(t *testing.T) {
	t.Parallel()
	s := attach(t, child("dies-once "+filepath.Join(t.TempDir(), "died")), nil)
	if r := ask(t, s, "peer__do", `{}`); code(r) != arc.Unavailable {
		t.Errorf("the first call answers %s", r)
	}
	for range 3 {
		if r := ask(t, s, "peer__do", `{}`); r.Body != "alive" {
			t.Errorf("then it answers %s", r)
		}
	}
	log := &record{}
	s = attach(t, child("dies"), &mcptool.Options{Logger: log.logger()})
	for range 2 {
		if r := ask(t, s, "peer__do", `{}`); code(r) != arc.Unavailable || !strings.Contains(r.Err.Message, "during this call") {
			t.Errorf("it answers %s", r)
		}
	}
	for range 2 {
		if r := ask(t, s, "peer__do", `{}`); code(r) != arc.Unavailable || !strings.Contains(r.Err.Message, "as it had before") {
			t.Errorf("in the end it answers %s", r)
		}
	}
	if !strings.Contains(log.String(), "out of luck") {
		t.Errorf("the log has %s", log)
	}
}

func TestServicesThatCannotBeAttached(t *testing.T) {
	t.Parallel()
	tool := func(name string) string {
		b, _ := json.Marshal(name)
		return `{"name":` + string(b) + `,"inputSchema":{"type":"object"}}`
	}
	var many []string
	for i := range 600 {
		many = append(many, tool(fmt.Sprint("t", i)))
	}
	for name, tt := range map[string]struct{ role, says string }{
		"a slow start":                {"silent", "did not start in 500ms"},
		"two tools of one name":       {"list " + tool("a.b") + "," + tool("a/b"), `"a.b" and "a/b" would both be called peer__a_b`},
		"a list whose pages repeat":   {"endless-list same", "does not end"},
		"a list that goes on forever": {"endless-list new", "does not end"},
		"too many tools":              {"list " + strings.Join(many, ","), "more than 512 tools"},
		"a schema nested too deeply":  {`list {"name":"t","inputSchema":` + strings.Repeat(`{"not":`, 2000) + `{}` + strings.Repeat(`}`, 2001), "the answer is no message"},
		"a list that is no list":      {`list 1,"x",{}`, "cannot be used"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, nil)
			one := child(tt.role)
			if one.StartTimeout = 0; tt.role == "silent" {
				one.StartTimeout = 500 * time.Millisecond
			}
			err := s.Connect(t.Context(), one)
			if !errors.Is(err, arc.Unavailable) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("it says %v", err)
			}
			if s.Tools() != nil {
				t.Errorf("it has %v", s.Tools())
			}
			if err := s.Connect(t.Context(), inside(t)); err != nil {
				t.Errorf("another of its name: %v", err)
			}
		})
	}
}

func TestToolsThatAModelCannotHave(t *testing.T) {
	t.Parallel()
	log := &record{}
	s := attach(t, child(`list `+strings.Join([]string{
		`{"name":"","inputSchema":{"type":"object"}}`,
		`{"name":"bell\u0007","inputSchema":{"type":"object"}}`,
		`{"name":"gnp\u202e.exe","inputSchema":{"type":"object"}}`,
		`{"name":"good","description":"One\u0000\nline\u202e of\u001b[2J text.","inputSchema":{"type":"object"}}`,
		`{"name":"wordy","description":"` + strings.Repeat("é", 2000) + `","inputSchema":{"type":"object"}}`,
		`{"name":"no-schema"}`, `{"name":"null","inputSchema":null}`, `{"name":"a.dot","inputSchema":{}}`,
		`{"name":"list","inputSchema":[1]}`, `{"name":"string","inputSchema":{"type":"string"}}`,
	}, ",")), &mcptool.Options{Logger: log.logger()})
	x := session(t, s, turn("me", "peer"), nil)
	if got, want := names(x), "tool_search peer__good peer__wordy peer__no-schema peer__null peer__a_dot peer__list peer__string mcp_output"; got != want {
		t.Errorf("it has %s", got)
	}
	for _, d := range x.Deferred() {
		switch d.Name {
		case "peer__good":
			if d.Description != "One line of[2J text." {
				t.Errorf("a description is %q", d.Description)
			}
		case "peer__wordy":
			if len(d.Description) > 1024 || !strings.HasSuffix(d.Description, "é…") {
				t.Errorf("a description is %q", d.Description)
			}
		default:
			if !strings.Contains(string(d.Schema), `"type":"object"`) {
				t.Errorf("the schema of %s is %s", d.Name, d.Schema)
			}
		}
	}
	if r := x.Call(t.Context(), arc.Call{Name: "peer__a_dot", Args: json.RawMessage(`{"any":1}`)}); r.Body != "done" {
		t.Errorf("it answers %s", r)
	}
	if l := log.String(); strings.Count(l, "left out") != 3 || strings.Contains(l, "\u202e") {
		t.Errorf("the log has %s", l)
	}
}

func TestAServiceThatEndsAtANewProtocol(t *testing.T) {
	t.Parallel()
	if r := ask(t, attach(t, child("legacy"), nil), "peer__do", `{}`); r.Body != "old" {
		t.Errorf("it answers %s", r)
	}
}

// Nothing is left of services that were attached, called, and closed in any way.
func TestNothingIsLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("descriptors and processes are counted in /proc")
	}
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	mark := fmt.Sprintf("ARC_TEST_MARK=left-%d", os.Getpid())
	round := func() {
		for _, role := range []string{"good", "dies", "silent-call"} {
			s, err := mcptool.Open(&mcptool.Options{State: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			one := child(role)
			one.Env, one.CallTimeout = append(one.Env, mark), 200*time.Millisecond
			if err := s.Connect(t.Context(), one); err != nil {
				t.Fatal(err)
			}
			ask(t, s, map[bool]string{true: "peer__slow", false: "peer__do"}[role == "good"], `{}`)
			closeNow(t, s)
		}
	}
	round()
	runtime.GC()
	before := open()
	round()
	runtime.GC()
	if after := open(); after > before {
		t.Errorf("%d descriptors are open, %d were", after, before)
	}
	if n := len(marked(t, mark)); n != 0 {
		t.Errorf("%d processes live on", n)
	}
}

// A child that ends neither with its input nor when it is asked to is killed, and at once
// where there is no time.
func TestAChildThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("processes are counted in /proc")
	}
	for name, end := range map[string]func(*testing.T, *mcptool.Services){
		"in time": func(t *testing.T, s *mcptool.Services) { closeNow(t, s) },
		"at once": func(t *testing.T, s *mcptool.Services) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := s.Close(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("Close: %v", err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mark := fmt.Sprintf("ARC_TEST_MARK=stubborn-%s-%d", name[3:], os.Getpid())
			one := child("stubborn")
			one.Env = append(one.Env, mark)
			s, err := mcptool.Open(&mcptool.Options{State: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Connect(t.Context(), one); err != nil {
				t.Fatal(err)
			}
			x := session(t, s, turn("me", "peer"), nil)
			answers := make(chan *arc.Result)
			go func() { answers <- x.Call(context.Background(), arc.Call{Name: "peer__do"}) }()
			end(t, s)
			if n := len(marked(t, mark)); n != 0 {
				t.Errorf("%d of its processes live on", n)
			}
			if r := <-answers; code(r) != arc.ShuttingDown {
				t.Errorf("the call that waits answers %s", r)
			}
		})
	}
}
