//go:build unix

package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/sqlite"
)

// More of what takes long: go test ./examples/agent -run Killed -kills 500.
var kills = flag.Int("kills", 12, "how often a program is killed in each of the tests of that")

// turnsOf are the turns of the stage's store, whatever became of them.
func (g *stage) turnsOf() (list []storedTurn) {
	g.t.Helper()
	store, err := sqlite.Open(filepath.Join(g.state, "seat.db"), &sqlite.Options{ReadOnly: true})
	if err != nil {
		g.t.Fatal(err)
	}
	defer store.Close()
	err = store.View(g.t.Context(), func(tx *seat.Tx) error {
		rows, err := tx.Query(`SELECT origin, status, prompt FROM turn ORDER BY seq`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var x storedTurn
			if err := rows.Scan(&x.origin, &x.status, &x.prompt); err != nil {
				return err
			}
			list = append(list, x)
		}
		return rows.Err()
	})
	if err != nil {
		g.t.Fatal(err)
	}
	return list
}

type storedTurn struct{ origin, status, prompt string }

// A killing is a row of verbs of the program operator, each sent until it is
// answered, and killed at any moment before.
type killing struct {
	*stage
	took     time.Duration // about when a verb is done; each outcome corrects it
	killed   int
	answered int // before the kill
	unheard  int // done, though nobody heard of it before it was sent again
}

// measure finds out how long a verb takes that acts.
func (k *killing) measure() {
	k.t.Helper()
	k.operator("status") // the program is built by then
	begun := time.Now()
	k.operator("stop")
	k.took = max(time.Since(begun), 5*time.Millisecond)
}

// once runs a verb that is killed somewhere, and reports whether it was answered.
func (k *killing) once(args ...string) (answer string, ok bool) {
	k.t.Helper()
	program, err := operatorProgram()
	if err != nil {
		k.t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"-dir", k.dir, "-state", k.state, "-room", "demo", "-json"}, args...)...)
	var out lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	timer := time.AfterFunc(k.took*6/10+time.Duration(rand.Int64N(int64(k.took)*6/10)), func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	if err := cmd.Wait(); err == nil {
		k.answered++
		k.took = k.took * 9 / 10
		return out.String(), true
	}
	if code := cmd.ProcessState.ExitCode(); code >= 0 {
		k.t.Fatalf("%v: exit code %d\n%s", args, code, out.String())
	}
	k.killed++
	k.took = k.took * 11 / 10
	return "", strings.HasSuffix(out.String(), "}\n") // the answer was out
}

