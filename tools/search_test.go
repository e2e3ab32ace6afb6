package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
)

// discoverable are the tools that a model may have to search for, with words as
// short as their real ones, and for each what people say who need it.
var discoverable = []struct {
	name, description, properties string
	listing                       arc.Listing
	queries                       [3]string
}{
	{"workspace_undo", "Take back one recorded change by its change_id, if nothing later depends on it.", `"change_id":{"type":"string","description":"Id of the change, from an edit or the history"}`, arc.Discover,
		[3]string{"undo my last edit", "revert a file to how it was before", "roll back a change"}},
	{"workspace_history", "List the changes made to this project, newest first.", `"limit":{"type":"integer","description":"Most changes"}`, arc.Discover,
		[3]string{"what files were changed earlier", "show the log of edits", "history"}},
	{"workspace_recovery_status", "Tell whether an interrupted write blocks further changes, and what to do.", ``, arc.Discover,
		[3]string{"recover after a crash", "why are writes blocked", "is the workspace consistent after an interruption"}},
	{"workspace_document_inspect", "Tell a PDF's pages, title and whether it has text.", `"path":{"type":"string","description":"PDF file"}`, arc.Discover,
		[3]string{"how many pages does this pdf have", "document metadata", "inspect an invoice"}},
	{"workspace_document_read", "Read the text of a PDF, page by page.", `"path":{"type":"string","description":"PDF file"},"start_page":{"type":"integer","description":"First page"},"end_page":{"type":"integer","description":"Last page"}`, arc.Discover,
		[3]string{"read a pdf", "extract text from a document", "open the manual at page 12"}},
	{"workspace_document_search", "Find words in a PDF and the pages they are on.", `"path":{"type":"string","description":"PDF file"},"query":{"type":"string","description":"Words"},"limit":{"type":"integer","description":"Most hits"}`, arc.Discover,
		[3]string{"search inside a pdf", "find a phrase in the document", "which page mentions refunds"}},
	{"shell_output", "Read more of a command's output from a byte offset.", `"spool_id":{"type":"string","description":"Spool of the command"},"offset":{"type":"integer","description":"First byte"},"max_bytes":{"type":"integer","description":"Most bytes"}`, arc.Discover,
		[3]string{"see the rest of the command output", "read full stdout", "truncated log of a command"}},
	{"shell_job", "Tell how a background command stands, with the end of its output.", `"job_id":{"type":"string","description":"The job"},"tail":{"type":"boolean","description":"Show the end of its output"}`, arc.Discover,
		[3]string{"is my background job still running", "check on a process I started", "job status"}},
	{"mcp_output", "Read more of a service's stored result from a byte offset.", `"service_id":{"type":"string","description":"The service"},"output_id":{"type":"string","description":"The stored result"},"offset":{"type":"integer","description":"First byte"}`, arc.Discover,
		[3]string{"rest of an mcp result", "read the whole output of a service", "continue a truncated service answer"}},
	{"web_fetch", "Get the text of a web page.", `"url":{"type":"string","description":"Address"},"offset":{"type":"integer","description":"First byte"}`, arc.Hosted,
		[3]string{"open a url", "download a web page", "read an article online"}},
	{"web_search", "Search the web.", `"query":{"type":"string","description":"Words"},"max_results":{"type":"integer","description":"Most results"}`, arc.Hosted,
		[3]string{"search the internet", "google something", "look up documentation online"}},
	{"remind", "Come back to this seat later with a note.", `"after":{"type":["string","number"],"description":"How long from now"},"note":{"type":"string","description":"What to do then"}`, arc.Hosted,
		[3]string{"set a reminder", "come back to this tomorrow", "schedule something for later"}},
	{"wait", "End this turn until a time, a task or a job is done.", `"after":{"type":["string","number","null"],"description":"How long"},"job_id":{"type":["string","null"],"description":"Until this job ends"},"note":{"type":"string","description":"What for"}`, arc.Hosted,
		[3]string{"wait until the job ends", "pause for ten minutes", "sleep"}},
	{"tracker__create_issue", "Create an issue in a repository of the tracker.", `"title":{"type":"string","description":"Title"},"body":{"type":"string","description":"Text"}`, arc.Discover,
		[3]string{"file a bug report", "open a ticket in the tracker", "create issue"}},
	{"tracker__list_issues", "List the issues of a repository of the tracker.", `"state":{"type":"string","description":"open or closed"}`, arc.Discover,
		[3]string{"list open issues", "show tickets of the tracker", "which bugs are open"}},
}

