package local_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/shell"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/webtool"
	"github.com/arcseat/arc/webtool/webtest"
	"github.com/arcseat/arc/workspace"
)

// The matrix stands here, and not beside the contract, because a host of the contract
// alone would have to list in its go.sum what these families' modules need.
//
// The matrix says where each of the 24 tools is: L in the first list, F found by
// search, – not available. Definition.Check and Listing decide it and nothing
// else does.
//
//	columns: Safe, Full, chat (no project), planning, no desktop, no vision, no grant, compact
var matrix = []struct {
	tool string
	def  arc.Definition
	want string
}{
	{"workspace_list", arc.Definition{Needs: project, Effects: reading}, "L L – L L L L L"},
	{"workspace_read", arc.Definition{Needs: project, Effects: reading}, "L L – L L L L L"},
	{"workspace_search", arc.Definition{Needs: project, Effects: reading}, "L L – L L L L L"},
	{"workspace_write", arc.Definition{Needs: project, Effects: undoable}, "L L – – L L L L"},
	{"workspace_edit", arc.Definition{Needs: project, Effects: undoable}, "L L – – L L L L"},
	{"workspace_undo", arc.Definition{Needs: project, Effects: undoable, Listing: arc.Discover}, "F F – – F F F F"},
	{"workspace_history", arc.Definition{Needs: project, Effects: reading, Listing: arc.Discover}, "F F – F F F F F"},
	{"workspace_recovery_status", arc.Definition{Needs: project, Effects: reading, Listing: arc.Discover}, "F F – F F F F F"},
	{"workspace_document_inspect", arc.Definition{Needs: project, Effects: reading, Listing: arc.Discover}, "F F – F F F F F"},
	{"workspace_document_read", arc.Definition{Needs: project, Effects: reading, Listing: arc.Discover}, "F F – F F F F F"},
	{"workspace_document_search", arc.Definition{Needs: project, Effects: reading, Listing: arc.Discover}, "F F – F F F F F"},
	{"shell_exec", arc.Definition{Needs: host, Effects: arc.Effects{Destructive: true, OpenWorld: true}}, "– L – – L L L L"},
	{"shell_output", arc.Definition{Needs: host, Effects: reading, Listing: arc.Discover}, "– F – F F F F F"},
	{"shell_job", arc.Definition{Needs: host, Effects: reading, Listing: arc.Discover}, "– F – F F F F F"},
	{"web_fetch", arc.Definition{Effects: outside, Listing: arc.Hosted}, "L L L L L L L F"},
	{"web_search", arc.Definition{Effects: outside, Listing: arc.Hosted}, "L L L L L L L F"},
	{"remind", arc.Definition{Needs: arc.Needs{Seat: true}, Listing: arc.Hosted}, "L L L – L L L F"},
	{"wait", arc.Definition{Needs: arc.Needs{Seat: true}, Effects: ending, Listing: arc.Hosted}, "L L L – L L L F"},
	{"save_notes", arc.Definition{Needs: arc.Needs{Seat: true, Planning: arc.Allowed}}, "L L L L L L L L"},
	{"finish", arc.Definition{Needs: arc.Needs{Seat: true}, Effects: ending}, "L L L – L L L L"},
	{"submit_plan", arc.Definition{Needs: arc.Needs{Seat: true, Planning: arc.Required}, Effects: ending}, "– – – L – – – –"},
	{"answer_user", arc.Definition{Needs: arc.Needs{Seat: true, Planning: arc.Required}, Effects: ending}, "– – – L – – – –"},
	{"mcp_output", arc.Definition{Needs: arc.Needs{Access: arc.FullAccess, Project: true, Service: "*"}, Effects: reading, Listing: arc.Discover}, "– F – F F F – F"},
	{"computer", arc.Definition{Needs: arc.Needs{Access: arc.FullAccess, Desktop: true, Vision: true}, Native: "computer"}, "– L L – – – L L"},

	// Not among the 24: a tool of a service, and one that the operator calls read-only.
	{"files__write", arc.Definition{Needs: arc.Needs{Access: arc.FullAccess, Project: true, Service: "files"}, Listing: arc.Discover}, "– F – – F F – F"},
	{"files__read", arc.Definition{Needs: arc.Needs{Access: arc.FullAccess, Project: true, Service: "files"}, Effects: outside, Listing: arc.Discover}, "– F – F F F – F"},
}

