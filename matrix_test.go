package arc_test

import (
	"testing"

	"github.com/arcseat/arc"
)

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

type anySeat struct{ arc.Seat }

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
