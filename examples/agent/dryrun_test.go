package main

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
)

// A dry run of the program operator leaves every byte of the project and of the state
// as it was, whether the agent has ended or was killed.
func TestADryRunChangesNoByte(t *testing.T) {
	t.Parallel()
	g := newStage(t,
		scene("Write", calls("workspace_write", map[string]any{"path": "a.txt", "content": "a\n"}),
			calls("save_notes", map[string]any{"notes": "Written."}), calls("remind", map[string]any{"after": "1h", "note": "Read it."}), says("Written.")),
		scene("Again", calls("workspace_write", map[string]any{"path": "b.txt", "content": "b\n"}), says("Written again.")),
	)
	dry := func(after, path string) {
		t.Helper()
		project, state := contents(t, g.dir), contents(t, g.state)
		d := tells[seat.DryRun](g, "retry", "last", "Do it better.", "-dry-run")
		if d.Applied || !d.Complete || len(d.Stays.Files) != 1 || d.Stays.Files[0].Path != path {
			t.Errorf("%s: the dry run is %+v", after, d)
		}
		code, out := g.operator("rewind", "1", "-dry-run")
		if narrow(t, out); code != 0 || !strings.Contains(out, "Nothing was changed.") {
			t.Errorf("%s: exit code %d\n%s", after, code, out)
		}
		sameContents(t, after, project, contents(t, g.dir))
		sameContents(t, after, state, contents(t, g.state))
	}
	g.ask("Write")
	dry("after the agent's end", "a.txt")
	p := g.start("-serve", "Again")
	p.sees("Written again.")
	g.atRest(2)
	p.kill()
	dry("after the agent was killed", "b.txt")
}

// greeter is an MCP service with one tool.
const greeter = `while IFS= read -r line; do
  id=$(sed -n 's/.*"id":\([0-9]*\).*/\1/p' <<<"$line")
  answer() { echo '{"jsonrpc":"2.0","id":'$id','"$1"'}'; }
  case $line in
  *'"method":"initialize"'*)
    answer '"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"peer","version":"1"}}' ;;
  *'"method":"tools/list"'*)
    answer '"result":{"tools":[{"name":"greet","inputSchema":{"type":"object"}}]}' ;;
  *'"method":"tools/call"'*)
    answer '"result":{"content":[{"type":"text","text":"Good day."}]}' ;;
  *'"id":'*)
    answer '"error":{"code":-32601,"message":"no such method"}' ;;
  esac
done
`

// A dry run over a turn that wrote a file, ran a command and called a service names each
// by its id, and beside them what a host's own ledger has of the turn: tasks, claims,
// artifacts and decisions. Where the ledger is away, it says that this is not all.
func TestADryRunNamesAllThatATurnDid(t *testing.T) {
	t.Parallel()
	needBash(t)
	g := newStage(t, scene("Do it all",
		calls("workspace_write", map[string]any{"path": "a.txt", "content": "a\n"}),
		calls("shell_exec", map[string]any{"command": "exit 3"}),
		calls("tool_search", map[string]any{"query": "greet"}),
		calls("peer__greet", nil),
		says("Done."),
	))
	g.put("peer.sh", greeter)
	g.ask("-access", "full", "-service", "peer=bash peer.sh", "Do it all")
	project, state := contents(t, g.dir), contents(t, g.state)

	view, err := local.Look(g.dir, &local.Options{State: g.state})
	if err != nil {
		t.Fatal(err)
	}
	op := view.Operator("olga")
	own := []arc.Touch{{Kind: "task", ID: "T-1"}, {Kind: "claim", ID: "C-2"}, {Kind: "artifact", ID: "A-3"}, {Kind: "decision", ID: "D-4"}}
	st, err := view.Seats.Status(t.Context(), op, seat.StatusArgs{Ref: demoRef})
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^{"files":\[{"path":"a.txt","change_id":"change_\w+","kind":"create","undoable":true}\],` +
		`"shell_commands":\[{"spool_id":"sp_\w+","exit":3,"command":"exit 3"}\],` +
		`"tasks":\[{"id":"T-1"}\],"claims":\[{"id":"C-2"}\],"artifacts":\[{"id":"A-3"}\],"decisions":\[{"id":"D-4"}\],` +
		`"jobs_running":\[\],"mcp_calls":\[{"id":"[^"]+","note":"peer__greet"}\],"complete":true}$`)
	for _, away := range []error{nil, errors.New("the ledger is away")} {
		with := op
		with.Reporters = append(slices.Clone(op.Reporters), seat.Reporter{Name: "ledger", Touched: func(context.Context, arc.SeatID, []arc.TurnID) ([]arc.Touch, error) {
			return own, away
		}})
		_, d, err := view.Seats.Retry(t.Context(), with, seat.RetryArgs{Ref: demoRef, TurnID: string(st.LastTurnID), DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(d.Stays)
		if away == nil && !want.Match(b) {
			t.Errorf("what stays is %s, %v", b, err)
		}
		if d.Complete != (away == nil) || away != nil && !slices.Equal(d.Stays.Unknown, []string{"ledger"}) {
			t.Errorf("while the ledger says %v: complete is %v, not known are %q", away, d.Complete, d.Stays.Unknown)
		}
	}
	if err := view.Close(); err != nil {
		t.Error(err)
	}
	code, out := g.operator("retry", "last", "-dry-run")
	for _, line := range []string{`file      a\.txt · create · change_\w+ · can be undone`, `command   sp_\w+ · exit 3 · ended with 3`, `call      \S+ · peer__greet`} {
		if !regexp.MustCompile(`(?m)^  `+line+`$`).MatchString(out) || code != 0 {
			t.Errorf("exit code %d; no line %q in\n%s", code, line, out)
		}
	}
	sameContents(t, "the project", project, contents(t, g.dir))
	sameContents(t, "the state", state, contents(t, g.state))
}
