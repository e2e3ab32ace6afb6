package seat

import (
	"context"
	"database/sql"
	"encoding/json"

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
			if err := s.deliver(ctx); err != nil && ctx.Err() == nil {
				s.log.Error("the rooms' changes could not be read", "err", err)
			}
			select {
			case <-ctx.Done():
			case <-changes:
			case <-s.clock.After(jobsPoll): // for a mirror that did not take one
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// deliver tells the host what it has not been told, in order, and stops at the
// first that it does not take: it is told again later.
func (s *Service) deliver(ctx context.Context) error {
	if s.o.Mirror == nil {
		return nil
	}
	for {
		var bodies []string
		err := s.store.View(ctx, func(tx *Tx) error {
			return tx.all(`SELECT body FROM outbox ORDER BY n LIMIT 100`, nil, func(r *sql.Rows) error {
				var b string
				err := r.Scan(&b)
				bodies = append(bodies, b)
				return err
			})
		})
		if err != nil || len(bodies) == 0 {
			return err
		}
		for _, b := range bodies {
			var op RoomOp
			if err := json.Unmarshal([]byte(b), &op); err != nil {
				return err
			}
			if err := s.o.Mirror(ctx, op); err != nil {
				s.log.Warn("the room's mirror did not take a change; it is told again", "room", op.Room, "op", op.ID, "err", err)
				return nil
			}
			// What it took is not told again because Run ends meanwhile.
			if _, err := s.transact(context.WithoutCancel(ctx), op.Room, wait, func(tx *Tx) error {
				_, err := tx.Exec(`DELETE FROM outbox WHERE id = $1`, op.ID)
				return err
			}); err != nil {
				return err
			}
		}
	}
}

// roomPending reports whether the host has still to be told what a turn changed in
// the room.
func (s *Service) roomPending(tx *Tx, turn arc.TurnID) (bool, error) {
	var n int64
	_, err := tx.one(`SELECT COUNT(*) FROM outbox WHERE turn_id = $1 AND turn_id <> ''`, []any{turn}, &n)
	return n > 0, err
}
