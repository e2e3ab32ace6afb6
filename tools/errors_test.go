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

// timed is a context whose time is over when the test says so.
type timed struct {
	context.Context
	over bool
}

func (c *timed) Err() error {
	if c.over {
		return context.DeadlineExceeded
	}
	return nil
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
		{"a nil error of arc that was wrapped", fmt.Errorf("x: %w", (*arc.Error)(nil)), arc.Internal, "The tool failed and the host's log has the cause; try another way, or tell the operator."},
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
			if c.err != cause {
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
	t.Run("or of its time", func(t *testing.T) {
		t.Parallel()
		ctx := &timed{Context: t.Context()}
		s := session(t, full, nil, does(arc.Definition{Name: "x"}, func(context.Context, arc.Call) (*arc.Result, error) {
			ctx.over = true
			return nil, errors.New("signal: killed")
		}))
		if r := s.Call(ctx, arc.Call{Name: "x"}); !errors.Is(r.Err, arc.TimedOut) {
			t.Errorf("got %v", r.Err)
		}
	})
	t.Run("a tool that only reads left nothing to look at", func(t *testing.T) {
		t.Parallel()
		for code, want := range map[arc.Code]string{
			arc.TimedOut: "The call ran out of time; it only reads, so nothing is left half done: ask for less.",
			arc.Canceled: "The call was canceled before it was done; it only reads, so it can be made again as it is.",
			arc.Internal: "The tool failed and the host's log has the cause; try another way, or tell the operator.",
		} {
			for _, err := range []error{code, &arc.Error{Code: code}} {
				s := session(t, full, nil, does(reads("x"), func(context.Context, arc.Call) (*arc.Result, error) { return nil, err }))
				if r := s.Call(t.Context(), arc.Call{Name: "x"}); r.Err == nil || r.Err.Code != code || r.Err.Message != want {
					t.Errorf("%s: got %v", code, r.Err)
				}
			}
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
