package seat_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/sqlite"
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
