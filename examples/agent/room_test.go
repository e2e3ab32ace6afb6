package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/seat"
)

// said are a request's messages but for the newest, as pairs.
func said(r *fakemodel.Request) (pairs [][2]string) {
	for i := 0; i+1 < len(r.Turns)-1; i += 2 {
		pairs = append(pairs, [2]string{r.Turns[i].Text, r.Turns[i+1].Text})
	}
	return pairs
}

func TestARoomKeepsTheConversation(t *testing.T) {
	t.Parallel()
	g := newStage(t,
		scene("first", says("I heard the first.")),
		scene("second", says("I heard the second.")),
		scene("third", calls("finish", map[string]any{"summary": "All heard."})),
		scene("fourth", says("A new run, the same memory.")),
	)
	g.ask("the first")
	if out := g.ask("the second"); !strings.Contains(out, "remembers 1 exchange") || !strings.Contains(out, "Completed.") {
		t.Errorf("the screen shows\n%s", out)
	}
	if out := g.ask("the third"); !strings.Contains(out, "Finished.") {
		t.Errorf("the screen shows\n%s", out)
	}
	g.ask("the fourth")
	want := [][2]string{{"the first", "I heard the first."}, {"the second", "I heard the second."}, {"the third", "All heard."}}
	if got := said(g.newest()); !slices.Equal(got, want) {
		t.Errorf("the model was told %v, want %v", got, want)
	}
	if _, ok := g.newest().Tool("finish"); !ok {
		t.Error("finish is not offered")
	}
}

// What the program operator shows as the context is, entry by entry, what the model is
// told at its next turn: the window, stand-ins, edited replies and the notice of them,
// and the notes.
func TestContextIsWhatTheModelIsTold(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 2500)
	scenes := []fakemodel.Scene{scene("the end", says("That was all."))}
	for i := 14; i > 0; i-- {
		steps := []fakemodel.Step{says(fmt.Sprintf("Reply %d. %s", i, long))}
		if i%6 == 0 {
			steps = append([]fakemodel.Step{calls("save_notes", map[string]any{"notes": fmt.Sprintf("Nötes of %d.", i)})}, steps...)
		}
		scenes = append(scenes, scene(fmt.Sprintf("number %d.", i), steps...))
	}
	g := newStage(t, scenes...)
	for i := 1; i <= 14; i++ {
		g.ask(fmt.Sprintf("This is number %d.", i))
	}
	for _, verb := range [][]string{{"edit-reply", "13", "What I should have said."}, {"exclude", "14"}, {"exclude", "7"}} {
		if code, out := g.operator(verb...); code != 0 {
			t.Fatalf("%v: exit code %d\n%s", verb, code, out)
		}
	}
	c := tells[seat.Context](g, "context")
	code, table := g.operator("context")
	narrow(t, table)
	g.ask("This is the end.")

	got := said(g.newest())
	var window []seat.ContextEntry
	for _, e := range c.Entries {
		if e.State == seat.InWindow {
			window = append(window, e)
		}
		state := map[string]string{seat.InWindow: "(in|next out)", seat.Excluded: "excluded", seat.Beyond: "beyond"}[e.State]
		if !regexp.MustCompile(fmt.Sprintf(`(?m)^ +%d  %s +%s `, e.Seq, state, e.TurnID)).MatchString(table) || code != 0 {
			t.Errorf("the table has no line of %d, %s, %s:\n%s", e.Seq, e.State, e.TurnID, table)
		}
	}
	if len(window) != seat.Window || len(got) != seat.Window {
		t.Fatalf("context has %d exchanges, the model was told %d, want %d", len(window), len(got), seat.Window)
	}
	clipped := 0
	for i, e := range window {
		for j, v := range []seat.TextView{e.Prompt.TextView, e.Reply.TextView} {
			want := v.Text
			if v.Clipped {
				clipped++
				want = seat.Text{Text: v.Head, Chars: v.Chars, SHA256: v.SHA256, Clipped: true}.String()
			}
			if got[i][j] != want {
				t.Errorf("entry %d: the model was told %.400q, want %.400q", i, got[i][j], want)
			}
		}
	}
	if clipped == 0 {
		t.Error("nothing was clipped; the texts are too short")
	}
	if e := window[11]; got[11][1] != "What I should have said." || e.Seq != 13 || !e.Reply.Edited {
		t.Errorf("the edited reply is told as %.80q, and is %+v", got[11][1], e)
	}
	text := newestText(g.newest())
	if len(c.PendingNotices) != 1 || !strings.HasPrefix(text, "[notice] The operator rewrote your reply in turn "+string(c.PendingNotices[0])) {
		t.Errorf("to be told are %v; the model was told %q", c.PendingNotices, text)
	}
	_, notes, _ := strings.Cut(text, "[your saved notes]\n")
	notes, _, _ = strings.Cut(notes, "\n[end of notes]")
	if sum := sha256.Sum256([]byte(notes)); notes != "Nötes of 12." || c.Notes == nil || c.Notes.SHA256 != hex.EncodeToString(sum[:]) || c.Notes.Chars != len([]rune(notes)) {
		t.Errorf("the notes are %+v, the model was told %q", c.Notes, notes)
	}
}

