package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
	"github.com/arcseat/arc/tools/toolstest"
)

// inside is the peer in this process.
func inside(t testing.TB) mcptool.Service {
	return mcptool.Service{Name: "peer", Dial: func(context.Context) (mcp.Transport, error) {
		here, there := mcp.NewInMemoryTransports()
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(cancel)
		go peer().Run(ctx, there)
		return here, nil
	}}
}

func TestAServicesTools(t *testing.T) {
	t.Parallel()
	s := attach(t, child("good"), nil)
	const all = "tool_search peer__ask peer__big peer__both peer__data peer__data-twice peer__echo peer__environment " +
		"peer__fails peer__grow peer__picture peer__refuses peer__slow peer__text-twice mcp_output"
	t.Run("are found by a seat that is granted it", func(t *testing.T) {
		t.Parallel()
		x := session(t, s, turn("me", "peer"), nil)
		if got := names(x); got != all {
			t.Errorf("they are %s", got)
		}
		if l := x.List(); len(l) != 1 || l[0].Name != "tool_search" {
			t.Errorf("the first list is %v", l)
		}
	})
	t.Run("are hidden from every other turn", func(t *testing.T) {
		t.Parallel()
		granted := turn("me", "peer")
		for why, change := range map[string]func(*arc.Turn){
			"grant":   func(t *arc.Turn) { t.Services = nil },
			"another": func(t *arc.Turn) { t.Services = []string{"other"} },
			"access":  func(t *arc.Turn) { t.Access = arc.Safe },
			"project": func(t *arc.Turn) { t.Project = false },
			"mode":    func(t *arc.Turn) { t.Mode = arc.Planning },
		} {
			in := granted
			change(&in)
			want := map[string]string{"another": "tool_search mcp_output", "mode": "tool_search mcp_output"}[why]
			if got := names(session(t, s, in, nil)); got != want {
				t.Errorf("without %s it has %q", why, got)
			}
		}
	})
	t.Run("get arguments that were repaired", func(t *testing.T) {
		t.Parallel()
		if r := ask(t, s, "peer__echo", `{"text":7,"times":"3"}`); r.Body != `{"text":"7","times":3}` {
			t.Errorf("it got %s", r)
		}
		if r := ask(t, s, "peer__echo", `{"times":"many"}`); code(r) != arc.InvalidArguments {
			t.Errorf("it got %s", r)
		}
	})
	t.Run("that write leave a touch", func(t *testing.T) {
		t.Parallel()
		r := ask(t, s, "peer__echo", `{"text":"x"}`)
		if len(r.Touched) != 1 || r.Touched[0].Kind != "call" || r.Touched[0].Note != "peer__echo" {
			t.Errorf("it left %+v", r.Touched)
		}
	})
	t.Run("keep the rules of a provider", func(t *testing.T) {
		t.Parallel()
		all := turn("rules", "peer")
		toolstest.Run(t, s, &toolstest.Options{Turn: &all, Calls: []arc.Call{
			{Name: "peer__echo", Args: json.RawMessage(`{"text":"x"}`)},
			{Name: "peer__big", Args: json.RawMessage(`{"bytes":40000}`)},
			{Name: "peer__data"},
		}})
		tools := s.Tools()
		toolstest.Schema(t, tools[len(tools)-1])
	})
	t.Run("say what went wrong in the service's words", func(t *testing.T) {
		t.Parallel()
		if r := ask(t, s, "peer__fails", `{}`); code(r) != mcptool.ServiceError || r.Body != "no disk" {
			t.Errorf("a failure is %s", r)
		}
		if r := ask(t, s, "peer__refuses", `{}`); code(r) != mcptool.ServiceError || !strings.Contains(r.Body, "not today") {
			t.Errorf("a refusal is %s", r)
		}
	})
	t.Run("get of the host's environment only what is listed or named", func(t *testing.T) {
		t.Parallel()
		r := ask(t, s, "peer__environment", `{}`)
		for line := range strings.Lines(r.Body) {
			name, _, _ := strings.Cut(line, "=")
			switch name {
			case playing, "ARC_SERVICE", "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS":
			default:
				if !strings.HasPrefix(name, "LC_") && strings.TrimSpace(name) != "" {
					t.Errorf("it has %s", name)
				}
			}
		}
	})
}

