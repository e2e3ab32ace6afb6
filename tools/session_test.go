package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/invopop/jsonschema"
)

// full allows everything but a seat.
var full = arc.Turn{Env: arc.Env{
	Access: arc.FullAccess, Project: true, Services: []string{"files"},
	Desktop: arc.Desktop{OS: "linux", Width: 1280, Height: 800}, Model: arc.Model{Vision: true},
}}

// does makes a tool without arguments.
func does(def arc.Definition, fn func(context.Context, arc.Call) (*arc.Result, error)) arc.Tool {
	return tools.New(def, func(ctx context.Context, c arc.Call, _ noArgs) (*arc.Result, error) { return fn(ctx, c) })
}

// says answers with words alone.
func says(def arc.Definition, words string) arc.Tool {
	return does(def, func(context.Context, arc.Call) (*arc.Result, error) { return &arc.Result{Body: words}, nil })
}

func session(t testing.TB, turn arc.Turn, o *tools.Options, list ...arc.Tool) *tools.Session {
	t.Helper()
	set, err := tools.NewSet([]arc.Provider{provider(list)}, o)
	if err != nil {
		t.Fatal(err)
	}
	return set.Session(turn)
}

func names(defs []arc.Definition) []string {
	list := []string{}
	for _, d := range defs {
		list = append(list, d.Name)
	}
	return list
}

func reads(name string) arc.Definition {
	return arc.Definition{Name: name, Effects: arc.Effects{ReadOnly: true}}
}

func TestNewSetReportsAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := tools.NewSet([]arc.Provider{
		provider{
			says(arc.Definition{Name: "good"}, ""),
			says(arc.Definition{Name: "no spaces please"}, ""),
			says(arc.Definition{Name: strings.Repeat("x", 65)}, ""),
			says(arc.Definition{Name: "broken_schema", Schema: json.RawMessage(`{"type":"array"}`)}, ""),
			tools.Func(arc.Definition{Name: "bad_tag"}, func(context.Context, struct {
				A int `json:"a" jsonschema:"minimun=1"`
			}) (string, error) {
				return "", nil
			}),
			tools.Func(arc.Definition{Name: "bad_result"}, func(context.Context, noArgs) ([]int, error) { return nil, nil }),
			tools.Func[noArgs, string](arc.Definition{Name: "no_function"}, nil),
			tools.Vary(nil, nil),
			tools.Vary(says(arc.Definition{Name: "varies_too_much"}, ""), func(_ arc.Env, d arc.Definition) arc.Definition { d.Native = "x"; return d }),
			nil, (*nilTool)(nil), panics{}, text[panickingSchema]("panicking_schema"),
		},
		provider{says(arc.Definition{Name: "good"}, ""), says(arc.Definition{Name: "tool_search"}, "")},
		nil,
		panickingProvider{},
	}, nil)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`tool "no spaces please": a name is 1 to 64 letters`,
		`tool "xxxxx`,
		`tool "broken_schema": its schema is not one of an object`,
		`tool "bad_tag": a has jsonschema tag "minimun=1"`,
		`tool "bad_result": its result is []int, must be a struct`,
		`tool "no_function": it has no function`,
		`it varies nothing`,
		`more than its description and schema varies`,
		`a tool is nil`,
		`a tool's Definition panics: oh`,
		`tool good: the name is taken`,
		`tool tool_search: the name is taken`,
		`provider 2 is nil`,
		`provider 3 (tools_test.panickingProvider): its Tools panics: ouch`,
		`tool "panicking_schema": the schema of tools_test.panickingSchema cannot be made: eek`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q", want)
		}
	}
	if t.Failed() {
		t.Log(err)
	}
}

type panickingProvider struct{}

func (panickingProvider) Tools() []arc.Tool { panic("ouch") }

type panickingSchema struct {
	A panickingType `json:"a"`
}

type panickingType int

func (panickingType) JSONSchema() *jsonschema.Schema { panic("eek") }

type nilTool struct{ arc.Tool }

type panics struct{}

func (panics) Definition(arc.Env) arc.Definition                   { panic("oh") }
func (panics) Call(context.Context, arc.Call) (*arc.Result, error) { panic("ah") }

