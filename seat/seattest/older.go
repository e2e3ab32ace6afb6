package seattest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// toVersion2 takes back what version 3 of the tables has added.
const toVersion2 = `
ALTER TABLE seat DROP COLUMN stop_turn;
ALTER TABLE room DROP COLUMN mirror_owner;
ALTER TABLE room DROP COLUMN mirror_until_us;
DROP INDEX outbox_room;
CREATE INDEX outbox_order ON outbox (n);
DELETE FROM arc_seat_version WHERE version > 2;
`

// dying is a store whose process is gone before it has committed.
type dying struct{ seat.Store }

var errGone = errors.New("the process is gone")

func (d dying) Update(ctx context.Context, fn func(*seat.Tx) error) error {
	return d.Store.Update(ctx, func(tx *seat.Tx) error { return cmp.Or(fn(tx), errGone) })
}

// older opens a store of an older version: what it was in the midst of goes on, also where
// the first that opens it dies at that, and where several come at once.
func older(t *testing.T, open func() seat.Store) {
	clock := NewClock()
	first := open()
	var told []int64
	away := true
	o := &seat.Options{Clock: clock, Mirror: func(_ context.Context, op seat.RoomOp) error {
		if away {
			return errors.New("the chat is away")
		}
		told = append(told, op.Post...)
		return nil
	}}
	svc, err := seat.Open(t.Context(), first, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Join(t.Context(), seat.Spec{Room: "demo"}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		if _, err := svc.Send(t.Context(), seat.Prompt{Ref: demo, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, leave := context.WithCancel(t.Context())
	err = svc.Run(ctx, func(ctx context.Context, x *seat.Turn) (string, error) {
		if _, err := x.Seat.Remind(ctx, "c", arc.Reminder{After: time.Hour, Note: "look again"}); err != nil {
			t.Error(err)
		}
		leave() // in the midst of the first turn
		return "", ctx.Err()
	}, nil)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := first.Update(t.Context(), func(tx *seat.Tx) error { return tx.Script(toVersion2) }); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	s := open()
	defer s.Close()
	if _, err := seat.Open(t.Context(), dying{s}, o); !errors.Is(err, errGone) {
		t.Errorf("got %v from a store that dies", err)
	}
	if n := Number(t, s, `SELECT MAX(version) FROM arc_seat_version`); n != 2 {
		t.Errorf("it has the version %d", n)
	}
	var opening sync.WaitGroup
	for range 4 {
		other := s
		if s.Opening() == "" {
			other = open()
			defer other.Close()
		}
		opening.Go(func() {
			if _, err := seat.Open(t.Context(), other, o); err != nil {
				t.Error(err)
			}
		})
	}
	opening.Wait()
	if svc, err = seat.Open(t.Context(), s, o); err != nil {
		t.Fatal(err)
	}
	away = false
	var turns []string
	run := func() {
		err := svc.Run(t.Context(), func(_ context.Context, x *seat.Turn) (string, error) {
			turns = append(turns, fmt.Sprint(x.Prompt, x.Attempt))
			return "done", nil
		}, &seat.RunOptions{Idle: true})
		if err != nil {
			t.Fatal(err)
		}
	}
	run()
	if want := []string{"one2", "two1"}; !slices.Equal(turns, want) {
		t.Errorf("the turns were %q, want %q", turns, want)
	}
	clock.Advance(2 * time.Hour)
	run()
	if len(turns) != 3 {
		t.Errorf("the reminder did not come: %q", turns)
	}
	if !slices.IsSorted(told) || len(told) < 5 {
		t.Errorf("the mirror was told of the messages %v", told)
	}
}
