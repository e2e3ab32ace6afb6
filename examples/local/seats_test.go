package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
)

func TestSeatsAreOpenedOnDemand(t *testing.T) {
	t.Parallel()
	host, _ := open(t, local.Options{})
	if host.Seats != nil || local.HasSeats(host.State) {
		t.Error("a host without seats has a store of them")
	}
	host, dir := open(t, local.Options{Seats: true})
	if host.Seats == nil || !local.HasSeats(host.State) {
		t.Error("the store is missing")
	}
	_, err := local.Open(dir, &local.Options{Seats: true, State: host.State})
	if !errors.Is(err, arc.Locked) || !strings.Contains(err.Error(), "It is pid ") {
		t.Errorf("a second owner: %v", err)
	}
	second, err := local.Open(dir, &local.Options{State: host.State})
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// act makes calls in one turn of the room's seat.
func act(t *testing.T, host *local.Host, calls ...arc.Call) (results []*arc.Result) {
	t.Helper()
	set, err := host.Set(nil)
	if err != nil {
		t.Fatal(err)
	}
	err = host.OneTurn(t.Context(), "demo", "Do it.", arc.Ordinary, func(ctx context.Context, turn *seat.Turn) (string, error) {
		s := set.Session(turn.Turn, turn.Record)
		for _, c := range calls {
			results = append(results, s.Call(ctx, c))
		}
		return "Done.", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func call(name, args string) arc.Call { return arc.Call{Name: name, Args: json.RawMessage(args)} }

// The end of a background job is the seat's notice: posted in its room, and told at its
// next turn.
func TestAJobsEndIsANoticeOfTheSeat(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	host, _ := open(t, local.Options{Access: arc.FullAccess, Seats: true})
	act(t, host, call("shell_exec", `{"command":"sleep 0.3; echo over","block_budget_sec":0.05}`))
	posted := func() bool {
		list, err := host.Seats.Messages(t.Context(), "demo", 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			if m.Kind == "notice" && strings.HasPrefix(m.Text, "[shell-job] job_") {
				return true
			}
		}
		return false
	}
	for i := 0; !posted(); i++ {
		if i == 600 {
			t.Fatal("the notice is not posted")
		}
		time.Sleep(25 * time.Millisecond)
	}
	var told []string
	err := host.OneTurn(t.Context(), "demo", "And?", arc.Ordinary, func(_ context.Context, turn *seat.Turn) (string, error) {
		told = turn.Notices
		return "", nil
	})
	if err != nil || len(told) != 1 || !strings.Contains(told[0], "over") {
		t.Errorf("the next turn is told %q, %v", told, err)
	}
}

// Forgetting lists what stays, by id: a file, a command, a call of a service, and what
// a host's own ledger has; a ledger that is away makes the list incomplete.
func TestADryRunListsWhatStays(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	host, _ := open(t, local.Options{Access: arc.FullAccess, Seats: true})
	for _, r := range act(t, host, call("workspace_write", `{"path":"a.txt","content":"a"}`), call("shell_exec", `{"command":"true"}`)) {
		if r.Err != nil {
			t.Fatal(r)
		}
	}
	ref := seat.Ref{RunID: "demo"}
	c, err := host.Seats.Context(t.Context(), seat.Operator{}, seat.ContextArgs{Ref: ref})
	if err != nil {
		t.Fatal(err)
	}
	op := host.Operator("olga")
	ledger := func(err error) seat.Reporter {
		return seat.Reporter{Name: "ledger", Touched: func(context.Context, arc.SeatID, []arc.TurnID) ([]arc.Touch, error) {
			return []arc.Touch{{Kind: "call", ID: "call_7"}, {Kind: "task", ID: "T1"}, {Kind: "claim", ID: "C1"}, {Kind: "artifact", ID: "A1"}, {Kind: "decision", ID: "D1"}}, err
		}}
	}
	for _, away := range []error{nil, errors.New("away")} {
		with := op
		with.Reporters = append(with.Reporters[:2:2], ledger(away))
		_, d, err := host.Seats.Retry(t.Context(), with, seat.RetryArgs{Ref: ref, TurnID: string(c.LastTurnID), DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		s := d.Stays
		if len(s.Files) != 1 || s.Files[0].Path != "a.txt" || !strings.HasPrefix(s.Files[0].ChangeID, "change_") ||
			len(s.ShellCommands) != 1 || !strings.HasPrefix(s.ShellCommands[0].SpoolID, "sp_") ||
			len(s.MCPCalls) != 1 || len(s.Tasks) != 1 || len(s.Claims) != 1 || len(s.Artifacts) != 1 || len(s.Decisions) != 1 {
			t.Errorf("what stays is %+v", s)
		}
		if d.Complete != (away == nil) {
			t.Errorf("complete is %v while the ledger says %v", d.Complete, away)
		}
	}
}

func TestATurnForAProgramThatIsItsOwnModel(t *testing.T) {
	t.Parallel()
	host, _ := open(t, local.Options{Seats: true})
	if _, err := host.Seats.Join(t.Context(), seat.Spec{Room: "demo"}); err != nil {
		t.Fatal(err)
	}
	if _, err := host.Seats.Send(t.Context(), seat.Prompt{Ref: seat.Ref{RunID: "demo"}, Text: "For somebody else."}); err != nil {
		t.Fatal(err)
	}
	err := host.OneTurn(t.Context(), "demo", "For me.", arc.Ordinary, func(context.Context, *seat.Turn) (string, error) {
		t.Error("somebody else's turn was run")
		return "", nil
	})
	if !errors.Is(err, seat.Busy) {
		t.Errorf("got %v", err)
	}
}

// An operator's Stop reaches a program that is its own model.
func TestATurnOfAProgramIsStopped(t *testing.T) {
	t.Parallel()
	host, _ := open(t, local.Options{Seats: true})
	err := host.OneTurn(t.Context(), "demo", "Work.", arc.Ordinary, func(ctx context.Context, turn *seat.Turn) (string, error) {
		if _, err := host.Seats.Stop(t.Context(), turn.Origin.Seat); err != nil {
			t.Error(err)
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(time.Minute):
			return "It went on.", nil
		}
	})
	if err != nil {
		t.Error(err)
	}
	c, err := host.Seats.Context(t.Context(), seat.Operator{}, seat.ContextArgs{Ref: seat.Ref{RunID: "demo"}})
	if err != nil || c.Busy != nil || len(c.Entries) != 1 || c.Entries[0].Status != seat.StatusFailed {
		t.Errorf("got %+v, %v", c, err)
	}
}

// A run may finish with a workspace that has something to recover, but not unsaid.
func TestFinishWarnsOfRecovery(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), t.TempDir()
	host, err := local.Open(dir, &local.Options{State: state, Seats: true})
	if err != nil {
		t.Fatal(err)
	}
	act(t, host, call("workspace_write", `{"path":"a.txt","content":"a"}`))
	if err := host.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	logs, err := filepath.Glob(filepath.Join(state, "journal", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range logs { // a forged journal is damage
		if b, err := os.ReadFile(name); err == nil && strings.Contains(string(b), "a.txt") {
			if err := os.WriteFile(name, []byte(strings.ReplaceAll(string(b), "a.txt", "b.txt")), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if host, err = local.Open(dir, &local.Options{State: state, Seats: true}); err != nil {
		t.Fatal(err)
	}
	defer host.Close(t.Context())
	r := act(t, host, call("finish", `{"summary":"Done."}`))[0]
	if text := r.String(); !strings.Contains(text, `"status":"finished"`) || !strings.Contains(text, `"warnings":["recovery: the workspace is blocked`) {
		t.Errorf("finish says %s", text)
	}
}
