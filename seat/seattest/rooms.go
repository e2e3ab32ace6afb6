package seattest

import (
	"context"
	"testing"
	"time"

	"github.com/arcseat/arc/seat"
)

// shared opens a store that several processes share, or skips the test.
func shared(t *testing.T, open func() seat.Store) (seat.Store, seat.Rooms) {
	t.Helper()
	s := open()
	r, ok := s.(seat.Rooms)
	if !ok || s.Opening() != "" {
		s.Close()
		t.Skip("the store has one owner, or changes one room at a time")
	}
	return s, r
}

// rooms joins the rooms with these names.
func rooms(t *testing.T, s seat.Store, names ...string) {
	t.Helper()
	svc, err := seat.Open(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, err := svc.Join(t.Context(), seat.Spec{Room: name}); err != nil {
			t.Fatal(err)
		}
	}
}

func nothing(*seat.Tx) error { return nil }

// within runs during while room is being changed.
func within(t *testing.T, r seat.Rooms, room string, during func()) {
	t.Helper()
	held, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- r.UpdateRoom(context.Background(), room, func(*seat.Tx) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	during()
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func sideBySide(t *testing.T, open func() seat.Store) {
	s, r := shared(t, open)
	defer s.Close()
	rooms(t, s, "one", "other's")
	within(t, r, "one", func() {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a guard: it takes far less
		defer cancel()
		if err := r.UpdateRoom(ctx, "other's", nothing); err != nil {
			t.Errorf("another room: %v", err)
		}
		if taken, err := r.TryRoom(ctx, "one", nothing); err != nil || !taken {
			t.Errorf("a room that is being changed: taken %v, %v", taken, err)
		}
		if taken, err := r.TryRoom(ctx, "other's", nothing); err != nil || taken {
			t.Errorf("a room that nobody changes: taken %v, %v", taken, err)
		}
	})
	if taken, err := r.TryRoom(t.Context(), "one", nothing); err != nil || taken {
		t.Errorf("afterwards: taken %v, %v", taken, err)
	}
}

func alone(t *testing.T, open func() seat.Store) {
	s, r := shared(t, open)
	defer s.Close()
	rooms(t, s, "one")
	within(t, r, "one", func() {
		for what, update := range map[string]func(context.Context) error{
			"everything":    func(ctx context.Context) error { return s.Update(ctx, nothing) },
			"the same room": func(ctx context.Context) error { return r.UpdateRoom(ctx, "one", nothing) },
		} {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			if err := update(ctx); err == nil {
				t.Errorf("%s was changed meanwhile", what)
			}
			cancel()
		}
	})
}

func heard(t *testing.T, open func() seat.Store) {
	s, r := shared(t, open)
	defer s.Close()
	other := open()
	defer other.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a guard: it takes far less
	defer cancel()
	rings, ended := make(chan bool, 100), make(chan struct{})
	go func() {
		defer close(ended)
		r.Listen(ctx, func(hears bool) { rings <- hears })
	}()
	next := func(what string) {
		t.Helper()
		select {
		case hears := <-rings:
			if !hears {
				t.Fatalf("%s: it does not hear", what)
			}
		case <-ended:
			t.Fatalf("%s: it does not listen", what)
		}
	}
	next("at the start")
	if err := other.Update(t.Context(), func(tx *seat.Tx) error { tx.Ring(); return nil }); err != nil {
		t.Fatal(err)
	}
	next("once another has rung")
	cancel()
	<-ended
}