// After a checkpoint the request holds notes and hashes, and no text of files.
func TestACheckpointDropsTheTextOfFiles(t *testing.T) {
	t.Parallel()
	g := newStage(t,
		scene("[checkpoint]", says("I go on from my notes.")),
		scene("Read it", calls("workspace_read", map[string]any{"path": "secret.txt"}),
			when("the text of the file", calls("save_notes", map[string]any{"notes": "The file is about whales."})),
			calls("workspace_list", nil)),
	)
	g.put("secret.txt", "the text of the file\n")
	out := g.ask("-steps", "3", "Read it")
	at := 0
	for _, want := range []string{"checkpoint_in_steps 3:", "checkpoint_in_steps 2:", "checkpoint_in_steps 1:", "A checkpoint", "secret.txt ", "… (read: all)", "I go on"} {
		i := strings.Index(out[at:], want)
		if i < 0 {
			t.Fatalf("the screen does not show %q after %d:\n%s", want, at, out)
		}
		at += i
	}
	r := g.newest()
	raw := string(r.Raw)
	for _, want := range []string{"The file is about whales.", "secret.txt", "Read it"} {
		if !strings.Contains(raw, want) {
			t.Errorf("the request does not have %q: %s", want, raw)
		}
	}
	if strings.Contains(raw, "the text of the file") || len(r.Turns) != 1 {
		t.Errorf("the request still has the file: %s", raw)
	}
	if !containsHash(raw) {
		t.Errorf("the request has no hash: %s", raw)
	}
}

// So does a conversation that is larger than -context, after a warning.
func TestAFullContextBeginsAnew(t *testing.T) {
	t.Parallel()
	g := newStage(t,
		scene("[checkpoint]", says("I go on from my notes.")),
		scene("Read it", calls("workspace_read", map[string]any{"path": "long.txt"}),
			when("whale after whale", fakemodel.Step{Name: "more", Calls: []fakemodel.Call{{Tool: "workspace_list"}}}),
			when("context_full: ", calls("save_notes", map[string]any{"notes": "The file is about whales."}))),
	)
	g.put("long.txt", strings.Repeat("whale after whale\n", 2000)) // 36 kB
	out := g.ask("-context", "6000", "Read it")
	if !strings.Contains(out, "A checkpoint") || !strings.Contains(out, "I go on from my notes.") {
		t.Errorf("the screen shows\n%s", out)
	}
	raw := string(g.newest().Raw)
	if strings.Contains(raw, "whale after whale") || !strings.Contains(raw, "The file is about whales.") {
		t.Errorf("the request is %s", raw)
	}
}

func containsHash(s string) bool {
	return slices.ContainsFunc(strings.Fields(strings.NewReplacer(`\n`, " ", `"`, " ").Replace(s)), func(w string) bool {
		return len(w) == 64 && strings.Trim(w, "0123456789abcdef") == ""
	})
}