func TestTheOperatorSaysWhatOnlyReads(t *testing.T) {
	t.Parallel()
	one := inside(t)
	one.ReadOnly = []string{"echo"}
	s := attach(t, one, nil)
	in := turn("me", "peer")
	in.Mode = arc.Planning
	if got := names(session(t, s, in, nil)); got != "tool_search peer__echo mcp_output" {
		t.Errorf("while planning there are %s", got)
	}
	one.Name, one.ReadOnly = "other", []string{"echo", "ecoh"}
	if err := s.Connect(t.Context(), one); !errors.Is(err, arc.InvalidArguments) || !strings.Contains(err.Error(), "ecoh") {
		t.Errorf("a misspelt tool is %v", err)
	}
	if got := strings.Join(s.Names(), " "); got != "peer" {
		t.Errorf("there are %s", got)
	}
}

func TestContentOfResults(t *testing.T) {
	t.Parallel()
	s := attach(t, inside(t), nil)
	for tool, want := range map[string]string{
		"data":       `{"z":9007199254740993,"a":1}`,
		"data-twice": `{ "a": 1, "z": 9007199254740993 }`,
		"text-twice": `plain`,
		"both":       "one\n{\"n\":1}",
	} {
		if r := ask(t, s, "peer__"+tool, `{}`); r.Body != want {
			t.Errorf("%s is %s", tool, r)
		}
	}
	r := ask(t, s, "peer__picture", `{}`)
	if len(r.Images) != 1 || r.Images[0].MIME != "image/png" {
		t.Errorf("the pictures are %v", r.Images)
	}
	if want := "a picture:\n[a file of type image/png and 10 bytes, which is not shown]\n[a sound of type audio/wav and 4 bytes, which is not played]\n" +
		"[a link to x: file:///x]\n[file:///y]\nwhy"; r.Body != want {
		t.Errorf("the text is %s", r)
	}
}

func TestProgressAndCancellation(t *testing.T) {
	t.Parallel()
	seen := filepath.Join(t.TempDir(), "canceled")
	one := child("good")
	one.Env = append(one.Env, "ARC_TEST_CANCELED="+seen)
	s := attach(t, one, nil)
	ctx, cancel := context.WithCancel(t.Context())
	in := turn("me", "peer")
	var got []arc.Progress
	in.Progress = func(_ arc.Call, p arc.Progress) {
		if got = append(got, p); len(got) == 3 {
			cancel()
		}
	}
	r := session(t, s, in, nil).Call(ctx, arc.Call{Name: "peer__slow"})
	if code(r) != arc.Canceled {
		t.Errorf("it answers %s", r)
	}
	if len(got) != 3 || got[2].Done != 3 || got[2].Total != 3 || got[2].Message != "step[31m" {
		t.Errorf("the listener heard %+v", got)
	}
	wait(t, "the service's own end of the call", func() bool { _, err := os.Stat(seen); return err == nil })
}

func TestAnAnswerThatNeverComes(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"silent-call", "deaf"} {
		one := child(role)
		one.CallTimeout = 300e6
		s := attach(t, one, nil)
		for range 3 {
			if r := ask(t, s, "peer__do", `{"a":"`+strings.Repeat("x", 1<<20)+`"}`); code(r) != arc.TimedOut {
				t.Errorf("%s: it answers %s", role, r)
			}
		}
	}
}

func TestQuestionsOfAService(t *testing.T) {
	t.Parallel()
	t.Run("are declined", func(t *testing.T) {
		t.Parallel()
		if r := ask(t, attach(t, child("good"), nil), "peer__ask", `{}`); !strings.HasPrefix(r.Body, "decline") {
			t.Errorf("it answers %s", r)
		}
	})
	t.Run("are declined in an older protocol", func(t *testing.T) {
		t.Parallel()
		if r := ask(t, attach(t, child("asks"), nil), "peer__do", `{}`); r.Body != "decline" {
			t.Errorf("it answers %s", r)
		}
	})
	t.Run("are put to the host's handler", func(t *testing.T) {
		t.Parallel()
		one := child("good")
		one.Elicit = func(_ context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada, asked: " + p.Message}}, nil
		}
		if r := ask(t, attach(t, one, nil), "peer__ask", `{}`); r.Body != "accept Ada, asked: Your name?" {
			t.Errorf("it answers %s", r)
		}
	})
}

