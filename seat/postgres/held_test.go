package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/postgres"
)

// A room that somebody changes for long, a frozen host for one, keeps its own reminders
// waiting and nobody else's.
func TestARoomThatIsHeldHoldsUpNoOthersReminder(t *testing.T) {
	t.Parallel()
	o := &postgres.Options{Schema: schema(t), Timeout: time.Minute, RetryFor: time.Minute}
	svc, err := seat.Open(t.Context(), open(t, url(t), o), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range []string{"a", "b"} {
		if _, err := svc.Join(t.Context(), seat.Spec{Room: room}); err != nil {
			t.Fatal(err)
		}
		if _, err := svc.Send(t.Context(), seat.Prompt{Ref: seat.Ref{RunID: room}, Text: "work"}); err != nil {
			t.Fatal(err)
		}
	}
	woken := make(chan string, 2)
	handler := func(ctx context.Context, x *seat.Turn) (string, error) {
		if x.From == seat.FromWake {
			woken <- x.Info.Room
			return "woken", nil
		}
		_, err := x.Seat.Remind(ctx, "call", arc.Reminder{After: time.Second, Note: "n"})
		return "later", err
	}
	if err := svc.Run(t.Context(), handler, &seat.RunOptions{Idle: true}); err != nil {
		t.Fatal(err)
	}
	other := open(t, url(t), o)
	held, over, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- other.UpdateRoom(t.Context(), "a", func(*seat.Tx) error {
			close(held)
			<-over
			return nil
		})
	}()
	<-held
	ctx, stop := context.WithCancel(t.Context())
	run := make(chan error, 1)
	go func() { run <- svc.Run(ctx, handler, nil) }()
	for i, want := range []string{"b", "a"} {
		select {
		case room := <-woken:
			if room != want {
				t.Errorf("the seat in %s is woken, want %s", room, want)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("the seat in %s is not woken", want)
		}
		if i == 0 {
			close(over)
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	stop()
	<-run
}
