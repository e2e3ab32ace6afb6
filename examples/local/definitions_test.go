package local_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/local"
)

// definitions are all that a turn with Full Access can be shown, by name, and the
// names of its first list.
func definitions(t *testing.T) (all map[string]arc.Definition, first []string) {
	t.Helper()
	host, _ := open(t, local.Options{Access: arc.FullAccess})
	s := session(t, host, nil)
	all = map[string]arc.Definition{}
	for _, d := range s.List() {
		all[d.Name] = d
		first = append(first, d.Name)
	}
	for _, d := range s.Deferred() {
		all[d.Name] = d
	}
	return all, first
}

// TestDefinitionsSayWhatAModelMustKnow holds the facts that no shorter wording may
// drop: each is a set of words, of which one must be there.
func TestDefinitionsSayWhatAModelMustKnow(t *testing.T) {
	all, _ := definitions(t)
	for name, facts := range map[string][]string{
		"workspace_read":            {"sha256"},
		"workspace_search":          {"literal", "any case|case-insensitiv", "ignored"},
		"workspace_write":           {"requires its hash", "undoable"},
		"workspace_edit":            {"requires its hash", "undoable", "exact", "read", "once unless replace_all"},
		"workspace_undo":            {"change_id", "refused if the file changed"},
		"workspace_recovery_status": {"crash", "blocked"},
		"shell_exec":                {"cannot be undone", "no terminal", "fresh shell", "background", "at most 4", "non-interactive", "shell_output", "shell_job"},
		"shell_output":              {"offset + bytes", "eof", "stdout and stderr"},
		"shell_job":                 {"status", "exit code", "[shell-job]", "2 kib"},
		"tool_search":               {"plain words"},
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

// TestWhatDefinitionsCost holds the budget of the first list. The counts are made
// by the program examples/tokens; a definition that has changed since fails.
func TestWhatDefinitionsCost(t *testing.T) {
	const most = 700 // o200k tokens of name, description and schema
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
	all, first := definitions(t)
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
	sum := 0
	for _, name := range first {
		sum += rows[name].tokens
	}
	if sum > most {
		t.Errorf("the first list costs %d tokens, and may cost %d", sum, most)
	}
	t.Logf("the first list costs %d of %d tokens", sum, most)
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