func TestAListThatChanges(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]mcptool.Service{"child": child("good"), "inside": inside(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &record{}
			s := attach(t, one, &mcptool.Options{Logger: log.logger()})
			before := session(t, s, turn("me", "peer"), nil)
			was := names(before)
			if r := before.Call(t.Context(), arc.Call{Name: "peer__grow"}); r.Err != nil {
				t.Fatal(r)
			}
			wait(t, "the new tool", func() bool { return strings.Contains(names(session(t, s, turn("me", "peer"), nil)), "peer__new") })
			if got := names(session(t, s, turn("me", "peer"), nil)); strings.Contains(got, "peer__fails") {
				t.Errorf("a new turn has %s", got)
			}
			if got := names(before); got != was {
				t.Errorf("the turn of before has %s", got)
			}
			if r := before.Call(t.Context(), arc.Call{Name: "peer__fails"}); code(r) != mcptool.ServiceError {
				t.Errorf("a tool that is gone answers %s", r)
			}
			if l := log.String(); !strings.Contains(l, "peer__new") || !strings.Contains(l, "peer__fails") {
				t.Errorf("the log has %s", l)
			}
		})
	}
}

func TestWrongWordsOfTheOperator(t *testing.T) {
	t.Parallel()
	s := attach(t, inside(t), nil)
	for name, tt := range map[string]struct {
		one  mcptool.Service
		code arc.Code
		says string
	}{
		"no name":       {mcptool.Service{Command: []string{"x"}}, arc.InvalidArguments, `"" names no service`},
		"two namespace": {mcptool.Service{Name: "a__b", Command: []string{"x"}}, arc.InvalidArguments, `"a__b" names no service`},
		"nothing":       {mcptool.Service{Name: "a"}, arc.InvalidArguments, "one of a command"},
		"no URL":        {mcptool.Service{Name: "a", URL: "example.org"}, arc.InvalidArguments, "no http"},
		"taken":         {inside(t), arc.AlreadyExists, "peer"},
		"no program":    {mcptool.Service{Name: "a", Command: []string{"no-such-program-here"}}, arc.Unavailable, "no-such-program-here"},
		"no service":    {mcptool.Service{Name: "a", Command: []string{"sh", "-c", "echo no key >&2; exit 3"}}, arc.Unavailable, "no key"},
	} {
		if err := s.Connect(t.Context(), tt.one); !errors.Is(err, tt.code) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s is %v", name, err)
		}
	}
	if _, err := mcptool.Open(nil); !errors.Is(err, arc.InvalidArguments) {
		t.Errorf("without a directory it says %v", err)
	}
	closeNow(t, s)
	if err := s.Connect(t.Context(), mcptool.Service{Name: "late", Command: []string{"true"}}); !errors.Is(err, arc.ShuttingDown) {
		t.Errorf("after Close it says %v", err)
	}
	if r := ask(t, s, "peer__echo", `{"text":"x"}`); code(r) != arc.ShuttingDown {
		t.Errorf("after Close a call answers %s", r)
	}
}

func TestAGrantThatIsWithdrawn(t *testing.T) {
	t.Parallel()
	s := attach(t, inside(t), nil)
	granted := turn("me", "peer", "other")
	x := session(t, s, granted, &tools.Options{Recheck: func(context.Context, arc.Turn) arc.Env { return granted.Env }})
	r := x.Call(t.Context(), arc.Call{Name: "peer__big", Args: json.RawMessage(`{"bytes":100000}`)})
	if r.Err != nil || r.Next == nil {
		t.Fatal(r)
	}
	args, err := json.Marshal(r.Next.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	granted.Services = []string{"other"}
	for name, call := range map[string]arc.Call{
		"the tool": {Name: "peer__big"}, "the page": {Name: "mcp_output", Args: args},
	} {
		if r := x.Call(t.Context(), call); code(r) != arc.ServiceNotGranted {
			t.Errorf("%s answers %s", name, r)
		}
	}
	granted.Services = nil
	if r := x.Call(t.Context(), arc.Call{Name: "mcp_output", Args: args}); code(r) != arc.Unavailable {
		t.Errorf("without any grant the page answers %s", r)
	}
}

func TestALimitBelowZeroIsTheDefault(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]mcptool.Service{"child": child("good"), "inside": inside(t)} {
		one.StartTimeout, one.CallTimeout = -1, -1
		if r := ask(t, attach(t, one, nil), "peer__fails", `{}`); r.Body != "no disk" {
			t.Errorf("%s: it answers %s", name, r)
		}
	}
}
