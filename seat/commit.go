package seat

import (
	"context"

	"github.com/arcseat/arc"
)

// How a turn stands, or ended.
const (
	StatusRunning   = "running"
	StatusCompleted = "completed" // with an answer
	StatusWaiting   = "waiting"   // for a time, a task or a job: it is not done
	StatusFinished  = "finished"  // and the run with it
	StatusPlanned   = "planned"
	StatusAnswered  = "answered"
	StatusFailed    = "failed" // its handler failed, was stopped, or crashed twice
)

// committing is a turn on its way into memory.
type committing struct {
	seat        arc.SeatID
	room, agent string
	turn        arc.TurnID
	gen         int64  // of the lease that it is done under
	run         string // of a turn that is known to have just this reply; empty: the log is asked
	mode        arc.Mode

	status, reply string // what it comes to, unless a tool has ended it
	failed        bool   // the reply is what was said so far, if it says nothing
	told          bool   // there may be notices that it was told
}

// commit ends a turn and lets go of the seat. The exchange is memory from now on.
// Code: lease_lost.
func (s *Service) commit(tx *Tx, c committing) error {
	if s.isStopped(c.turn) { // since the handler came to its end, and perhaps the store was not told
		c.failed, c.run = true, ""
	}
	n, err := c.letGo(tx)
	if err == nil && n == 0 && !c.failed { // somebody has stopped it, or it is lost
		c.failed, c.run = true, ""
		n, err = c.letGo(tx)
	}
	if err != nil {
		return err
	}
	if n == 0 {
		return leaseLost()
	}
	if c.run == "" {
		if err := c.ask(tx); err != nil {
			return err
		}
	} else if c.mode == arc.Planning {
		c.status = StatusAnswered // text alone is an answer
	}
	tx.committed = c.turn
	message := `0`
	if c.reply != "" {
		message = tx.db.Dialect.NewMessage
		meta := map[string]string{"turn_id": string(c.turn), "status": c.status}
		if err := s.write(tx, Message{Room: c.room, Run: c.run, Author: c.agent, Seat: c.seat, Kind: "reply", Text: c.reply, Meta: meta}); err != nil {
			return err
		}
		if s.o.Mirror != nil {
			if _, err := s.written(tx, c.room); err != nil {
				return err
			}
		}
	}
	if _, err := tx.Exec(`UPDATE turn SET status = $1, live = 1, reply_sha = $2, reply_message_id = `+message+`, committed_us = $3, draft = '' WHERE id = $4`,
		c.status, hash(c.reply), s.now(tx), c.turn); err != nil {
		return err
	}
	if !c.told {
		return nil
	}
	_, err = tx.Exec(`UPDATE notice SET done = 1 WHERE seat_id = $1 AND done = 0 AND told_in = $2`, c.seat, c.turn)
	return err
}

// letGo frees the seat of the turn, unless the turn is another's by now or is to fail, and
// reports how many seats that were.
func (c *committing) letGo(tx *Tx) (int64, error) {
	return tx.Exec(`UPDATE seat SET history_revision = history_revision + 1, live_total = live_total + 1,
		lease_turn = '', lease_owner = '', lease_until_us = 0, stop_turn = ''
		WHERE id = $1 AND lease_turn = $2 AND lease_gen = $3 AND (stop_turn <> $2 OR $4 = 1)`, c.seat, c.turn, c.gen, truth(c.failed))
}

// ask completes c with what the log has of the turn: a tool may have ended it, and
// what it said so far stands for a reply that it never gave.
func (c *committing) ask(tx *Tx) error {
	var ended, endText, draft string
	if _, err := tx.one(`SELECT run_id, mode, ended, end_text, draft FROM turn WHERE id = $1`, []any{c.turn}, &c.run, &c.mode, &ended, &endText, &draft); err != nil {
		return err
	}
	switch {
	case ended != "": // whatever the handler came to
		c.status = ended
		if c.reply == "" || ended == StatusAnswered || c.failed {
			c.reply = endText
		}
	case c.failed:
		c.status = StatusFailed
		if c.reply == "" {
			c.reply = draft
		}
	case c.mode == arc.Planning:
		c.status = StatusAnswered // text alone is an answer
	}
	return nil
}

// committing is the end of the turn that a seat was left in: failed, unless a tool
// had ended it.
func (x *seatRow) committing() committing {
	return committing{seat: x.ID, room: x.Room, agent: x.Agent, turn: x.leaseTurn, gen: x.leaseGen, failed: true, told: true}
}

// committing is the end of the turn with what its handler came to, unless a tool has
// ended it.
func (t *Turn) committing(reply string, failed bool) committing {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := committing{
		seat: t.Origin.Seat, room: t.Info.Room, agent: t.Info.Agent, turn: t.Origin.Turn, gen: t.gen,
		status: StatusCompleted, reply: reply, failed: failed, told: len(t.told) > 0,
	}
	if !t.ending && !failed && reply != "" {
		c.run, c.mode = t.Origin.Run, t.mode // what a look at the log would cost is saved
	}
	return c
}

// end commits the turn with what its handler came to.
func (t *Turn) end(ctx context.Context, reply string, failed bool) error {
	ends, c := t.endsToSave(), t.committing(reply, failed)
	return t.svc.update(ctx, t.Info.Room, func(tx *Tx) error {
		if err := t.svc.commit(tx, c); err != nil {
			return err
		}
		return saveEnds(tx, t.Origin.Turn, ends)
	})
}

func leaseLost() error {
	return refuse(LeaseLost, nil, "this turn was taken over or ended elsewhere; nothing was written.")
}