// All that is wrong with a plan is told in one refusal, and shown a line each.
func TestAPlansProblemsAreShownAllAtOnce(t *testing.T) {
	t.Parallel()
	plan := func(subtask map[string]any) fakemodel.Step {
		return calls("submit_plan", map[string]any{"summary": "Mend it.", "subtasks": []any{subtask}})
	}
	g := newStage(t, scene("Plan it",
		plan(map[string]any{"title": "Mend", "target_files": []string{"../x", "*.go"}, "acceptance": "It works."}),
		plan(map[string]any{"title": "Mend", "instruction": "Mend it.", "target_files": []string{"../x"}, "acceptance": "It works."}),
		calls("workspace_list", nil),
		plan(map[string]any{"title": "Mend", "instruction": "Mend it.", "target_files": []string{"../x"}, "acceptance": "It works."}),
		says("I cannot plan."),
	))
	out := g.ask("-mode", "planning", "Plan it")
	for _, want := range []string{
		`invalid_arguments
  │ - subtasks[0].instruction is missing
  │ - subtask 1: "../x" leads out of the project
  │ - subtask 1: "*.go" is a pattern; name each file
  │ - workspace_not_inspected: list, read or search the files before you plan
`,
		`  │ message: the plan was not recorded; mend its 2 problems and submit it again.
  │ - subtask 1: "../x" leads out of the project
  │ - workspace_not_inspected: list, read or search the files before you plan
`,
		`  │ message: the plan was not recorded; mend its problem and submit it again.
  │ - subtask 1: "../x" leads out of the project
`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the screen does not show\n%s\nbut\n%s", want, out)
		}
	}
}

// Without -serve the program says what the seat is still to be woken for, and by whom.
func TestWhatIsPendingIsNamed(t *testing.T) {
	t.Parallel()
	g := newStage(t,
		scene("Remind", calls("remind", map[string]any{"after": "1h", "note": "Look at the oven."}), says("I will.")),
		scene("Wait", calls("wait", map[string]any{"after": "2h", "note": "Go on then."})),
	)
	if out := g.ask(); !strings.Contains(out, "Nothing was to be run.") || strings.Contains(out, "Pending:") {
		t.Errorf("the screen shows\n%s", out)
	}
	g.ask("Remind")
	g.ask("Wait")
	out := g.ask()
	for _, want := range []string{`Nothing was to be run\.`, `Pending: a reminder, due 20[0-9: -]+: Look at the oven\.`, `Pending: a wait, due 20[0-9: -]+: Go on then\.`, `agent -room demo -serve runs them\.`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("the screen does not show %s:\n%s", want, out)
		}
	}
}

// What belongs to the seat's run: finish with a reply that is not the seat's is not
// finished, and notes that are too long store nothing.
func TestWhatTheSeatRefuses(t *testing.T) {
	t.Parallel()
	g := newStage(t,
		scene("finish badly",
			calls("finish", map[string]any{"summary": "Done.", "reply_message_id": 999}),
			when(`"status":"not_finished"`, calls("finish", map[string]any{"summary": "Done.", "reply_message_id": 1})),
			when(`"next":"give the id of a reply that this seat posted in this run`, says("I cannot name a reply."))),
		scene("too many notes",
			calls("save_notes", map[string]any{"notes": strings.Repeat("ä", 4001)}),
			when(`notes_too_long`, says("They are too long."))),
	)
	g.ask("finish badly")
	g.ask("too many notes")
	c := mustOperate[seat.Context](g, "context", seat.ContextArgs{Ref: demoRef})
	if c.Notes != nil {
		t.Errorf("the notes are %+v", c.Notes)
	}
}

// The operator's command is a gate of the seat's finish.
func TestTheCheckIsAGateOfTheSeat(t *testing.T) {
	t.Parallel()
	needBash(t)
	g := newStage(t, scene("Make it",
		calls("finish", map[string]any{"summary": "Made."}),
		when("test -f made.txt failed", calls("workspace_write", map[string]any{"path": "made.txt", "content": "x\n"})),
		calls("finish", map[string]any{"summary": "Made."}),
	))
	if out := g.ask("-check", "test -f made.txt", "Make it"); !strings.Contains(out, "status not_finished") || !strings.Contains(out, "Finished.") {
		t.Errorf("the screen shows\n%s", out)
	}
}

