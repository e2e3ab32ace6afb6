package peers

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// The schemas are those of tools as they are published.
//
//go:embed testdata
var schemas embed.FS

var cases = []struct{ tool, good, bad string }{
	{"shell_exec", `{"command":"go test ./...","timeout_sec":120,"cwd":"tools"}`, `{"command":"go test ./...","timeout_sec":-1}`},
	{"wait", `{"job_id":"job_1","note":"the build"}`, `{"job_id":["job_1"],"note":"the build"}`},
	{"computer", `{"actions":[{"action":"left_click","coordinate":[640,400]}]}`, `{"actions":[{"action":"poke"}]}`},
}

// A checker reports whether arguments fit.
type checker func(args []byte) bool

// checkers are of one schema. Ours is a whole call of a tool that does nothing: beside
// the check it repairs, finds the tool, and bounds a result.
func checkers(tb testing.TB, tool string) map[string]checker {
	tb.Helper()
	raw, err := schemas.ReadFile("testdata/" + tool + ".schema.json")
	if err != nil {
		tb.Fatal(err)
	}
	set, err := tools.NewSet([]arc.Provider{tools.Of(tools.Func(
		arc.Definition{Name: tool, Schema: raw, Effects: arc.Effects{ReadOnly: true}},
		func(context.Context, json.RawMessage) (string, error) { return "ok", nil },
	))}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	session := set.Session(arc.Turn{})
	ctx := context.Background()

	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		tb.Fatal(err)
	}
	google, err := s.Resolve(nil)
	if err != nil {
		tb.Fatal(err)
	}

	doc, err := santhosh.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		tb.Fatal(err)
	}
	c := santhosh.NewCompiler()
	if err := c.AddResource("tool.json", doc); err != nil {
		tb.Fatal(err)
	}
	compiled, err := c.Compile("tool.json")
	if err != nil {
		tb.Fatal(err)
	}
	return map[string]checker{
		"arc, a whole call": func(args []byte) bool {
			return session.Call(ctx, arc.Call{Name: tool, Args: args}).Err == nil
		},
		"google/jsonschema-go": func(args []byte) bool {
			var v any
			return json.Unmarshal(args, &v) == nil && google.Validate(v) == nil
		},
		"santhosh-tekuri/jsonschema": func(args []byte) bool {
			v, err := santhosh.UnmarshalJSON(bytes.NewReader(args))
			return err == nil && compiled.Validate(v) == nil
		},
	}
}

func TestTheyAgree(t *testing.T) {
	for _, c := range cases {
		for name, check := range checkers(t, c.tool) {
			if !check([]byte(c.good)) {
				t.Errorf("%s: %s refuses %s", c.tool, name, c.good)
			}
			if check([]byte(c.bad)) {
				t.Errorf("%s: %s takes %s", c.tool, name, c.bad)
			}
		}
	}
}

// TestScoreboard prints the shortest of many rounds in turn, because a machine that is
// busy otherwise lengthens any of them, and what a check allocates.
func TestScoreboard(t *testing.T) {
	const rounds, calls = 100, 50
	for _, c := range cases {
		all := checkers(t, c.tool)
		args := []byte(c.good)
		shortest := map[string]time.Duration{}
		for range rounds {
			for name, check := range all {
				begin := time.Now()
				for range calls {
					check(args)
				}
				if took := time.Since(begin) / calls; shortest[name] == 0 || took < shortest[name] {
					shortest[name] = took
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			n := testing.AllocsPerRun(100, func() { all[name](args) })
			t.Logf("%-12s %-28s %6.2f µs %4.0f allocations", c.tool, name, float64(shortest[name])/1e3, n)
		}
	}
}
