package seat_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/sqlite"
	"github.com/arcseat/arc/tools"
)

// open opens a service with the room demo in a directory of its own.
func open(ctx context.Context) (*seat.Service, func()) {
	dir, err := os.MkdirTemp("", "seat")
	if err != nil {
		panic(err)
	}
	store, err := sqlite.Open(filepath.Join(dir, "seat.db"), nil)
	if err != nil {
		panic(err)
	}
	service, err := seat.Open(ctx, store, nil)
	if err != nil {
		panic(err)
	}
	if _, err := service.Join(ctx, seat.Spec{Room: "demo"}); err != nil {
		panic(err)
	}
	return service, func() { store.Close(); os.RemoveAll(dir) }
}

// A handler is the host's own loop; this one repeats what it is told.
func echo(_ context.Context, t *seat.Turn) (string, error) {
	return fmt.Sprintf("%s (I remember %d exchanges)", t.Prompt, len(t.Replay)), nil
}

func Example() {
	ctx := context.Background()
	service, done := open(ctx)
	defer done()
	for _, text := range []string{"Hello.", "And again."} {
		if _, err := service.Send(ctx, seat.Prompt{Ref: seat.Ref{RunID: "demo"}, Text: text}); err != nil {
			fmt.Println(err)
		}
	}
	if err := service.Run(ctx, echo, &seat.RunOptions{Idle: true}); err != nil {
		fmt.Println(err)
	}
	room, err := service.Messages(ctx, "demo", 0, 0)
	if err != nil {
		fmt.Println(err)
	}
	for _, m := range room {
		fmt.Printf("%d %s: %s\n", m.ID, m.Author, m.Text)
	}
	// Output:
	// 1 operator: Hello.
	// 2 operator: And again.
	// 3 agent: Hello. (I remember 0 exchanges)
	// 4 agent: And again. (I remember 1 exchanges)
}

func ExampleService_Retry() {
	ctx := context.Background()
	service, done := open(ctx)
	defer done()
	ref := seat.Ref{RunID: "demo"}
	if _, err := service.Send(ctx, seat.Prompt{Ref: ref, Text: "Hello."}); err != nil {
		fmt.Println(err)
	}
	if err := service.Run(ctx, echo, &seat.RunOptions{Idle: true}); err != nil {
		fmt.Println(err)
	}
	op := seat.Operator{Name: "olga"}
	c, err := service.Context(ctx, op, seat.ContextArgs{Ref: ref})
	if err != nil {
		fmt.Println(err)
	}
	retried, _, err := service.Retry(ctx, op, seat.RetryArgs{
		Ref: ref, TurnID: string(c.LastTurnID), Message: new("Good morning."),
		ExpectedRevision: &c.HistoryRevision, RequestID: "retry-1",
	})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println("revision", retried.HistoryRevision, "stubs", retried.Superseded.MessageIDs)
	if err := service.Run(ctx, echo, &seat.RunOptions{Idle: true}); err != nil {
		fmt.Println(err)
	}
	c, err = service.Context(ctx, op, seat.ContextArgs{Ref: ref})
	if err != nil {
		fmt.Println(err)
	}
	for _, e := range c.Entries {
		fmt.Println(e.State, e.Prompt.Text)
	}
	// Output:
	// revision 3 stubs [1 2]
	// in_window Good morning.
}

func ExampleBuildReplay() {
	replay := seat.BuildReplay([]seat.Exchange{
		{Turn: "turn_2", Prompt: "And you?", Reply: "Fine."}, // newest first
		{Turn: "turn_1", Prompt: "How are you?", Ended: seat.StatusWaiting},
	}, seat.DefaultMaxChars)
	for _, e := range replay {
		fmt.Printf("%s %s -> %s\n", e.Turn, e.Prompt, e.Reply)
	}
	// Output:
	// turn_1 How are you? -> (no reply: turn ended waiting)
	// turn_2 And you? -> Fine.
}

// A handler with tools: the session gets the turn and its Record, and each request to
// the model is preceded by Step.
func ExampleService_Run() {
	ctx := context.Background()
	service, done := open(ctx)
	defer done()
	set, err := tools.NewSet([]arc.Provider{seat.Tools()}, nil)
	if err != nil {
		fmt.Println(err)
	}
	// What a model would say, one request after the other.
	script := [][]arc.Call{
		{{Name: "save_notes", Args: []byte(`{"notes":"the door is green"}`)}, {Name: "remind", Args: []byte(`{"after":"1h","note":"check the door"}`)}},
		{{Name: "finish", Args: []byte(`{"summary":"The door is painted."}`)}},
	}
	handler := func(ctx context.Context, t *seat.Turn) (string, error) {
		session := set.Session(t.Turn, t.Record)
		session.Reserve(t.CallIDs...)
		chat := t.Messages()
		for _, calls := range script {
			again, err := t.Step(ctx)
			if err != nil {
				return "", err
			}
			if again {
				chat = t.Messages() // what was said since is dropped
			}
			_ = chat // goes to the model, which answers with calls
			for i, r := range session.Run(ctx, calls) {
				if r.Err != nil {
					return "", r.Err
				}
				fmt.Println(calls[i].Name, "ok")
				if r.End != arc.Continue {
					return "", nil
				}
			}
		}
		return "I could not finish.", nil
	}
	if _, err := service.Send(ctx, seat.Prompt{Ref: seat.Ref{RunID: "demo"}, Text: "Paint the door."}); err != nil {
		fmt.Println(err)
	}
	if err := service.Run(ctx, handler, &seat.RunOptions{Idle: true}); err != nil {
		fmt.Println(err)
	}
	room, err := service.Messages(ctx, "demo", 0, 0)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(room[len(room)-1].Text)
	// Output:
	// save_notes ok
	// remind ok
	// finish ok
	// The door is painted.
}

// A planning turn ends with a plan. Approved, it is tasks in the room.
func ExampleService_Approve() {
	ctx := context.Background()
	service, done := open(ctx)
	defer done()
	handler := func(ctx context.Context, t *seat.Turn) (string, error) {
		_, err := t.Seat.SubmitPlan(ctx, "call_1", arc.Plan{Summary: "Paint the door", Subtasks: []arc.Subtask{
			{Title: "Buy paint", Instruction: "Green.", Acceptance: "It is there.", TargetFiles: []string{"shopping.md"}},
			{Title: "Paint", Instruction: "Twice.", Acceptance: "It is green.", TargetFiles: []string{"door.md"}},
		}})
		return "", err
	}
	if _, err := service.Send(ctx, seat.Prompt{Ref: seat.Ref{RunID: "demo"}, Text: "How?", Mode: arc.Planning}); err != nil {
		fmt.Println(err)
	}
	if err := service.Run(ctx, handler, &seat.RunOptions{Idle: true}); err != nil {
		fmt.Println(err)
	}
	plans, err := service.Plans(ctx, "demo/main")
	if err != nil {
		fmt.Println(err)
	}
	if _, err := service.Approve(ctx, seat.Operator{Name: "olga"}, plans[0].ID, plans[0].Revision); err != nil {
		fmt.Println(err)
	}
	tasks, err := service.Tasks(ctx, "demo")
	if err != nil {
		fmt.Println(err)
	}
	for _, task := range tasks {
		title, _, _ := strings.Cut(task.Text, "\n")
		fmt.Println(task.State, title)
	}
	// Output:
	// open Paint the door
	// open Buy paint
	// open Paint
}