var (
	project  = arc.Needs{Project: true}
	host     = arc.Needs{Project: true, Access: arc.FullAccess}
	reading  = arc.Effects{ReadOnly: true}
	undoable = arc.Effects{Undoable: true}
	outside  = arc.Effects{ReadOnly: true, OpenWorld: true}
	ending   = arc.Effects{EndsTurn: true}
)

// columns are the turns of the matrix: each takes away from a turn that has all.
var columns = []struct {
	name string
	take func(*arc.Turn)
}{
	{"Safe", func(t *arc.Turn) { t.Access = arc.Safe }},
	{"Full", func(*arc.Turn) {}},
	{"chat", func(t *arc.Turn) { t.Project = false }},
	{"planning", func(t *arc.Turn) { t.Mode = arc.Planning }},
	{"no desktop", func(t *arc.Turn) { t.Desktop = arc.Desktop{} }},
	{"no vision", func(t *arc.Turn) { t.Model.Vision = false }},
	{"no grant", func(t *arc.Turn) { t.Services = nil }},
	{"compact", func(t *arc.Turn) { t.Model.Compact = true }},
}

// anySeat is a seat that does nothing and is content.
type anySeat struct{}

func (anySeat) ID() arc.SeatID { return "seat" }
func (anySeat) SaveNotes(context.Context, string, string) (*arc.Result, error) {
	return &arc.Result{}, nil
}
func (anySeat) Remind(context.Context, string, arc.Reminder) (*arc.Result, error) {
	return &arc.Result{}, nil
}
func (anySeat) Wait(context.Context, string, arc.Wait) (*arc.Result, error) {
	return &arc.Result{}, nil
}
func (anySeat) Finish(context.Context, string, arc.Finish) (*arc.Result, error) {
	return &arc.Result{}, nil
}
func (anySeat) SubmitPlan(context.Context, string, arc.Plan) (*arc.Result, error) {
	return &arc.Result{}, nil
}
func (anySeat) Answer(context.Context, string, string) (*arc.Result, error) {
	return &arc.Result{}, nil
}

// column is the turn of columns[i].
func column(i int) arc.Turn {
	t := arc.Turn{Seat: anySeat{}, Env: arc.Env{
		Access: arc.FullAccess, Project: true, Services: []string{"files"},
		Desktop: arc.Desktop{OS: "linux", Width: 1280, Height: 800},
		Model:   arc.Model{Vision: true},
	}}
	columns[i].take(&t)
	return t
}

func TestMatrix(t *testing.T) {
	t.Parallel()
	for _, row := range matrix {
		d := row.def
		d.Name = row.tool
		got := ""
		for i := range columns {
			if i > 0 {
				got += " "
			}
			got += cell(d, column(i))
		}
		if got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.tool, got, row.want)
		}
	}
}

func cell(d arc.Definition, t arc.Turn) string {
	switch {
	case d.Check(t) != nil:
		return "–"
	case d.Listing == arc.Direct, d.Listing == arc.Hosted && !t.Model.Compact:
		return "L"
	}
	return "F"
}

