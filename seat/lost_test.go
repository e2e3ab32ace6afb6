package seat_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// losing is a store on a server that loses a transaction, after which somebody else has the
// room.
type losing struct {
	seat.Store
	lose int // so many

	taken  bool              // whoever tries a room finds it so
	rooms  []string          // that were changed
	lost   func()            // called after a lost transaction, which is then made again
	update func(room string) // called before those that are not tried
}

func (*losing) Opening() string { return "" }

func (*losing) Listen(context.Context, func(bool)) {}

func (l *losing) UpdateRoom(ctx context.Context, room string, fn func(*seat.Tx) error) error {
	if l.update != nil {
		l.update(room)
	} else {
		l.rooms = append(l.rooms, room)
	}
	return l.Update(ctx, fn)
}

func (l *losing) TryRoom(ctx context.Context, room string, fn func(*seat.Tx) error) (bool, error) {
	switch {
	case l.taken:
		return true, nil
	case l.lose == 0:
		return false, l.Update(ctx, fn)
	}
	l.lose--
	lost := errors.New("the connection was lost")
	err := l.Update(ctx, func(tx *seat.Tx) error { return errors.Join(fn(tx), lost) })
	if !errors.Is(err, lost) {
		return false, err
	}
	if l.lost == nil {
		return true, nil
	}
	l.lost()
	return false, l.Update(ctx, fn)
}

// What was begun in a transaction that was lost has not begun.
func TestATurnThatWasBegunInVain(t *testing.T) {
	t.Parallel()
	t.Run("is run by nobody", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		svc, err := seat.Open(r.ctx(), &losing{Store: r.store, lose: 1}, &r.o)
		if err != nil {
			t.Fatal(err)
		}
		r.send("work")
		if n := r.ran(svc, seat.RunOptions{}); n != 1 {
			t.Errorf("%d turns ran", n)
		}
		if c := r.context(); len(c.Entries) != 1 || c.Entries[0].Seq != 1 || c.Busy != nil {
			t.Errorf("the seat remembers %+v", c.Entries)
		}
	})
	t.Run("is stopped still, where it was ended in vain", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		disk := &faulty{Store: r.store}
		store := &losing{Store: disk}
		svc, err := seat.Open(r.ctx(), store, &r.o)
		if err != nil {
			t.Fatal(err)
		}
		q := r.send("work")
		err = svc.Run(r.ctx(), func(ctx context.Context, _ *seat.Turn) (string, error) {
			disk.fail(&arc.Error{Code: arc.NoSpace, Message: "the disk is full."}, nil)
			_, err := svc.Stop(ctx, id) // this process alone knows
			return "", err
		}, &seat.RunOptions{Idle: true})
		code(t, err, arc.NoSpace)
		disk.fail(nil, nil)
		store.lose = 1
		if n := r.ran(svc, seat.RunOptions{}); n != 0 {
			t.Errorf("it was resumed")
		}
		if status, _, err := svc.Await(r.ctx(), q.ID); status != seat.StatusFailed || err != nil {
			t.Errorf("it is %s, %v", status, err)
		}
	})
}

// An operator who stops a seat while its turn is just being begun stops the turn that comes of
// it, and is not told of one that there never was.
func TestATurnIsStoppedWhileItIsBegun(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	store := &losing{Store: r.store, lose: 1}
	svc, err := seat.Open(r.ctx(), store, &r.o)
	if err != nil {
		t.Fatal(err)
	}
	asked, begun, stopped := make(chan struct{}), make(chan struct{}), make(chan arc.TurnID, 1)
	store.lost = func() {
		var once sync.Once
		store.update = func(string) {
			once.Do(func() { close(asked) })
			<-begun
		}
		go func() {
			turn, err := svc.Stop(r.ctx(), id)
			if err != nil {
				t.Error(err)
			}
			stopped <- turn
		}()
		<-asked
	}
	q := r.send("work")
	var turn arc.TurnID
	err = svc.Run(r.ctx(), func(_ context.Context, x *seat.Turn) (string, error) {
		close(begun)
		turn = <-stopped
		return "an answer", nil
	}, &seat.RunOptions{Idle: true})
	if err != nil {
		t.Fatal(err)
	}
	if status, is, err := svc.Await(r.ctx(), q.ID); status != seat.StatusFailed || is != turn || err != nil {
		t.Errorf("stopped %q, and the turn %q is %s, %v", turn, is, status, err)
	}
}

// A model that leaves the name of a room blank does not hold up all rooms.
func TestWhoNamesNoRoomHoldsUpNone(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	store := &losing{Store: r.store}
	svc, err := seat.Open(r.ctx(), store, &r.o)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"", "#2"} {
		_, err := svc.EditReply(r.ctx(), r.op, seat.EditArgs{Ref: seat.Ref{RunID: run}, TurnID: "t", Content: "c"})
		code(t, err, arc.NotFound)
		_, err = svc.Send(r.ctx(), seat.Prompt{Ref: seat.Ref{RunID: run}, Text: "work"})
		code(t, err, arc.NotFound)
	}
	if turn, err := svc.Stop(r.ctx(), ""); turn != "" || err != nil {
		t.Errorf("stopped %q, %v", turn, err)
	}
	if slices.Contains(store.rooms, "") || len(store.rooms) != 5 {
		t.Errorf("held up are %q", store.rooms)
	}
}
