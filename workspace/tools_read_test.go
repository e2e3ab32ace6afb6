package workspace

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/toolstest"
)

// turn is one of a safe room with a project.
var turn = arc.Turn{Env: arc.Env{Project: true}, Origin: by}

func (p *project) session() *tools.Session {
	p.t.Helper()
	set, err := tools.NewSet([]arc.Provider{p}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return set.Session(turn)
}

func TestReadingToolsConform(t *testing.T) {
	t.Parallel()
	files := map[string]string{"long": strings.Repeat("é", 150_000), "lines": strings.Repeat("a needle\n", 6000)}
	for i := range 30 {
		files[fmt.Sprintf("d%d/f", i)] = "needle\n"
	}
	p := newProject(t, files)
	call := func(name, args string) arc.Call { return arc.Call{Name: name, Args: []byte(args)} }
	toolstest.Run(t, p, &toolstest.Options{
		Turn: &turn,
		Calls: []arc.Call{
			call("workspace_list", `{}`),
			call("workspace_list", `{"limit":7}`),
			call("workspace_list", `{"recursive":false,"limit":9}`),
			call("workspace_read", `{"path":"long"}`),
			call("workspace_read", `{"path":"lines"}`),
			call("workspace_read", `{"path":"d3"}`),
			call("workspace_read", `{"path":"missing"}`),
			call("workspace_search", `{"query":"needle","path":"d3"}`),
			call("workspace_search", `{"query":"NEEDLE","limit":499}`),
		},
	})
}

func TestReadingToolsAreListedAtOnceAndChangeNothing(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	for _, tool := range p.readTools() {
		d := tool.Definition(turn.Env)
		if d.Listing != arc.Direct || d.Needs != (arc.Needs{Project: true}) || d.Effects != (arc.Effects{ReadOnly: true}) {
			t.Errorf("%s is %+v", d.Name, d)
		}
		toolstest.Schema(t, tool)
	}
}

func TestReadingThroughASession(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"f.txt": "one\ntwo\n"})
	if err := os.Symlink("f.txt", p.path("link")); err != nil {
		t.Fatal(err)
	}
	s := p.session()
	call := func(name, args string) *arc.Result {
		return s.Call(ctx, arc.Call{Name: name, Args: []byte(args)})
	}
	t.Run("a read is a line of JSON and the text as it stands", func(t *testing.T) {
		want := `{"path":"f.txt","sha256":"` + p.hash("f.txt") + `","size":8,"start_line":2,"end_line":2,"total_lines":2,"truncated":false,"eol":"lf"}` + "\ntwo\n"
		if got := call("workspace_read", `{"path":"f.txt","start_line":"2"}`).String(); got != want {
			t.Errorf("result is %s, want %s", got, want)
		}
	})
	t.Run("a read is told as one, and the seat has seen that version of the file itself", func(t *testing.T) {
		hash := p.hash("f.txt")
		r := call("workspace_read", `{"path":"link"}`)
		if want := []arc.Touch{{Kind: "read", Path: "link", SHA256: hash, Note: "all"}}; !slices.Equal(r.Touched, want) {
			t.Errorf("touched is %+v, want %+v", r.Touched, want)
		}
		if part := call("workspace_read", `{"path":"f.txt","start_line":2}`); part.Touched[0].Note != "lines 2-2 of 2" {
			t.Errorf("a part is told as %q", part.Touched[0].Note)
		}
		if !p.seen.has(by.Seat, "f.txt", SHA256(hash)) || p.seen.has("another", "f.txt", SHA256(hash)) {
			t.Error("the wrong seat has seen it")
		}
	})
	t.Run("values under 1 are refused", func(t *testing.T) {
		for name, args := range map[string]string{
			"workspace_list": `{"limit":0}`, "workspace_read": `{"path":"f.txt","start_line":0}`, "workspace_search": `{"query":"x","limit":-3}`,
		} {
			if r := call(name, args); r.Err == nil || r.Err.Code != arc.InvalidArguments {
				t.Errorf("%s %s: %s", name, args, r)
			}
		}
	})
	t.Run("the additive arguments are taken", func(t *testing.T) {
		if r := call("workspace_read", `{"path":"f.txt","start_character":2}`); r.Body != "e\ntwo\n" {
			t.Errorf("result is %s", r)
		}
		if r := call("workspace_search", `{"query":"o","after":"f.txt:1"}`); r.Body != "f.txt\n2: two" {
			t.Errorf("result is %s", r)
		}
	})
	t.Run("a search is counts and lines", func(t *testing.T) {
		want := `{"matches":1,"files_matched":1,"searched":1,"skipped":{"binary":0,"not_utf8":0,"ignored":0,"unreadable":0},"truncated":false}` + "\nf.txt\n2: two"
		if got := call("workspace_search", `{"query":"TWO"}`).String(); got != want {
			t.Errorf("result is %s, want %s", got, want)
		}
	})
}
