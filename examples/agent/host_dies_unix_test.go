//go:build unix

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/workspace"
)

const (
	dyingWrites = 50 // that the model makes, one after the other
	dyingFiles  = 5  // which they are of, in turn
)

// dyingFile is the file of write n.
func dyingFile(n int) string { return fmt.Sprintf("f%d.txt", n%dyingFiles) }

// content is what write n leaves in its file.
func content(n int) string { return strings.Repeat(fmt.Sprintf("written by call %d\n", n), 100) }

// dyingWrite is write n: of a file that is new, or that is as write n-dyingFiles left it.
func dyingWrite(n int) fakemodel.Step {
	args := map[string]any{"path": dyingFile(n), "content": content(n)}
	if n >= dyingFiles {
		sum := sha256.Sum256([]byte(content(n - dyingFiles)))
		args["expected_sha256"] = hex.EncodeToString(sum[:])
	}
	s := calls("workspace_write", args)
	if n > 0 {
		s.When.Lacks = `"error"`
	}
	return s
}

// The host dies during a write: killed at any moment of fifty, it leaves every file as
// one of its writes did. The next run says what happened to the turn, the history has
// what the files have, and changes are open.
func TestTheHostDiesDuringAWrite(t *testing.T) {
	t.Parallel()
	for round := range max(*kills/4, 3) {
		t.Run(fmt.Sprint("round ", round+1), func(t *testing.T) { hostDies(t, 1+rand.IntN(dyingWrites-10)) })
	}
}

// hostDies kills the agent once the model has been asked for write at.
func hostDies(t *testing.T, at int) {
	var p atomic.Pointer[process]
	var fired atomic.Bool
	steps := make([]fakemodel.Step, 0, dyingWrites+1)
	for n := range dyingWrites {
		step := dyingWrite(n)
		if n == at {
			write := step.Calls
			step.Calls, step.Do = nil, func(*fakemodel.Request, map[string]any) (string, []fakemodel.Call, error) {
				if !fired.Swap(true) { // it is replayed
					time.AfterFunc(time.Duration(rand.Int64N(int64(20*time.Millisecond))), func() { p.Load().cmd.Process.Kill() })
				}
				return "", write, nil
			}
		}
		steps = append(steps, step)
	}
	g := newStage(t,
		scene("[resumed]",
			calls("tool_search", map[string]any{"query": "what did the crash leave behind"}),
			calls("workspace_recovery_status", nil),
			calls("tool_search", map[string]any{"query": "history of changes"}),
			calls("workspace_history", map[string]any{"limit": 100}),
			calls("workspace_write", map[string]any{"path": "after.txt", "content": "after\n"}),
			fakemodel.Step{Name: "done", When: fakemodel.Match{Lacks: `"error"`}, Text: "I went on."}),
		fakemodel.Scene{Asked: "Write", Script: fakemodel.Script{Steps: append(steps, says("All is written."))}},
	)
	p.Store(g.start("Write"))
	p.Load().cmd.Wait()
	if code := p.Load().cmd.ProcessState.ExitCode(); code >= 0 {
		t.Fatalf("it was not killed: exit code %d\n%s", code, p.Load().out.String())
	}

	// Each request but the first has the answer to one write more; of the last one asked
	// for nobody has heard.
	answered := len(g.srv.Requests()) - 1
	landed := answered
	if b, err := os.ReadFile(filepath.Join(g.dir, dyingFile(answered))); err == nil && string(b) == content(answered) {
		landed++
	}
	for f := range min(landed, dyingFiles) {
		newest := (landed-1-f)/dyingFiles*dyingFiles + f
		if got := g.read(dyingFile(f)); got != content(newest) {
			t.Errorf("%d writes were answered, and %s is neither as write %d left it nor as one that was in the air: it begins %.40q and has %d bytes", answered, dyingFile(f), newest, got, len(got))
		}
	}

	out := g.ask()
	for _, want := range []string{"Turn 1, resumed after an interruption", "I went on."} {
		if !strings.Contains(out, want) {
			t.Errorf("the screen does not show %q:\n%s", want, out)
		}
	}
	last := g.newest()
	status, _ := last.Last("workspace_recovery_status")
	if h := status.Header(); h["status"] == "blocked" || h["status"] == nil {
		t.Errorf("the workspace is %s", status.Text)
	}
	told, _ := last.Last("workspace_history")
	header, _, _ := strings.Cut(told.Text, "\n")
	var history workspace.HistoryResult
	if err := json.Unmarshal([]byte(header), &history); err != nil {
		t.Fatalf("%v: %.400s", err, told.Text)
	}
	made := slices.DeleteFunc(history.Changes, func(e workspace.HistoryEntry) bool { return e.Status == "aborted" }) // taken back by the restart
	if len(made) != landed {
		t.Errorf("%d writes have landed, and the model is told of %d: %.400s", landed, len(made), told.Text)
	}
	g.host(func(ctx context.Context, h *local.Host) {
		history, err := h.Workspace.History(ctx, workspace.HistoryArgs{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		current := 0
		for _, e := range history.Changes {
			if e.Status != "aborted" && e.Current == true {
				current++
			}
		}
		if want := min(landed, dyingFiles) + 1; current != want {
			t.Errorf("the files are as %d changes left them, want %d", current, want)
		}
	})
}