func searchable(t *testing.T, compact bool) interface {
	Search(string, int) []arc.Definition
} {
	var list []arc.Tool
	for _, d := range discoverable {
		list = append(list, says(arc.Definition{
			Name: d.name, Description: d.description, Listing: d.listing,
			Schema: json.RawMessage(`{"type":"object","properties":{` + d.properties + `}}`),
		}, ""))
	}
	list = append(list, says(arc.Definition{Name: "workspace_edit", Description: "Change a file; each change can be undone."}, ""))
	turn := full
	turn.Model.Compact = compact
	return session(t, turn, nil, list...)
}

func TestPlainWordsFindTheTool(t *testing.T) {
	t.Parallel()
	s := searchable(t, true)
	for _, d := range discoverable {
		for _, q := range d.queries {
			if got := names(s.Search(q, 3)); !slices.Contains(got, d.name) {
				t.Errorf("%q finds %s, not %s", q, got, d.name)
			}
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	t.Run("words of one meaning are known with what they speak of between them", func(t *testing.T) {
		t.Parallel()
		for _, q := range []string{"put it back", "put the old file back", "take that back", "bring my version back", "change it back please"} {
			if got := names(searchable(t, true).Search(q, 3)); !slices.Contains(got, "workspace_undo") {
				t.Errorf("%q finds %s", q, got)
			}
		}
	})
	t.Run("a name finds its tool first", func(t *testing.T) {
		t.Parallel()
		s := searchable(t, true)
		for _, d := range discoverable {
			if got := names(s.Search(d.name, 1)); !slices.Equal(got, []string{d.name}) {
				t.Errorf("%s finds %s", d.name, got)
			}
		}
	})
	t.Run("a name that is only letters within other words is not called by them", func(t *testing.T) {
		t.Parallel()
		s := session(t, full, nil,
			says(arc.Definition{Name: "at", Listing: arc.Discover, Description: "Tell the date."}, ""),
			says(arc.Definition{Name: "sheet_open", Listing: arc.Discover, Description: "Open a spreadsheet."}, ""))
		for query, want := range map[string]string{"what category is in a spreadsheet": "sheet_open", "at": "at", "call sheetOpen": "sheet_open", "the sheet open tool": "sheet_open"} {
			if got := names(s.Search(query, 1)); len(got) != 1 || got[0] != want {
				t.Errorf("%s: got %q, want %s", query, got, want)
			}
		}
	})
	t.Run("what the first list shows is not found", func(t *testing.T) {
		t.Parallel()
		for _, q := range []string{"change a file", "web_search"} {
			got := names(searchable(t, false).Search(q, 20))
			if slices.Contains(got, "workspace_edit") || slices.Contains(got, "web_search") {
				t.Errorf("%s finds %s", q, got)
			}
		}
	})
	t.Run("no more than asked for, and five if nobody says", func(t *testing.T) {
		t.Parallel()
		s := searchable(t, true)
		const wide = "read search page output job issue web change"
		if a, b := len(s.Search(wide, 2)), len(s.Search(wide, 0)); a != 2 || b != 5 {
			t.Errorf("got %d and %d", a, b)
		}
	})
	t.Run("a beginning of several words finds the same in each session", func(t *testing.T) {
		t.Parallel()
		var list []arc.Tool
		for name, words := range map[string]string{
			"alpha": "commit commence commerce", "beta": "commute", "gamma": "commute", "delta": "commit", "epsilon": "commit",
		} {
			list = append(list, says(arc.Definition{Name: name, Description: words, Listing: arc.Discover, Schema: json.RawMessage(`{"type":"object"}`)}, ""))
		}
		slices.SortFunc(list, func(a, b arc.Tool) int {
			return strings.Compare(a.Definition(arc.Env{}).Name, b.Definition(arc.Env{}).Name)
		})
		for range 50 {
			got := names(session(t, arc.Turn{Env: arc.Env{Access: arc.FullAccess}}, nil, list...).Search("comm", 5))
			if want := []string{"alpha", "beta", "gamma", "delta", "epsilon"}; !slices.Equal(got, want) {
				t.Fatalf("got %q, want %q", got, want)
			}
		}
	})
	t.Run("words that nobody knows find nothing", func(t *testing.T) {
		t.Parallel()
		for _, q := range []string{"", "  ", "the of and", "xyzzy", "\xff\xfe", "日本語"} {
			if got := names(searchable(t, true).Search(q, 5)); len(got) != 0 {
				t.Errorf("%q finds %s", q, got)
			}
		}
	})
}
