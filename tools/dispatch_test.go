package tools_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// noop is a session with a tool that takes a few arguments and does nothing.
func noop(tb testing.TB) *tools.Session {
	tb.Helper()
	type args struct {
		Path  string `json:"path" jsonschema_description:"a file"`
		Limit int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=100" jsonschema_description:"most lines"`
		All   *bool  `json:"all,omitempty" jsonschema_description:"every one"`
	}
	set, err := tools.NewSet([]arc.Provider{tools.Of(
		tools.Func(arc.Definition{Name: "noop", Effects: arc.Effects{ReadOnly: true}}, func(context.Context, args) (string, error) { return "ok", nil }),
	)}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return set.Session(arc.Turn{})
}

var noopCall = arc.Call{Name: "noop", Args: json.RawMessage(`{"path":"main.go","limit":20,"all":true}`)}

// TestWhatACallAllocates is about a call that does nothing: finding the tool, checking
// that it may be used, repairing and checking its arguments, reading them into their
// type, calling and bounding the result.
func TestWhatACallAllocates(t *testing.T) {
	session := noop(t)
	ctx := t.Context()
	n := testing.AllocsPerRun(1000, func() {
		if r := session.Call(ctx, noopCall); r.Err != nil {
			t.Fatal(r.Err)
		}
	})
	t.Logf("score: overhead %.0f ≤ 40 allocations of a call that does nothing", n)
	if n > 40 {
		t.Errorf("a call that does nothing takes %.0f allocations, and may take 40", n)
	}
}

func BenchmarkCall(b *testing.B) {
	session := noop(b)
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if r := session.Call(ctx, noopCall); r.Err != nil {
			b.Fatal(r.Err)
		}
	}
}