// realProviders are the families that exist; a new one is added here. What they
// keep is thrown away with the test.
func realProviders(t *testing.T) []arc.Provider {
	t.Helper()
	dir, state := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("words\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, &workspace.Options{State: state})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(state, "spool")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sh.Close(context.Background()) })
	pc, err := computer.Open(t.Context(), computertest.New(1280, 800), &computer.Options{FirstChange: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pc.Close(context.Background()) })
	fake := docstest.NewFake()
	if err := os.WriteFile(filepath.Join(dir, "a.pdf"), fake.File(docstest.Script{Pages: docstest.Text("words")}), 0o600); err != nil {
		t.Fatal(err)
	}
	library := docs.New(ws, fake, nil)
	t.Cleanup(func() { library.Close() })
	nowhere := webtest.NewNet()
	web := webtool.New(&webtool.Options{Search: []webtool.Searcher{&webtest.Fake{}}, Resolver: nowhere, Dial: nowhere.Dial})
	t.Cleanup(func() { web.Close() })
	return []arc.Provider{ws, sh, library, web, seat.Tools(), pc}
}

// arguments call each tool that exists, for real; those that need an id of an
// earlier call get one that nobody has.
var arguments = map[string]string{
	"workspace_list":             `{}`,
	"workspace_read":             `{"path":"a.txt"}`,
	"workspace_search":           `{"query":"words"}`,
	"workspace_write":            `{"path":"new.txt","content":"x"}`,
	"workspace_edit":             `{"path":"a.txt","old_string":"nothing","new_string":"x"}`,
	"workspace_undo":             `{"change_id":"change_none"}`,
	"workspace_history":          `{}`,
	"workspace_recovery_status":  `{}`,
	"workspace_document_inspect": `{"path":"a.pdf"}`,
	"workspace_document_read":    `{"path":"a.pdf"}`,
	"workspace_document_search":  `{"path":"a.pdf","query":"words"}`,
	"shell_exec":                 `{"command":"exit 0"}`,
	"shell_output":               `{"spool_id":"sp_none"}`,
	"shell_job":                  `{"job_id":"job_none"}`,
	"web_fetch":                  `{"url":"http://example.com/"}`,
	"web_search":                 `{"query":"words"}`,
	"remind":                     `{"after":"1h","note":"look"}`,
	"wait":                       `{"after":"1h","note":"look"}`,
	"save_notes":                 `{"notes":"words"}`,
	"finish":                     `{"summary":"done"}`,
	"submit_plan":                `{"summary":"s","subtasks":[{"title":"t","instruction":"i","target_files":["a.txt"],"acceptance":"a"}]}`,
	"answer_user":                `{"answer":"words"}`,
	"computer":                   `{"actions":[{"action":"screenshot"}]}`,
}

// What is stated above is what the real tools do, as they are listed and as they
// are called.
func TestMatrixOfTheRealTools(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the shell of this test is a POSIX one")
	}
	set, err := tools.NewSet(realProviders(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	asStated := 0
	for i, col := range columns {
		t.Run(col.name, func(t *testing.T) {
			s := set.Session(column(i))
			listed, deferred := namesOf(s.List()), namesOf(s.Deferred())
			for name, args := range arguments {
				want := stated(t, name, i)
				got := "–"
				switch {
				case slices.Contains(listed, name):
					got = "L"
				case slices.Contains(deferred, name):
					got = "F"
				}
				if got != want {
					t.Errorf("%s is listed as %s, want %s", name, got, want)
				} else {
					asStated++
				}
				r := s.Call(t.Context(), arc.Call{Name: name, Args: json.RawMessage(args)})
				if refused := r.Err != nil && r.Err.Code == arc.Unavailable; refused != (want == "–") {
					t.Errorf("%s, which is %s, answers %s", name, want, r)
				}
			}
			for _, name := range slices.Concat(listed, deferred) {
				if _, ok := arguments[name]; !ok && name != "tool_search" {
					t.Errorf("%s is not in this test", name)
				}
			}
		})
	}
	t.Logf("score: modes %d = %d times a tool in a mode, as stated", asStated, len(arguments)*len(columns))
}

// stated is what the matrix says of a tool in a column.
func stated(t *testing.T, tool string, column int) string {
	t.Helper()
	for _, row := range matrix {
		if row.tool == tool {
			return strings.Fields(row.want)[column]
		}
	}
	t.Fatalf("%s is not in the matrix", tool)
	return ""
}

func namesOf(defs []arc.Definition) []string {
	var names []string
	for _, d := range defs {
		names = append(names, d.Name)
	}
	return names
}

// Each tool that has to be searched for is among the first three that people's
// own words find.
func TestPlainWordsFindTheRealTools(t *testing.T) {
	t.Parallel()
	set, err := tools.NewSet(realProviders(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := set.Session(column(1))
	queries := map[string][3]string{
		"workspace_undo":             {"undo my last edit", "revert a file to how it was before", "roll back a change"},
		"workspace_history":          {"what files were changed earlier", "show the log of edits", "history"},
		"workspace_recovery_status":  {"recover after a crash", "why are writes blocked", "is the workspace consistent after an interruption"},
		"workspace_document_inspect": {"how many pages does this pdf have", "is this document scanned or does it have text", "pdf metadata"},
		"workspace_document_read":    {"read a pdf", "get the text of page 3 of the manual", "extract text from a document"},
		"workspace_document_search":  {"find a clause in the pdf", "search in the document", "where does the manual mention this error"},
		"shell_output":               {"see the rest of the command output", "read full stdout", "truncated log of a command"},
		"shell_job":                  {"is my background job still running", "check on a process I started", "job status"},
	}
	for _, d := range s.Deferred() {
		if _, ok := queries[d.Name]; !ok {
			t.Errorf("nobody asks for %s", d.Name)
		}
	}
	found := 0
	for name, some := range queries {
		for _, q := range some {
			if got := namesOf(s.Search(q, 3)); !slices.Contains(got, name) {
				t.Errorf("%q finds %s, not %s", q, got, name)
			} else {
				found++
			}
		}
	}
	t.Logf("score: discovery %d = %d queries in plain words find their tool among the first three", found, 3*len(queries))
}
