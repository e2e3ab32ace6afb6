package seat

import (
	"context"
	"errors"

	"github.com/arcseat/arc"
)

// errStopped is why a turn's context ended.
var errStopped = errors.New("the operator stopped the turn")

// Stop ends the turn that a seat is in, whoever runs it: its handler's context ends, and it
// is committed as failed with what it said so far. From now on the turn can come to nothing
// else, unless a tool has ended it already: the store keeps that it was stopped. A turn that
// nobody runs is committed at once; one of another service reads that mark, of which it is
// told where the store lets its users hear of each other, and else within a second. It
// reports which turn that is, empty for none and for one that has just ended by itself.
//
// A turn of this service is stopped also where the store cannot be written. Then this
// process alone knows, which is logged: if it dies before the turn is committed, the turn
// is resumed. Codes: those of the store, for a turn of another service.
func (s *Service) Stop(ctx context.Context, seat arc.SeatID) (arc.TurnID, error) {
	here := s.stopHere(seat, "")
	if here != "" {
		ctx = context.WithoutCancel(ctx) // it may be the turn's own
	}
	id := here
	err := s.update(ctx, roomOf(seat), func(tx *Tx) error {
		id = here
		row, err := seatByID(tx, seat)
		switch {
		case err != nil || row == nil:
			return err
		case here != "" && row.leaseTurn != here: // it has ended meanwhile
			x, err := turnByID(tx, seat, here)
			if err == nil && x.status != StatusFailed { // by itself
				id = ""
			}
			return err
		case row.leaseTurn == "":
			return nil
		}
		id = row.leaseTurn
		if !s.leased(tx, row) {
			return s.commit(tx, row.committing())
		}
		if row.leaseOwner != s.owner { // also where this host has not noticed yet that it lost it
			tx.Ring()
		}
		_, err = tx.Exec(`UPDATE seat SET stop_turn = lease_turn WHERE id = $1`, seat)
		return err
	})
	switch {
	case err == nil && id != "":
		s.stopHere(seat, id) // it may have begun since
	case err != nil && here != "":
		s.log.Warn("a turn was stopped, and the store could not be told", "seat", seat, "turn", here, "err", err)
		err = nil
	}
	return id, err
}

// stopHere ends the turn that this service runs for a seat, and reports which that is. With
// a turn named it ends only that one. One that is only just being begun it leaves to the
// store, which may lose it.
func (s *Service) stopHere(seat arc.SeatID, turn arc.TurnID) arc.TurnID {
	s.mu.Lock() // the turn may be about to be left
	defer s.mu.Unlock()
	t := s.active[seat]
	if t == nil || turn != t.Origin.Turn && (turn != "" || !t.begun) {
		return ""
	}
	s.stopped[t.Origin.Turn] = true
	select {
	case <-t.stop: // by who was before
	default:
		close(t.stop)
	}
	return t.Origin.Turn
}

// isStopped reports whether the operator wants the turn to end, as far as this process knows.
func (s *Service) isStopped(turn arc.TurnID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped[turn]
}

// marked reports whether the operator wants the turn to end, as the store has it, or this
// process, where the store could not be told.
func (t *Turn) marked(tx *Tx) (bool, error) {
	if t.svc.isStopped(t.Origin.Turn) {
		return true, nil
	}
	var turn arc.TurnID
	_, err := tx.one(`SELECT stop_turn FROM seat WHERE id = $1`, []any{t.Origin.Seat}, &turn)
	return turn == t.Origin.Turn, err
}