// A turn whose model cannot be asked has failed, and can be run again.
func TestATurnThatFails(t *testing.T) {
	t.Parallel()
	g := newStage(t, scene("Try", says("It works.")))
	url := g.srv
	broken, err := fakemodel.Start(fakemodel.Script{}, &fakemodel.Options{Refuse: []fakemodel.Refusal{{Status: 400}}})
	if err != nil {
		t.Fatal(err)
	}
	defer broken.Close()
	g.srv = broken
	code, out := g.run("Try")
	if code != exitNotDone || !strings.Contains(out, "The turn has failed: the model's server says 400") || !strings.Contains(out, "Failed.") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	g.srv = url
	st := mustOperate[seat.Status](g, "status", seat.StatusArgs{Ref: demoRef})
	mustOperate[seat.Forgotten](g, "retry", seat.RetryArgs{Ref: demoRef, TurnID: string(st.LastTurnID)})
	if out := g.ask(); !strings.Contains(out, "Retried: Try") || !strings.Contains(out, "It works.") {
		t.Errorf("the screen shows\n%s", out)
	}
}

func TestATaskIsHandedToWhoeverRunsIt(t *testing.T) {
	t.Parallel()
	t.Run("and to nobody who runs another room", func(t *testing.T) {
		t.Parallel()
		g := newStage(t, scene("First", says("Here.")), scene("Second", says("There.")))
		g.ask("First")
		g.ask("-room", "other", "Second")
		p := g.start("-serve")
		p.sees("Serving")
		code, out := g.run("-room", "other", "Third")
		if code != exitNotDone || !strings.Contains(out, "serves the room \"demo\" alone") {
			t.Errorf("exit code %d\n%s", code, out)
		}
		p.interrupt()
		if st := mustOperate[seat.Status](g, "status", seat.StatusArgs{Ref: seat.Ref{RunID: "other"}}); len(st.Queued) != 0 {
			t.Errorf("it is queued: %+v", st.Queued)
		}
	})
	t.Run("and to nobody who is about to end", func(t *testing.T) {
		t.Parallel()
		g := newStage(t, scene("First", says("Here.")))
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan int, 1)
		go func() {
			ended <- run(t.Context(), g.args([]string{"First"}), getenv(g.env()), write, io.Discard)
			write.Close()
		}()
		// The last thing that it shows is what it came to. Nobody reads on meanwhile.
		for sc := bufio.NewScanner(read); sc.Scan() && !strings.Contains(sc.Text(), "Completed."); {
		}
		if _, err := desk.Knock(t.Context(), g.state); !errors.Is(err, desk.ErrNoDoor) {
			t.Errorf("it lets others in still: %v", err)
		}
		if _, err := io.Copy(io.Discard, read); err != nil {
			t.Error(err)
		}
		if code := <-ended; code != exitDone {
			t.Errorf("exit code %d", code)
		}
	})
}

func TestWrongUseOfARoom(t *testing.T) {
	t.Parallel()
	g := newStage(t)
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"a room that has no name for one": {[]string{"-room", "a/b", "x"}, "is no name for a room"},
		"steps without an end":            {[]string{"-steps", "501", "x"}, "-steps is 1 to 500"},
		"a task for every room":           {[]string{"-room", "", "-serve", "x"}, "-room names the one that the task is for"},
	} {
		if code, out := g.run(tt.args...); code == exitDone || !strings.Contains(out, tt.want) {
			t.Errorf("%s: exit code %d, %s", name, code, out)
		}
	}
	if local.HasSeats(g.state) {
		g.host(func(ctx context.Context, h *local.Host) {
			if all, err := h.Seats.Seats(ctx, ""); err != nil || len(all) != 0 {
				t.Errorf("seats were made: %v, %v", all, err)
			}
		})
	}
}