func TestResultsOfATypedFunction(t *testing.T) {
	t.Parallel()
	type data struct {
		N int `json:"n"`
	}
	call := func(tool arc.Tool) *arc.Result {
		return session(t, arc.Turn{Env: arc.Env{Access: arc.FullAccess}}, nil, tool).Call(t.Context(), arc.Call{Name: "x"})
	}
	def := arc.Definition{Name: "x"}
	refusal := &arc.Error{Code: arc.NotFound, Message: "There is no such thing."}
	for _, c := range []struct {
		name string
		tool arc.Tool
		want string
	}{
		{"a string is the body", tools.Func(def, func(context.Context, noArgs) (string, error) { return "{<b>}", nil }), "{}\n{<b>}"},
		{"a struct is data", tools.Func(def, func(context.Context, noArgs) (data, error) { return data{1}, nil }), `{"n":1}`},
		{"a pointer to one is data", tools.Func(def, func(context.Context, noArgs) (*data, error) { return &data{2}, nil }), `{"n":2}`},
		{"a nil pointer is nothing", tools.Func(def, func(context.Context, noArgs) (*data, error) { return nil, nil }), `{}`},
		{"a map is data", tools.Func(def, func(context.Context, noArgs) (map[string]int, error) { return map[string]int{"n": 3}, nil }), `{"n":3}`},
		{"a result is itself", tools.Func(def, func(context.Context, noArgs) (*arc.Result, error) { return &arc.Result{Data: data{4}, Body: "b"}, nil }), "{\"n\":4}\nb"},
		{"a nil result is an empty one", tools.Func(def, func(context.Context, noArgs) (*arc.Result, error) { return nil, nil }), `{}`},
		{"a refusal stands alone", tools.Func(def, func(context.Context, noArgs) (data, error) { return data{}, refusal }), `{"error":{"code":"not_found","message":"There is no such thing."}}`},
		{"a refusal stands beside what was done", tools.Func(def, func(context.Context, noArgs) (data, error) { return data{5}, refusal }), `{"n":5,"error":{"code":"not_found","message":"There is no such thing."}}`},
		{"a refusal that is a nil *arc.Error is none", tools.Func(def, func(context.Context, noArgs) (string, error) { return "fine", (*arc.Error)(nil) }), `fine`},
		{"data that is no object is the tool's fault", tools.Func(def, func(context.Context, noArgs) (any, error) { return 5, nil }), `{"error":{"code":"internal","message":"The tool failed and the host's log has the cause; try another way, or tell the operator."}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := call(c.tool).String(); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestErrorsAsAModelSeesThem(t *testing.T) {
	t.Parallel()
	cause := errors.New("open /home/secret/key: no such file")
	for _, c := range []struct {
		name string
		err  error
		code arc.Code
		says string
	}{
		{"an error of arc as it is", &arc.Error{Code: arc.Stale, Message: "Read it again."}, arc.Stale, "Read it again."},
		{"one inside another error, without that error's words", fmt.Errorf("at %s: %w", "/home/x", &arc.Error{Code: arc.Stale, Message: "Read it again."}), arc.Stale, "Read it again."},
		{"a bare code gets a sentence", arc.TimedOut, arc.TimedOut, "The call ran out of time; look at what it left, then ask for less."},
		{"so does one that nobody knows", arc.Code("wait_cycle"), "wait_cycle", "The tool refused this call with the code wait_cycle; change the call or try another way."},
		{"a wrapped code", fmt.Errorf("x: %w", arc.Locked), arc.Locked, "The tool refused this call with the code locked; change the call or try another way."},
		{"an error of arc without words gets them", &arc.Error{Code: arc.Canceled}, arc.Canceled, "The call was canceled before it was done; look at what it left before you repeat it."},
		{"a canceled context", fmt.Errorf("get: %w", context.Canceled), arc.Canceled, "The call was canceled before it was done; look at what it left before you repeat it."},
		{"a deadline", context.DeadlineExceeded, arc.TimedOut, "The call ran out of time; look at what it left, then ask for less."},
		{"anything else is internal, and no path gets out", cause, arc.Internal, "The tool failed and the host's log has the cause; try another way, or tell the operator."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			s := session(t, full, &tools.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))},
				does(arc.Definition{Name: "x"}, func(context.Context, arc.Call) (*arc.Result, error) { return nil, c.err }))
			r := s.Call(t.Context(), arc.Call{ID: "c7", Name: "x"})
			if r.Err == nil || r.Err.Code != c.code || r.Err.Message != c.says {
				t.Fatalf("got %v", r.Err)
			}
			if c.code != arc.Internal {
				return
			}
			if !errors.Is(r.Err, cause) {
				t.Error("the host cannot see the cause")
			}
			if l := log.String(); !strings.Contains(l, "tool=x call=c7") || !strings.Contains(l, "/home/secret/key") {
				t.Errorf("the log has %q", l)
			}
		})
	}
	t.Run("an error in other words after the context ended is the end of the context", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		s := session(t, full, nil, does(arc.Definition{Name: "x"}, func(context.Context, arc.Call) (*arc.Result, error) {
			cancel()
			return nil, errors.New("signal: killed")
		}))
		if r := s.Call(ctx, arc.Call{Name: "x"}); !errors.Is(r.Err, arc.Canceled) {
			t.Errorf("got %v", r.Err)
		}
	})
	t.Run("a panic is internal, and the middleware sees it as a result", func(t *testing.T) {
		t.Parallel()
		var log bytes.Buffer
		var seen *arc.Result
		s := session(t, full, &tools.Options{
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
			Middleware: []tools.Middleware{func(next tools.Handler) tools.Handler {
				return func(ctx context.Context, c arc.Call) *arc.Result { seen = next(ctx, c); return seen }
			}},
		}, does(arc.Definition{Name: "x"}, func(context.Context, arc.Call) (*arc.Result, error) { panic("boom") }))
		r := s.Call(t.Context(), arc.Call{ID: "c7", Name: "x"})
		if !errors.Is(r.Err, arc.Internal) || seen != r {
			t.Errorf("got %v, the middleware saw %v", r, seen)
		}
		if l := log.String(); !strings.Contains(l, "tool=x call=c7") || !strings.Contains(l, "boom") {
			t.Errorf("the log has %q", l)
		}
	})
}

func TestACallOfNoTool(t *testing.T) {
	t.Parallel()
	s := session(t, full, nil, says(reads("workspace_read"), ""), says(reads("workspace_list"), ""), says(reads("shell_exec"), ""))
	for _, c := range []struct{ name, want string }{
		{"mcp__arc__workspace_read", `There is no tool "mcp__arc__workspace_read"; did you mean workspace_read?`},
		{"workspaceRead", `There is no tool "workspaceRead"; did you mean workspace_read?`},
		{"workspace.list", `There is no tool "workspace.list"; did you mean workspace_list?`},
		{"exec", `There is no tool "exec"; did you mean shell_exec?`},
		{"shel_exce", `There is no tool "shel_exce"; did you mean shell_exec?`},
		{"teleport", `There is no tool "teleport"; use a name from the list.`},
		{"", `The call names no tool; use a name from the list.`},
	} {
		r := s.Call(t.Context(), arc.Call{Name: c.name})
		if r.Err == nil || r.Err.Code != arc.UnknownTool || r.Err.Message != c.want {
			t.Errorf("%q: got %v", c.name, r.Err)
		}
	}
}

func TestListAndWhatItHides(t *testing.T) {
	t.Parallel()
	list := []arc.Tool{
		says(arc.Definition{Name: "found", Listing: arc.Discover, Description: "Juggle apples."}, ""),
		says(arc.Definition{Name: "hosted", Listing: arc.Hosted}, ""),
		says(arc.Definition{Name: "direct"}, ""),
		says(arc.Definition{Name: "native", Native: "computer"}, "by hand"),
		says(arc.Definition{Name: "shell", Needs: arc.Needs{Access: arc.FullAccess}}, ""),
		does(arc.Definition{Name: "pager"}, func(context.Context, arc.Call) (*arc.Result, error) {
			return &arc.Result{Next: &arc.Next{Tool: "found"}, Offers: []string{"hosted", "shell", "nothing"}}, nil
		}),
		does(arc.Definition{Name: "refuser"}, func(context.Context, arc.Call) (*arc.Result, error) {
			return nil, &arc.Error{Code: arc.Stale, Message: "No.", Next: &arc.Next{Tool: "found"}}
		}),
	}
	safe := arc.Turn{}
	compact := arc.Turn{Env: arc.Env{Model: arc.Model{Compact: true, Native: []string{"computer"}}}}

	t.Run("direct, tool_search, hosted", func(t *testing.T) {
		t.Parallel()
		s := session(t, safe, nil, list...)
		if got, want := names(s.List()), []string{"direct", "native", "pager", "refuser", "tool_search", "hosted"}; !slices.Equal(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, want := names(s.Deferred()), []string{"found"}; !slices.Equal(got, want) {
			t.Errorf("deferred are %s, want %s", got, want)
		}
		if h := s.Hidden(); len(h) != 1 || !errors.Is(h[0], arc.Unavailable) || !strings.Contains(h[0].Error(), "shell is not available here") {
			t.Errorf("hidden is %v", h)
		}
	})
	t.Run("a compact list finds hosted tools by search, and a native one is callable and not listed", func(t *testing.T) {
		t.Parallel()
		s := session(t, compact, nil, list...)
		if got, want := names(s.List()), []string{"direct", "pager", "refuser", "tool_search"}; !slices.Equal(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, want := names(s.Deferred()), []string{"found", "hosted"}; !slices.Equal(got, want) {
			t.Errorf("deferred are %s, want %s", got, want)
		}
		if r := s.Call(t.Context(), arc.Call{Name: "native"}); r.Body != "by hand" {
			t.Errorf("got %v", r)
		}
	})
	t.Run("what results name is listed from then on, in that order, if it is allowed", func(t *testing.T) {
		t.Parallel()
		s := session(t, compact, nil, list...)
		s.Call(t.Context(), arc.Call{Name: "pager"})
		if got, want := names(s.List()), []string{"direct", "pager", "refuser", "tool_search", "hosted", "found"}; !slices.Equal(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
		s.Call(t.Context(), arc.Call{Name: "pager"})
		if got := s.List(); len(got) != 6 {
			t.Errorf("the second time it is %s", names(got))
		}
		if got := s.Deferred(); len(got) != 0 {
			t.Errorf("deferred are %s", names(got))
		}
	})
	t.Run("a refusal's next call counts too", func(t *testing.T) {
		t.Parallel()
		s := session(t, compact, nil, list...)
		s.Call(t.Context(), arc.Call{Name: "refuser"})
		if got := names(s.List()); !slices.Contains(got, "found") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("what tool_search finds is listed from then on", func(t *testing.T) {
		t.Parallel()
		s := session(t, safe, nil, list...)
		r := s.Call(t.Context(), arc.Call{Name: "tool_search", Args: []byte(`{"query":"juggling"}`)})
		const want = `{"tools":[{"name":"found","description":"Juggle apples.","schema":{"properties":{},"type":"object","required":[]}}]}`
		if r.String() != want {
			t.Errorf("\n got %s\nwant %s", r, want)
		}
		if got := names(s.List()); got[len(got)-1] != "found" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("a search without a hit says what there is", func(t *testing.T) {
		t.Parallel()
		r := session(t, safe, nil, list...).Call(t.Context(), arc.Call{Name: "tool_search", Args: []byte(`{"query":"zzz"}`)})
		const want = `{"tools":[],"names":["found"],"notices":["No tool fits these words; these names can be called, or searched for."]}`
		if r.String() != want {
			t.Errorf("\n got %s\nwant %s", r, want)
		}
	})
	t.Run("without anything to find there is no tool_search", func(t *testing.T) {
		t.Parallel()
		if got := names(session(t, safe, nil, list[2]).List()); !slices.Equal(got, []string{"direct"}) {
			t.Errorf("got %s", got)
		}
	})
	t.Run("an empty list explains itself", func(t *testing.T) {
		t.Parallel()
		s := session(t, arc.Turn{Env: arc.Env{Deny: []string{"direct"}}}, nil, list[2], list[4])
		if l, h := s.List(), s.Hidden(); len(l) != 0 || len(h) != 2 || !errors.Is(h[0], arc.Forbidden) || !errors.Is(h[1], arc.Unavailable) {
			t.Errorf("got %s, hidden %v", names(l), h)
		}
	})
}

func TestDefinitionsTooLargeToShowAreFoundByName(t *testing.T) {
	t.Parallel()
	big := json.RawMessage(`{"type":"object","description":"` + strings.Repeat("x", 20<<10) + `"}`)
	s := session(t, full, nil,
		says(arc.Definition{Name: "big_one", Listing: arc.Discover, Description: "Big.", Schema: big}, ""),
		says(arc.Definition{Name: "big_two", Listing: arc.Discover, Description: "Big.", Schema: big}, ""))
	r := s.Call(t.Context(), arc.Call{Name: "tool_search", Args: []byte(`{"query":"big"}`)})
	const want = `{"tools":[{"name":"big_one","description":"Big."}],"notices":["More tools fit than can be shown at once; ask for something narrower."]}`
	if r.String() != want {
		t.Errorf("got %s", r)
	}
}

func TestCallIDsAreUniqueInTheTurn(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var ids []string
	tool := does(reads("x"), func(_ context.Context, c arc.Call) (*arc.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		if c.Origin.Call != c.ID {
			t.Errorf("the origin of %s says %s", c.ID, c.Origin.Call)
		}
		ids = append(ids, c.ID)
		return nil, nil
	})
	s := session(t, full, nil, tool)
	s.Reserve("call_1", "earlier")
	for _, id := range []string{"mine", "", "mine", "earlier", "call_9", ""} {
		s.Call(t.Context(), arc.Call{ID: id, Name: "x"})
	}
	if want := []string{"mine", "call_4", "call_5", "call_6", "call_9", "call_8"}; !slices.Equal(ids, want) {
		t.Errorf("got %s, want %s", ids, want)
	}
	ids = nil
	s.Run(t.Context(), make([]arc.Call, 0))
	batch := []arc.Call{{ID: "0", Name: "x"}, {ID: "0", Name: "x"}, {ID: "0", Name: "x"}}
	s.Run(t.Context(), batch)
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 3 || batch[1].ID != "0" {
		t.Errorf("got %s, the caller's batch is %v", ids, batch)
	}
}

func TestThePathOfACall(t *testing.T) {
	t.Parallel()
	var steps []string
	note := func(format string, a ...any) { steps = append(steps, fmt.Sprintf(format, a...)) }
	layer := func(name string) tools.Middleware {
		return func(next tools.Handler) tools.Handler {
			return func(ctx context.Context, c arc.Call) *arc.Result {
				note("%s in %s", name, c.Args)
				r := next(ctx, c)
				code := arc.Code("ok")
				if r.Err != nil {
					code = r.Err.Code
				}
				note("%s out %s", name, code)
				return r
			}
		}
	}
	var verdict error
	set := must(tools.NewSet([]arc.Provider{provider{
		tools.Func(arc.Definition{Name: "list"}, func(_ context.Context, a listArgs) (string, error) { note("tool %d", a.Limit); return "", nil }),
	}}, &tools.Options{
		Middleware: []tools.Middleware{layer("set1"), layer("set2")},
		Approve: func(_ context.Context, c arc.Call, d arc.Definition) error {
			note("approve %s %s", d.Name, c.Args)
			return verdict
		},
	}))
	s := set.Session(full, layer("session"))
	for _, c := range []struct {
		name, args string
		verdict    error
		want       string
	}{
		{"a call that passes", `{"limit":"5"}`, nil,
			`set1 in {"limit":5}|set2 in {"limit":5}|session in {"limit":5}|approve list {"limit":5}|tool 5|session out ok|set2 out ok|set1 out ok`},
		{"a refusal is a result, and nobody is asked to approve", `{"limit":"x"}`, nil,
			`set1 in {"limit":"x"}|set2 in {"limit":"x"}|session in {"limit":"x"}|session out invalid_arguments|set2 out invalid_arguments|set1 out invalid_arguments`},
		{"an approver's no", `{}`, errors.New("not on a Sunday"),
			`set1 in {}|set2 in {}|session in {}|approve list {}|session out forbidden|set2 out forbidden|set1 out forbidden`},
		{"an approver's own code", `{}`, arc.Locked,
			`set1 in {}|set2 in {}|session in {}|approve list {}|session out locked|set2 out locked|set1 out locked`},
	} {
		steps, verdict = nil, c.verdict
		s.Call(t.Context(), arc.Call{Name: "list", Args: []byte(c.args)})
		if got := strings.Join(steps, "|"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestAMiddlewareThatMisbehavesIsInternal(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]tools.Middleware{
		"it panics":       func(tools.Handler) tools.Handler { panic("oh") },
		"it answers nil":  func(tools.Handler) tools.Handler { return func(context.Context, arc.Call) *arc.Result { return nil } },
		"it has no layer": func(tools.Handler) tools.Handler { return nil },
	} {
		r := session(t, full, &tools.Options{Middleware: []tools.Middleware{m}}, says(reads("x"), "")).Call(t.Context(), arc.Call{Name: "x"})
		if r == nil || !errors.Is(r.Err, arc.Internal) {
			t.Errorf("%s: got %v", name, r)
		}
	}
}

func TestRecheckTakesAwayAndNeverGives(t *testing.T) {
	t.Parallel()
	var now arc.Env
	var seen arc.Env
	o := &tools.Options{Recheck: func(context.Context, arc.Turn) arc.Env { return now }}
	tool := func(name string, n arc.Needs) arc.Tool {
		return does(arc.Definition{Name: name, Needs: n}, func(_ context.Context, c arc.Call) (*arc.Result, error) { seen = c.Env; return nil, nil })
	}
	list := []arc.Tool{
		tool("shell", arc.Needs{Access: arc.FullAccess}), tool("project", arc.Needs{Project: true}), tool("service", arc.Needs{Service: "files"}),
		tool("plain", arc.Needs{}), tool("plan", arc.Needs{Planning: arc.Required}), tool("desktop", arc.Needs{Desktop: true, Vision: true}),
	}
	code := func(s *tools.Session, name string) arc.Code {
		if r := s.Call(t.Context(), arc.Call{Name: name}); r.Err != nil {
			return r.Err.Code
		}
		return "ok"
	}
	for _, c := range []struct {
		name string
		turn arc.Env
		now  func(*arc.Env)
		tool string
		want arc.Code
	}{
		{"as it was", full.Env, func(*arc.Env) {}, "shell", "ok"},
		{"full access withdrawn", full.Env, func(e *arc.Env) { e.Access = arc.Safe }, "shell", arc.Unavailable},
		{"the project withdrawn", full.Env, func(e *arc.Env) { e.Project = false }, "project", arc.Unavailable},
		{"a grant withdrawn", full.Env, func(e *arc.Env) { e.Services = nil }, "service", arc.ServiceNotGranted},
		{"a tool denied", full.Env, func(e *arc.Env) { e.Deny = []string{"plain"} }, "plain", arc.Forbidden},
		{"planning began", full.Env, func(e *arc.Env) { e.Mode = arc.Planning }, "plain", arc.Unavailable},
		{"planning began, which gives nothing either", full.Env, func(e *arc.Env) { e.Mode = arc.Planning }, "plan", arc.Unavailable},
		{"the desktop stays the turn's", full.Env, func(e *arc.Env) { e.Desktop, e.Model = arc.Desktop{}, arc.Model{} }, "desktop", "ok"},
		{"full access is not given", arc.Env{}, func(e *arc.Env) { e.Access = arc.FullAccess }, "shell", arc.Unavailable},
		{"a service is not given", arc.Env{}, func(e *arc.Env) { e.Services = []string{"files"} }, "service", arc.ServiceNotGranted},
		{"a ban is not lifted", arc.Env{Deny: []string{"plain"}}, func(e *arc.Env) { e.Deny = nil }, "plain", arc.Forbidden},
		{"planning does not end", arc.Env{Mode: arc.Planning}, func(e *arc.Env) { e.Mode = arc.Ordinary }, "plain", arc.Unavailable},
	} {
		now = c.turn
		c.now(&now)
		s := session(t, arc.Turn{Env: c.turn}, o, list...)
		if got := code(s, c.tool); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.name, c.tool, got, c.want)
		}
	}
	t.Run("the tool sees what is left", func(t *testing.T) {
		now = full.Env
		now.Access, now.Services = arc.Safe, []string{"other"}
		code(session(t, full, o, list...), "plain")
		if seen.Access != arc.Safe || len(seen.Services) != 0 || !seen.Project || seen.Desktop != full.Desktop {
			t.Errorf("got %+v", seen)
		}
	})
}

func TestABatch(t *testing.T) {
	t.Parallel()
	t.Run("readers run side by side, writers alone, and the answers are in order", func(t *testing.T) {
		t.Parallel()
		var readers, writers, peak atomic.Int32
		both := make(chan struct{}, 2)
		read := does(reads("read"), func(context.Context, arc.Call) (*arc.Result, error) {
			peak.Store(max(peak.Load(), readers.Add(1)))
			defer readers.Add(-1)
			if writers.Load() != 0 {
				t.Error("a reader runs beside a writer")
			}
			// Each waits for the other: alone they would never end.
			both <- struct{}{}
			for len(both) < 2 {
				select {
				case <-t.Context().Done():
					return nil, t.Context().Err()
				default:
				}
			}
			return &arc.Result{Body: "read"}, nil
		})
		write := does(arc.Definition{Name: "write"}, func(context.Context, arc.Call) (*arc.Result, error) {
			if writers.Add(1) != 1 || readers.Load() != 0 {
				t.Error("a writer is not alone")
			}
			defer writers.Add(-1)
			return &arc.Result{Body: "write"}, nil
		})
		s := session(t, full, nil, read, write)
		rs := s.Run(t.Context(), []arc.Call{{Name: "write"}, {Name: "read"}, {Name: "nothing"}, {Name: "read"}, {Name: "write"}, {Name: "write"}})
		var got []string
		for _, r := range rs {
			got = append(got, strings.SplitN(r.String(), ":", 2)[0])
		}
		if want := []string{"write", "read", `{"error"`, "read", "write", "write"}; !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
		if peak.Load() < 2 {
			t.Error("no two readers ran side by side")
		}
	})
	t.Run("no more than eight readers at once", func(t *testing.T) {
		t.Parallel()
		var running, peak atomic.Int32
		s := session(t, full, nil, does(reads("read"), func(context.Context, arc.Call) (*arc.Result, error) {
			n := running.Add(1)
			defer running.Add(-1)
			for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
			}
			return nil, nil
		}))
		calls := make([]arc.Call, 200)
		for i := range calls {
			calls[i].Name = "read"
		}
		if rs := s.Run(t.Context(), calls); slices.Contains(rs, nil) || peak.Load() > 8 {
			t.Errorf("%d ran at once", peak.Load())
		}
	})

	ender := func(name string, end arc.End, err error) arc.Tool {
		return does(arc.Definition{Name: name, Effects: arc.Effects{EndsTurn: true}}, func(context.Context, arc.Call) (*arc.Result, error) {
			return &arc.Result{End: end}, err
		})
	}
	run := func(t *testing.T, order *[]string, calls ...string) (ends []arc.End, codes []arc.Code) {
		s := session(t, full, &tools.Options{Middleware: []tools.Middleware{func(next tools.Handler) tools.Handler {
			return func(ctx context.Context, c arc.Call) *arc.Result {
				*order = append(*order, c.Name)
				return next(ctx, c)
			}
		}}},
			ender("finish", arc.Finished, nil), ender("wait", arc.Waiting, nil), ender("satisfied", arc.Continue, nil),
			ender("fails", arc.Finished, arc.Stale), says(arc.Definition{Name: "write"}, ""))
		var batch []arc.Call
		for _, n := range calls {
			batch = append(batch, arc.Call{Name: n})
		}
		for _, r := range s.Run(t.Context(), batch) {
			ends = append(ends, r.End)
			code := arc.Code("ok")
			if r.Err != nil {
				code = r.Err.Code
			}
			codes = append(codes, code)
		}
		return ends, codes
	}
	t.Run("what ends the turn comes last, and the first that does wins", func(t *testing.T) {
		t.Parallel()
		var order []string
		ends, codes := run(t, &order, "satisfied", "fails", "wait", "write", "finish")
		if want := []string{"write", "satisfied", "fails", "wait", "finish"}; !slices.Equal(order, want) {
			t.Errorf("they ran as %s", order)
		}
		if want := []arc.Code{"ok", arc.Stale, "ok", "ok", arc.TerminalConflict}; !slices.Equal(codes, want) {
			t.Errorf("got %s", codes)
		}
		if want := []arc.End{arc.Continue, arc.Continue, arc.Waiting, arc.Continue, arc.Continue}; !slices.Equal(ends, want) {
			t.Errorf("got %v", ends)
		}
	})
	t.Run("a later batch of a turn that ended ends nothing again", func(t *testing.T) {
		t.Parallel()
		s := session(t, full, nil, ender("finish", arc.Finished, nil))
		s.Run(t.Context(), []arc.Call{{Name: "finish"}})
		if r := s.Call(t.Context(), arc.Call{Name: "finish"}); !errors.Is(r.Err, arc.TerminalConflict) || r.End != arc.Continue {
			t.Errorf("got %v", r)
		}
	})
	t.Run("a tool that does not say that it ends turns ends none", func(t *testing.T) {
		t.Parallel()
		s := session(t, full, nil, does(arc.Definition{Name: "sly"}, func(context.Context, arc.Call) (*arc.Result, error) {
			return &arc.Result{End: arc.Finished}, nil
		}))
		if r := s.Call(t.Context(), arc.Call{Name: "sly"}); r.End != arc.Continue {
			t.Errorf("got %v", r.End)
		}
	})
	t.Run("when ctx ends the rest is answered without being run", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ran := 0
		s := session(t, full, nil,
			does(arc.Definition{Name: "cut"}, func(context.Context, arc.Call) (*arc.Result, error) { cancel(); return &arc.Result{Body: "done"}, nil }),
			does(arc.Definition{Name: "write"}, func(context.Context, arc.Call) (*arc.Result, error) { ran++; return nil, nil }),
			does(reads("read"), func(context.Context, arc.Call) (*arc.Result, error) { ran++; return nil, nil }), ender("finish", arc.Finished, nil))
		rs := s.Run(ctx, []arc.Call{{Name: "finish"}, {Name: "cut"}, {Name: "write"}, {Name: "read"}, {Name: "read"}, {Name: "nothing"}})
		if rs[1].Body != "done" || rs[1].Err != nil {
			t.Errorf("what was done is told as %v", rs[1])
		}
		for i, r := range rs {
			if i != 1 && !errors.Is(r.Err, arc.Canceled) {
				t.Errorf("call %d: got %v", i, r)
			}
		}
		if ran != 0 {
			t.Errorf("%d ran", ran)
		}
	})
}

func TestASessionIsOneTurnSeenFromManyGoroutines(t *testing.T) {
	t.Parallel()
	s := session(t, full, nil, says(reads("a"), "a"), says(arc.Definition{Name: "b", Listing: arc.Discover, Description: "Bees."}, "b"))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s.Call(t.Context(), arc.Call{Name: "a"})
			s.Run(t.Context(), []arc.Call{{Name: "tool_search", Args: []byte(`{"query":"bees"}`)}, {Name: "b"}})
			s.List()
			s.Deferred()
			s.Hidden()
			s.Search("bees", 1)
			s.Reserve("x")
		})
	}
	wg.Wait()
	if got := names(s.List()); !slices.Equal(got, []string{"a", "tool_search", "b"}) {
		t.Errorf("got %s", got)
	}
}

func TestOneDebugLineACallWithoutWhatItSays(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	o := &tools.Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	s := session(t, full, o, tools.Func(reads("x"), func(context.Context, greetArgs) (string, error) { return "top secret", nil }))
	s.Call(t.Context(), arc.Call{ID: "c1", Name: "x", Args: []byte(`{"name":"hush"}`)})
	line := log.String()
	if strings.Count(line, "\n") != 1 || !strings.Contains(line, "tool=x call=c1 ms=") || !strings.Contains(line, "bytes=10") {
		t.Errorf("got %q", line)
	}
	if strings.Contains(line, "secret") || strings.Contains(line, "hush") {
		t.Errorf("the log tells too much: %q", line)
	}
}
