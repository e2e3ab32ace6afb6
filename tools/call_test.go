package tools_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

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
	set := must(tools.NewSet([]arc.Provider{tools.Of(
		tools.Func(arc.Definition{Name: "list"}, func(_ context.Context, a listArgs) (string, error) { note("tool %d", a.Limit); return "", nil }),
	)}, &tools.Options{
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
		{"an approver's nil error of arc is a yes", `{}`, (*arc.Error)(nil),
			`set1 in {}|set2 in {}|session in {}|approve list {}|tool 0|session out ok|set2 out ok|set1 out ok`},
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