// Verbs that are killed at any moment and sent again with the same request id happen
// once: what was answered is there, and nothing is there twice.
func TestKilledVerbsHappenOnce(t *testing.T) {
	t.Parallel()
	scenes := make([]fakemodel.Scene, 0, 3)
	for i := 3; i > 0; i-- {
		scenes = append(scenes, scene(fmt.Sprintf("number %d.", i), says(fmt.Sprintf("Reply %d.", i))))
	}
	k := &killing{stage: newStage(t, scenes...)}
	for i := 1; i <= 3; i++ {
		k.ask(fmt.Sprintf("This is number %d.", i))
	}
	revision := tells[seat.Status](k.stage, "status").HistoryRevision
	k.measure()
	edits, tasks, acked := 0, 0, map[string]bool{}
	for n := 0; k.killed < *kills && n < 20**kills; n++ {
		id := fmt.Sprintf("r%d", n)
		var args []string
		switch n % 4 {
		case 0:
			args = []string{"edit-reply", "2", "Edit " + id, "-request-id", id}
			edits++
		case 1:
			args = []string{"exclude", "1", "-request-id", id}
		case 2:
			args = []string{"restore", "1", "-request-id", id}
		case 3: // it has no id: it is there once if it was answered, and else once or not
			text := "Task " + id
			_, ok := k.once("task", "add", text)
			acked[text] = ok
			tasks++
			continue
		}
		first, ok := k.once(args...)
		again := tells[struct {
			HistoryRevision int64 `json:"history_revision"`
			Changed         bool  `json:"changed"`
			Replayed        bool  `json:"replayed"`
		}](k.stage, args...)
		revision++
		switch {
		case again.HistoryRevision != revision || !again.Changed:
			t.Fatalf("%v: answered %v %s, and again %+v; the revision should be %d", args, ok, first, again, revision)
		case ok && !again.Replayed:
			t.Fatalf("%v was answered, %s, and is done again: %+v", args, first, again)
		case !ok && again.Replayed:
			k.unheard++
		}
	}
	posted := 0
	k.host(func(ctx context.Context, h *local.Host) {
		for after := int64(0); ; {
			list, err := h.Seats.Messages(ctx, "demo", after, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range list {
				after = m.ID
				if m.Kind == "edited_reply" { // a stub, once it is edited again
					posted++
				}
			}
			if len(list) == 0 {
				break
			}
		}
	})
	if k.killed == 0 {
		t.Error("nothing was killed: the kills come too late to try anything")
	}
	if posted != edits {
		t.Errorf("%d edits were posted, want %d", posted, edits)
	}
	there := map[string]int{}
	for _, x := range tells[[]desk.Task](k.stage, "task") {
		there[x.Text]++
	}
	for text, ok := range acked {
		if n := there[text]; n > 1 || ok && n != 1 {
			t.Errorf("%s: answered %v, there %d times", text, ok, n)
		}
	}
	t.Logf("score: kill %d ≥ 1 kills of operators, %d of whose verbs were done unheard; %d were answered; %d edits, %d tasks: nothing lost, nothing twice",
		k.killed, k.unheard, k.answered, edits, tasks)
}

// A retry that is killed and sent again is one replacement, whoever hears of it.
func TestAKilledRetryIsOneReplacement(t *testing.T) {
	t.Parallel()
	k := &killing{stage: newStage(t, scene("Do it", says("Done.")))}
	k.ask("Do it")
	k.measure()
	unheard := 0
	for n := range max(*kills/3, 3) {
		id, turn := fmt.Sprintf("r%d", n), string(tells[seat.Status](k.stage, "status").LastTurnID)
		args := []string{"retry", turn, "-request-id", id}
		first, ok := k.once(args...)
		again := tells[seat.Forgotten](k.stage, args...)
		st := tells[seat.Status](k.stage, "status")
		if len(st.Queued) != 1 || again.Replacement == nil || st.Queued[0].ID != again.Replacement.QueueID || ok && !again.Replayed {
			t.Fatalf("%v: answered %v %s, again %+v, queued %+v", args, ok, first, again, st.Queued)
		}
		if !ok && again.Replayed {
			unheard++
		}
		k.ask()
	}
	live := 0
	for _, x := range tells[seat.Context](k.stage, "context").Entries {
		if x.State == seat.InWindow {
			live++
		}
	}
	if live != 1 {
		t.Errorf("%d exchanges are remembered, want the one", live)
	}
	t.Logf("%d retries were killed, %d of them had been done unheard", k.killed, unheard)
}

// An agent that serves is killed again and again: each reminder that was set comes
// once, in the order in which they are due, and no prompt is run twice.
func TestAKilledAgentDeliversEachReminderOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	armed := map[string]time.Time{} // reminder ids that the model was told of: when they are due
	remind := fakemodel.Step{Name: "remind", Calls: []fakemodel.Call{{Tool: "remind", Args: map[string]any{"after": "1s", "note": "Look."}}}}
	told := fakemodel.Step{Name: "told", Do: func(r *fakemodel.Request, _ map[string]any) (string, []fakemodel.Call, error) {
		last, ok := r.Last("remind")
		var a struct {
			ID  string    `json:"reminder_id"`
			Due time.Time `json:"due_at"`
		}
		if err := json.Unmarshal([]byte(last.Text), &a); err != nil || !ok || a.ID == "" {
			return "", nil, fmt.Errorf("the reminder is answered with %s", last.Text)
		}
		mu.Lock()
		defer mu.Unlock()
		armed[a.ID] = a.Due
		return "I will look.", nil, nil
	}}
	g := newStage(t,
		scene("[resumed]", says("I go on.")),
		scene("[reminder", says("I looked.")),
		scene("Task", remind, told),
	)
	var screens []string
	for n := range *kills {
		p := g.start("-serve", fmt.Sprintf("Task %d.", n))
		p.sees("Serving")
		time.Sleep(time.Duration(rand.Int64N(int64(1500 * time.Millisecond))))
		p.kill()
		screens = append(screens, p.out.String())
	}
	p := g.start("-serve")
	p.sees("Serving") // what is at rest already may be asked before there is anything to interrupt
	for i := 0; ; i++ {
		st := tells[seat.Status](g, "status")
		if st.Busy == nil && len(st.Queued) == 0 && len(st.PendingWakes) == 0 {
			break
		}
		if i == 2000 { // a guard against a hang
			t.Fatalf("the seat does not come to rest: %+v", st)
		}
		time.Sleep(50 * time.Millisecond)
	}
	if code := p.interrupt(); code != exitDone {
		t.Errorf("exit code %d\n%s", code, p.out.String())
	}
	screens = append(screens, p.out.String())

	came, prompts := map[string]int{}, map[string]int{}
	var order []time.Time
	for _, x := range g.turnsOf() {
		if x.origin != seat.FromWake {
			prompts[x.prompt]++
			continue
		}
		for _, id := range regexp.MustCompile(`\[reminder (wake_\w+)\]`).FindAllStringSubmatch(x.prompt, -1) {
			came[id[1]]++
			if due, ok := armed[id[1]]; ok {
				order = append(order, due)
			}
		}
	}
	for id := range armed {
		if came[id] != 1 {
			t.Errorf("the reminder %s came %d times", id, came[id])
		}
	}
	for id, n := range came {
		if n > 1 {
			t.Errorf("the reminder %s came %d times", id, n)
		}
	}
	for n := range *kills { // each was queued before the program said that it serves
		if text := fmt.Sprintf("Task %d.", n); prompts[text] != 1 {
			t.Errorf("%s was run %d times", text, prompts[text])
		}
	}
	if !slices.IsSortedFunc(order, time.Time.Compare) {
		t.Errorf("the reminders did not come in the order in which they were due: %v", order)
	}
	var late []string
	for _, s := range screens {
		for _, m := range regexp.MustCompile(`Reminder \(([0-9.]+ m?s) late\)`).FindAllStringSubmatch(s, -1) {
			late = append(late, m[1])
		}
	}
	t.Logf("%d kills, %d reminders that the model was told of, %d that came, each once; late by %s", *kills, len(armed), len(came), strings.Join(late, ", "))
}
