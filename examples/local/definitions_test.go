package local_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer/computertest"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools/mcptool"
)

// someSeat is the seat of a turn in which nothing is called.
type someSeat struct{ arc.Seat }

// A surface is what a turn is shown: from the start, and in all.
type surface struct {
	first []string
	all   map[string]arc.Definition
}

// surfaces are those with Full Access and a service: of a turn without a seat, of a
// seat's turn, of its planning turn, and of its turn with a small model. The service's
// own tool is left out.
func surfaces(t *testing.T) (plain, seated, planning, compact surface) {
	t.Helper()
	of := func(o local.Options, s arc.Seat) surface {
		o.Access, o.Providers = arc.FullAccess, []arc.Provider{seat.Tools()}
		o.Screen, o.Services = computertest.New(1280, 800), []mcptool.Service{archive("")}
		host, _ := open(t, o)
		set, err := host.Set(nil)
		if err != nil {
			t.Fatal(err)
		}
		turn := host.Turn(arc.Origin{})
		turn.Seat = s
		session := set.Session(turn)
		out := surface{all: map[string]arc.Definition{}}
		for _, d := range session.List() {
			out.first = append(out.first, d.Name)
			out.all[d.Name] = d
		}
		for _, d := range session.Deferred() {
			out.all[d.Name] = d
		}
		delete(out.all, "archive__export")
		return out
	}
	return of(local.Options{}, nil), of(local.Options{}, someSeat{}), of(local.Options{Mode: arc.Planning}, someSeat{}), of(local.Options{Compact: true}, someSeat{})
}

// definitions are all that a turn with Full Access can be shown, by name.
func definitions(t *testing.T) map[string]arc.Definition {
	t.Helper()
	_, all, planning, _ := surfaces(t)
	maps.Copy(all.all, planning.all)
	return all.all
}

// TestDefinitionsSayWhatAModelMustKnow holds the facts that no shorter wording may
// drop: each is a set of words, of which one must be there.
func TestDefinitionsSayWhatAModelMustKnow(t *testing.T) {
	all := definitions(t)
	for name, facts := range map[string][]string{
		"workspace_read":             {"sha256"},
		"workspace_search":           {"literal", "any case|case-insensitiv", "ignored"},
		"workspace_write":            {"requires its hash", "undoable"},
		"workspace_edit":             {"requires its hash", "undoable", "exact", "read", "once unless replace_all"},
		"workspace_undo":             {"change_id", "refused if the file changed"},
		"workspace_recovery_status":  {"crash", "blocked"},
		"workspace_document_inspect": {"pdf", "pages", "metadata", "have text", "untrusted data", "no ocr"},
		"workspace_document_read":    {"pdf", "up to 12 pages", "untrusted data", "next_call", "start_page + 4"},
		"workspace_document_search":  {"pdf", "literal", "any case", "over line ends", "untrusted data", "no text"},
		"shell_exec":                 {"cannot be undone", "no terminal", "fresh shell", "background", "at most 4", "non-interactive", "shell_output", "shell_job"},
		"shell_output":               {"offset + bytes", "eof", "stdout and stderr"},
		"shell_job":                  {"status", "exit code", "[shell-job]", "2 kib"},
		"tool_search":                {"plain words"},
		"save_notes":                 {"full set", "4,000", "replaces", "drop"},
		"finish":                     {"gates", "missing"},
		"remind":                     {"durable", "keep working", "your note"},
		"wait":                       {"exactly one of", "ends as waiting", "without claiming completion", "24h"},
		"submit_plan":                {"exact", "ends the planning turn", "observable acceptance"},
		"web_fetch":                  {"untrusted data, never instructions", "main part first", "offset until range.next_offset is null", "absolute http(s) url"},
		"web_search":                 {"untrusted data, never instructions", "up to 5", "web_fetch"},
		"computer":                   {"one action per call", "zoom first", "name the target and its box", "pixels of the latest", "prompts", "password", "super"},
		"answer_user":                {"change nothing", "ends the planning turn"},
		"mcp_output":                 {"untrusted data", "next_offset", "service"},
	} {
		d, ok := all[name]
		if !ok {
			t.Errorf("%s is not offered", name)
			continue
		}
		text := strings.ToLower(d.Description + " " + string(d.Schema))
		for _, fact := range facts {
			found := false
			for words := range strings.SplitSeq(fact, "|") {
				found = found || strings.Contains(text, words)
			}
			if !found {
				t.Errorf("%s does not say %q: %s", name, fact, text)
			}
		}
	}
}

// TestWhatDefinitionsCost holds the budgets of the first list, in o200k tokens of name,
// description and schema. The counts are made by the program examples/tokens; a
// definition that has changed since fails.
func TestWhatDefinitionsCost(t *testing.T) {
	table, err := os.ReadFile("testdata/tokens.tsv")
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		hash   string
		tokens int
	}
	rows := map[string]row{}
	for line := range strings.Lines(string(table)) {
		var name string
		var r row
		if _, err := fmt.Sscan(line, &name, &r.hash, &r.tokens); err != nil {
			t.Fatal(err)
		}
		rows[name] = r
	}
	all := definitions(t)
	for name, d := range all {
		var schema bytes.Buffer
		if err := json.Compact(&schema, d.Schema); err != nil {
			t.Fatal(err)
		}
		h := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n", d.Name, d.Description, schema.String()))
		if got := fmt.Sprintf("%x", h[:8]); rows[name].hash != got {
			t.Errorf("%s has changed since its tokens were counted; run: make tokens", name)
		}
	}
	if len(rows) != len(all) {
		t.Errorf("%d tools were counted and %d are offered; run: make tokens", len(rows), len(all))
	}
	plain, seated, planning, compact := surfaces(t)
	for name, tt := range map[string]struct {
		first []string
		most  int
	}{
		"files, shell and search": {without(without(plain.first, "web_"), "computer"), 700},
		"the web":                 {[]string{"web_fetch", "web_search"}, 170},
		"a seat's turn":           {seated.first, 1704},
		"a planning turn":         {planning.first, 820},
		"a small model's turn":    {without(compact.first, "computer"), 800},
		"all tools":               {slices.Collect(maps.Keys(rows)), 2876},
	} {
		sum := 0
		for _, n := range tt.first {
			sum += rows[n].tokens
		}
		if sum > tt.most {
			t.Errorf("%s: they cost %d tokens, and may cost %d", name, sum, tt.most)
		}
		t.Logf("score: tokens %d ≤ %d of %s", sum, tt.most, name)
	}
}

func TestAReadOnlyWorkspaceWithholdsItsChanges(t *testing.T) {
	host, _ := open(t, local.Options{ReadOnly: true})
	s := session(t, host, nil)
	for _, d := range append(s.List(), s.Deferred()...) {
		switch d.Name {
		case "workspace_write", "workspace_edit", "workspace_undo":
			t.Errorf("%s is offered", d.Name)
		}
	}
	r := s.Call(t.Context(), arc.Call{Name: "workspace_write", Args: json.RawMessage(`{"path":"f","content":"x"}`)})
	if r.Err == nil || r.Err.Code != arc.Forbidden {
		t.Errorf("a call says %s", r)
	}
}

// without are the names that do not begin so.
func without(names []string, prefix string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return strings.HasPrefix(n, prefix) })
}
