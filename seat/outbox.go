package seat

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/arcseat/arc"
)

// mirror puts op where the host is told of it once this transaction stands.
func (s *Service) mirror(tx *Tx, turn arc.TurnID, op RoomOp) error {
	if s.o.Mirror == nil {
		return nil
	}
	op.ID = "op_" + random()
	b, err := json.Marshal(op)
	if err != nil {
		return err
	}
	n, err := nextOrder(tx)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO outbox (id, n, room_id, turn_id, body) VALUES ($1, $2, $3, $4, $5)`, op.ID, n, op.Room, turn, string(b))
	return err
}

// mirroring tells the host what happens in the rooms, while turns run, until ctx ends
// or the returned func is called, which waits for the last word.
func (s *Service) mirroring(ctx context.Context) (stop func()) {
	if s.o.Mirror == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			changes := s.changes()
			sleep, held, err := s.deliver(ctx, skip)
			if err != nil && ctx.Err() == nil {
				s.log.Error("the rooms' changes could not be read", "err", err)
			}
			var soon <-chan time.Time
			if held {
				soon = time.After(takenPause)
			}
			select {
			case <-ctx.Done():
			case <-changes:
			case <-soon:
			case <-s.clock.After(sleep): // for a mirror that did not take one
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// deliver tells the host what it has not been told, the rooms one after the other. Those
// that another service tells it of are left to that one, for sleep at least; those that
// somebody changes this very moment are left if w says so, and held reports them.
func (s *Service) deliver(ctx context.Context, w when) (sleep time.Duration, held bool, err error) {
	sleep = jobsPoll
	if s.o.Mirror == nil {
		return sleep, false, nil
	}
	select { // of the Runs of this service one tells
	case s.telling <- struct{}{}:
		defer func() { <-s.telling }()
	case <-ctx.Done():
		return sleep, false, ctx.Err()
	}
	var rooms []string
	err = s.store.View(ctx, func(tx *Tx) error {
		return tx.all(`SELECT id, mirror_owner, mirror_until_us FROM room
			JOIN (SELECT room_id, MIN(n) AS n FROM outbox GROUP BY room_id) told ON room_id = id ORDER BY n`, nil, func(r *sql.Rows) error {
			var room string
			var by teller
			err := r.Scan(&room, &by.owner, &by.untilUS)
			if left := s.tellsFor(tx, by); left > 0 {
				sleep = min(sleep, left)
			} else {
				rooms = append(rooms, room)
			}
			return err
		})
	})
	var broken error
	for len(rooms) > 0 && err == nil && ctx.Err() == nil {
		var taken, more bool
		taken, more, err = s.deliverRoom(ctx, rooms[0], w)
		held = held || taken
		if more { // after the others
			rooms = append(rooms, rooms[0])
		}
		rooms = rooms[1:]
		if errors.Is(err, errBroken) { // which is that room's alone
			broken, err = err, nil
		}
	}
	return sleep, held, cmp.Or(err, broken)
}

// errBroken says that a change in the outbox cannot be read.
var errBroken = errors.New("a change of a room cannot be read")

// visitMost is how many changes of a room the host is told of before the other rooms have
// their turn.
const visitMost = 50

// A teller is the service that tells its host of a room's changes.
type teller struct {
	owner   string
	untilUS int64
}

// tellsFor is for how long another service may still be telling its host of a room.
func (s *Service) tellsFor(tx *Tx, by teller) time.Duration {
	if opening, _, _ := strings.Cut(by.owner, "/"); by.owner == "" || by.owner == s.owner || opening != s.store.Opening() {
		return 0
	}
	return time.Duration(by.untilUS-s.now(tx)) * time.Microsecond
}

// deliverRoom tells the host of a room's changes, in order, and stops at the first that it
// does not take: it is told again later. After visitMost it stops too, and reports that there
// may be more. Meanwhile no other service tells of this room. The host is given as long as
// that is certain.
func (s *Service) deliverRoom(ctx context.Context, room string, w when) (taken, left bool, err error) {
	doing, told, more := ctx, "", true
	for n := 0; ; n++ {
		first := n == 0
		began := s.clock.Elapsed()
		var op *RoomOp
		var broken error
		taken, err := s.transact(doing, room, w, func(tx *Tx) (err error) {
			op, broken, err = s.nextOp(tx, room, first, told, more)
			return err
		})
		if taken || err != nil || op == nil {
			return taken, left, cmp.Or(err, broken)
		}
		telling, end := context.WithTimeout(ctx, s.o.Lease-(s.clock.Elapsed()-began))
		err = s.show(telling, *op)
		end()
		left = n+1 == visitMost
		told, more = op.ID, ctx.Err() == nil && !left
		if err != nil {
			s.log.Warn("the room's mirror did not take a change; it is told again", "room", op.Room, "op", op.ID, "err", err)
			told, more, left = "", false, false
		}
		w, doing = wait, context.WithoutCancel(ctx) // what it took is not told again because Run ends meanwhile
	}
}

// show tells the host of a change.
func (s *Service) show(ctx context.Context, op RoomOp) (err error) {
	defer caught("the mirror", &err)
	return s.o.Mirror(ctx, op)
}

// nextOp is the next change of a room, after the one that the host was told of. Without one,
// or where there are to be no more, this service ceases to tell of the room. Nor is there
// one while another does: at first, or because this one has taken too long; nor where it is
// broken, which is no reason to tell the one before again.
func (s *Service) nextOp(tx *Tx, room string, first bool, told string, more bool) (op *RoomOp, broken, err error) {
	var by teller
	if _, err := tx.one(`SELECT mirror_owner, mirror_until_us FROM room WHERE id = $1`, []any{room}, &by.owner, &by.untilUS); err != nil {
		return nil, nil, err
	}
	if first && s.tellsFor(tx, by) > 0 || !first && by.owner != s.owner {
		return nil, nil, nil
	}
	if told != "" {
		if _, err := tx.Exec(`DELETE FROM outbox WHERE id = $1`, told); err != nil {
			return nil, nil, err
		}
	}
	by = teller{}
	if more {
		var body string
		var n int64
		found, err := tx.one(`SELECT n, body FROM outbox WHERE room_id = $1 ORDER BY n LIMIT 1`, []any{room}, &n, &body)
		if err != nil {
			return nil, nil, err
		}
		if found {
			op, by = &RoomOp{Order: n}, teller{s.owner, s.leaseEnd(tx)}
			if no := json.Unmarshal([]byte(body), op); no != nil {
				op, by, broken = nil, teller{}, fmt.Errorf("%w: room %s: %w", errBroken, room, no)
			}
		}
	}
	_, err = tx.Exec(`UPDATE room SET mirror_owner = $1, mirror_until_us = $2 WHERE id = $3`, by.owner, by.untilUS, room)
	return op, broken, err
}

// roomPending reports whether the host has still to be told what a turn changed in
// the room.
func (s *Service) roomPending(tx *Tx, turn arc.TurnID) (bool, error) {
	var n int64
	_, err := tx.one(`SELECT COUNT(*) FROM outbox WHERE turn_id = $1 AND turn_id <> ''`, []any{turn}, &n)
	return n > 0, err
}
